package codec

// Orientation is how a stored image must be turned for viewing, 1 to 8: Exif 2.32, section 4.6.4,
// tag 0x0112. 1 means as stored.
type Orientation int

// Swaps reports whether turning swaps width and height.
func (o Orientation) Swaps() bool { return o >= 5 }

// Mirrored returns o followed by a flip from left to right or, if sideways is false, upside down.
func (o Orientation) Mirrored(sideways bool) Orientation {
	if o < 1 || o > 8 {
		return o
	}
	if sideways {
		return [9]Orientation{1: 2, 2: 1, 3: 4, 4: 3, 5: 6, 6: 5, 7: 8, 8: 7}[o]
	}
	return [9]Orientation{1: 4, 2: 3, 3: 2, 4: 1, 5: 8, 6: 7, 7: 6, 8: 5}[o]
}

// QuarterLeft returns o followed by a quarter turn to the left.
func (o Orientation) QuarterLeft() Orientation {
	if o < 1 || o > 8 {
		return o
	}
	return [9]Orientation{1: 8, 8: 3, 3: 6, 6: 1, 2: 5, 5: 4, 4: 7, 7: 2}[o]
}

// turn returns p turned according to o. It visits the samples of p in the order of viewing: from a
// corner, with one step to the next sample and another to the next row.
func (p plane) turn(o Orientation) plane {
	width, height := p.width, p.height
	if o.Swaps() {
		width, height = height, width
	}
	dst, n := newPlane(width, height, p.channels), p.channels
	right, bottom := (p.width-1)*n, (p.height-1)*p.stride
	walk := [9]struct{ start, step, row int }{
		1: {0, n, p.stride}, 2: {right, -n, p.stride},
		3: {right + bottom, -n, -p.stride}, 4: {bottom, n, -p.stride},
		5: {0, p.stride, n}, 6: {bottom, -p.stride, n},
		7: {right + bottom, -p.stride, -n}, 8: {right, p.stride, -n},
	}[o]
	for y := range height {
		at := walk.start + y*walk.row
		for x := range width {
			for c := range n {
				dst.pix[(y*width+x)*n+c] = p.pix[at+c]
			}
			at += walk.step
		}
	}
	return dst
}
