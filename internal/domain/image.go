package domain

// ImageVersion is one of the sizes that every image is served in.
type ImageVersion struct {
	Name   string // "small", "medium", "large" or "square"
	Double bool   // twice the pixels, for dense screens
}

// The versions at 1×.
var (
	SmallImage  = ImageVersion{Name: "small"}
	MediumImage = ImageVersion{Name: "medium"}
	LargeImage  = ImageVersion{Name: "large"}
	SquareImage = ImageVersion{Name: "square"}
)

// box returns the side, in pixels at 1×, of the square that a version fits in. Square versions are
// cropped around the center; others keep their aspect ratio. A large image at 2× is 2400 pixels
// wide, enough for a laptop screen and a tenth of the size of a camera's file.
func (v ImageVersion) box() int {
	switch v.Name {
	case "medium":
		return 800
	case "large":
		return 1200
	}
	return 400
}

// ImageVersions returns all versions, smallest first.
func ImageVersions() []ImageVersion {
	var all []ImageVersion
	for _, v := range []ImageVersion{SmallImage, SquareImage, MediumImage, LargeImage} {
		all = append(all, v, v.At2x())
	}
	return all
}

// At2x returns the version with twice the pixels.
func (v ImageVersion) At2x() ImageVersion { return ImageVersion{Name: v.Name, Double: true} }

// Square reports whether the version is cropped to a square.
func (v ImageVersion) Square() bool { return v.Name == "square" }

// String returns the version's name in URLs, such as "small" or "small-2x".
func (v ImageVersion) String() string {
	if v.Double {
		return v.Name + "-2x"
	}
	return v.Name
}

// Fit returns the version's size in pixels for an image of w × h pixels. It is never larger than
// the image, and at least one pixel.
func (v ImageVersion) Fit(w, h int) (int, int) {
	box := v.box()
	if v.Double {
		box *= 2
	}
	if v.Square() {
		side := min(box, w, h)
		return side, side
	}
	return fit(box, w, h)
}

// fit scales w × h down to fit into a square.
func fit(box, w, h int) (int, int) {
	long := max(w, h)
	if long <= box {
		return w, h
	}
	scale := func(n int) int { return max(1, (n*box+long/2)/long) }
	return scale(w), scale(h)
}
