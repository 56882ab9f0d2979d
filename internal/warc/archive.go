// Package warc reads and writes copies of web pages: WARC files (ISO 28500, version 1.1), and WACZ files (version
// 1.1.1), which are ZIP files with WARC files and a list of their pages.
//
// An Archive is an http.RoundTripper that answers from the file, so that a page and its parts can be read as from
// the web. It keeps only the addresses and places of the records in memory.
package warc

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/weburl"
)

// Limits of an archive.
const (
	MaxRecords = 200_000 // responses, in all files of a package
	MaxPages   = 20_000
	maxFiles   = 1_000   // in a package
	maxURL     = 8 << 10 // longer ones are left out
	maxLine    = 8 << 20 // of a list of pages, which may contain their texts
	maxBlocks  = 64 << 30
)

// Errors of Open. Others say what is wrong with the file.
var (
	ErrTooMany = fmt.Errorf("warc: the file has more than %d pages and parts", MaxRecords)
	ErrTooBig  = fmt.Errorf("warc: the file contains more than %d GB", maxBlocks>>30)
)

// Page is a page that an archive lists.
type Page struct {
	URL   string
	Title string    // "" if the file has none
	Time  time.Time // when it was saved; zero: unknown
}

// Archive is an open file. It is safe for concurrent use.
type Archive struct {
	files   []file
	records map[string]place  // the newest response, by address without a fragment
	same    map[string]string // addresses whose response is the one of another address
	pages   []Page
	blocks  int64 // bytes that were read to find the records
	max     int   // records
}

// file is a WARC file.
type file struct {
	in         io.ReaderAt
	size       int64
	compressed bool
}

// place is where a record begins.
type place struct {
	offset int64
	date   int64 // Unix time
	file   int32
	page   bool // its response is a page
}

// Is reports whether a file that begins so is a WARC file. A compressed one also begins like other gzip files,
// so at least its first 512 bytes are needed. A WACZ file is recognized by Open.
func Is(start []byte) bool {
	if isGzip(start) {
		zip, err := gzip.NewReader(bytes.NewReader(start))
		if err != nil {
			return false
		}
		head := make([]byte, len(version))
		_, err = io.ReadFull(zip, head)
		return err == nil && string(head) == version
	}
	return bytes.HasPrefix(start, []byte(version))
}

const version = "WARC/"

func isGzip(start []byte) bool { return bytes.HasPrefix(start, []byte{0x1f, 0x8b}) }

// IsPackage reports whether a ZIP file is a WACZ file.
func IsPackage(entries []*zip.File) bool {
	var description, data bool
	for _, e := range entries {
		description = description || e.Name == "datapackage.json"
		data = data || isData(e.Name)
	}
	return description && data
}

func isData(name string) bool {
	return strings.HasPrefix(name, "archive/") && (strings.HasSuffix(name, ".warc.gz") || strings.HasSuffix(name, ".warc"))
}

// Open finds the responses in a WARC file.
func Open(ctx context.Context, in io.ReaderAt, size int64) (*Archive, error) {
	a := newArchive()
	if err := a.add(ctx, in, size); err != nil {
		return nil, err
	}
	return a, nil
}

// OpenPackage finds the responses and the pages in the entries of a WACZ file, which can be read from in. The names of
// entries are only compared.
func OpenPackage(ctx context.Context, in io.ReaderAt, entries []*zip.File) (*Archive, error) {
	a := newArchive()
	for _, e := range entries {
		if !isData(e.Name) {
			continue
		}
		if e.Method != zip.Store {
			return nil, errors.New("warc: a WARC file in the package is compressed again, so that it cannot be read in parts")
		}
		if len(a.files) == maxFiles {
			return nil, fmt.Errorf("warc: the package has more than %d WARC files", maxFiles)
		}
		start, err := e.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("warc: %w", err)
		}
		size := int64(e.CompressedSize64)
		if size < 0 {
			return nil, errors.New("warc: a WARC file in the package has no size")
		}
		if err := a.add(ctx, io.NewSectionReader(in, start, size), size); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		if e.Name == "pages/pages.jsonl" {
			if err := a.list(e); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

func newArchive() *Archive {
	return &Archive{records: map[string]place{}, same: map[string]string{}, max: MaxRecords}
}

// Pages returns the pages that the package lists, or else every response that is a page, in the order of the
// file.
func (a *Archive) Pages() []Page { return a.pages }

// add reads the records of a file.
func (a *Archive) add(ctx context.Context, in io.ReaderAt, size int64) error {
	counted := &counter{in: io.NewSectionReader(in, 0, size), ctx: ctx}
	buffered := bufio.NewReaderSize(counted, maxHeader)
	start, _ := buffered.Peek(2) // an error shows again when the record is read
	f := file{in: in, size: size, compressed: isGzip(start)}
	a.files = append(a.files, f)
	unzip := new(gzip.Reader)
	for {
		at := counted.n - int64(buffered.Buffered())
		m, err := readMember(buffered, unzip, f.compressed)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) && len(a.records) > 0 {
			return nil // the program that wrote the file was stopped
		}
		if err != nil {
			return err
		}
		if a.blocks += m.record.size; a.blocks > maxBlocks {
			return ErrTooBig
		}
		if err := a.index(m.record, place{offset: at, date: m.record.date().Unix(), file: int32(len(a.files) - 1)}); err != nil {
			return err
		}
		if err := m.skip(); errors.Is(err, io.ErrUnexpectedEOF) && len(a.records) > 0 {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// index remembers the place of a record.
func (a *Archive) index(r *record, at place) error {
	address := key(r.uri())
	if address == "" {
		return nil
	}
	switch r.kind() {
	case "response":
		header, err := readHead(bufio.NewReaderSize(r.block, maxHeader))
		if err != nil {
			return nil // it cannot be answered from
		}
		at.page = isPage(header)
	case "resource":
		at.page = isHTML(r.fields["content-type"])
	case "revisit":
		if other := key(bare(r.fields["warc-refers-to-target-uri"])); other != "" && other != address {
			a.same[address] = other
		}
		return a.limit()
	default:
		return nil
	}
	before, known := a.records[address]
	if known && before.date > at.date {
		return nil
	}
	a.records[address] = at
	if at.page && (!known || !before.page) && len(a.pages) < MaxPages {
		a.pages = append(a.pages, Page{URL: r.uri(), Time: r.date()})
	}
	return a.limit()
}

func (a *Archive) limit() error {
	if len(a.records)+len(a.same) > a.max {
		return ErrTooMany
	}
	return nil
}

// isPage reports whether a response is a page, by its header.
func isPage(header []byte) bool {
	in := bufio.NewReader(bytes.NewReader(header))
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode/100 == 2 && isHTML(answer.Header.Get("Content-Type"))
}

func isHTML(contentType string) bool {
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	media = strings.TrimSpace(media)
	return media == "text/html" || media == "application/xhtml+xml"
}

// key returns the form of an address under which its record is found, or "" if it is not of the web.
func key(address string) string {
	if len(address) > maxURL {
		return ""
	}
	u, err := weburl.Parse(address)
	if err != nil {
		return ""
	}
	return keyOf(u)
}

func keyOf(u *url.URL) string {
	v := *u
	v.Fragment, v.RawFragment, v.User = "", "", nil
	return v.String()
}

// list reads the pages of a package (WACZ 1.1.1, section 5.2.2).
func (a *Archive) list(e *zip.File) error {
	in, err := e.Open()
	if err != nil {
		return fmt.Errorf("warc: the list of pages: %w", err)
	}
	defer in.Close()
	var pages []Page
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() && len(pages) < MaxPages {
		var line struct {
			URL   string `json:"url"`
			Title string `json:"title"`
			TS    string `json:"ts"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || key(line.URL) == "" {
			continue // the first line describes the format
		}
		at, err := time.Parse(time.RFC3339, line.TS)
		if err != nil {
			at = time.Time{}
		}
		pages = append(pages, Page{URL: line.URL, Title: line.Title, Time: at.UTC().Truncate(time.Microsecond)})
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("warc: the list of pages: %w", err)
	}
	if len(pages) > 0 {
		a.pages = pages
	}
	return nil
}

// RoundTrip implements http.RoundTripper with the response in the file. An address that is not there gets 404. Bodies
// are as the server sent them, so they may be compressed.
func (a *Archive) RoundTrip(r *http.Request) (*http.Response, error) {
	address := keyOf(r.URL)
	at, found := a.records[address]
	if !found {
		at, found = a.records[a.same[address]]
	}
	if !found {
		return &http.Response{
			Status: "404 Not Found", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: http.NoBody, Request: r,
		}, nil
	}
	return a.read(at, r)
}

// read reads a response.
func (a *Archive) read(at place, r *http.Request) (*http.Response, error) {
	f := a.files[at.file]
	in := bufio.NewReaderSize(&counter{in: io.NewSectionReader(f.in, at.offset, f.size-at.offset), ctx: r.Context()}, maxHeader)
	m, err := readMember(in, new(gzip.Reader), f.compressed)
	if err != nil {
		return nil, noEnd(err)
	}
	if m.record.kind() == "resource" {
		return &http.Response{
			Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header:        http.Header{"Content-Type": {m.record.fields["content-type"]}},
			ContentLength: m.record.size, Body: io.NopCloser(m.record.block), Request: r,
		}, nil
	}
	block := bufio.NewReaderSize(m.record.block, maxHeader)
	header, err := readHead(block)
	if err != nil {
		return nil, noEnd(err)
	}
	return http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(header), block)), r)
}

// counter counts the bytes that were read, and stops when the context ends.
type counter struct {
	in  io.Reader
	ctx context.Context
	n   int64
}

func (c *counter) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}
