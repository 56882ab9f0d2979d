package strip

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
)

// pixelsPer contains the absolute units of CSS, in pixels: CSS Values 4, section 6.2.
var pixelsPer = []struct {
	unit   string
	pixels float64
}{{"px", 1}, {"pt", 96.0 / 72}, {"pc", 16}, {"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"in", 96}, {"", 1}}

// sizeOf returns the default size of a drawing in pixels: SVG 2, section 8.2. If width or height
// is missing, the drawing has the aspect ratio of its viewBox.
func sizeOf(attributes []xml.Attr) (width, height int) {
	var w, h, boxWidth, boxHeight float64
	for _, a := range attributes {
		switch {
		case a.Name.Space != "":
		case a.Name.Local == "width":
			w = length(a.Value)
		case a.Name.Local == "height":
			h = length(a.Value)
		case a.Name.Local == "viewBox":
			fields := strings.FieldsFunc(a.Value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r' })
			if len(fields) == 4 {
				boxWidth, boxHeight = length(fields[2]), length(fields[3])
			}
		}
	}
	if boxWidth > 0 && boxHeight > 0 {
		switch {
		case w == 0 && h == 0:
			w, h = boxWidth, boxHeight
		case w == 0:
			w = h * boxWidth / boxHeight
		case h == 0:
			h = w * boxHeight / boxWidth
		}
	}
	return roundPixels(w, 300), roundPixels(h, 150)
}

// length returns a length in pixels, 0 if it depends on the page or is invalid.
func length(text string) float64 {
	text = strings.TrimSpace(text)
	for _, u := range pixelsPer {
		number, ok := strings.CutSuffix(text, u.unit)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n > 0) || math.IsInf(n, 0) {
			return 0
		}
		return n * u.pixels
	}
	return 0
}

// roundPixels rounds a size to pixels. It returns otherwise for a size that browsers cannot show.
func roundPixels(size float64, otherwise int) int {
	if size == 0 || size > 1e6 {
		return otherwise
	}
	return max(1, int(math.Round(size)))
}
