// Package blob keeps files by name, on the local disk or in an S3 bucket, and
// receives uploads into a staging folder first.
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
	// ErrNotFound says that there is no file of that name.
	ErrNotFound = errors.New("no such file")
	// ErrName says that a name is not of the form that Store describes.
	ErrName = errors.New("not a name for a file")
	// ErrSize says that a reader had fewer or more bytes than was told.
	ErrSize = errors.New("the content is not of the size told")
	// ErrTooLarge says that an upload is larger than its limit.
	ErrTooLarge = errors.New("the content is larger than allowed")
	// ErrSource says that the reader that was handed in failed, not the storage.
	// The reader's error is in the chain.
	ErrSource = errors.New("the content cannot be read")
)

// Store keeps files by name. It is safe for concurrent use.
//
// A name has parts of [A-Za-z0-9._-], parted by slashes; no part is ".", ".." or
// longer than 255 bytes, and a name has at most 512. The first part is not ".tmp". A
// name must not be the folder of another. Other names are refused with ErrName.
type Store interface {
	// Put keeps size bytes of r in place of what was there before: all or nothing,
	// and on return for good. A disk forgets the content type. It fails with ErrSize
	// when r holds fewer or more bytes, and with ErrSource when r fails.
	Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error
	// PutStaged is Put for a received upload. A disk links it into place where it can
	// instead of copying. The upload stays until it is closed.
	PutStaged(ctx context.Context, name string, staged *Staged, contentType string) error
	// Open fails with ErrNotFound. The file reads what was there when it was opened,
	// or fails when that has been replaced or deleted in the meantime; it never mixes
	// the two. On S3, reads end with ctx.
	Open(ctx context.Context, name string) (*File, error)
	// Stat fails with ErrNotFound.
	Stat(ctx context.Context, name string) (Info, error)
	// List visits all files whose names begin with a folder ("" for all), in the order
	// that the storage has them. What is written or removed meanwhile may be among them.
	List(ctx context.Context, folder string, visit func(name string, size int64) error) error
	// Delete removes a file. It is no error when there is none.
	Delete(ctx context.Context, name string) error
	// PresignPut gives a URL to which anybody may PUT the file for d (1 s to 7 days),
	// more than once and of any size, with exactly this Content-Type header. ok is
	// false where that is impossible: clients then upload to this server.
	PresignPut(ctx context.Context, name, contentType string, d time.Duration) (url string, ok bool, err error)
	// Check finds out whether files can be written and read, for the start.
	Check(ctx context.Context) error
	// Ready is Check for being asked every few seconds: it may find out less.
	Ready(ctx context.Context) error
	// Sweep removes what writes that were cut off more than olderThan ago have left
	// behind.
	Sweep(ctx context.Context, olderThan time.Duration) error
}

// Info is what is known of a file.
type Info struct {
	Size        int64 // bytes
	ModTime     time.Time
	ContentType string // as told to Put or sent by the client; "" on disk
}

// Content is the bytes of a file. ReadAt may be called concurrently, the rest not.
type Content interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// File is an open file, to be closed by the caller. Content is an *os.File on disk,
// so that the operating system sends it when it is handed to net/http by itself.
type File struct {
	Info
	Content
}

const (
	maxName = 512 // bytes; with the longest prefix less than the 1024 of S3
	maxPart = 255 // bytes, of most file systems
	// temporary is the folder of unfinished files, which no name begins with.
	temporaryFolder = ".tmp"
	probe           = temporaryFolder + "/check" // is written by Check
)

// checkName returns ErrName for what Store does not allow.
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

// temporaryError marks a failure that may pass by itself.
type temporaryError struct{ error }

func (e temporaryError) Unwrap() error { return e.error }

// temporary gives such a failure the kind Unavailable.
func temporary(err error) error { return temporaryError{domain.NewUnavailable(err)} }
