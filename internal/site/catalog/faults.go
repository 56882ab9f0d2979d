package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// faultsFile holds, for a language beside its texts, what the program says when it refuses
// something. Such sentences are English where they are made, since programs read them too, and
// so they are their own ids: formats with %d for numbers and %s for anything else.
const faultsFile = "faults.json"

// faults are the refusals of a language.
type faults struct {
	by      map[string]string // English, with verbs: what it is in the language
	formats []faultFormat     // those with verbs, the longest first
}

type faultFormat struct {
	english string
	match   *regexp.Regexp
}

// readFaults reads the refusals of a language; English has none.
func readFaults(code string) faults {
	f := faults{by: map[string]string{}}
	b, err := files.ReadFile(path.Join(code, faultsFile))
	if err != nil {
		return f
	}
	if err := json.Unmarshal(b, &f.by); err != nil {
		panic(fmt.Errorf("catalog: %s/%s: %w", code, faultsFile, err))
	}
	for english := range f.by {
		if strings.Contains(english, "%") {
			quoted := strings.NewReplacer("%d", `([0-9][0-9,.]*)`, "%s", `(.+?)`).Replace(regexp.QuoteMeta(english))
			f.formats = append(f.formats, faultFormat{english, regexp.MustCompile("(?s)^" + quoted + "$")})
		}
	}
	slices.SortFunc(f.formats, func(a, b faultFormat) int {
		return cmp.Or(cmp.Compare(len(b.english), len(a.english)), cmp.Compare(a.english, b.english))
	})
	return f
}

// Fault is a refusal in the language; one that it does not know stays as it is. What stands
// in the place of a %s is looked up too: it may be a reason.
func (l *Language) Fault(text string) string {
	english := l.FaultOf(text)
	if english == "" {
		return text
	}
	format := l.faults.by[english]
	for _, f := range l.faults.formats {
		if f.english != english {
			continue
		}
		values := f.match.FindStringSubmatch(text)[1:]
		args := make([]any, len(values))
		for i, value := range values {
			args[i] = l.Fault(value)
		}
		return fmt.Sprintf(strings.ReplaceAll(format, "%d", "%s"), args...)
	}
	return format
}

// FaultOf is the format that a refusal is of, "" for one that the language does not know.
func (l *Language) FaultOf(text string) string {
	if _, ok := l.faults.by[text]; ok && !strings.Contains(text, "%") {
		return text
	}
	for _, f := range l.faults.formats {
		if f.match.MatchString(text) {
			return f.english
		}
	}
	return ""
}

// Faults are all refusals that the language knows, by their English.
func (l *Language) Faults() map[string]string { return l.faults.by }
