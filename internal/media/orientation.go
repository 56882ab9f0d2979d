package media

// orientation says how a stored image has to be turned for viewing, 1 to 8:
// Exif 2.32, section 4.6.4, tag 0x0112. 1 is as stored.
type orientation int

// swaps reports whether turning swaps width and height.
func (o orientation) swaps() bool { return o >= 5 }

// mirrored returns o followed by a flip from left to right, or else upside down.
func (o orientation) mirrored(sideways bool) orientation {
	if o < 1 || o > 8 {
		return o
	}
	if sideways {
		return [9]orientation{1: 2, 2: 1, 3: 4, 4: 3, 5: 6, 6: 5, 7: 8, 8: 7}[o]
	}
	return [9]orientation{1: 4, 2: 3, 3: 2, 4: 1, 5: 8, 6: 7, 7: 6, 8: 5}[o]
}

// turn returns p turned as o says. It walks p in the order in which its samples
// are viewed: from a corner, one step to the next sample, another to the next
// row.
func (p plane) turn(o orientation) plane {
	width, height := p.width, p.height
	if o.swaps() {
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

// tiffOrientation reads the orientation from the first directory of the TIFF
// structure that starts at base, which is also how Exif is written. Without a
// readable one it is 1: a broken note of how to turn an image breaks no image.
func tiffOrientation(in *input, base int64) orientation {
	head, err := in.bytes(base, 6)
	if err != nil {
		return 1
	}
	if string(head) == "Exif\x00\x00" { // some writers of PNG and WebP keep it
		return tiffOrientation(in, base+6)
	}
	d, err := readDirectory(in, base)
	if err != nil {
		return 1
	}
	if e := d.find(0x0112); e != nil && d.order.Uint16(e[2:]) == tiffShort {
		if o := orientation(d.order.Uint16(e[8:])); o >= 1 && o <= 8 {
			return o
		}
	}
	return 1
}
