package markup

import (
	"slices"
	"strings"
	"testing"
)

func TestMentions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"hello @ada and @grace-hopper, @ada": {"ada", "grace-hopper"},
		"(@ada) **@bob** @bob.":              {"ada", "bob"},
		"line\n@ada":                         {"ada"},
		"ada@example.org":                    nil,
		"`@ada` and [@ada](https://a.test)":  nil,
		"    @ada in code":                   nil,
		"https://a.test/@ada":                nil,
		"@Ada @ada_x @@ada a@ada @ada@host":  nil,
		"@ada-":                              {"ada"},
		"@ @- @é":                            nil,
		"no mention at all":                  nil,
		"@1000000000000000000000000":         {"1000000000000000000000000"},
	} {
		if got := Mentions(text); !slices.Equal(got, want) {
			t.Errorf("Mentions(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestRenderMentions(t *testing.T) {
	t.Parallel()
	href := map[string]string{"ada": "https://v.test/ada", "bad": "javascript:alert(1)"}
	got := RenderMentions("Hi @ada, *@ada*\n@bob `@ada` @bad", href)
	link := `<a href="https://v.test/ada" rel="nofollow noopener" target="_blank">@ada</a>`
	want := "<p>Hi " + link + ", <em>" + link + "</em><br>\n@bob <code>@ada</code> @bad</p>"
	if normal(got.HTML) != normal(want) {
		t.Errorf("HTML is\n%s\nwant\n%s", got.HTML, want)
	}
	if got.Markdown != "Hi @ada, *@ada*\n@bob `@ada` @bad" || strings.Contains(got.Plain, "http") {
		t.Errorf("Markdown %q, plain %q", got.Markdown, got.Plain)
	}
	if plain := RenderMentions("Hi @ada", nil); plain.HTML != Render("Hi @ada").HTML {
		t.Errorf("without links: %q", plain.HTML)
	}
}

// normal removes the differences in the order of attributes and the form of line breaks.
func normal(s string) string {
	s = strings.ReplaceAll(s, `target="_blank" rel="nofollow noopener"`, `rel="nofollow noopener" target="_blank"`)
	return strings.ReplaceAll(s, "<br/>", "<br>")
}
