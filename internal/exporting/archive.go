package exporting

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"time"
)

// archive writes a ZIP as a stream. archive/zip keeps the directory of all entries, about 300 bytes
// each, in memory until the end. So that memory does not grow with the number of entries, archive
// ends each zip.Writer after partSize entries, saves its part of the directory to a spool, and
// continues with a new one. The whole directory is written at the end.
type archive struct {
	out     *counted
	to      switched
	zip     *zip.Writer
	dir     spool
	part    int   // number of entries in zip
	entries int64 // total
	at      time.Time

	// sums is called after each entry; it may be nil.
	sums func(name string, size int64, sum [sha256.Size]byte) error
	open *entry
}

// counted counts the bytes written.
type counted struct {
	io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// switched is a writer whose target can be changed.
type switched struct{ io.Writer }

// newArchive creates an archive whose entries all have the time at.
func newArchive(w io.Writer, folder string, at time.Time) *archive {
	a := &archive{out: &counted{Writer: w}, dir: spool{folder: folder}, at: at.UTC().Truncate(time.Second)}
	a.begin()
	return a
}

func (a *archive) begin() {
	a.to.Writer = a.out
	a.zip, a.part = zip.NewWriter(&a.to), 0
	a.zip.SetOffset(a.out.n)
}

// partSize is the number of entries per zip.Writer.
const partSize = 512

// Sizes of the end record of a directory, and of the ZIP64 records before it (APPNOTE.TXT sections
// 4.3.14 to 4.3.16).
const (
	endSize      = 22
	largeEndSize = 56 + 20
)

// endPart closes the zip.Writer and saves its directory. It flushes the last entry first.
func (a *archive) endPart() error {
	if err := a.zip.Flush(); err != nil {
		return err
	}
	var part bytes.Buffer
	a.to.Writer = &part
	if err := a.zip.Close(); err != nil {
		return err
	}
	a.to.Writer = a.out
	rest := part.Bytes()
	end := rest[len(rest)-endSize:]
	rest = rest[:len(rest)-endSize]
	size := uint64(binary.LittleEndian.Uint32(end[12:]))
	if binary.LittleEndian.Uint32(end[16:]) == math.MaxUint32 { // the offset is beyond 4 GiB
		size = binary.LittleEndian.Uint64(rest[len(rest)-largeEndSize+40:])
		rest = rest[:len(rest)-largeEndSize]
	}
	entry, dir := rest[:len(rest)-int(size)], rest[len(rest)-int(size):]
	if _, err := a.out.Write(entry); err != nil {
		return err
	}
	_, err := a.dir.Write(dir)
	return err
}

// entry is the entry being written.
type entry struct {
	name string
	w    io.Writer
	sum  hash.Hash
	size int64
}

// Write implements io.Writer.
func (e *entry) Write(p []byte) (int, error) {
	n, err := e.w.Write(p)
	if e.sum != nil {
		e.sum.Write(p[:n])
	}
	e.size += int64(n)
	return n, err
}

// create starts an entry, which ends with the next one or with close. Stored entries are not
// compressed.
func (a *archive) create(name string, stored bool) (*entry, error) {
	method := zip.Deflate
	if stored {
		method = zip.Store
	}
	if err := a.next(); err != nil {
		return nil, err
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: a.at})
	if err != nil {
		return nil, err
	}
	a.open = &entry{name: name, w: w}
	if a.sums != nil {
		a.open.sum = sha256.New()
	}
	return a.open, nil
}

// next prepares for the next entry.
func (a *archive) next() error {
	if err := a.done(); err != nil {
		return err
	}
	if a.part == partSize {
		if err := a.endPart(); err != nil {
			return err
		}
		a.begin()
	}
	a.part++
	a.entries++
	return nil
}

// done reports the last entry to sums.
func (a *archive) done() error {
	e := a.open
	a.open = nil
	if e == nil || a.sums == nil {
		return nil
	}
	return a.sums(e.name, e.size, [sha256.Size]byte(e.sum.Sum(nil)))
}

// add writes an entry.
func (a *archive) add(name string, text []byte) error {
	w, err := a.create(name, false)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// addPlain writes an entry without compression, extra fields or data descriptor, as required for
// the first entry of an EPUB.
func (a *archive) addPlain(name, text string) error {
	if err := a.next(); err != nil {
		return err
	}
	n := uint64(len(text))
	w, err := a.zip.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(text)),
		CompressedSize64: n, UncompressedSize64: n})
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// close writes the directory.
func (a *archive) close() error {
	if err := a.done(); err != nil {
		return err
	}
	if err := a.endPart(); err != nil {
		return err
	}
	begin := a.out.n
	dir, err := a.dir.read()
	if err != nil {
		return err
	}
	size, err := io.Copy(a.out, dir)
	if err != nil {
		return err
	}
	_, err = a.out.Write(ending(uint64(a.entries), uint64(size), uint64(begin)))
	return err
}

// free releases temporary files, also if the archive was not closed.
func (a *archive) free() { a.dir.close() }

// ending returns the end records of a directory.
func ending(entries, size, begin uint64) (out []byte) {
	le := binary.LittleEndian
	if entries >= math.MaxUint16 || size >= math.MaxUint32 || begin >= math.MaxUint32 {
		out = append(out, "PK\x06\x06"...)
		out = le.AppendUint64(out, 44) // size of the rest of this record
		out = le.AppendUint16(out, 45) // version 4.5
		out = le.AppendUint16(out, 45)
		out = le.AppendUint32(out, 0) // this disk
		out = le.AppendUint32(out, 0)
		out = le.AppendUint64(out, entries)
		out = le.AppendUint64(out, entries)
		out = le.AppendUint64(out, size)
		out = le.AppendUint64(out, begin)
		out = append(out, "PK\x06\x07"...)
		out = le.AppendUint32(out, 0)
		out = le.AppendUint64(out, begin+size)
		out = le.AppendUint32(out, 1)
		entries, size, begin = math.MaxUint16, math.MaxUint32, math.MaxUint32
	}
	out = append(out, "PK\x05\x06"...)
	out = le.AppendUint16(out, 0)
	out = le.AppendUint16(out, 0)
	out = le.AppendUint16(out, uint16(entries))
	out = le.AppendUint16(out, uint16(entries))
	out = le.AppendUint32(out, uint32(size))
	out = le.AppendUint32(out, uint32(begin))
	return le.AppendUint16(out, 0)
}

// sumLine returns a line of SHA256SUMS in the format of sha256sum.
func sumLine(name string, sum [sha256.Size]byte) string {
	return fmt.Sprintf("%s  %s\n", hex.EncodeToString(sum[:]), name)
}
