package files

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// Limits of a CSV file.
const (
	maxRow      = 1 << 20 // bytes
	maxUnclosed = 100     // rows with an unclosed quotation mark; each costs reading maxRow again
	maxColumns  = 200     // further columns are ignored
)

// rows reads CSV row by row in bounded memory. encoding/csv is not used, because a single unclosed
// quotation mark makes it read the rest of the file as one field. Here only that row is lost, and
// reading continues with the next line.
type rows struct {
	in       *bufio.Reader
	again    bytes.Reader // lines that were read as part of an unclosed row
	comma    byte
	line     int // number of the last line
	unclosed int
}

// Errors of a single row, after which reading continues.
var (
	errRowTooLong = errors.New("the row is longer than a megabyte")
	errUnclosed   = errors.New("a quotation mark in it is not closed")
)

// next reads the next row that is not empty, and the number of its first line. It returns io.EOF at
// the end.
func (r *rows) next() (fields []string, at int, err error) {
	for {
		line, err := r.readLine()
		if err != nil {
			return nil, r.line, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return r.row(line)
		}
	}
}

// row reads the row that begins with a line.
func (r *rows) row(line []byte) (fields []string, at int, err error) {
	at = r.line
	p := sheetParser{comma: r.comma}
	if p.line(line) {
		return p.fields, at, nil
	}
	var more []byte // the lines after the first
	skipped := 0
	for len(line)+len(more) < maxRow {
		next, err := r.readLine()
		if errors.Is(err, errRowTooLong) {
			skipped = 1
		}
		if errors.Is(err, io.EOF) || errors.Is(err, errRowTooLong) {
			break
		}
		if err != nil {
			return nil, at, err
		}
		more = append(more, next...)
		if p.line(next) {
			return p.fields, at, nil
		}
	}
	if r.unclosed++; r.unclosed > maxUnclosed {
		return nil, at, errTooMany
	}
	rest, _ := io.ReadAll(&r.again) // in memory already
	r.again.Reset(append(more, rest...))
	r.line = at + skipped
	return nil, at, errUnclosed
}

// errTooMany ends the reading.
var errTooMany = errors.New("too many quotation marks are not closed")

// readLine reads a line with its end. It skips a line that is too long and returns an error.
func (r *rows) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := r.readPart()
		if len(line) <= maxRow {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			err = nil
		}
		if err != nil {
			return nil, err
		}
		r.line++
		if len(line) > maxRow {
			return nil, errRowTooLong
		}
		return line, nil
	}
}

// readPart reads the rest of a line, or as much of it as fits into the buffer.
func (r *rows) readPart() ([]byte, error) {
	if r.again.Len() == 0 {
		return r.in.ReadSlice('\n')
	}
	var line []byte
	for {
		c, err := r.again.ReadByte()
		if err != nil {
			return line, bufio.ErrBufferFull // it may continue in the file
		}
		line = append(line, c)
		if c == '\n' {
			return line, nil
		}
	}
}

// sheetParser splits a row line by line. Quotation marks at the beginning of a field work as in RFC
// 4180; elsewhere they are ordinary characters.
type sheetParser struct {
	comma  byte
	fields []string
	field  strings.Builder
	quoted bool // inside a quoted field, which continues in the next line
}

// line parses a line, and reports whether the row ends with it.
func (p *sheetParser) line(line []byte) bool {
	i := 0
	for {
		if !p.quoted {
			if i < len(line) && line[i] == '"' {
				p.quoted = true
				i++
			} else {
				end := bytes.IndexByte(line[i:], p.comma)
				if end < 0 {
					p.end(bytes.TrimRight(line[i:], "\r\n"))
					return true
				}
				p.end(line[i : i+end])
				i += end + 1
				continue
			}
		}
		closing := bytes.IndexByte(line[i:], '"')
		if closing < 0 {
			p.field.Write(line[i:])
			return false
		}
		p.field.Write(line[i : i+closing])
		i += closing + 1
		switch rest := bytes.TrimRight(line[i:], "\r\n"); {
		case len(rest) == 0:
			p.quoted = false
			p.end(nil)
			return true
		case rest[0] == p.comma:
			p.quoted = false
			p.end(nil)
			i++
		case rest[0] == '"':
			p.field.WriteByte('"')
			i++
		default: // an unescaped quotation mark
			p.field.WriteByte('"')
		}
	}
}

func (p *sheetParser) end(rest []byte) {
	p.field.Write(rest)
	if len(p.fields) < maxColumns {
		p.fields = append(p.fields, p.field.String())
	}
	p.field.Reset()
}
