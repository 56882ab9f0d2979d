package collect

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDifference(t *testing.T) {
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
		for _, p := range differenceOf(c.was, c.is) {
			switch {
			case p.Gone:
				got.WriteString("{-" + p.Text + "}")
			case p.Added:
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

// The parts make up both texts, whatever they are and however large.
func TestDifferenceIsWhole(t *testing.T) {
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
		for _, part := range differenceOf(p[0], p[1]) {
			if !part.Added {
				was.WriteString(part.Text)
			}
			if !part.Gone {
				is.WriteString(part.Text)
			}
		}
		if was.String() != p[0] || is.String() != p[1] {
			t.Fatalf("%.100q and %.100q: the parts make up %.100q and %.100q", p[0], p[1], was.String(), is.String())
		}
	}
}
