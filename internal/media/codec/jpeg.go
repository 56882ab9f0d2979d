package codec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"vitrine/internal/media/source"
)

// Markers of ITU-T T.81, table B.1.
const (
	markerSOF2  = 0xC2 // progressive
	markerDHT   = 0xC4
	markerJPG   = 0xC8
	markerDAC   = 0xCC
	markerRST0  = 0xD0
	markerRST7  = 0xD7
	markerSOI   = 0xD8
	markerEOI   = 0xD9
	markerSOS   = 0xDA
	markerAPP0  = 0xE0 // JFIF among others
	markerAPP1  = 0xE1 // Exif among others
	markerAPP2  = 0xE2 // ICC profiles among others
	markerAPP14 = 0xEE // Adobe's
)

// maxScans is the maximum number of scans. A decoder processes the whole image for each scan, but a
// scan of an empty image needs only a few bytes. Encoders write about ten.
const maxScans = 100

// jpegInfo is the information from a file's segments. Segments after the first scan count too: the
// decoder uses the last ones to choose the final image type.
type jpegInfo struct {
	Header
	truncatedJPEG
	components []byte // three bytes each: T.81, section B.2.2
	jfif       bool
	transform  int // from Adobe's segment; -1 without one
}

// jpegHeader reads all segments, up to the end of the image or of the file.
func jpegHeader(in *source.Input) (Header, error) {
	f := jpegInfo{transform: -1}
	s := segments{in: in, r: bufio.NewReaderSize(in.Section(), 1<<15)}
	for f.scans <= maxScans {
		marker, at, length, err := s.next()
		if err == nil && marker != markerEOI {
			err = f.segment(in, marker, at, length)
		}
		switch {
		case in.Err() != nil:
			return Header{}, in.Err()
		case err != nil && f.scans == 0:
			return Header{}, err
		case f.scans == 0 && marker == markerEOI:
			return Header{}, errors.New("no scan before the end")
		case err != nil || marker == markerEOI:
			if f.Width == 0 {
				return Header{}, errors.New("no frame before the first scan")
			}
			f.measure()
			if err != nil {
				f.truncated = &f.truncatedJPEG
				f.Decoding = 2*f.Decoding + f.Decoded // two attempts, and the extended image
			}
			return f.Header, nil
		}
	}
	return Header{}, source.Refused("The image has more than %d scans", maxScans)
}

// segments iterates over the segments of a file like image/jpeg, which skips bytes that are not
// markers.
type segments struct {
	in *source.Input
	r  *bufio.Reader
	at int64 // offset of the next byte of r
}

// next returns the next segment with the offset and length of its content.
func (s *segments) next() (marker byte, at, length int64, err error) {
	for {
		skipped, err := s.r.ReadSlice(0xFF)
		s.at += int64(len(skipped))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return 0, 0, 0, err
		}
		for marker = 0xFF; marker == 0xFF; s.at++ {
			if marker, err = s.r.ReadByte(); err != nil {
				return 0, 0, 0, err
			}
		}
		if marker != 0 && marker != markerSOI && (marker < markerRST0 || marker > markerRST7) {
			break
		}
	}
	if marker == markerEOI {
		return marker, s.at, 0, nil
	}
	var b [2]byte
	if _, err := io.ReadFull(s.r, b[:]); err != nil {
		return 0, 0, 0, err
	}
	at, length = s.at+2, int64(binary.BigEndian.Uint16(b[:]))-2
	if length < 0 {
		return 0, 0, 0, errors.New("a segment without a length")
	}
	_, err = s.r.Discard(int(length))
	s.at = at + length
	return marker, at, length, err
}

// iccHead is the length of the header of each part of an ICC profile: a name, the
// number of the part, and the number of parts. Encoders write the parts in order:
// ICC.1:2022, section B.4.
const iccHead = 14

// segment reads the required values from the segment at off.
func (f *jpegInfo) segment(in *source.Input, marker byte, off, length int64) error {
	switch {
	case marker == markerSOS:
		f.scans++
		f.lastScan = off - 4 // its marker and length
	case marker == markerAPP0:
		b, err := in.Bytes(off, int(min(length, 5)))
		f.jfif = string(b) == "JFIF\x00"
		return err
	case marker == markerAPP14 && length >= 12:
		b, err := in.Bytes(off, 12)
		if err == nil && string(b[:5]) == "Adobe" {
			f.transform = int(b[11])
		}
		return err
	case marker == markerAPP1 && length >= 6:
		if exif, err := in.Bytes(off, 6); err == nil && string(exif) == "Exif\x00\x00" {
			f.Orientation = tiffOrientation(in, off+6)
		}
	case marker == markerAPP2 && length > iccHead && len(f.icc) < maxProfileSize:
		b, err := in.Bytes(off, int(length))
		if err == nil && string(b[:12]) == "ICC_PROFILE\x00" {
			f.icc = append(f.icc, b[iccHead:]...)
		}
		return err
	case marker >= 0xC0 && marker <= 0xCF && marker != markerDHT && marker != markerJPG && marker != markerDAC:
		return f.frame(in, off, marker == markerSOF2)
	}
	return nil
}

// frame reads the frame header at off: T.81, section B.2.2.
func (f *jpegInfo) frame(in *source.Input, off int64, progressive bool) error {
	b, err := in.Bytes(off, 6)
	if err != nil {
		return err
	}
	if f.components != nil {
		return errors.New("more than one frame")
	}
	f.heightAt = off + 1
	f.Height, f.Width, f.progressive = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:])), progressive
	f.components, err = in.Bytes(off+6, 3*int(b[5]))
	return err
}

// measure calculates the memory for image/jpeg: whole blocks of 8 × 8 samples, as many as the
// largest sampling factors require.
func (f *jpegInfo) measure() {
	count := len(f.components) / 3
	across, down := 1, 1
	if count > 1 { // the factors of a single component are ignored
		across, down = int(f.components[1]>>4), int(f.components[1]&15)
	}
	if across == 0 || down == 0 {
		return // broken; the decoder fails before it allocates anything
	}
	units := int64((f.Width+8*across-1)/(8*across)) * int64((f.Height+8*down-1)/(8*down))
	var samples int64
	for c := range count {
		factors := int64(1)
		if count > 1 {
			factors = int64(f.components[3*c+1]>>4) * int64(f.components[3*c+1]&15)
		}
		samples += units * factors * 64
	}
	f.Decoding, f.Decoded, f.Opaque, f.cmyk = samples, samples, true, count == 4
	if f.progressive {
		f.Decoding += 4 * samples // all coefficients are kept as 32-bit values until the last scan
	}
	if count == 4 || count == 3 && f.rgb() { // converted to a new image
		f.Decoded = 4 * f.Pixels()
		f.Decoding += f.Decoded
		f.Channels = 4
	}
}

// rgb reports whether three components are red, green and blue.
func (f *jpegInfo) rgb() bool {
	if f.jfif {
		return false
	}
	if f.transform == 0 {
		return true
	}
	return f.components[0] == 'R' && f.components[3] == 'G' && f.components[6] == 'B'
}
