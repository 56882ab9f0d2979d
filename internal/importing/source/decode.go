package source

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// TextOf decodes a file of unknown encoding.
func TextOf(r io.Reader) (*bufio.Reader, error) {
	d, err := Decode(r, "")
	if err != nil {
		return nil, err
	}
	return d.Reader, nil
}

// Decoded is the text of a file as UTF-8 without a byte order mark.
type Decoded struct {
	*bufio.Reader
	from *lazy
}

// Encoding returns the name of the encoding that the file is read in. It is final when the file has
// been read to its end: until a byte outside ASCII occurs, it is UTF-8.
func (d *Decoded) Encoding() string { return d.from.name }

// Decode decodes a file. The encoding, if given, is a name from EncodingNamed, and is used unless the
// file begins with a byte order mark. Otherwise UTF-16 is
// recognized by its byte order mark or its zeros; a text that is mostly valid UTF-8 is UTF-8, with
// stray bytes read as Windows-1252; for anything else the encoding is detected at the first byte
// outside ASCII. The file is read once, in bounded memory.
func Decode(r io.Reader, name string) (*Decoded, error) {
	in := bufio.NewReaderSize(r, bufferSize)
	start, err := in.Peek(lookAt)
	if err != nil && err != io.EOF {
		return nil, err
	}
	from := &lazy{in: in, name: utf8Name, declared: declared(start)}
	marked, order := utf16(start)
	switch forced := encodingNamed(name); {
	case bytes.HasPrefix(start, mark):
		if _, err := in.Discard(len(mark)); err != nil {
			return nil, err
		}
	case hasMark16(start), marked && (name == "" || name == byteOrderName(order)):
		from.use(byteOrderName(order), unicode.UTF16(order, unicode.UseBOM))
	case forced != nil:
		from.use(name, forced)
	case name == utf8Name:
		from.text = in
	}
	return &Decoded{Reader: bufio.NewReaderSize(transform.NewReader(from, lenient{}), bufferSize), from: from}, nil
}

const (
	bufferSize = 64 << 10
	lookAt     = 1024 // bytes in which UTF-16 is recognized and a declaration is found
)

var mark = []byte("\uFEFF")

// hasMark16 reports whether a text begins with the byte order mark of UTF-16.
func hasMark16(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0xFF, 0xFE}) || bytes.HasPrefix(start, []byte{0xFE, 0xFF})
}

func byteOrderName(order unicode.Endianness) string {
	if order == unicode.BigEndian {
		return "utf-16be"
	}
	return "utf-16le"
}

// utf16 reports whether a text that begins so is UTF-16, and its byte order.
func utf16(start []byte) (is bool, order unicode.Endianness) {
	start = start[:min(len(start), 64)]
	switch {
	case bytes.HasPrefix(start, []byte{0xFF, 0xFE}):
		return true, unicode.LittleEndian
	case bytes.HasPrefix(start, []byte{0xFE, 0xFF}):
		return true, unicode.BigEndian
	case len(start) < 4:
		return false, unicode.LittleEndian
	}
	even, odd := 0, 0
	for i, b := range start {
		if b == 0 && i%2 == 0 {
			even++
		} else if b == 0 {
			odd++
		}
	}
	limit := len(start) / 2 * 3 / 4 // three quarters of either half: markup and headings are ASCII
	switch {
	case odd >= limit && even == 0:
		return true, unicode.LittleEndian
	case even >= limit && odd == 0:
		return true, unicode.BigEndian
	}
	return false, unicode.LittleEndian
}

// lazy passes ASCII through and chooses the encoding at the first other byte, because the beginning
// of many files is ASCII.
type lazy struct {
	in       *bufio.Reader
	declared string // by the file; "": nothing
	name     string
	text     io.Reader // of the rest; nil until the encoding is chosen
	last     []byte    // the byte of ASCII before it
}

func (l *lazy) use(name string, e encoding.Encoding) {
	l.name, l.text = name, transform.NewReader(l.in, e.NewDecoder())
}

func (l *lazy) Read(p []byte) (int, error) {
	if l.text != nil {
		return l.text.Read(p)
	}
	if _, err := l.in.Peek(1); err != nil {
		return 0, err
	}
	here, _ := l.in.Peek(min(l.in.Buffered(), len(p)))
	ascii := bytes.IndexFunc(here, func(r rune) bool { return r >= utf8.RuneSelf || r == escape })
	if ascii < 0 {
		ascii = len(here)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if ascii > 0 {
		n := copy(p, here[:ascii])
		l.last = append(l.last[:0], here[n-1:n]...)
		_, err := l.in.Discard(n)
		return n, err
	}
	sample, err := l.in.Peek(bufferSize)
	if err != nil && err != io.EOF {
		return 0, err
	}
	if l.name = detectEncoding(append(l.last, sample...), l.declared); l.name == utf8Name {
		l.text = l.in
	} else {
		l.use(l.name, encodingNamed(l.name))
	}
	return l.text.Read(p)
}

// escape begins the shift sequences of ISO-2022-JP.
const escape = 0x1B

// lenient passes UTF-8 and reads other bytes as Windows-1252, because some programs write both into
// one file. It replaces NUL by U+FFFD, since databases refuse it.
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
