package describe

import (
	"strconv"
	"strings"
)

// Limits on how much of a client's keys a field name repeats.
const (
	longestKey   = 40  // characters of a key
	longestField = 400 // bytes of a path of keys; longer paths are cut
)

// fieldName returns the name of the place at the end of steps: "channels[2].id". Without steps, it
// returns root.
func fieldName(root string, steps []step) string {
	var name strings.Builder
	for _, s := range steps {
		if s.index >= 0 {
			name.WriteString("[" + strconv.Itoa(s.index) + "]")
			continue
		}
		if name.Len() > 0 {
			name.WriteByte('.')
		}
		if name.Len() > longestField {
			name.WriteString("…")
			break
		}
		name.WriteString(printable(s.key))
	}
	if name.Len() == 0 {
		return root
	}
	return name.String()
}

// printable returns a key for a message: quoted if it contains more than letters, digits, "_" and
// "-", and cut if it is long.
func printable(key string) string {
	n := 0
	for at := range key {
		if n++; n > longestKey {
			key = key[:at] + "…"
			break
		}
	}
	plain := key != ""
	for _, c := range key {
		plain = plain && (c == '_' || c == '-' || c == '…' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z')
	}
	if plain {
		return key
	}
	return strconv.Quote(key)
}

// steps converts the tokens of a JSON pointer in a value to steps.
func steps(value any, tokens []string) []step {
	made := make([]step, len(tokens))
	for i, token := range tokens {
		made[i] = step{key: token, index: -1}
		if _, list := at(value, tokens[:i]).([]any); list {
			made[i].index, _ = strconv.Atoi(token)
		}
	}
	return made
}

// at returns the value at the tokens of a JSON pointer, or nil.
func at(value any, tokens []string) any {
	for _, token := range tokens {
		switch v := value.(type) {
		case map[string]any:
			value = v[token]
		case []any:
			value = nil
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v) {
				value = v[i]
			}
		default:
			return nil
		}
	}
	return value
}
