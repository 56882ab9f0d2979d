package colour

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
)

// Swatch is a colour of an image and its share of the pixels in percent.
type Swatch struct {
	RGB
	Share int
}

// Palette is the dominant colours of an image, the largest share first.
type Palette []Swatch

// MaxPalette is the maximum number of colours of a palette.
const MaxPalette = 5

// String returns the palette as it is stored, such as "00aa77:60 ffffff:40".
func (p Palette) String() string {
	all := make([]string, len(p))
	for i, s := range p {
		all[i] = fmt.Sprintf("%06x:%d", uint32(s.RGB), s.Share)
	}
	return strings.Join(all, " ")
}

// ParsePalette reads a stored palette. It ignores what it cannot read.
func ParsePalette(text string) (p Palette) {
	for field := range strings.FieldsSeq(text) {
		digits, share, _ := strings.Cut(field, ":")
		c, ok := Parse("#" + digits)
		n, err := strconv.Atoi(share)
		if ok && err == nil {
			p = append(p, Swatch{c, n})
		}
	}
	return p
}

// group is similar pixels: their number and the sums of their coordinates.
type group struct {
	n       int
	l, a, b int
}

func (g *group) add(o group) { g.n, g.l, g.a, g.b = g.n+o.n, g.l+o.l, g.a+o.a, g.b+o.b }

func (g group) mean() Lab { return Lab{rounded(g.l, g.n), rounded(g.a, g.n), rounded(g.b, g.n)} }

// rounded divides by a positive number.
func rounded(sum, n int) int {
	if sum < 0 {
		return -((-sum + n/2) / n)
	}
	return (sum + n/2) / n
}

// opaque is the least alpha of pixels that count.
const opaque = 128

// PaletteOf returns the dominant colours of a small picture. It ignores transparent pixels. All numbers after the
// conversion to OKLab are whole, so the result is the same everywhere.
func PaletteOf(picture *image.RGBA) Palette {
	groups, n := groupsOf(picture)
	if n == 0 {
		return nil
	}
	found := merged(clustered(groups, seeds(groups)))
	var p Palette
	for _, g := range found {
		if share := rounded(100*g.n, n); share > 0 && len(p) < MaxPalette {
			p = append(p, Swatch{g.mean().RGB(), share})
		}
	}
	return p
}

// groupsOf returns the pixels of a picture in groups of similar ones, and their number.
func groupsOf(picture *image.RGBA) (all []group, n int) {
	type key struct{ l, a, b int }
	const side = 25 // of the groups, in thousandths
	at, known := map[key]int{}, map[RGB]Lab{}
	for i := 0; i+3 < len(picture.Pix); i += 4 {
		alpha := RGB(picture.Pix[i+3])
		if alpha < opaque {
			continue
		}
		var c RGB
		for _, v := range picture.Pix[i : i+3] {
			c = c<<8 | min((RGB(v)*255+alpha/2)/alpha, 255)
		}
		l, ok := known[c]
		if !ok {
			l = c.Lab()
			known[c] = l
		}
		k := key{l.L / side, (l.A + 500) / side, (l.B + 500) / side}
		j, ok := at[k]
		if !ok {
			j = len(all)
			at[k] = j
			all = append(all, group{})
		}
		all[j].add(group{1, l.L, l.A, l.B})
		n++
	}
	return all, n
}

// seeds returns up to five groups that are large and differ from one another.
func seeds(groups []group) (chosen []Lab) {
	const enough = 200 * 200 // a greater distance does not make a group more important
	for range MaxPalette {
		best, most := -1, 0
		for i, g := range groups {
			apart := enough
			for _, c := range chosen {
				apart = min(apart, c.distance(g.mean()))
			}
			if weight := g.n * apart; weight > most {
				best, most = i, weight
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, groups[best].mean())
	}
	return chosen
}

// clustered assigns each group to the nearest centre and moves the centres to the means, several times.
func clustered(groups []group, centres []Lab) []group {
	var clusters []group
	for range 8 {
		clusters = make([]group, len(centres))
		for _, g := range groups {
			at := g.mean()
			nearest := 0
			for i, c := range centres {
				if c.distance(at) < centres[nearest].distance(at) {
					nearest = i
				}
			}
			clusters[nearest].add(g)
		}
		clusters = slices.DeleteFunc(clusters, func(g group) bool { return g.n == 0 })
		centres = centres[:0]
		for _, g := range clusters {
			centres = append(centres, g.mean())
		}
	}
	return clusters
}

// merged joins clusters that look alike and returns the largest first.
func merged(clusters []group) (all []group) {
	const alike = 60 * 60
	bySize := func(a, b group) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.mean().RGB(), b.mean().RGB()))
	}
	slices.SortFunc(clusters, bySize)
	for _, g := range clusters {
		i := slices.IndexFunc(all, func(o group) bool { return o.mean().distance(g.mean()) < alike })
		if i < 0 {
			all = append(all, g)
			continue
		}
		all[i].add(g)
	}
	slices.SortFunc(all, bySize)
	return all
}
