package web

import (
	"strings"
	"testing"

	"vitrine/internal/domain"
	texts "vitrine/internal/markup"
)

func notedText(markdown string) string {
	text := domain.Text(texts.Render(markdown))
	return string(noted(&text, 1, "7", "<back>"))
}

func TestFootnotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Linen[^1] and wax.[^wax] Linen[^1] `[^1]` [^none]\n\n[^1]: Flax *fibres*,\nlong ones.\n[^wax]: Beeswax.": `<p>Linen<sup><a id="noted-7-1" href="#note-7-1">1</a></sup> and wax.<sup><a id="noted-7-2" href="#note-7-2">2</a></sup> ` +
			`Linen<sup><a href="#note-7-1">1</a></sup> <code>[^1]</code> [^none]</p>` + "\n" +
			`<ol class="footnotes"><li id="note-7-1">Flax <em>fibres</em>,<br>` + "\n" + `long ones. <a href="#noted-7-1" aria-label="&lt;back&gt;">↩</a></li>` +
			`<li id="note-7-2">Beeswax. <a href="#noted-7-2" aria-label="&lt;back&gt;">↩</a></li></ol>`,
		"[^b] [^a]\n\n[^a]: A.\n\n[^b]: B.\n\nEnd.": `<p><sup><a id="noted-7-1" href="#note-7-1">1</a></sup> <sup><a id="noted-7-2" href="#note-7-2">2</a></sup></p>` + "\n\n\n" +
			`<p>End.</p><ol class="footnotes"><li id="note-7-1">B. <a href="#noted-7-1" aria-label="&lt;back&gt;">↩</a></li><li id="note-7-2">A. <a href="#noted-7-2" aria-label="&lt;back&gt;">↩</a></li></ol>`,
		"One[^1].\n\n[^1]: A note.\n[^unused]: Another one.": `<p>One<sup><a id="noted-7-1" href="#note-7-1">1</a></sup>.</p>` + "\n" + `<p>[^unused]: Another one.</p>` + "\n" +
			`<ol class="footnotes"><li id="note-7-1">A note. <a href="#noted-7-1" aria-label="&lt;back&gt;">↩</a></li></ol>`,
		"Only [^1] a reference.":                     "<p>Only [^1] a reference.</p>",
		"[^1]: Only a note.":                         "<p>[^1]: Only a note.</p>",
		"x[^1]\n\n> [^1]: Quoted note.":              "<p>x[^1]</p>\n<blockquote>\n<p>[^1]: Quoted note.</p>\n</blockquote>",
		"x[^1]\n\n[^1]: *over the\n[^2]: next line*": "<p>x[^1]</p>\n<p>[^1]: <em>over the<br>\n[^2]: next line</em></p>",
		"```\n[^1]: code\n```":                       "<pre><code>[^1]: code\n</code></pre>",
		"x[^1] y\n\n[^1]: A & B <script>alert(1)</script> [^1\"]": `<p>x<sup><a id="noted-7-1" href="#note-7-1">1</a></sup> y</p>` + "\n" +
			`<ol class="footnotes"><li id="note-7-1">A &amp; B  [^1&#34;] <a href="#noted-7-1" aria-label="&lt;back&gt;">↩</a></li></ol>`,
		"No notes.": "<p>No notes.</p>",
	} {
		if got := notedText(text); got != want {
			t.Errorf("%q\nbecomes %q\nwant    %q", text, got, want)
		}
	}
	long := strings.Repeat("x[^1] ", 20_000) + "\n\n" + strings.Repeat("[^1]: note\n\n", 5_000)
	if got := notedText(long); strings.Count(got, "note-7-1\"") != maxReferences+1 {
		t.Errorf("a long text has %d links", strings.Count(got, "note-7-1\""))
	}
}

func FuzzFootnotes(f *testing.F) {
	f.Add("a[^1] <b>x\n\n[^1]: y</b>\n[^2]: z")
	f.Fuzz(func(t *testing.T, text string) {
		if got := notedText(text); !balanced(got) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
