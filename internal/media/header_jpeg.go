package media

import (
	"encoding/binary"
	"errors"
)

// Markers of ITU-T T.81, table B.1.
const (
	markerSOI  = 0xD8
	markerEOI  = 0xD9
	markerSOS  = 0xDA
	markerDHT  = 0xC4
	markerJPG  = 0xC8
	markerDAC  = 0xCC
	markerSOF2 = 0xC2 // progressive
	markerAPP1 = 0xE1 // Exif among others
)

// jpegHeader reads the segments before the first scan.
func jpegHeader(in *input) (header, error) {
	var h header
	for at := int64(2); ; {
		b, err := in.bytes(at, 4)
		if err != nil {
			return header{}, err
		}
		if b[0] != 0xFF {
			return header{}, errors.New("no marker where one should be")
		}
		marker, length := b[1], int64(binary.BigEndian.Uint16(b[2:]))
		switch {
		case marker == 0xFF: // a fill byte
			at++
			continue
		case marker == markerSOS || marker == markerEOI:
			if h.width == 0 {
				return header{}, errors.New("no frame before the first scan")
			}
			return h, nil
		case marker == markerAPP1:
			if exif, err := in.bytes(at+4, 6); err == nil && string(exif) == "Exif\x00\x00" {
				h.orientation = tiffOrientation(in, at+10)
			}
		case marker >= 0xC0 && marker <= 0xCF && marker != markerDHT && marker != markerJPG && marker != markerDAC:
			if err := jpegFrame(in, at+4, marker == markerSOF2, &h); err != nil {
				return header{}, err
			}
		}
		at += 2 + length
	}
}

// jpegFrame reads the frame header at off: T.81, section B.2.2.
func jpegFrame(in *input, off int64, progressive bool, h *header) error {
	b, err := in.bytes(off, 6)
	if err != nil {
		return err
	}
	h.height, h.width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	components, err := in.bytes(off+6, 3*int(b[5]))
	if err != nil {
		return err
	}
	samples, full := 0, 1
	for ; len(components) >= 3; components = components[3:] {
		across, down := int(components[1]>>4), int(components[1]&15)
		samples += across * down
		full = max(full, across*down)
	}
	h.perPixel = float64(samples) / float64(full)
	if progressive {
		h.perPixel *= 5 // all coefficients are kept, as 32 bits, until the last scan
	}
	if b[5] == 4 {
		h.perPixel += 4 // CMYK is put together beside the components
	}
	return nil
}
