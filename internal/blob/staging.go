package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Staging is a local folder for content whose hash and size are unknown until it is completely received.
// It is safe for concurrent use.
type Staging struct {
	dir  string
	root *os.Root
}

// OpenStaging opens a folder, which it creates for the owner of the process if necessary.
func OpenStaging(dir string) (*Staging, error) {
	root, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	return &Staging{dir: dir, root: root}, nil
}

// Close closes the folder.
func (s *Staging) Close() error { return s.root.Close() }

// Staged is content in the staging folder. Closing it removes it.
type Staged struct {
	SHA256 string // 64 lowercase hexadecimal digits
	Size   int64  // bytes

	root *os.Root
	name string
	path string
}

// Receive writes all of r to a file of at most limit bytes. It fails with ErrTooLarge if there is more,
// and with ErrSource if reading r fails. After an error, or if ctx ends between two reads, nothing is left.
// The content is not synced to disk.
func (s *Staging) Receive(ctx context.Context, r io.Reader, limit int64) (*Staged, error) {
	name := rand.Text()
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("blob: receive: %w", diskError(err))
	}
	staged := &Staged{root: s.root, name: name, path: filepath.Join(s.dir, name)}
	err = errors.Join(staged.fill(f, source{ctx: ctx, r: r}, limit), f.Close())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("blob: receive: %w", diskError(err)), staged.Close())
	}
	return staged, nil
}

func (s *Staged) fill(w io.Writer, r io.Reader, limit int64) error {
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, hash), io.LimitReader(r, limit))
	if err != nil {
		return err
	}
	if n >= limit {
		if err := atEnd(r, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)); err != nil {
			return err
		}
	}
	s.SHA256, s.Size = hex.EncodeToString(hash.Sum(nil)), n
	return nil
}

// Open opens the file for reading. The caller must close it. It stays readable after the Staged is closed.
func (s *Staged) Open() (*os.File, error) { return s.root.Open(s.name) }

// Path returns the path of the file, for programs.
func (s *Staged) Path() string { return s.path }

// Close removes the file. It can be called more than once.
func (s *Staged) Close() error {
	if err := s.root.Remove(s.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("blob: %w", err)
	}
	return nil
}

// Sweep removes leftovers of a crash: files that were not written to for longer than olderThan. Choose it
// longer than any upload takes from its end to its Close.
func (s *Staging) Sweep(olderThan time.Duration) error {
	return sweep(s.root, ".", olderThan)
}
