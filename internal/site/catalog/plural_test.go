package catalog

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/text/language"
)

// noNoun lists texts without plural forms, since no word agrees with their numbers: these identify something, follow a
// colon, are the whole text, or are limits far above 1.
var noNoun = []string{
	"cell.pager.at", "collect.history.restore", "collect.history.version", "collect.metadata.key", "collect.metadata.value", "collect.save.files.hint", "look.count", "look.document.most", "look.document.page",
	"look.document.page.of", "look.slideshow.at", "moderation.case",
	"operator.invitations.line", "operator.number", "operator.receipts.account", "script.sort.moved", "web.field.line", "web.note.arranged-some",
	"web.note.removed-some", "web.note.taken-back-some",
}

// Every text with a number has each plural form of its language, and its forms take the same arguments. The English ones
// agree with the number.
func TestCountedTextsHaveAllForms(t *testing.T) {
	t.Parallel()
	disagrees := regexp.MustCompile(`\b1 (?:[a-z]+[b-hj-rt-z]s|are|were|have|people)\b`) // "1 is" and "1 was" agree
	for _, l := range New().Languages {
		needed := map[string]int{}
		for n := range 200 {
			needed[l.PluralForm(n)] = n
		}
		for id, text := range l.ids {
			if text.forms == nil {
				if strings.Contains(strings.ReplaceAll(text.other, "[1]", ""), "%d") && !slices.Contains(noNoun, id) {
					t.Errorf("%s: %s has a number, but no plural forms: %q", l.Name, id, text.other)
				}
				continue
			}
			for form, n := range needed {
				if text.forms[form] == "" {
					t.Errorf("%s: %s lacks the form %q, as for %d", l.Name, id, form, n)
				}
			}
			args := argumentsOf(text)
			for _, n := range []int{0, 1, 2, 5, 21, 1000} {
				args[0] = n
				shown := l.Text(id, args...)
				if n == 1 && l.Code == "en" && disagrees.MatchString(shown) || strings.Contains(shown, "%!") {
					t.Errorf("%s: %s is %q for %d", l.Name, id, shown, n)
				}
			}
		}
		for english, text := range l.faults.by {
			for form := range needed {
				if text.forms != nil && text.forms[form] == "" {
					t.Errorf("%s: the error %q lacks the form %q", l.Name, english, form)
				}
			}
		}
	}
}

// argumentsOf returns arguments for all verbs of a text. The first one is a number.
func argumentsOf(t text) []any {
	args := []any{0}
	for _, form := range t.forms {
		next := 1
		for _, v := range verb.FindAllString(form, -1) {
			if at, found := strings.CutPrefix(v, "%["); found {
				next = int(at[0] - '0')
			}
			for len(args) < next {
				args = append(args, "x")
			}
			if strings.HasSuffix(v, "d") {
				args[next-1] = 0
			}
			next++
		}
	}
	return args
}

// A language may have more plural forms than English. Scripts receive all of them.
func TestLanguagesWithMoreForms(t *testing.T) {
	t.Parallel()
	c := newCatalog(fstest.MapFS{
		"en/x.json": {Data: []byte(`{"catalog.name": "English", "x.files": {"=0": "no files", "one": "%d file", "other": "%d files"}}`)},
		"pl/x.json": {Data: []byte(`{"catalog.name": "Polski", "x.files": {"=0": "brak plików", "one": "%d plik", "few": "%d pliki", "many": "%d plików", "other": "%d pliku"}}`)},
		"pl/faults.json": {Data: []byte(`{"must have at most %d items": {"one": "najwyżej %d element", "few": "najwyżej %d elementy", "many": "najwyżej %d elementów",
			"other": "najwyżej %d elementu"}}`)},
		"ar/x.json": {Data: []byte(`{"catalog.name": "العربية", "x.files": {"zero": "zero", "one": "one", "two": "two", "few": "few", "many": "many", "other": "other"}}`)},
	}, []language.Tag{language.English, language.Polish, language.Arabic})
	for n, want := range map[int][3]string{
		0: {"no files", "brak plików", "zero"}, 1: {"1 file", "1 plik", "one"}, 2: {"2 files", "2 pliki", "two"}, 5: {"5 files", "5 plików", "few"},
		12: {"12 files", "12 plików", "many"}, 22: {"22 files", "22 pliki", "many"}, 101: {"101 files", "101 plików", "other"},
	} {
		for i, l := range c.Languages {
			if got := l.Text("x.files", n); got != want[i] {
				t.Errorf("%s: %d is %q, want %q", l.Code, n, got, want[i])
			}
		}
	}
	for english, want := range map[string]string{"must have at most 1 items": "najwyżej 1 element", "must have at most 3 items": "najwyżej 3 elementy",
		"must have at most 1,000 items": "najwyżej 1,000 elementów"} {
		if got := c.Languages[1].Fault(english); got != want {
			t.Errorf("%q is %q, want %q", english, got, want)
		}
	}
	forms, _ := c.For(c.Languages[1], "x.")["x.files"].(map[string]string)
	if got := slices.Sorted(maps.Keys(forms)); !slices.Equal(got, []string{"=0", "few", "many", "one", "other"}) {
		t.Errorf("scripts receive %v", got)
	}
}
