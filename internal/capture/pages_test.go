package capture

import (
	"strings"
	"testing"
)

// Each copy requests nothing, runs nothing, and has the text of its page.
func TestPages(t *testing.T) {
	t.Parallel()
	all := pages()
	if len(all) < 30 {
		t.Errorf("%d pages", len(all))
	}
	for name, website := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := copyOf(t, website)
			if name == "japanese" || name == "windows-1252" || name == "xhtml" {
				return // TestCharsets, TestXHTML
			}
			was := words(website["/"].Body, func(address string) string {
				if f, ok := website["/"+strings.TrimPrefix(address, "/")]; ok {
					return f.Body
				}
				return address
			})
			is := words(string(made.HTML), copied)
			count, lost := 0, []string{}
			for word, n := range was {
				count += n
				if is[word] < n {
					lost = append(lost, word)
				}
			}
			if len(lost)*100 > count || count == 0 {
				t.Errorf("%d of %d words are missing: %q\n%.2000s", len(lost), count, lost, made.HTML)
			}
		})
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	all := pages()
	holds(t, copyOf(t, all["japanese"]), `<meta charset="utf-8"/>`, "港は静かだった")
	made := copyOf(t, all["windows-1252"])
	holds(t, made, "café € 19")
	if strings.Count(string(made.HTML), "charset") != 1 {
		t.Errorf("%s", made.HTML)
	}
}

func TestXHTML(t *testing.T) {
	t.Parallel()
	holds(t, copyOf(t, pages()["xhtml"]), `<div id="a"></div><p>After the elements<br/>that end at once</p>`)
}
