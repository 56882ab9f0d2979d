// Package blob stores files by name, on the local disk or in an S3 bucket. Uploads are first received
// into a staging folder.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"vitrine/internal/domain"
)

var (
	// ErrNotFound reports that no file has the name.
	ErrNotFound = errors.New("no such file")
	// ErrName reports that a name is not valid, see Store.
	ErrName = errors.New("not a name for a file")
	// ErrSize reports that a reader had fewer or more bytes than expected.
	ErrSize = errors.New("the content does not have the expected size")
	// ErrTooLarge reports that an upload exceeds its limit.
	ErrTooLarge = errors.New("the content is larger than allowed")
	// ErrSource reports that reading the content failed, not the storage. The reader's error is in
	// the chain.
	ErrSource = errors.New("the content cannot be read")
)

// Store stores files by name. It is safe for concurrent use.
//
// A name consists of parts of [A-Za-z0-9._-] separated by slashes. A part must not be "." or "..", and has
// at most 255 bytes. A name has at most 512 bytes, its first part is not ".tmp", and it must not be a
// folder of another name. Other names are rejected with ErrName.
type Store interface {
	// Put stores size bytes of r and replaces an existing file. It is atomic, and durable when it
	// returns. Disks do not store the content type. Put fails with ErrSize if r has fewer or more
	// bytes, and with ErrSource if reading r fails.
	Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error
	// PutStaged is like Put, for a received upload. On disk, it links the file instead of copying it
	// if possible. The upload remains until it is closed.
	PutStaged(ctx context.Context, name string, staged *Staged, contentType string) error
	// Open opens a file, or returns ErrNotFound. If the file is replaced or deleted in the meantime,
	// reads return the old content or fail, but never mix both. On S3, reads end with ctx.
	Open(ctx context.Context, name string) (*File, error)
	// Stat returns the metadata of a file, or ErrNotFound.
	Stat(ctx context.Context, name string) (Info, error)
	// List visits all files whose names start with folder ("" for all), in storage order. Concurrent
	// changes may or may not be included.
	List(ctx context.Context, folder string, visit func(name string, size int64) error) error
	// Delete deletes a file. Deleting a missing file is not an error.
	Delete(ctx context.Context, name string) error
	// PresignPut returns a URL that accepts PUT requests for the file for d (1 s to 7 days). It accepts
	// several requests and any size, but only this Content-Type. ok is false if the storage does not
	// support that, and clients have to upload to this server.
	PresignPut(ctx context.Context, name, contentType string, d time.Duration) (url string, ok bool, err error)
	// Check tests whether files can be written and read. It is called at the start.
	Check(ctx context.Context) error
	// Ready is like Check, but cheap enough to be called every few seconds, and may detect less.
	Ready(ctx context.Context) error
	// Sweep removes the leftovers of writes that were interrupted more than olderThan ago.
	Sweep(ctx context.Context, olderThan time.Duration) error
}

// Info is the metadata of a file.
type Info struct {
	Size        int64 // bytes
	ModTime     time.Time
	ContentType string // from Put or the client; "" on disk
}

// Content is the content of a file. Only ReadAt may be called concurrently.
type Content interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// File is an open file, which the caller must close. On disk, Content is an *os.File, for which net/http
// can use sendfile if it is passed on its own.
type File struct {
	Info
	Content
}

const (
	maxName = 512 // bytes; with the longest prefix, below the S3 limit of 1024
	maxPart = 255 // bytes; the limit of most file systems
	// temporaryFolder contains unfinished files. No name starts with it.
	temporaryFolder = ".tmp"
	probe           = temporaryFolder + "/check" // written by Check
)

// checkName returns ErrName if a name is not valid.
func checkName(name string) error {
	parts := strings.Split(name, "/")
	bad := len(name) > maxName || parts[0] == temporaryFolder
	for _, part := range parts {
		bad = bad || part == "" || part == "." || part == ".." || len(part) > maxPart ||
			strings.ContainsFunc(part, isForeign)
	}
	if bad {
		return fmt.Errorf("blob: %.100q: %w", name, ErrName)
	}
	return nil
}

func isForeign(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
}

// temporaryError marks a failure that may be temporary.
type temporaryError struct{ error }

func (e temporaryError) Unwrap() error { return e.error }

// temporary marks an error as temporary and Unavailable.
func temporary(err error) error { return temporaryError{domain.NewUnavailable(err)} }
