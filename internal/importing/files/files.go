// Package files reads files and folders of other programs. It recognizes the format of a file by its
// content, not by its name: bookmarks in the Netscape format, which browsers and bookmark services
// export, where folders become channels and bookmarks become links; OPML, which feed readers,
// podcast players and outliners export; lists of addresses as CSV, JSON or plain lines; and the
// export of a user from this or another Vitrine, which docs/export.schema.json describes. In a
// folder, files become blocks and subfolders become channels. In WARC and WACZ files, pages become links with saved
// copies. Spreadsheets of people to invite are
// read here too.
package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
	"vitrine/internal/warc"
)

// Options configure how a file is read.
type Options struct {
	Title    string      // of the channel for all of it, unless the file has one
	Encoding string      // from domain.EncodingNamed; "": it is detected
	Archive  io.ReaderAt // the same file for random access, for ZIP; nil: only sequential reads
	Size     int64       // of the archive
}

// Open recognizes a file.
func Open(r io.Reader, o Options) (source.Source, error) {
	in := bufio.NewReader(r)
	start, err := in.Peek(maxMark)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !IsArchive(start) {
		return Text(in, o), nil
	}
	if o.Archive == nil {
		return nil, domain.NewUnprocessable("A ZIP or WARC file cannot be read from standard input: name the file")
	}
	if warc.Is(start) {
		return newWARC(o), nil
	}
	return open(o)
}

var zipMark = []byte("PK\x03\x04")

// maxMark is the number of bytes that are enough for IsArchive.
const maxMark = 512

// IsArchive reports whether a file that begins so is a ZIP or WARC file.
func IsArchive(start []byte) bool { return bytes.HasPrefix(start, zipMark) || warc.Is(start) }

// Text recognizes a file that is not an archive.
func Text(r io.Reader, o Options) source.Document {
	raw, all := source.HeadOf(r)
	if len(raw) == 0 {
		return &empty{unread(o.Title), all}
	}
	raw = bytes.Clone(raw) // reading on overwrites it
	text, err := source.Decode(all, o.Encoding)
	if err != nil {
		return &failed{unread(o.Title), err}
	}
	head, _ := text.Peek(4 << 10) // an error shows again when the text is read
	if page := newSavedPage(string(head), o); page != nil {
		return page
	}
	f := &file{Document: recognized(text, o.Title), text: text}
	switch text.Encoding() {
	case "utf-8", "utf-16le", "utf-16be", "windows-1252":
	default: // earlier versions read these as Windows-1252
		f.alsoIn("windows-1252", raw, o.Title)
	}
	if o.Encoding != "" { // the file may have been imported before its encoding was named
		f.alsoIn("", raw, o.Title)
	}
	return f
}

// recognized returns the Document for a text.
func recognized(text *source.Decoded, title string) source.Document {
	head, _ := text.Peek(4 << 10) // an error shows again when the text is read
	start := strings.TrimSpace(string(head))
	switch {
	case IsOutline(start):
		return NewOutline(text, title)
	case strings.HasPrefix(start, "<"):
		return NewBookmarks(text, title)
	}
	return NewSheet(text, title)
}

// file is a text that was decoded.
type file struct {
	source.Document
	text   *source.Decoded
	others []string
}

// alsoIn adds the origins that a file with this beginning has in another encoding, in which its title is a
// different one.
func (f *file) alsoIn(encoding string, head []byte, title string) {
	text, err := source.Decode(bytes.NewReader(head), encoding)
	if err != nil {
		return
	}
	d := recognized(text, title)
	for _, origin := range append([]string{d.Origin()}, d.Others()...) {
		if origin != f.Origin() && !slices.Contains(f.Others(), origin) {
			f.others = append(f.others, origin)
		}
	}
}

// Others implements source.Document.
func (f *file) Others() []string { return slices.Concat(f.others, f.Document.Others()) }

// About implements source.Document.
func (f *file) About() source.About {
	about := f.Document.About()
	about.Encoding = f.text.Encoding()
	return about
}

// unread returns the File for an unreadable file.
func unread(title string) source.TextFile {
	return source.TextFile{Title: title, Identity: source.Identity{Name: source.Origin("csv", title)}}
}

// empty is an empty file.
type empty struct {
	source.TextFile
	from io.Reader
}

// Read returns the error of the reader, or that the file is empty.
func (e *empty) Read(context.Context, source.Sink) error {
	if _, err := e.from.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return source.ErrEmpty
}

// failed is a file that could not be read.
type failed struct {
	source.TextFile
	err error
}

// Read returns the error.
func (f *failed) Read(context.Context, source.Sink) error { return f.err }

// open opens a ZIP file: an export of Vitrine, or files of other services.
func open(o Options) (source.Source, error) {
	entries, export, failed, err := bundleEntries(o.Archive, o.Size)
	if err != nil {
		return nil, err
	}
	if export != nil {
		return export, nil
	}
	if warc.IsPackage(entries) {
		return newWACZ(entries, o), nil
	}
	a := newArchive(entries, failed, o)
	if len(a.entries) != 1 || a.title == takeout {
		return a, nil
	}
	in, err := a.unpack(a.entries[0]) // closing it would only return a buffer
	if err != nil {
		return nil, err
	}
	return Text(in, o), nil
}
