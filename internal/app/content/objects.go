package content

import (
	"context"
	"io"
	"math"

	"vitrine/internal/auth"
	"vitrine/internal/blob"
)

// exportFolder is the folder of exports in the storage.
const exportFolder = "exports/"

// ExportObject returns a new unique name for an export in the storage.
func ExportObject() string { return exportFolder + auth.NewKey() }

// KeepObject stores the bytes of a reader and returns their number. It stages them first, and refuses them if the free
// space of a disk falls to its reserve.
func (a *Content) KeepObject(ctx context.Context, object, contentType string, r io.Reader) (int64, error) {
	staged, err := a.staging.Receive(ctx, &sparing{a: a, r: r}, math.MaxInt64-1)
	if err != nil {
		return 0, err
	}
	defer a.discard(staged)
	if err := a.spare(staged.Size); err != nil {
		return 0, err
	}
	return staged.Size, a.blobs.PutStaged(ctx, object, staged, contentType)
}

// SpareDisk returns Unavailable if storing the bytes would leave less than the reserve free on a
// disk.
func (a *Content) SpareDisk(bytes int64) error { return a.spare(bytes) }

// sparing is a reader that fails once a disk is nearly full.
type sparing struct {
	a     *Content
	r     io.Reader
	since int64 // bytes since the last check
}

// spareStep is the number of bytes between checks of the disks.
const spareStep = 16 << 20

func (s *sparing) Read(p []byte) (int, error) {
	if s.since >= spareStep {
		if err := s.a.spare(0); err != nil {
			return 0, err
		}
		s.since = 0
	}
	n, err := s.r.Read(p)
	s.since += int64(n)
	return n, err
}

// OpenObject opens an object that KeepObject stored. IsMissing reports whether it is missing.
func (a *Content) OpenObject(ctx context.Context, object string) (*blob.File, error) {
	f, err := a.blobs.Open(ctx, object)
	return f, missing(err)
}
