package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// matchesForm reports whether a query of one term finds a text, exactly or by a form.
func matchesForm(query, text string) (exact, form bool) {
	d := Make(text)
	var has []string
	for _, t := range d.Title {
		has = append(has, t.Word)
	}
	term := Parse(query).Terms[0]
	exact = strings.Contains(" "+strings.Join(has, " ")+" ", " "+strings.Join(term.Words, " ")+" ") ||
		len(term.Words) == 1 && slices.Contains(d.TitleForms, term.Words[0])
	has = append(has, d.TitleForms...)
	return exact, slices.ContainsFunc(term.Forms, func(form string) bool { return slices.Contains(has, form) })
}

func TestForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, text string }{
		{"library", "Libraries"},
		{"libraries", "A library"},
		{"cities", "The city in history"},
		{"city", "Cities and the wealth of nations"},
		{"architectural", "Architecture"},
		{"architecture", "Architectural drawings"},
		{"Häuser", "Haus"},
		{"haus", "Häuser"},
		{"haus", "Die Häuser am Meer"},
		{"gesellschaft", "Donaudampfschifffahrtsgesellschaft"},
		{"gesellschaften", "Donaudampfschifffahrtsgesellschaft"},
		{"gesellschaft", "Die Donaudampfschifffahrtsgesellschaften"},
		{"maisons", "La maison de la mer"},
		{"casas", "La casa de las flores"},
		{"книга", "Старые книги"},
		{"школы", "Новая школа"},
		{"ubahn", "U-Bahn"},
		{"U-Bahn", "Ubahn"},
		{"ubahn", "U-Bahn-Stationen"},
		{"station", "U-Bahn-Stationen"},
		{"nodejs", "Node.js"},
		{"node.js", "NodeJS in practice"},
		{"obrien", "O'Brien's"},
		{"o’brien", "OBrien"},
		{"9783161484100", "ISBN 978-3-16-148410-0"},
		{"978-3-16-148410-0", "ISBN 9783161484100"},
		{"dont", "Don't look back"},
		{"don't", "dont look back"},
		{"groesse", "Größe"},
		{"größe", "Groesse"},
		{"aeroe", "Ærø"},
		{"ærø", "Aeroe"},
		{"aarhus", "Århus"},
		{"1000", "1,000 things"},
		{"1,000", "1000 things"},
		{"1000", "1.000 Dinge"},
		{"كتاب", "قرأ الكتاب"},
		{"الكتاب", "كتاب"},
		{"ספר", "הספר"},
		{"ספר", "והספר"},
		{"הספר", "ספר"},
	} {
		if _, form := matchesForm(c.query, c.text); !form {
			term, d := Parse(c.query).Terms[0], Make(c.text)
			t.Errorf("%q does not find %q: %q %q, and %s %q", c.query, c.text, term.Words, term.Forms, spell(d.Title), d.TitleForms)
		}
	}
	for _, c := range []struct{ query, text string }{
		{"C#", "Learning C# and C"},
		{"c++", "C++, and more"},
		{"#fog", "Mist and #fog"},
		{"ひらがな", "ヒラガナ"},
		{"ヒラガナ", "ひらがな"},
		{"fog", "#fog"},
	} {
		if exact, _ := matchesForm(c.query, c.text); !exact {
			t.Errorf("%q does not find %q", c.query, c.text)
		}
	}
	for _, c := range []struct{ query, text string }{
		{"C#", "C++"},
		{"c#", "C and C++"},
		{"c++", "C, C# and D"},
		{"#fog", "Fog"},
		{"library", "Librettos"},
		{"dont", "The don"},
		{"poet", "A pot"},
		{"1000", "1, 000"},
		{"ubahn", "U Bahn"},
		{"and", "An anagram"},
		{`"libraries"`, "A library"},
	} {
		if exact, form := matchesForm(c.query, c.text); exact || form {
			t.Errorf("%q finds %q", c.query, c.text)
		}
	}
}

// The languages of a text are recognised by its common words, or by its letters.
func TestLanguagesOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "en de",
		"Chair":                          "en de",
		"12345 東京":                       "en de",
		"The history of chairs":          "en",
		"Die Geschichte der Stühle":      "en de",
		"La maison de la mer et du vent": "en fr",
		"La casa de las flores":          "en es",
		"Il nome della rosa":             "en it",
		"O livro dos mortos não":         "en pt",
		"Het huis van de buren":          "en nl",
		"Huset och havet":                "en sv",
		"Häuser":                         "en de sv",
		"Talo ja meri":                   "en fi",
		"Egy ház és a tenger":            "en hu",
		"Bir ev ve deniz":                "en tr",
	} {
		var codes []string
		for _, l := range languagesOf(lowerCase(text)) {
			codes = append(codes, l.code)
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("%q is in %s, want %s", text, got, want)
		}
	}
}

// Hostile texts have a bounded number of forms, of a bounded size.
func TestFormsAreBounded(t *testing.T) {
	t.Parallel()
	var many, chain strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&many, "Häuser%dungen ", i)
		chain.WriteString("a-")
	}
	for _, text := range []string{many.String(), chain.String(), strings.Repeat("Größen", 10_000), strings.Repeat("die donaudampfschifffahrtsgesellschaften-", 5_000),
		strings.Repeat("#", 100_000), strings.Repeat("ä", 5_000) + "#"} {
		d := Make(text, text)
		if n := len(d.TitleForms) + len(d.BodyForms); n > 2*maxForms {
			t.Errorf("%.10q has %d forms", text, n)
		}
		for _, form := range append(d.TitleForms, d.BodyForms...) {
			if utf8.RuneCountInString(form) > longestWord+8 {
				t.Errorf("%.10q has the form %q", text, form)
			}
		}
		if q := Parse(text[:min(len(text), 2_000)]); len(q.Terms) > 0 && len(q.Terms[0].Forms) > 20 {
			t.Errorf("%.10q searches for %d forms", text, len(q.Terms[0].Forms))
		}
	}
}
