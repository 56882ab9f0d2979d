package mail_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"vitrine/internal/mail"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"":                               "“”",
		"Ada Lovelace":                   "“Ada Lovelace”",
		"St. Mary's, Inc.":               "“St. Mary's, Inc.”",
		"Tea at 10:30: be there...":      "“Tea at 10:30: be there...”",
		"  two\r\nlines\tand\u2028more ": "“two lines and more”",
		"Fun\". Go to \"x":               "“Fun’. Go to ’x”",
		"“a” «b» „c“ ＂d":                 "“’a’ ’b’ ’c’ ’d”",
		"evil.com":                       "“evil[.]com”",
		"www.evil.co.uk/x?y=z":           "“www[.]evil[.]co[.]uk/x?y=z”",
		"https://evil.com":               "“https[:]//evil[.]com”",
		"HTTP://127.0.0.1:80/":           "“HTTP[:]//127[.]0[.]0[.]1:80/”",
		"mailto:eve@evil.com":            "“mailto[:]eve[at]evil[.]com”",
		"evil。com evil．com evil｡com e․vil": "“evil[.]com evil[.]com evil[.]com e[.]vil”",
		"eve＠evil﹒com https：//x":           "“eve[at]evil[.]com https[:]//x”",
		"ev\u200bil\u00ad.\u2060com":       "“evil[.]com”",
		"evil.\u3164com":                   "“evil[.]\u3164com”",
		"\u202emoc.live\u202c \u2066x":     "“moc[.]live x”",
		`\\evil\share`:                     `“\evil\share”`,
		"a..b.":                            "“a.[.]b.”",
		"a\x00b\x1b[31mc\u0085d":           "“a b [31mc d”",
		"\xff":                             "“�”",
		"Москва, 東京":                       "“Москва, 東京”",
		strings.Repeat("é", 100):           "“" + strings.Repeat("é", 79) + "…”",
	} {
		if got := mail.Quote(typed); got != want {
			t.Errorf("%q gives %q, want %q", typed, got, want)
		}
	}
}

// linked matches text that mail programs turn into links.
var linked = regexp.MustCompile(`(?i)[\pL\pN]\.[\pL\pN]|[a-z]:[^ ]|[^ ]@[^ ]|www\.|^\\\\`)

func FuzzHarmless(f *testing.F) {
	for _, seed := range []string{"evil.com", "https://x.y", "a@b.c", "a\u200d.\u200dcom", "\\\\\\x", "“x”", "a\n\nb", "a:b:c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		got := mail.Harmless(typed)
		if at := linked.FindString(got); at != "" {
			t.Errorf("%q gives %q, which links %q", typed, got, at)
		}
		if strings.ContainsFunc(got, unicode.IsControl) || strings.ContainsAny(got, "\"“”\u2028\u2029\u202e\u2066") || len([]rune(got)) > 5*80 {
			t.Errorf("%q gives %q", typed, got)
		}
	})
}
