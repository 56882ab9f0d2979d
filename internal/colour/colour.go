// Package colour describes colours as people see them: the colour space OKLab, names, and the dominant colours of
// images.
package colour

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// RGB is a colour in sRGB, red in the highest of three bytes.
type RGB uint32

// String returns the colour as in CSS, such as "#00aa77".
func (c RGB) String() string { return fmt.Sprintf("#%06x", uint32(c)) }

// Parse reads a colour such as "#00aa77" or "#0a7".
func Parse(text string) (c RGB, ok bool) {
	digits, ok := strings.CutPrefix(text, "#")
	if !ok {
		return 0, false
	}
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	return RGB(n), err == nil && len(digits) == 6
}

// Named returns the colour that has a name in CSS.
func Named(name string) (c RGB, ok bool) {
	n, ok := colornames.Map[strings.ToLower(name)]
	return RGB(n.R)<<16 | RGB(n.G)<<8 | RGB(n.B), ok
}

// Lab is a colour in OKLab, in thousandths. The distance of two colours there is how different they look.
type Lab struct{ L, A, B int }

// distance returns the square of the distance.
func (l Lab) distance(o Lab) int {
	return (l.L-o.L)*(l.L-o.L) + (l.A-o.A)*(l.A-o.A) + (l.B-o.B)*(l.B-o.B)
}

// linear maps the values of sRGB to amounts of light.
var linear = func() (all [256]float64) {
	for i := range all {
		v := float64(i) / 255
		if v <= 0.04045 {
			all[i] = v / 12.92
		} else {
			all[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return all
}()

// Lab converts a colour to OKLab (https://bottosson.github.io/posts/oklab).
func (c RGB) Lab() Lab {
	r, g, b := linear[c>>16&255], linear[c>>8&255], linear[c&255]
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return Lab{
		thousandths(0.2104542553*l + 0.7936177850*m - 0.0040720468*s),
		thousandths(1.9779984951*l - 2.4285922050*m + 0.4505937099*s),
		thousandths(0.0259040371*l + 0.7827717662*m - 0.8086757660*s),
	}
}

func thousandths(v float64) int { return int(math.Round(v * 1000)) }

// RGB converts a colour to sRGB.
func (l Lab) RGB() RGB {
	light, a, b := float64(l.L)/1000, float64(l.A)/1000, float64(l.B)/1000
	cube := func(v float64) float64 { return v * v * v }
	long := cube(light + 0.3963377774*a + 0.2158037573*b)
	medium := cube(light - 0.1055613458*a - 0.0638541728*b)
	short := cube(light - 0.0894841775*a - 1.2914855480*b)
	var c RGB
	for _, v := range [3]float64{
		4.0767416621*long - 3.3077115913*medium + 0.2309699292*short,
		-1.2684380046*long + 2.6097574011*medium - 0.3413193965*short,
		-0.0041960863*long - 0.7034186147*medium + 1.7076147010*short,
	} {
		c = c<<8 | RGB(encoded(v))
	}
	return c
}

// encoded maps an amount of light to a value of sRGB.
func encoded(v float64) uint8 {
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * min(max(v, 0), 1)))
}

// cellSize is the side of a cell of OKLab, in thousandths. Colours are found by cells.
const cellSize = 50

// near is the maximum distance, in thousandths, between a colour and the centres of the cells in which similar colours are
// looked for. So colours up to 46 away are found, and none that is further away than 133.
const near = 90

// Cell is a cube of similar colours.
type Cell struct{ L, A, B int }

// Cell returns the cell of a colour.
func (l Lab) Cell() Cell {
	const offset = 500 // so that no coordinate is negative
	return Cell{l.L / cellSize, (l.A + offset) / cellSize, (l.B + offset) / cellSize}
}

func (c Cell) centre() Lab {
	const offset = 500 - cellSize/2
	return Lab{c.L*cellSize + cellSize/2, c.A*cellSize - offset, c.B*cellSize - offset}
}

// Around returns the cells of the colours that look like a colour.
func Around(l Lab) (all []Cell) {
	const reach = near/cellSize + 1
	at := l.Cell()
	for i := max(0, at.L-reach); i <= at.L+reach; i++ {
		for j := at.A - reach; j <= at.A+reach; j++ {
			for k := at.B - reach; k <= at.B+reach; k++ {
				if c := (Cell{i, j, k}); c.centre().distance(l) <= near*near {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// families are the basic colours with examples of them. Each colour belongs to the family of the nearest example.
var families = []struct {
	name     string
	examples []RGB
}{
	{"black", []RGB{0x000000, 0x141414, 0x10141c}},
	{"grey", []RGB{0x404040, 0x606060, 0x808080, 0xa0a0a0, 0xc0c0c0, 0x5a6068}},
	{"white", []RGB{0xffffff, 0xf4f4f4, 0xfaf6ee}},
	{"red", []RGB{0xff0000, 0xc01818, 0x8b0000, 0xe04040, 0x5c0a0a}},
	{"orange", []RGB{0xff8000, 0xffa500, 0xe06a10, 0xffb060, 0xc86418}},
	{"yellow", []RGB{0xffff00, 0xffd700, 0xfff080, 0xd8c020, 0xe8d890}},
	{"green", []RGB{0x008000, 0x00c000, 0x00ff00, 0x60a040, 0x90d070, 0x2e5030, 0x6b8e23, 0x80b080, 0x143818}},
	{"teal", []RGB{0x008080, 0x00b0a8, 0x40e0d0, 0x5f9ea0, 0x00ffff, 0x0a4848, 0x90d8d0}},
	{"blue", []RGB{0x0000ff, 0x1e60d0, 0x4090f0, 0x80b8f0, 0x000080, 0x4060a0, 0x182848, 0xa8c8e8, 0x5080a8}},
	{"purple", []RGB{0x800080, 0x7030c0, 0xa060d0, 0xc090e0, 0x400860, 0x6a4a90, 0xb000ff}},
	{"pink", []RGB{0xff69b4, 0xffc0cb, 0xff00ff, 0xe02080, 0xf0a0c0, 0xc86890}},
	{"brown", []RGB{0x8b4513, 0x6b4020, 0xa0703c, 0x402410, 0xb08860, 0xd2b48c, 0x5c4430}},
}

// familyAliases are other spellings, and the German names.
var familyAliases = map[string]string{
	"gray": "grey", "turquoise": "teal", "violet": "purple",
	"schwarz": "black", "grau": "grey", "weiß": "white", "weiss": "white", "rot": "red", "gelb": "yellow", "grün": "green", "gruen": "green",
	"türkis": "teal", "blau": "blue", "lila": "purple", "violett": "purple", "rosa": "pink", "braun": "brown",
}

// Family returns the name of a family that a text names in English or German, or "".
func Family(text string) string {
	text = strings.ToLower(text)
	if name, ok := familyAliases[text]; ok {
		return name
	}
	for _, f := range families {
		if f.name == text {
			return f.name
		}
	}
	return ""
}

// examples are the examples of all families in OKLab.
var examples = func() (all []example) {
	for _, f := range families {
		for _, c := range f.examples {
			all = append(all, example{c.Lab(), f.name})
		}
	}
	return all
}()

type example struct {
	Lab
	family string
}

// Family returns the name of the family of a colour.
func (l Lab) Family() string {
	return slices.MinFunc(examples, func(a, b example) int { return cmp.Compare(a.distance(l), b.distance(l)) }).family
}
