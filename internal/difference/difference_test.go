package difference

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ was, is, want string }{
		{"", "", ""},
		{"", "moss", "{+moss}"},
		{"moss", "", "{-moss}"},
		{"moss", "moss", "moss"},
		{"The green moss", "The wet moss", "The {-green}{+wet} moss"},
		{"The moss", "The wet, green moss", "The {+wet, green }moss"},
		{"one two three", "one three", "one {-two }three"},
		{"café", "cafés", "{-café}{+cafés}"},
		{"苔は緑", "苔は青", "苔は{-緑}{+青}"},
		{"a\n\nb", "a\nb", "a\n{-\n}b"},
	} {
		var got strings.Builder
		for _, p := range Words(c.was, c.is) {
			switch p.Kind {
			case Removed:
				got.WriteString("{-" + p.Text + "}")
			case Added:
				got.WriteString("{+" + p.Text + "}")
			default:
				got.WriteString(p.Text)
			}
		}
		if got.String() != c.want {
			t.Errorf("%q and %q: %s, want %s", c.was, c.is, got.String(), c.want)
		}
	}
}

// The parts of large texts, and of texts with nothing in common, also make up both texts.
func TestWordsAreWhole(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n, alphabet int) string {
		var b strings.Builder
		for range n {
			b.WriteString(string(rune('a' + random.IntN(alphabet))))
			b.WriteString([]string{" ", "\n", ", "}[random.IntN(3)])
		}
		return b.String()
	}
	pairs := [][2]string{{text(20_000, 26), text(20_000, 26)}, {text(50_000, 2), text(10, 2)}, {strings.Repeat("é", 200_000), strings.Repeat("è", 200_000)}}
	for range 300 {
		pairs = append(pairs, [2]string{text(random.IntN(30), 3), text(random.IntN(30), 3)})
	}
	for _, p := range pairs {
		var was, is strings.Builder
		for _, part := range Words(p[0], p[1]) {
			if part.Kind != Added {
				was.WriteString(part.Text)
			}
			if part.Kind != Removed {
				is.WriteString(part.Text)
			}
		}
		if was.String() != p[0] || is.String() != p[1] {
			t.Fatalf("%.100q and %.100q: the parts make up %.100q and %.100q", p[0], p[1], was.String(), is.String())
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"", "", ""},
		{"a\n\nb\n", "a\nb", " a b"},
		{"a\nb\nc", "a\nx\nc", " a-b+x c"},
		{"a\nb", "b\nc", "-a b+c"},
		{"", "a", "+a"},
		{"a\na", "a", " a-a"},
	} {
		var got strings.Builder
		for _, l := range Lines(c.before, c.after) {
			got.WriteString(map[Kind]string{Kept: " ", Added: "+", Removed: "-"}[l.Kind] + l.Text)
		}
		if got.String() != c.want {
			t.Errorf("%q, %q: %q, not %q", c.before, c.after, got.String(), c.want)
		}
	}
	var before, after strings.Builder
	for i := range 2 * maxLineEdits {
		fmt.Fprintln(&before, "old", i)
		fmt.Fprintln(&after, "new", i)
	}
	if all := Lines(before.String(), after.String()); len(all) != 4*maxLineEdits || all[0].Kind != Removed || all[len(all)-1].Kind != Added {
		t.Errorf("%d lines", len(all))
	}
}
