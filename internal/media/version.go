package media

import "image"

// Version names one of the sizes every image is served in.
type Version struct {
	Name   string // "small", "medium", "large" or "square"
	Double bool   // twice the pixels, for dense screens
}

// The boxes that versions fit in, in pixels at 1×. The square is cropped around
// the centre, the others keep their aspect ratio. A large image at 2× is 2400
// pixels wide: enough for a laptop's screen, and a tenth of a camera's file.
var boxes = map[string]int{"small": 400, "medium": 800, "large": 1200, "square": 400}

// Versions returns all versions, smallest first.
func Versions() []Version {
	var all []Version
	for _, name := range []string{"small", "square", "medium", "large"} {
		all = append(all, Version{Name: name}, Version{Name: name, Double: true})
	}
	return all
}

// Fit returns the version's width and height in pixels for an image of w × h
// pixels. It is never larger than the image, and never below one pixel.
func (v Version) Fit(w, h int) (int, int) {
	box := boxes[v.Name]
	if v.Double {
		box *= 2
	}
	if v.square() {
		side := min(box, w, h)
		return side, side
	}
	return fit(box, w, h)
}

func (v Version) square() bool { return v.Name == "square" }

// fit shrinks w × h into a square box of that side.
func fit(box, w, h int) (int, int) {
	long := max(w, h)
	if long <= box {
		return w, h
	}
	scale := func(n int) int { return max(1, (n*box+long/2)/long) }
	return scale(w), scale(h)
}

// central returns the largest square in the middle of r.
func central(r image.Rectangle) image.Rectangle {
	side := min(r.Dx(), r.Dy())
	x, y := r.Min.X+(r.Dx()-side)/2, r.Min.Y+(r.Dy()-side)/2
	return image.Rect(x, y, x+side, y+side)
}
