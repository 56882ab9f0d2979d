// Package plain reads what programs write into files that people carry from one to the other:
// texts in whatever encoding, addresses, dates and tags.
package plain

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Text reads a file as UTF-8 without a byte order mark. UTF-16 is known by its mark, or by
// the zeros that it has where the text begins. All else is read as UTF-8, and what is not
// UTF-8 in it as Windows-1252, byte by byte: a file of 500 MB cannot be read twice to find
// out, and programs of old wrote the one into the other.
func Text(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, bufferSize)
	start, err := in.Peek(lookAt)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if order, is := utf16(start); is {
		decoder := unicode.UTF16(order, unicode.UseBOM).NewDecoder()
		return bufio.NewReaderSize(transform.NewReader(in, decoder), bufferSize), nil
	}
	if bytes.HasPrefix(start, mark) {
		if _, err := in.Discard(len(mark)); err != nil {
			return nil, err
		}
	}
	return bufio.NewReaderSize(transform.NewReader(in, lenient{}), bufferSize), nil
}

const (
	bufferSize = 64 << 10
	lookAt     = 64 // bytes, from which UTF-16 without a mark is known
)

var mark = []byte("\uFEFF")

// utf16 reports whether a text that begins so is UTF-16, and in which order.
func utf16(start []byte) (unicode.Endianness, bool) {
	switch {
	case bytes.HasPrefix(start, []byte{0xFF, 0xFE}):
		return unicode.LittleEndian, true
	case bytes.HasPrefix(start, []byte{0xFE, 0xFF}):
		return unicode.BigEndian, true
	case len(start) < 4:
		return unicode.LittleEndian, false
	}
	even, odd := 0, 0
	for i, b := range start {
		if b == 0 && i%2 == 0 {
			even++
		} else if b == 0 {
			odd++
		}
	}
	most := len(start) / 2 * 3 / 4 // of the bytes in their half: markup and headings are ASCII
	switch {
	case odd >= most && even == 0:
		return unicode.LittleEndian, true
	case even >= most && odd == 0:
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}

// lenient passes UTF-8 and reads all other bytes as Windows-1252. NUL, which no text has and
// no database takes, becomes U+FFFD.
type lenient struct{ transform.NopResetter }

func (lenient) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		r, size := rune(src[read]), 1
		switch {
		case r == 0:
			r = utf8.RuneError
		case r < utf8.RuneSelf:
		case !atEOF && !utf8.FullRune(src[read:]):
			return written, read, transform.ErrShortSrc
		default:
			if r, size = utf8.DecodeRune(src[read:]); r == utf8.RuneError && size == 1 {
				r = charmap.Windows1252.DecodeByte(src[read])
			}
		}
		if written+utf8.RuneLen(r) > len(dst) {
			return written, read, transform.ErrShortDst
		}
		written += utf8.EncodeRune(dst[written:], r)
		read += size
	}
	return written, read, nil
}
