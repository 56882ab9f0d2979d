package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
)

// faultsFile contains the translations of error messages. The program creates them in English,
// since API clients read them too, so the English text is the id: a format with %d for numbers and
// %s for anything else. The first number selects the plural form of a translation that has several.
const faultsFile = "faults.json"

// faults are the error messages of a language.
type faults struct {
	by      map[string]text // translations by English format
	formats []faultFormat   // the English formats that have verbs, longest first
}

type faultFormat struct {
	english string
	match   *regexp.Regexp
}

// readFaults reads the error messages of a language. English has no file.
func readFaults(files fs.FS, code string) faults {
	f := faults{by: map[string]text{}}
	b, err := fs.ReadFile(files, path.Join(code, faultsFile))
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
	translation := l.faults.by[english]
	for _, f := range l.faults.formats {
		if f.english != english {
			continue
		}
		values := f.match.FindStringSubmatch(text)[1:]
		args := make([]any, len(values))
		for i, value := range values {
			args[i] = l.Fault(value)
		}
		return fmt.Sprintf(numbers.ReplaceAllString(l.form(translation, f.first(values)), "${1}s"), args...)
	}
	return translation.other
}

var numbers = regexp.MustCompile(`(%(?:\[\d+\])?)d`)

// first returns the first number among the values of a format, 0 if it has none.
func (f faultFormat) first(values []string) int {
	for i, v := range verb.FindAllString(f.english, -1) {
		if v == "%d" {
			n, _ := strconv.Atoi(strings.NewReplacer(",", "", ".", "").Replace(values[i])) // too large ones are 0
			return n
		}
	}
	return 0
}

// form returns the form of a text for a number.
func (l *Language) form(t text, n int) string {
	return cmp.Or(t.forms[fmt.Sprint("=", n)], t.forms[l.PluralForm(n)], t.other)
}

// PluralForm returns the plural form that the language has for a number, such as "few".
func (l *Language) PluralForm(n int) string {
	return map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many",
		plural.Other: "other"}[plural.Cardinal.MatchPlural(l.tag, n%10_000_000, 0, 0, 0, 0)]
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
func (l *Language) Faults() map[string]string {
	all := map[string]string{}
	for english, t := range l.faults.by {
		all[english] = t.other
	}
	return all
}
