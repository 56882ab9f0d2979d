package colour

import (
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]RGB{"#00aa77": 0x00aa77, "#0A7": 0x00aa77, "#000": 0} {
		if c, ok := Parse(text); !ok || c != want {
			t.Errorf("%s is %s, %t", text, c, ok)
		}
	}
	for _, text := range []string{"", "#", "00aa77", "#00aa7", "#00aa777", "#gggggg", "#+12345", "#-12", "##12345", "#0_0"} {
		if c, ok := Parse(text); ok {
			t.Errorf("%q is %s", text, c)
		}
	}
}

// Colours survive the conversion to OKLab and back, apart from rounding.
func TestLab(t *testing.T) {
	t.Parallel()
	for c, want := range map[RGB]Lab{0x000000: {0, 0, 0}, 0xffffff: {1000, 0, 0}, 0xff0000: {628, 225, 126}, 0x0000ff: {452, -32, -312}} {
		if got := c.Lab(); got != want {
			t.Errorf("%s is %v, want %v", c, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		c := RGB(r.IntN(1 << 24))
		if back := c.Lab().RGB(); back.Lab().distance(c.Lab()) > 9*9 {
			t.Errorf("%s became %s", c, back)
		}
	}
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	for c, want := range map[RGB]string{
		0x000000: "black", 0x777777: "grey", 0xfefefe: "white", 0xd00000: "red", 0xff9010: "orange", 0xffe800: "yellow",
		0x228b22: "green", 0x20b2aa: "teal", 0x4169e1: "blue", 0x9932cc: "purple", 0xff99bb: "pink", 0x7a4a20: "brown",
	} {
		if got := c.Lab().Family(); got != want {
			t.Errorf("%s is %s, want %s", c, got, want)
		}
	}
	for text, want := range map[string]string{"Gray": "grey", "rot": "red", "Grün": "green", "mauve": "", "": ""} {
		if got := Family(text); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
	for alias, name := range familyAliases {
		if Family(name) != name {
			t.Errorf("%s means %s, which is no family", alias, name)
		}
	}
}

// Similar colours are in the cells around a colour, and different ones are not.
func TestAround(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		a, b := RGB(r.IntN(1<<24)).Lab(), RGB(r.IntN(1<<24)).Lab()
		if r.IntN(2) == 0 {
			b = Lab{a.L + r.IntN(90) - 45, a.A + r.IntN(90) - 45, a.B + r.IntN(90) - 45}
			b.L = min(max(b.L, 0), 1000)
		}
		found := slices.Contains(Around(a), b.Cell())
		if d := a.distance(b); d <= 46*46 && !found || d > 134*134 && found {
			t.Errorf("%v and %v: %t", a, b, found)
		}
	}
	if n := len(Around(RGB(0x808080).Lab())); n > 32 {
		t.Errorf("%d cells", n)
	}
}

// filled returns a picture of 64 × 64 pixels whose columns have these colours.
func filled(columns ...color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for x := range 64 {
		for y := range 64 {
			img.SetRGBA(x, y, columns[x*len(columns)/64])
		}
	}
	return img
}

func TestPalette(t *testing.T) {
	t.Parallel()
	red, teal, clear := color.RGBA{200, 0, 0, 255}, color.RGBA{0, 128, 128, 255}, color.RGBA{}
	for name, c := range map[string]struct {
		img  *image.RGBA
		want string
	}{
		"one":                  {filled(red), "c80100:100"},
		"two":                  {filled(red, teal, teal, teal), "008080:75 c80100:25"},
		"transparent":          {filled(clear, clear, clear, teal), "008080:100"},
		"nothing":              {filled(clear), ""},
		"similar are one":      {filled(red, color.RGBA{210, 10, 5, 255}), "cd0300:100"},
		"half transparent":     {filled(color.RGBA{100, 0, 0, 128}), "c70001:100"},
		"few pixels are noise": {filled(append(slices.Repeat([]color.RGBA{red}, 63), teal)...), "c80100:98 008080:2"},
	} {
		got := PaletteOf(c.img)
		if got.String() != c.want || !slices.Equal(ParsePalette(got.String()), got) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	noise := filled(red)
	for i := range noise.Pix {
		noise.Pix[i] = uint8(r.IntN(256)) | uint8(i%4/3*255)
	}
	if p := PaletteOf(noise); len(p) != MaxPalette {
		t.Errorf("noise has the colours %s", p)
	}
	if p := ParsePalette("00aa77:9 zz:1 123456 000000:x"); p.String() != "00aa77:9" {
		t.Errorf("%v", p)
	}
}

func TestHashOfPlainPictures(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, Side, Side))
	if _, ok := Hash(img); ok {
		t.Error("black has a hash")
	}
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 15)
	}
	if _, ok := Hash(img); ok {
		t.Error("faint noise has a hash")
	}
}
