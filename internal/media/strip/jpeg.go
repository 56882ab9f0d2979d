package strip

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// stream reads a file sequentially from an offset, and counts the bytes.
type stream struct {
	*bufio.Reader
	pos int64
}

func (in *input) stream(from int64) *stream {
	return &stream{bufio.NewReaderSize(io.NewSectionReader(in, from, in.size-from), 32<<10), from}
}

func (s *stream) byte() (byte, error) {
	b, err := s.ReadByte()
	if err == nil {
		s.pos++
	}
	return b, err
}

// to reads up to and including the next b.
func (s *stream) to(b byte) error {
	for {
		part, err := s.ReadSlice(b)
		s.pos += int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

const (
	exifMark = "Exif\x00\x00"
	iccMark  = "ICC_PROFILE\x00"
)

// jpeg keeps the segments that are needed to decode the image (ITU-T T.81, annex B), the JFIF header
// without its thumbnail, the colour profile and Adobe's colour transform. It removes everything else, and
// everything after the end of the image: previews, second images, and the video of a motion photo. An
// image without an end marker is kept up to the end of the file.
func jpeg(in *input) error {
	s := in.stream(2)
	scanned, scanning, exif := false, false, false
	for {
		before := s.pos // everything from here to the marker is noise, or part of a scan
		err := s.to(0xff)
		marker := byte(0xff)
		for err == nil && marker == 0xff { // fill bytes
			marker, err = s.byte()
		}
		if errors.Is(err, io.EOF) {
			if !scanned {
				return malformed("a JPEG without an image")
			}
			if scanning {
				return nil
			}
			return in.cut(before, in.size)
		}
		if err != nil {
			return err
		}
		at := s.pos - 2
		if scanning && (marker == 0 || marker >= 0xd0 && marker <= 0xd7) {
			continue
		}
		if !scanning {
			if err := in.cut(before, at); err != nil {
				return err
			}
		}
		scanning = false
		switch {
		case marker == 0xd9:
			if !scanned {
				return malformed("a JPEG without an image")
			}
			return in.cut(s.pos, in.size)
		case marker == 0 || marker == 0x01 || marker >= 0xd0 && marker <= 0xd7:
			if err := in.cut(at, s.pos); err != nil {
				return err
			}
			continue
		case marker == 0xd8:
			return malformed("an image in an image")
		}
		end, err := in.segment(s, at, marker, &exif)
		if err != nil {
			return err
		}
		if end > in.size {
			if !scanned {
				return malformed("a segment that does not end")
			}
			return in.cut(at, in.size)
		}
		scanning = marker == 0xda
		scanned = scanned || scanning
	}
}

// segment keeps or removes a segment, and returns the offset of its end.
func (in *input) segment(s *stream, at int64, marker byte, exif *bool) (end int64, err error) {
	var size [2]byte
	if _, err := io.ReadFull(s, size[:]); err != nil {
		return in.size + 1, eof(err)
	}
	length := int64(binary.BigEndian.Uint16(size[:]))
	if length < 2 {
		return 0, malformed("a segment of %d bytes", length)
	}
	if end = at + 2 + length; end > in.size {
		return end, nil
	}
	body := make([]byte, length-2)
	if _, err := io.ReadFull(s, body); err != nil {
		return 0, eof(err)
	}
	s.pos = end
	switch {
	case marker >= 0xc0 && marker <= 0xdf: // tables, frames and scans
		return end, nil
	case marker == 0xe2 && bytes.HasPrefix(body, []byte(iccMark)):
		return end, nil
	case marker == 0xee && bytes.HasPrefix(body, []byte("Adobe")) && len(body) >= 12:
		if len(body) == 12 {
			return end, nil
		}
		return end, in.replace(at, end, append([]byte{0xff, 0xee, 0, 14}, body[:12]...))
	case marker == 0xe0 && bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) >= 14:
		if len(body) == 14 {
			return end, nil
		}
		return end, in.replace(at, end, append([]byte{0xff, 0xe0, 0, 16}, append(bytes.Clone(body[:12]), 0, 0)...))
	case marker == 0xe1 && bytes.HasPrefix(body, []byte(exifMark)) && !*exif:
		*exif = true
		text := minimalExif(body[len(exifMark):])
		if text == nil {
			return end, in.cut(at, end)
		}
		head := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(2+len(exifMark)+len(text)))
		return end, in.replace(at, end, append(append(head, exifMark...), text...))
	}
	return end, in.cut(at, end)
}

// eof returns nil at the end of the file, which the caller detects by the size.
func eof(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
