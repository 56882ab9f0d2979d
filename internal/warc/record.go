package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxHeader limits the fields of a record, and separately the HTTP header in it.
const maxHeader = 64 << 10

// record is a record of a WARC file. Its block can be read until the next record is.
type record struct {
	fields map[string]string // by name in lower case; of repeated fields the first
	block  io.Reader
	size   int64 // of the block
}

// kind returns the type of the record, such as "response".
func (r *record) kind() string { return strings.ToLower(r.fields["warc-type"]) }

// uri returns the address that was requested. Some old programs put it in angle brackets.
func (r *record) uri() string { return bare(r.fields["warc-target-uri"]) }

func bare(uri string) string {
	return strings.TrimSuffix(strings.TrimPrefix(uri, "<"), ">")
}

// date returns when the record was made, or zero.
func (r *record) date() time.Time {
	at, err := time.Parse(time.RFC3339, r.fields["warc-date"])
	if err != nil {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Microsecond)
}

// readRecord reads the fields of a record (WARC 1.1, section 4). It returns io.EOF where the file ends.
func readRecord(in *bufio.Reader) (*record, error) {
	head, err := readHead(in)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(head), "\n")
	if !strings.HasPrefix(lines[0], "WARC/") {
		return nil, errors.New("warc: a record does not begin with its version")
	}
	r := &record{fields: map[string]string{}}
	var last string
	for _, line := range lines[1:] {
		line = strings.TrimRight(line, "\r")
		if line == "" {
			continue
		}
		if last != "" && (line[0] == ' ' || line[0] == '\t') { // a folded line
			r.fields[last] += " " + strings.TrimSpace(line)
			continue
		}
		name, value, found := strings.Cut(line, ":")
		if !found {
			return nil, errors.New("warc: a field has no colon")
		}
		last = ""
		name = strings.ToLower(strings.TrimSpace(name))
		if _, repeated := r.fields[name]; !repeated {
			r.fields[name] = strings.TrimSpace(value)
			last = name
		}
	}
	r.size, err = strconv.ParseInt(r.fields["content-length"], 10, 64)
	if err != nil || r.size < 0 {
		return nil, errors.New("warc: a record has no length")
	}
	r.block = &whole{in: in, left: r.size}
	return r, nil
}

// readHead reads lines up to an empty one, which it includes. It skips empty lines before them, since programs differ in how many
// they write between records.
func readHead(in *bufio.Reader) ([]byte, error) {
	var head []byte
	for {
		line, err := in.ReadSlice('\n')
		if len(head)+len(line) > maxHeader || errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("warc: a header is longer than %d bytes", maxHeader)
		}
		if errors.Is(err, io.EOF) && len(head) == 0 && len(bytes.TrimSpace(line)) == 0 {
			return nil, io.EOF
		}
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		blank := len(bytes.TrimRight(line, "\r\n")) == 0
		if blank && len(head) == 0 {
			continue
		}
		head = append(head, line...)
		if blank {
			return head, nil
		}
	}
}

// whole reads a number of bytes, and fails if the file ends before.
type whole struct {
	in   io.Reader
	left int64
}

func (w *whole) Read(p []byte) (int, error) {
	if w.left == 0 {
		return 0, io.EOF
	}
	n, err := w.in.Read(p[:min(int64(len(p)), w.left)])
	w.left -= int64(n)
	if errors.Is(err, io.EOF) && w.left > 0 {
		err = io.ErrUnexpectedEOF
	} else if errors.Is(err, io.EOF) {
		err = nil // the next call returns it
	}
	return n, err
}

// member reads one record at the current position of a file, in whose compressed form each record is a gzip
// member of its own (WARC 1.1, annex D).
type member struct {
	record *record
	in     *bufio.Reader
	zip    *gzip.Reader // nil: the file is not compressed
}

// readMember reads the fields of the record at the current position.
func readMember(in *bufio.Reader, zip *gzip.Reader, compressed bool) (*member, error) {
	if !compressed {
		r, err := readRecord(in)
		return &member{record: r, in: in}, err
	}
	if _, err := in.Peek(1); err != nil {
		return nil, err
	}
	if err := zip.Reset(in); err != nil {
		return nil, fmt.Errorf("warc: a record is not compressed: %w", noEnd(err))
	}
	zip.Multistream(false)
	r, err := readRecord(bufio.NewReaderSize(zip, maxHeader))
	if err != nil {
		return nil, noEnd(err)
	}
	return &member{record: r, in: in, zip: zip}, nil
}

// skip reads the rest of the record, so that the next one can be read.
func (m *member) skip() error {
	if _, err := io.Copy(io.Discard, m.record.block); err != nil {
		return err
	}
	if m.zip == nil {
		return nil
	}
	rest, err := io.Copy(io.Discard, m.zip)
	if err == nil && rest > maxHeader {
		err = errors.New("warc: several records are compressed together")
	}
	return err
}

// noEnd replaces the end of the file, which is an error in the middle of a record.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
