package files

import (
	"archive/zip"
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
	"vitrine/internal/weburl"
)

// Limits for an archive. It may be hostile, so neither its directory nor the unpacked size of its
// entries can be trusted.
const (
	maxDirectory = 256 << 20 // bytes, enough for two million entries
	maxManifest  = 1 << 20   // bytes
	maxLine      = 4 << 20   // bytes of an item
	freeSize     = 16 << 20  // bytes that an entry may unpack to, regardless of its packed size
	maxRatio     = 200       // maximum ratio of unpacked to packed size of a larger entry
)

// The expected values of the manifest.
const (
	bundleFormat = "vitrine-export"
	knownVersion = 1
	manifestName = "manifest.json"
	sumsName     = "SHA256SUMS"
)

// Bundle is an export as a source.
type Bundle struct {
	from     *input
	entries  map[string]*zip.File
	sums     map[string]string // SHA-256 in hexadecimal of the entries below json/
	manifest manifest
	odd      []source.LeftOut // unexpected entries, which are ignored
}

type manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Origin  string `json:"origin"`
	Site    string `json:"site"`
	User    person `json:"user"`
	Counts  struct {
		Connections int `json:"connections"`
	} `json:"counts"`
	Sums struct {
		SHA256 string `json:"sha256"`
	} `json:"sums"`
}

// NewBundle opens an export. It returns an error for users, before anything is imported, if the file is
// not a ZIP file, not an export, or was modified.
func NewBundle(r io.ReaderAt, size int64) (*Bundle, error) {
	from, archive, err := directory(r, size)
	if errors.Is(err, errDirectory) {
		return nil, refused("it has too many entries")
	}
	if err != nil {
		return nil, cmp.Or(from.failure(), refused("it is no ZIP file, or its end is missing"))
	}
	return bundleOpen(from, archive, size)
}

// bundleOpen opens an export whose directory was read.
func bundleOpen(from *input, archive *zip.Reader, size int64) (*Bundle, error) {
	b := &Bundle{from: from, entries: map[string]*zip.File{}, sums: map[string]string{}}
	if err := b.list(archive.File, size); err != nil {
		return nil, err
	}
	if err := b.readManifest(); err != nil {
		return nil, err
	}
	return b, b.readSums()
}

// directory reads the directory of an archive, in bounded memory.
func directory(r io.ReaderAt, size int64) (*input, *zip.Reader, error) {
	from := &input{ReaderAt: r}
	from.left.Store(maxDirectory)
	archive, err := zip.NewReader(from, size)
	if failed := from.failure(); failed != nil {
		return from, nil, failed
	}
	if errors.Is(err, zip.ErrInsecurePath) { // names are checked later
		err = nil
	}
	from.left.Store(math.MaxInt64)
	return from, archive, err
}

// errDamaged is the error for a ZIP file that cannot be unpacked.
var errDamaged error = domain.NewUnprocessable("The ZIP file is incomplete or damaged. Download it again")

// bundleEntries opens a ZIP file that need not be an export. If it is one, export is not nil. Otherwise files are
// its regular files. The function failed returns the error of r that made reading an entry fail, or nil if the
// archive is at fault.
func bundleEntries(r io.ReaderAt, size int64) (files []*zip.File, export *Bundle, failed func() error, err error) {
	from, archive, err := directory(r, size)
	if err != nil {
		return nil, nil, nil, cmp.Or(from.failure(), errDamaged)
	}
	if slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == manifestName }) {
		export, err = bundleOpen(from, archive, size)
		return nil, export, from.failure, err
	}
	packed := uint64(0)
	for _, f := range archive.File {
		if packed += f.CompressedSize64; packed > uint64(size) {
			return nil, nil, nil, errDamaged
		}
		if f.Mode().IsRegular() && f.Flags&1 == 0 && proper(f.Name) {
			files = append(files, f)
		}
	}
	return files, nil, from.failure, nil
}

// maxUnpacked returns how many bytes an entry may unpack to.
func maxUnpacked(f *zip.File) int64 {
	return int64(max(freeSize, min(f.CompressedSize64, math.MaxInt64/maxRatio)*maxRatio))
}

// Origin returns the server that the export comes from. Items that were imported from its API are
// recognized.
func (b *Bundle) Origin() string { return b.manifest.Origin }

func refused(why string) error {
	return domain.NewUnprocessable("This is no export that can be read: " + why)
}

// list records the entries that belong to an export. Names are never used as file names here, so
// one that escapes the archive is harmless and only reported.
func (b *Bundle) list(files []*zip.File, size int64) error {
	packed := uint64(0)
	for _, f := range files {
		if packed += f.CompressedSize64; packed > uint64(size) {
			return refused("its entries overlap, or are larger than the file")
		}
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		why := ""
		switch {
		case !proper(f.Name):
			why = "its name leads out of the archive"
		case !f.Mode().IsRegular():
			why = "it is a link or another thing that is no file"
		case f.Flags&1 != 0:
			why = "it is encrypted"
		case b.entries[f.Name] != nil:
			why = "there is another one of this name"
		}
		if why == "" {
			b.entries[f.Name] = f
		} else if len(b.odd) < maxOdd {
			b.odd = append(b.odd, source.LeftOut{What: "An entry of the archive", Where: fmt.Sprintf("%.200q", f.Name), Why: why})
		}
	}
	return nil
}

// maxOdd is how many unexpected entries are reported.
const maxOdd = 100

// proper reports whether a name stays within the archive, on every operating system.
func proper(name string) bool {
	if name == "" || strings.ContainsAny(name, "\\:\x00") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

func (b *Bundle) readManifest() error {
	in, err := b.open(manifestName)
	if err != nil {
		return b.damaged(manifestName, err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxManifest+1))
	if err != nil {
		return b.damaged(manifestName, err)
	}
	if len(text) > maxManifest || json.Unmarshal(text, &b.manifest) != nil || b.manifest.Format != bundleFormat {
		return refused("its manifest.json is not that of an export of Vitrine")
	}
	if v := b.manifest.Version; v > knownVersion || v < 1 {
		return refused(fmt.Sprintf("it is of version %d, and this program reads version %d", v, knownVersion))
	}
	b.manifest.Origin = strings.TrimRight(b.manifest.Origin, "/")
	if _, err := weburl.Parse(b.manifest.Origin); err != nil || len(b.manifest.Origin) > domain.MaxSourceURL {
		return refused("its manifest.json does not say of which server it is")
	}
	return nil
}

// readSums reads the checksums of the entries below json/. The names of files are their checksums.
func (b *Bundle) readSums() error {
	if err := b.verify(sumsName, b.manifest.Sums.SHA256); err != nil {
		return b.damaged(sumsName, err)
	}
	in, err := b.open(sumsName)
	if err != nil {
		return b.damaged(sumsName, err)
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		if ok && strings.HasPrefix(name, "json/") {
			b.sums[strings.Clone(name)] = strings.Clone(sum)
		}
	}
	if err := lines.Err(); err != nil {
		return b.damaged(sumsName, err)
	}
	return nil
}

// damaged returns the error for an archive that lacks an essential part. Errors outside the
// archive, such as on the disk, are returned unchanged.
func (b *Bundle) damaged(name string, err error) error {
	if why, ok := source.ReasonOf(err); ok {
		return refused(name + ": " + why)
	}
	return err
}

// open opens an entry. Its errors are Unusable if the archive is at fault.
func (b *Bundle) open(name string) (*bundleEntryReader, error) {
	f := b.entries[name]
	if f == nil {
		return nil, &source.Unusable{Why: "it is not in the archive"}
	}
	if !strings.HasPrefix(name, "files/") && f.UncompressedSize64 > freeSize && f.UncompressedSize64/maxRatio > f.CompressedSize64 {
		return nil, &source.Unusable{Why: fmt.Sprintf("it unpacks to more than %d times its size", maxRatio)}
	}
	in, err := f.Open()
	if err != nil {
		return nil, b.fault(err)
	}
	return &bundleEntryReader{ReadCloser: in, of: b, sum: sha256.New()}, nil
}

// fault distinguishes damage of the archive from failures to read it.
func (b *Bundle) fault(err error) error {
	if failed := b.from.failure(); failed != nil {
		return failed
	}
	if errors.Is(err, zip.ErrAlgorithm) {
		return &source.Unusable{Why: "it is packed in a way that this program does not read", Cause: err}
	}
	return &source.Unusable{Why: "it is damaged", Cause: err}
}

// verify compares an entry with its checksum.
func (b *Bundle) verify(name, sum string) error {
	in, err := b.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	in.wanted = either(sum, "none")
	_, err = io.Copy(io.Discard, in)
	return err
}

// bundleEntryReader reads a file of the bundle and compares it with its checksum at the end.
type bundleEntryReader struct {
	io.ReadCloser
	of     *Bundle
	sum    hash.Hash
	wanted string // "": any
}

func (e *bundleEntryReader) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	e.sum.Write(p[:n])
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		return n, e.of.fault(err)
	case e.wanted != "" && !strings.EqualFold(e.wanted, hex.EncodeToString(e.sum.Sum(nil))):
		return n, &source.Unusable{Why: "its sum does not match: it was damaged or altered"}
	}
	return n, io.EOF
}

// input reads the archive. It records read errors, which are not the archive's fault, and stops
// reading a directory that is too large.
type input struct {
	io.ReaderAt
	left   atomic.Int64
	failed atomic.Pointer[error]
}

// failure returns the error of reading what the archive is in, or nil.
func (i *input) failure() error {
	if failed := i.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

var errDirectory = errors.New("the directory of the archive is too large")

func (i *input) ReadAt(p []byte, offset int64) (int, error) {
	if i.left.Add(-int64(len(p))) < 0 {
		return 0, errDirectory
	}
	n, err := i.ReaderAt.ReadAt(p, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		i.failed.Store(&err)
	}
	return n, err
}
