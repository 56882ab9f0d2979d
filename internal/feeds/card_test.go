package feeds_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"

	"vitrine/internal/feeds"
)

// draw draws and decodes a card.
func draw(t testing.TB, c feeds.Card) *image.Paletted {
	t.Helper()
	file, err := feeds.DrawCard(c)
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv("VITRINE_TEST_CARDS"); folder != "" { // to be looked at
		_ = os.WriteFile(folder+"/"+strings.ReplaceAll(t.Name(), "/", "-")+".png", file, 0o600)
	}
	if len(file) > 100<<10 {
		t.Errorf("%d bytes", len(file))
	}
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if got := picture.Bounds(); got != image.Rect(0, 0, 1200, 630) {
		t.Errorf("size: %v", got)
	}
	return picture.(*image.Paletted)
}

// marked counts the pixels in an area that are not background.
func marked(p *image.Paletted, area image.Rectangle) (n int) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if p.ColorIndexAt(x, y) != 0 {
				n++
			}
		}
	}
	return n
}

var (
	body   = image.Rect(84, 90, 1116, 500)
	beside = []image.Rectangle{image.Rect(0, 0, 80, 630), image.Rect(1120, 0, 1200, 630), image.Rect(0, 0, 1200, 70), image.Rect(0, 500, 1200, 527), image.Rect(0, 592, 1200, 630)}
)

// Any text on a card stays within the margins, and something is drawn.
func TestDraw(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("Moss grows on stones and on the north side of trees. ", 40)
	for name, c := range map[string]feeds.Card{
		"channel":     {Above: "Ada Lovelace", Title: "Moss, ferns & other small things", Site: "vitrine.test", Count: "128"},
		"text":        {Above: "Ada", Title: words, Site: "vitrine.test"},
		"link":        {Above: "Ada", Title: "On ferns", Text: words, Site: "vitrine.test"},
		"both long":   {Above: words, Title: words, Text: words, Site: words, Count: "1234567890"},
		"long word":   {Title: strings.Repeat("Wörterbuch", 100)},
		"wide":        {Title: strings.Repeat("W", 5000), Text: strings.Repeat("—", 5000)},
		"greek":       {Above: "Ἀριστοτέλης", Title: "Περὶ ψυχῆς", Site: "vitrine.test"},
		"cyrillic":    {Title: "Мох и папоротники", Text: "Їжак, ґанок, џем", Site: "vitrine.test"},
		"vietnamese":  {Title: "Rêu và dương xỉ ở Việt Nam"},
		"decomposed":  {Title: "Mo\u0308we"},
		"with emoji":  {Title: "Moss 🌿 and ferns"},
		"no spaces":   {Title: "a\u00a0b\u2003c\n\n\td"},
		"controls":    {Title: "Mo\u0000ss\u202e turned\u0001"},
		"not unicode": {Title: "Moss \xff\xfe"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := draw(t, c)
			if marked(p, body) < 500 {
				t.Error("nothing is on it")
			}
			for _, area := range beside {
				if n := marked(p, area); n > 0 {
					t.Errorf("%d pixels beside the column, in %v", n, area)
				}
			}
		})
	}
}

// Text that the font cannot draw is replaced by the next text.
func TestScripts(t *testing.T) {
	t.Parallel()
	same := func(name string, a, b feeds.Card) {
		t.Helper()
		if !bytes.Equal(draw(t, a).Pix, draw(t, b).Pix) {
			t.Error(name)
		}
	}
	for _, title := range []string{"طحالب", "טחב", "苔と羊歯", "이끼", "มอส", "काई", "طحالب moss", "🌿🌿", "\u200b\u2066", ""} {
		same("title of "+title, feeds.Card{Above: "Ada", Title: title, Site: "vitrine.test"}, feeds.Card{Title: "Ada", Site: "vitrine.test"})
		same("text of "+title, feeds.Card{Title: "Ada", Text: title}, feeds.Card{Title: "Ada"})
		same("all of "+title, feeds.Card{Above: title, Title: title, Site: "vitrine.test"}, feeds.Card{Site: "vitrine.test"})
	}
	same("text in place of a title", feeds.Card{Title: "苔", Text: "Moss"}, feeds.Card{Title: "Moss"})
	same("emoji", feeds.Card{Title: "Moss 🌿"}, feeds.Card{Title: "Moss"})
	same("decomposed", feeds.Card{Title: "Mo\u0308we"}, feeds.Card{Title: "Möwe"})
}

// A text that fits is complete; one that does not ends in an ellipsis.
func TestCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Moss ", 200)
	if bytes.Equal(draw(t, feeds.Card{Title: long}).Pix, draw(t, feeds.Card{Title: "Moss"}).Pix) {
		t.Error("the same")
	}
	whole, more := draw(t, feeds.Card{Title: "Moss"}), draw(t, feeds.Card{Title: "Moss is"})
	if marked(more, body) <= marked(whole, body) {
		t.Error("a word is missing")
	}
}

func BenchmarkDraw(b *testing.B) {
	c := feeds.Card{Above: "Ada Lovelace", Title: strings.Repeat("Moss grows on stones. ", 20), Text: strings.Repeat("Moss grows on stones. ", 20), Site: "vitrine.test", Count: "128"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := feeds.DrawCard(c); err != nil {
			b.Fatal(err)
		}
	}
}
