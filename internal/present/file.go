package present

import (
	"fmt"
	"math"

	"vitrine/internal/domain"
)

// Image is a view of the image of a block, or of its preview.
type Image struct {
	*domain.File
	AltText *string
	at      *Addresses
}

// Image returns the block's image. The block must have one (HasImage).
func (b Block) Image() Image { return Image{b.Block.Image, b.AltText, b.at} }

// Src returns the address of the original image.
func (i Image) Src() string { return i.at.file(i.File, i.Original()) }

// ServedSize returns the size of the file at Src.
func (i Image) ServedSize() int64 { return i.at.size(i.File) }

// Full returns the largest version that all browsers display: the original, or else the largest
// resized version. Width and height are those of Src, and 0 if unknown.
func (i Image) Full() Version {
	if i.Displayable() && i.servesOriginal() {
		return Version{Src: i.Src(), Src2x: i.Src(), Width: i.Width, Height: i.Height}
	}
	return i.Largest()
}

// Largest returns the largest resized version, or the original if the image was not resized.
func (i Image) Largest() Version { return i.Version(domain.LargeImage.At2x()) }

// Animation returns the URL of an image that moves, or "".
func (i Image) Animation() string {
	if !i.Animated || !i.Displayable() || !i.servesOriginal() {
		return ""
	}
	return i.Src()
}

// servesOriginal reports whether there is an original at Src, and not a resized version in its place
// because the metadata of the original cannot be removed.
func (i Image) servesOriginal() bool {
	return i.at.KeepMetadata || i.KeepsMetadata || i.CleanSize != domain.CleanImpossible
}

// AspectRatio returns width divided by height, to four decimal places; 0 if unknown.
func (i Image) AspectRatio() float64 {
	if i.Width == 0 || i.Height == 0 {
		return 0
	}
	return math.Round(float64(i.Width)/float64(i.Height)*1e4) / 1e4
}

// Version is one size of an image: its addresses at 1× and 2×, and its width and height at 1×, 0
// if unknown. If the image has no resized versions, it is the original.
type Version struct {
	Src, Src2x    string
	Width, Height int64
}

// Version returns the image in one of the sizes.
func (i Image) Version(v domain.ImageVersion) Version {
	w, h := i.VersionSize(v)
	return Version{i.at.file(i.File, i.File.Version(v)), i.at.file(i.File, i.File.Version(v.At2x())), w, h}
}

// Small returns the image within 400 pixels.
func (i Image) Small() Version { return i.Version(domain.SmallImage) }

// Medium returns the image within 800 pixels.
func (i Image) Medium() Version { return i.Version(domain.MediumImage) }

// Large returns the image within 1200 pixels.
func (i Image) Large() Version { return i.Version(domain.LargeImage) }

// Square returns the middle of the image, 400 pixels wide.
func (i Image) Square() Version { return i.Version(domain.SquareImage) }

// Srcset returns both addresses in the syntax of the srcset attribute.
func (v Version) Srcset() string {
	if v.Src2x == v.Src {
		return v.Src
	}
	return v.Src + " 1x, " + v.Src2x + " 2x"
}

// Attachment is a view of the file of a block.
type Attachment struct {
	*domain.File
	at *Addresses
}

// Attachment returns the block's file. The block must be an Attachment.
func (b Block) Attachment() Attachment { return Attachment{b.File, b.at} }

// URL returns the address of the file.
func (f Attachment) URL() string { return f.at.file(f.File, f.Original()) }

// Page returns the address of the image of a page of a document, counted from 1.
func (f Attachment) Page(n int) string { return f.at.file(f.File, domain.PageName(n)) }

// ServedSize returns the size of the file at URL.
func (f Attachment) ServedSize() int64 { return f.at.size(f.File) }

// Ground returns the average colour of the image, such as "#9a3b1f", "" if it is unknown. Pages
// show it until the image is loaded.
func (i Image) Ground() string {
	if i.Blurhash == nil {
		return ""
	}
	rgb, ok := domain.AverageColour(*i.Blurhash)
	if !ok {
		return ""
	}
	return fmt.Sprintf("#%06x", rgb)
}
