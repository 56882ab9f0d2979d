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

// faultsFile contains the translations of error messages. The program creates them in English,
// since API clients read them too, so the English text is the id: a format with %d for numbers and
// %s for anything else.
const faultsFile = "faults.json"

// faults are the error messages of a language.
type faults struct {
	by      map[string]string // translations by English format
	formats []faultFormat     // the English formats that have verbs, longest first
}

type faultFormat struct {
	english string
	match   *regexp.Regexp
}

// readFaults reads the error messages of a language. English has no file.
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

// Fault translates an error message, or returns it unchanged if the language has no translation.
// Arguments of %s are translated too, since they may be reasons.
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

// FaultOf returns the English format of an error message, "" if the language has no translation.
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

// Faults returns all translated error messages by their English format.
func (l *Language) Faults() map[string]string { return l.faults.by }
