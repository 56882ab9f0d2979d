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

// ExportObject is a name for an export in the storage that nothing else has.
func ExportObject() string { return exportFolder + auth.NewKey() }

// KeepObject puts what a reader gives into the storage, and tells how many bytes that were. It is
// held in the staging folder first, and refused where disks have no more than their reserve.
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

// SpareDisk is Unavailable unless each disk has room for so many bytes above the reserve.
func (a *Content) SpareDisk(bytes int64) error { return a.spare(bytes) }

// sparing is a reader that ends where disks are nearly full.
type sparing struct {
	a     *Content
	r     io.Reader
	since int64 // bytes since it was looked
}

// spareStep is after how many bytes it is looked again.
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

// OpenObject opens what KeepObject has kept. IsMissing tells of what is not there.
func (a *Content) OpenObject(ctx context.Context, object string) (*blob.File, error) {
	f, err := a.blobs.Open(ctx, object)
	return f, missing(err)
}
