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

// archive is a ZIP that is written as it comes. archive/zip holds the directory of all its
// entries until the end, some 300 bytes for each. So that memory does not grow with their
// number, a writer is ended after some, its part of the directory put aside, and another one
// goes on where it stopped; the directory is written at the end, from what was put aside.
type archive struct {
	out     *counted
	to      switched
	zip     *zip.Writer
	dir     spool
	part    int   // entries of zip
	entries int64 // of all
	at      time.Time

	// Sums, where it is set, is told of each entry that is done.
	sums func(name string, size int64, sum [sha256.Size]byte) error
	open *entry
}

// counted counts what is written.
type counted struct {
	io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// switched is a writer to what it was last set to.
type switched struct{ io.Writer }

// newArchive makes an archive whose entries have one time.
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

// partSize is after how many entries a writer is ended.
const partSize = 512

// The ends of a directory: of every one, and what comes before that where numbers are large
// (APPNOTE.TXT sections 4.3.14 to 4.3.16).
const (
	endSize      = 22
	largeEndSize = 56 + 20
)

// endPart ends a writer and puts its directory aside. What the writer still had of its last entry
// comes before that.
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
	if binary.LittleEndian.Uint32(end[16:]) == math.MaxUint32 { // it begins beyond 4 GiB
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

// entry is an entry that is being written.
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

// create begins an entry, which ends with the next one or with close. Stored ones are not
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

// next makes room for an entry.
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

// done tells of the entry that was written last.
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

// addPlain writes an entry without compression, extra fields and what follows its content, as
// the first one of an EPUB is to be.
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

// free lets go of what the archive holds, whether it was closed or not.
func (a *archive) free() { a.dir.close() }

// ending is what stands behind a directory.
func ending(entries, size, begin uint64) (out []byte) {
	le := binary.LittleEndian
	if entries >= math.MaxUint16 || size >= math.MaxUint32 || begin >= math.MaxUint32 {
		out = append(out, "PK\x06\x06"...)
		out = le.AppendUint64(out, 44) // of this record behind here
		out = le.AppendUint16(out, 45) // version 4.5
		out = le.AppendUint16(out, 45)
		out = le.AppendUint32(out, 0) // of this disk
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

// sumLine is a line of SHA256SUMS, as sha256sum reads it.
func sumLine(name string, sum [sha256.Size]byte) string {
	return fmt.Sprintf("%s  %s\n", hex.EncodeToString(sum[:]), name)
}
