package description_test

import (
	"maps"
	"slices"
	"strings"
)

// text writes facts so that parseFacts can read them.
func (f facts) text() string {
	var b strings.Builder
	for _, owner := range slices.Sorted(maps.Keys(f)) {
		b.WriteString(owner + "\n")
		for _, place := range slices.Sorted(maps.Keys(f[owner])) {
			b.WriteString("  " + strings.TrimSpace(place+": "+f[owner][place]) + "\n")
		}
	}
	return b.String()
}

func parseFacts(text string) facts {
	f, owner := facts{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if fact, ok := strings.CutPrefix(line, "  "); ok {
			place, value, _ := strings.Cut(fact, ":")
			f.set(owner, place, strings.TrimSpace(value))
		} else {
			owner = line
		}
	}
	return f
}

func as(v any) object { o, _ := v.(object); return o }

func list(v any) []any { l, _ := v.([]any); return l }

// reference shortens "#/components/schemas/Block" to "$Block".
func reference(v any) string {
	ref, _ := v.(string)
	return "$" + ref[strings.LastIndex(ref, "/")+1:]
}

// resolve follows a local reference to a parameter, response or header.
func resolve(doc object, v any) object {
	node := as(v)
	ref, ok := node["$ref"].(string)
	if !ok {
		return node
	}
	node = doc
	for _, key := range strings.Split(ref, "/")[1:] {
		node = as(node[key])
	}
	return node
}
