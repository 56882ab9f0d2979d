package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/durable"
)

// The trailer of a file is a frame that decompressors skip (RFC 8878, section 3.1.2), with the SHA-256 of
// everything before it.
const (
	skippable   = 0x184D2A5E
	trailerSize = 8 + sha256.Size
)

func trailer(sum []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, skippable)
	b = binary.LittleEndian.AppendUint32(b, sha256.Size)
	return append(b, sum...)
}

// tarSink is the sink for a file, which has a temporary name until it is complete.
type tarSink struct {
	path string
	disk *os.File
	sum  hash.Hash
	out  *bufio.Writer
	zip  *zstd.Encoder
	tar  *tar.Writer
	at   time.Time
}

func newTarSink(path string) (*tarSink, error) {
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		return nil, errors.Join(fmt.Errorf("%s already exists", path), err)
	}
	file, err := os.OpenFile(path+durable.Unfinished, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) // an interrupted backup may have left the file
	if err != nil {
		return nil, err
	}
	s := &tarSink{path: path, disk: file, sum: sha256.New()}
	s.out = bufio.NewWriterSize(io.MultiWriter(file, s.sum), 1<<20)
	s.zip, err = zstd.NewWriter(s.out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(windowMax))
	if err != nil {
		return nil, errors.Join(err, s.drop())
	}
	return s, nil
}

// drop removes an incomplete file.
func (s *tarSink) drop() error {
	return errors.Join(s.disk.Close(), removed(os.Remove(s.path+durable.Unfinished)))
}

func (s *tarSink) begin(_ context.Context, h Head) error {
	if _, err := s.disk.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := s.disk.Truncate(0); err != nil {
		return err
	}
	s.sum.Reset()
	s.out.Reset(io.MultiWriter(s.disk, s.sum))
	s.zip.Reset(s.out)
	s.tar, s.at = tar.NewWriter(s.zip), h.CreatedAt
	raw, err := encode(h)
	if err != nil {
		return err
	}
	return s.write(headName, raw)
}

func (s *tarSink) write(name string, content []byte) error {
	return s.copy(name, bytes.NewReader(content), int64(len(content)))
}

func (s *tarSink) copy(name string, r io.Reader, size int64) error {
	if err := s.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: s.at.Truncate(time.Second)}); err != nil {
		return err
	}
	_, err := io.Copy(s.tar, r)
	return err
}

func (s *tarSink) atOnce() int { return 1 }

func (s *tarSink) chunk(_ context.Context, c Chunk, packed []byte) (int64, error) {
	return c.Size, s.write(rowsName(c.Sum), packed)
}

// file reads the content twice, because bytes that were written cannot be removed if the checksum turns
// out to be wrong.
func (s *tarSink) file(ctx context.Context, f listed, open func() (io.ReadCloser, error)) (int64, error) {
	err := reading(open, func(r io.Reader) error {
		_, err := io.Copy(io.Discard, newChecked(r, f.sum, f.size))
		return err
	})
	if err != nil {
		return 0, err
	}
	err = reading(open, func(r io.Reader) error { return s.copy(fileName(f.sum), newChecked(r, f.sum, f.size), f.size) })
	if err != nil { // not an error for which the file is skipped, because the first read succeeded
		return 0, fmt.Errorf("backup: %s could not be read a second time: %s", f.object, err)
	}
	return f.size, ctx.Err()
}

func reading(open func() (io.ReadCloser, error), use func(r io.Reader) error) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // opened for reading
	return use(r)
}

func (s *tarSink) end(_ context.Context, m Manifest) (string, error) {
	raw, err := encode(m)
	if err == nil {
		err = s.write(manifestName, raw)
	}
	if err == nil {
		err = errors.Join(s.tar.Close(), s.zip.Close(), s.out.Flush())
	}
	if err == nil {
		_, err = s.disk.Write(trailer(s.sum.Sum(nil)))
	}
	if err == nil {
		err = s.disk.Sync()
	}
	if err == nil {
		err = durable.Rename(s.path+durable.Unfinished, s.path)
	}
	return idOf(m, raw), err
}

// tarArchive reads a tarSink-file backup.
type tarArchive struct {
	disk *os.File
	zip  *zstd.Decoder
	tar  *tar.Reader
	next *tar.Header // header that was read but not consumed
}

// openTar opens a file and verifies its checksum before it parses the content.
func openTar(ctx context.Context, path string) (*tarArchive, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	a := &tarArchive{disk: file}
	size, err := a.checkSum(ctx)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil {
		a.zip, err = zstd.NewReader(bufio.NewReaderSize(io.LimitReader(file, size), 1<<20), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(windowMax), zstd.WithDecoderLowmem(true))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	a.tar = tar.NewReader(a.zip)
	return a, nil
}

func (a *tarArchive) checkSum(ctx context.Context) (size int64, err error) {
	info, err := a.disk.Stat()
	if err != nil {
		return 0, err
	}
	if size = info.Size() - trailerSize; size <= 0 {
		return 0, damaged("it is cut off")
	}
	sum := sha256.New()
	for rest := size; rest > 0 && err == nil; rest -= min(rest, 64<<20) {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(sum, a.disk, min(rest, 64<<20))
		}
	}
	if err != nil {
		return 0, err
	}
	end, err := io.ReadAll(a.disk)
	if err == nil && !bytes.Equal(end, trailer(sum.Sum(nil))) {
		err = damaged("it is cut off or altered: its sum is another")
	}
	return size, err
}

func (a *tarArchive) Close() error {
	if a.zip != nil {
		a.zip.Close()
	}
	return a.disk.Close()
}

func (a *tarArchive) atOnce() int { return 1 }

// peek returns the header of the next entry, which must be a regular file.
func (a *tarArchive) peek() (*tar.Header, error) {
	if a.next != nil {
		return a.next, nil
	}
	h, err := a.tar.Next()
	if err != nil {
		return nil, damaged("unexpected end: %w", err)
	}
	if h.Typeflag != tar.TypeReg || h.Size < 0 {
		return nil, damaged("%.100q is no ordinary file", h.Name)
	}
	a.next = h
	return h, nil
}

// take reads the next entry, which must have the given name and at most most bytes.
func (a *tarArchive) take(name string, limit int64) ([]byte, error) {
	h, err := a.peek()
	if err != nil {
		return nil, err
	}
	if h.Name != name || h.Size > limit {
		return nil, damaged("found %.100q with %d bytes instead of %s", h.Name, h.Size, name)
	}
	a.next = nil
	content, err := io.ReadAll(a.tar)
	if err != nil {
		return nil, damaged("%s: %w", name, err)
	}
	return content, nil
}

func (a *tarArchive) head(context.Context) (h Head, err error) {
	raw, err := a.take(headName, headMax)
	if err == nil {
		if err = json.Unmarshal(raw, &h); err != nil {
			err = damaged("%s: %w", headName, err)
		}
	}
	return h, err
}

func (a *tarArchive) chunk(ctx context.Context) (string, []byte, error) {
	h, err := a.peek()
	if err != nil {
		return "", nil, err
	}
	if h.Name == manifestName {
		return "", nil, io.EOF
	}
	sum, ok := strings.CutPrefix(h.Name, rowsFolder)
	if !ok || !sumForm.MatchString(sum) {
		return "", nil, damaged("%.100q does not belong there", h.Name)
	}
	packed, err := a.take(h.Name, packedMax)
	return sum, packed, errors.Join(err, ctx.Err())
}

func (a *tarArchive) file(_ context.Context, sum string, size int64, use func(r io.Reader) error) (bool, error) {
	h, err := a.peek()
	if err != nil || h.Name != fileName(sum) {
		return false, err
	}
	if h.Size != size {
		return false, damaged("%s has %d bytes instead of %d", h.Name, h.Size, size)
	}
	a.next = nil
	return true, use(a.tar)
}

func (a *tarArchive) manifest(context.Context) (m Manifest, id string, err error) {
	raw, err := a.take(manifestName, manifestMax)
	if err != nil {
		return m, "", err
	}
	if m, err = decodeManifest(raw); err != nil {
		return m, "", errors.Join(errDamaged, err)
	}
	if _, err := a.tar.Next(); err != io.EOF {
		return m, "", damaged("there is something after its manifest")
	}
	if n, err := io.Copy(io.Discard, a.zip); n > 1<<20 || err != nil {
		return m, "", damaged("there is something after its end")
	}
	return m, idOf(m, raw), nil
}
