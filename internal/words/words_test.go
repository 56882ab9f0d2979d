package words

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Café": "cafe", "CAFE\u0301": "cafe", "Straße": "strasse", "İstanbul": "istanbul", "ΣΊΣΥΦΟΣ": "σισυφοσ",
		"Ångström": "angstrom", "Łódź": "lodz", "Ærø": "aero", "ﬁne": "fine", "Ｆｕｌｌ": "full", "がぎ": "がぎ", "か\u3099": "が",
		"Ёлка": "елка", "한국어": "한국어", "हिन्दी": "हिन्दी", "שָׁלוֹם": "שלום", "مُحَمَّد": "محمد",
		"so\u00adft": "soft", "Ⅷ": "viii", "Ⓐ": "a",
	} {
		if got := Fold(text); got != Fold(want) || strings.ContainsRune("Cé", []rune(got)[0]) {
			t.Errorf("Fold(%q) = %q (%+q), want %q (%+q)", text, got, got, Fold(want), Fold(want))
		}
	}
	if Fold("Café") != "cafe" || Fold("ø") != "o" {
		t.Error("folding keeps diacritics")
	}
	if Fold("か") == Fold("が") || Fold("कि") == Fold("क") || Fold("น้ำ") == Fold("นำ") {
		t.Error("folding drops marks that make another letter")
	}
}

func TestMake(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		"  ,.!?  ":                 "",
		"Don't well-known":         "don@1 t@2 well@3 known@4",
		"東京都":                      "東京@1 京都@2 都@3",
		"東京 tower":                 "東京@1 京@2 tower@3",
		"x猫y":                      "x@1 猫@2 y@3",
		"🌱🌲 tree":                  "🌱@1 🌲@2 tree@3",
		"a_b\x00c":                 "a@1 b@2 c@3",
		strings.Repeat("é", 100):   strings.Repeat("e", 64) + "@1",
		"https://www.example.org/": "https@1 www@2 example@3 org@4",
	} {
		if got := spell(Make(text).Title); got != want {
			t.Errorf("Make(%q) is %q, want %q", text, got, want)
		}
	}
	d := Make("a b", "c", "d e")
	if got := spell(d.Body); got != "c@7 d@12 e@13" {
		t.Errorf("texts follow each other as %s", got)
	}
}

func spell(all []Token) string {
	var parts []string
	for _, t := range all {
		parts = append(parts, fmt.Sprint(t.Word, "@", t.At))
	}
	return strings.Join(parts, " ")
}

func BenchmarkMake(b *testing.B) {
	text := strings.Repeat("Cities of the old world and their libraries, seen from a U-Bahn ", 4)
	for b.Loop() {
		Make("Architectural drawings", text)
	}
}

// Make keeps within PostgreSQL's limits.
func TestMakeIsBounded(t *testing.T) {
	t.Parallel()
	same := Make("x", strings.Repeat("x ", 100_000))
	if n := len(same.Title) + len(same.Body); n != maxOfWord {
		t.Errorf("%d times the same word", n)
	}
	var many strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&many, "%060d ", i)
	}
	size := 0
	for _, token := range Make("", many.String()).Body {
		size += len(token.Word) + 4
		if token.At > maxPositions {
			t.Fatalf("position %d", token.At)
		}
	}
	if size == 0 || size > maxBytes+100 {
		t.Errorf("%d bytes", size)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                 "everything",
		"  * ":             "everything",
		`"`:                "",
		`"*^:()-`:          "",
		`""""`:             "",
		"ada":              "[ada]*",
		"Ada Love":         "[ada] [love]*",
		"ada ":             "[ada]*",
		`"ada love"`:       "[ada love]",
		`"ada love" eng`:   "[ada love] [eng]*",
		`x"ada lo`:         "[x] [ada lo]*",
		"well-known":       "[well known]*",
		"ada AND NOT love": "[ada] [and] [not] [love]*",
		"東京都":              "[東京 京都]",
		"猫":                "[猫]*",
		"猫 x":              "[猫]* [x]*",
		"東京tower":          "[東京 京 tower]*",
		"c++":              "[_c_p_p]",
		`"c++"`:            "[c]",
		"#fog":             "[_h_fog]",
		"title:x OR *":     "[title x] [or] ",
	} {
		if got := spellQuery(Parse(query)); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("Parse(%q) is %s, want %s", query, got, want)
		}
	}
	if got := ParseExact("c++ libraries"); spellQuery(got) != spellQuery(Parse(`"c++" libraries`)) || got.HasForms() || got.HasSigns() {
		t.Errorf("ParseExact is %+v", got)
	}
	if !Parse(strings.Repeat("a b ", 60)).TooLong || !Parse(strings.Repeat("東", 401+1)).TooLong || Parse(strings.Repeat("a b ", 50)).TooLong {
		t.Error("the bounds of queries are elsewhere")
	}
}

func spellQuery(q Query) string {
	if q.Everything {
		return "everything"
	}
	var parts []string
	for _, term := range q.Terms {
		text := "[" + strings.Join(term.Words, " ") + "]"
		if term.Prefix {
			text += "*"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func TestSource(t *testing.T) {
	t.Parallel()
	same := []string{"https://example.org/a", "http://www.example.org/a/", "HTTPS://EXAMPLE.org:443/a?utm_source=x&fbclid=1#top",
		"https://example.org/a#section-3", "https://example.org/a#:~:text=some%20words", "https://example.org/a#", "https://example.org/a#/", " https://example.org/a?gclid=2 "}
	for _, address := range same {
		if Source(address) != Source(same[0]) || Source(address) == 0 {
			t.Errorf("%q is another page than %q", address, same[0])
		}
	}
	if Source("https://example.org/?b=1&a=2") != Source("http://example.org?a=2&b=1") {
		t.Error("the order of parameters matters")
	}
	seen := map[int64]string{}
	for _, address := range []string{"https://example.org/a", "https://example.org/A", "https://example.org/a?x=1",
		"https://example.org:8080/a", "https://example.org/", "https://example.com/a", "https://m.example.org/a",
		"https://example.org/a#/board/17", "https://example.org/a#/board/18", "https://example.org/a#!inbox"} {
		key := Source(address)
		if other, ok := seen[key]; ok {
			t.Errorf("%q is the same as %q", address, other)
		}
		seen[key] = address
	}
	for _, text := range []string{"", "example.org", "ftp://example.org", "https://", "https://a b", "see https://example.org/a", "http://[::1"} {
		if Source(text) != 0 {
			t.Errorf("%q is an address", text)
		}
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	if got := Key("  Émile, Zola! "); got != "emile zola" {
		t.Errorf("%q", got)
	}
	if key := Key(strings.Repeat("猫", 300)); len(key) > LongestKey || !utf8.ValidString(key) {
		t.Errorf("%d bytes", len(key))
	}
}

// For any text, words contain no characters that a database takes for an operator, and folding does not
// change them.
func FuzzMake(f *testing.F) {
	for _, seed := range []string{"Ada", "東京 tower", "\x00\xff", "'\\\"*", "ไทย", "é́́", "🌱"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, token := range Make(text).Title {
			if strings.ContainsAny(token.Word, " \t\n\x00'\"\\_*:()&|!<>-") || !utf8.ValidString(token.Word) || token.Word == "" ||
				len(token.Word) > 2046 || token.At <= last {
				t.Fatalf("%q has the word %q at %d", text, token.Word, token.At)
			}
			last = token.At
		}
		forms := append(Make(text).TitleForms, Make("", text).BodyForms...)
		for _, term := range Parse(text).Terms {
			if len(term.Words) == 0 {
				t.Fatalf("%q has an empty term", text)
			}
			forms = append(append(forms, term.Forms...), term.Words...)
		}
		for _, form := range forms {
			if strings.ContainsAny(form, " \t\n\x00'\"\\*:()&|!<>-") || !utf8.ValidString(form) || strings.Trim(form, "_") == "" || len(form) > 2046 {
				t.Fatalf("%q has the form %q", text, form)
			}
		}
	})
}

// Cut removes the words above the limit.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", "a few words", `"quoted ones"`, strings.Repeat("a ", 100)} {
		if got := Cut(query); got != query {
			t.Errorf("%q is cut to %q", query, got)
		}
	}
	for _, query := range []string{strings.Repeat("a ", 101), strings.Repeat("a.", 401), strings.Repeat("漢", 1000), `"` + strings.Repeat("ab ", 500)} {
		got := Cut(query)
		if got == "" || !strings.HasPrefix(query, got) || Parse(got).TooLong || !Parse(query[:min(len(got)+6, len(query))]).TooLong {
			t.Errorf("%.20q is cut to %d bytes", query, len(got))
		}
	}
}
