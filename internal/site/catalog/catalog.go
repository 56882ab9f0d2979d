// Package catalog contains the texts of the website in every language: one file for each language
// and package of pages, with ids and their texts. A text may contain the verbs of package fmt,
// which format numbers as the language does. It may also be an object with a text for each plural form
// of the language (https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html),
// chosen by the first argument, and with one for an exact number, such as "=0".
package catalog

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

//go:embed en/*.json de/*.json
var files embed.FS

// tags are the supported languages. The first one is complete, and the fallback for the others.
var tags = []language.Tag{language.English, language.German}

// Catalog contains the texts of all languages.
type Catalog struct {
	Languages []*Language
	matcher   language.Matcher
}

// Language contains the texts in one language.
type Language struct {
	Code    string // as in the attribute lang of HTML
	Name    string // as its speakers call it
	Number  int    // among the languages
	tag     language.Tag
	printer *message.Printer
	ids     map[string]text
	plain   map[string]string // the texts without arguments, English ones if the language lacks them
	faults  faults
}

// All is the catalogue of this program, which is read once.
var All = sync.OnceValue(New)

// New reads the catalogue. It panics if a file cannot be read, since the files are part of the
// program.
func New() *Catalog { return newCatalog(files, tags) }

// newCatalog reads a catalogue with a folder for each language.
func newCatalog(files fs.FS, tags []language.Tag) *Catalog {
	b := catalog.NewBuilder(catalog.Fallback(tags[0]))
	c := &Catalog{matcher: language.NewMatcher(tags)}
	for _, tag := range tags {
		l := &Language{Code: tag.String(), tag: tag, ids: map[string]text{}, faults: readFaults(files, tag.String())}
		for id, t := range read(files, l.Code) {
			if err := b.Set(tag, id, t.messages()...); err != nil {
				panic(fmt.Errorf("catalog: %s %s: %w", l.Code, id, err))
			}
			l.ids[id] = t
		}
		c.Languages = append(c.Languages, l)
	}
	for i, l := range c.Languages {
		l.printer, l.plain = message.NewPrinter(tags[i], message.Catalog(b)), map[string]string{}
		for _, from := range []*Language{c.Languages[0], l} {
			for id, t := range from.ids {
				if delete(l.plain, id); t.forms == nil && !strings.Contains(t.other, "%") {
					l.plain[id] = t.other
				}
			}
		}
		l.Name, l.Number = l.Text("catalog.name"), i
	}
	return c
}

// text is an entry: one text, or one for each plural form. forms is nil if the text has only one.
type text struct {
	other string
	forms map[string]string // by plural form or exact number, such as "few" or "=0"
}

// UnmarshalJSON reads a text, or an object of texts by plural form.
func (t *text) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &t.other) == nil {
		return nil
	}
	if err := json.Unmarshal(b, &t.forms); err != nil {
		return err
	}
	if t.other = t.forms["other"]; t.other == "" {
		return fmt.Errorf("%s: the form \"other\" is missing", b)
	}
	return nil
}

// messages returns the text for the printer. Exact numbers come first, since the first match wins.
func (t text) messages() []catalog.Message {
	if t.forms == nil {
		return []catalog.Message{catalog.String(t.other)}
	}
	var cases []any
	for _, form := range slices.Sorted(maps.Keys(t.forms)) { // "=" sorts before letters
		if form != "other" {
			cases = append(cases, form, t.forms[form])
		}
	}
	return []catalog.Message{plural.Selectf(1, "%d", append(cases, "other", t.other)...)}
}

// read returns all entries of a language.
func read(files fs.FS, code string) map[string]text {
	all := map[string]text{}
	entries, err := fs.ReadDir(files, code)
	if err != nil {
		panic(err)
	}
	for _, f := range entries {
		if f.Name() == faultsFile {
			continue
		}
		b, err := fs.ReadFile(files, path.Join(code, f.Name()))
		if err != nil {
			panic(err)
		}
		if err := json.Unmarshal(b, &all); err != nil {
			panic(fmt.Errorf("catalog: %s/%s: %w", code, f.Name(), err))
		}
	}
	return all
}

// Find returns the best language for the wishes, which are tags or lists as in the header
// Accept-Language (RFC 9110 section 12.5.4). It skips those that it cannot parse.
func (c *Catalog) Find(wishes ...string) *Language {
	for _, wish := range wishes {
		if asked, _, err := language.ParseAcceptLanguage(wish); err == nil && len(asked) > 0 {
			if _, i, confidence := c.matcher.Match(asked...); confidence > language.No {
				return c.Languages[i]
			}
		}
	}
	return c.Languages[0]
}

// Text returns the text of an id with its arguments filled in, in English if the language lacks it.
func (l *Language) Text(id string, args ...any) string {
	if text, ok := l.plain[id]; ok && len(args) == 0 {
		return text
	}
	return l.printer.Sprintf(message.Key(id, id), args...)
}

// Has reports whether the language itself has a text for an id.
func (l *Language) Has(id string) bool {
	_, ok := l.ids[id]
	return ok
}

// Verbs returns the verbs of package fmt in the text of an id, sorted.
func (l *Language) Verbs(id string) []string {
	verbs := verb.FindAllString(strings.ReplaceAll(l.ids[id].other, "%%", ""), -1)
	for i, v := range verbs {
		verbs[i] = v[:1] + v[len(v)-1:] // without the index of the argument
	}
	slices.Sort(verbs)
	return verbs
}

var verb = regexp.MustCompile(`%(\[\d+\])?[a-z]`)

// For returns the texts whose ids begin with a prefix, unformatted, for scripts. A value is a text,
// or texts by plural form. Missing texts are in English.
func (c *Catalog) For(l *Language, begin string) map[string]any {
	all := map[string]any{}
	for _, from := range []*Language{c.Languages[0], l} {
		for id, t := range from.ids {
			switch {
			case !strings.HasPrefix(id, begin):
			case t.forms == nil:
				all[id] = t.other
			default:
				all[id] = t.forms
			}
		}
	}
	return all
}

// IDs returns the sorted ids that the language has a text for.
func (l *Language) IDs() []string {
	ids := make([]string, 0, len(l.ids))
	for id := range l.ids {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Day formats the date of an instant, in UTC.
func (l *Language) Day(t time.Time) string {
	t = t.UTC()
	months := strings.Fields(l.Text("catalog.months"))
	return l.Text("catalog.day", itoa(t.Day()), months[t.Month()-1], itoa(t.Year()))
}

// Minute formats an instant to the minute, in UTC.
func (l *Language) Minute(t time.Time) string {
	return l.Text("catalog.minute", l.Day(t), t.UTC().Format("15:04"))
}

func itoa(n int) string { return fmt.Sprint(n) }
