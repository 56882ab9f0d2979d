package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/media/strip"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
)

// ExamineFiles is the job that finds the metadata of files that older versions stored.
type ExamineFiles struct{}

// Kind implements jobs.Args.
func (ExamineFiles) Kind() string { return "examine_files" }

// ExamineInterval is how often it looks for such files.
const ExamineInterval = 10 * time.Minute

// examineBatch is how many files are examined for one transaction.
const examineBatch = 20

// ExamineFiles may stop anywhere and run again. Files are examined when they are opened until it has
// come to them, so they are never served with their metadata. A file that cannot be read does not
// keep it from the others.
func (a *Content) ExamineFiles(ctx context.Context) error {
	var failed error
	for above := domain.BlobID(0); ; {
		some, err := a.Store.UnexaminedBlobs(ctx, above, examineBatch)
		if err != nil || len(some) == 0 {
			return errors.Join(err, failed)
		}
		var done []blobs.Cleaned
		for _, b := range some {
			above = b.ID
			one, cancel := context.WithTimeout(ctx, examineTimeout)
			c, err := a.examineBlob(one, b.ID, b.Object)
			cancel()
			switch {
			case errors.Is(err, blob.ErrNotFound): // nothing to serve
				c = blobs.Cleaned{ID: b.ID, Size: domain.CleanImpossible}
			case ctx.Err() != nil, domain.KindOf(err) == domain.Unavailable && one.Err() == nil:
				return err
			case err != nil:
				failed = fmt.Errorf("examine %s: %w", b.Object, err)
				continue
			}
			done = append(done, c)
		}
		if err := a.setCleaned(ctx, done...); err != nil {
			return err
		}
	}
}

func (a *Content) setCleaned(ctx context.Context, all ...blobs.Cleaned) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		for _, c := range all {
			if err := tx.SetCleaned(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// examineBlob finds the metadata of a stored blob.
func (a *Content) examineBlob(ctx context.Context, id domain.BlobID, object string) (blobs.Cleaned, error) {
	f, err := a.blobs.Open(ctx, object)
	if err != nil {
		return blobs.Cleaned{}, err
	}
	defer closing(f)
	return examineBytes(ctx, id, f, f.Size)
}

// examineBytes finds the metadata in the bytes of a blob.
func examineBytes(ctx context.Context, id domain.BlobID, r io.ReaderAt, size int64) (blobs.Cleaned, error) {
	plan, err := strip.Examine(ctx, r, size)
	if errors.Is(err, strip.ErrMalformed) {
		return blobs.Cleaned{ID: id, Size: domain.CleanImpossible}, nil
	}
	if err != nil {
		return blobs.Cleaned{}, err
	}
	c := blobs.Cleaned{ID: id, Size: plan.Size()}
	if !plan.Unchanged() {
		c.Plan = plan.Encode()
	}
	return c, nil
}

// examineTimeout bounds the examination of a file for the requests that wait for it.
const examineTimeout = time.Minute

// examined fills in CleanSize and CleanPlanned of a file, and returns its plan. A file that was not
// examined before is examined now: once, however many requests wait for it. The result is stored
// if the database takes it, so that files are served while it takes no writes.
func (a *Content) examined(ctx context.Context, f domain.File) (domain.File, []byte, error) {
	if f.CleanSize != domain.CleanUnknown {
		if !f.CleanPlanned {
			return f, nil, nil
		}
		plan, err := a.Store.CleanPlan(ctx, f.BlobID)
		if domain.KindOf(err) != domain.NotFound { // a replica may not have it yet
			return f, plan, err
		}
	}
	found := a.examining.DoChan(f.Object, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), examineTimeout) // the others wait for it too
		defer cancel()
		c, err := a.examineBlob(ctx, f.BlobID, f.Object)
		if err == nil {
			_ = a.setCleaned(ctx, c) // the job does it again
		}
		return c, err
	})
	select {
	case <-ctx.Done():
		return f, nil, ctx.Err()
	case r := <-found:
		c, _ := r.Val.(blobs.Cleaned)
		f.CleanSize, f.CleanPlanned = c.Size, c.Plan != nil
		return f, c.Plan, r.Err
	}
}

// errUnclean is for a file that cannot be shown without its metadata.
var errUnclean = domain.Wrap(domain.NotFound, "The metadata of this file cannot be removed, and its owner has not chosen to show it", strip.ErrMalformed)

// openClean opens the original of a file that was examined, without its metadata.
func (a *Content) openClean(ctx context.Context, f domain.File, text []byte) (*blob.File, error) {
	switch {
	case f.CleanSize == domain.CleanImpossible:
		return nil, errUnclean
	case !f.CleanPlanned:
		return a.blobs.Open(ctx, f.Object)
	}
	plan, err := strip.Decode(text, f.Size)
	if err != nil {
		return nil, err
	}
	whole, err := a.blobs.Open(ctx, f.Object)
	if err != nil {
		return nil, err
	}
	whole.Content, whole.Size = plan.Open(whole.Content), plan.Size()
	return whole, nil
}

// KeepsMetadata reports whether others see a file with its metadata, by the choice of the site or
// of its owner.
func (a *Content) KeepsMetadata(f domain.File) bool { return a.keepMetadata || f.KeepsMetadata }

// FileMetadata reads a block for its author; NotFound for others, and for one without a file.
func (a *Content) FileMetadata(ctx context.Context, actor domain.Actor, id domain.BlockID) (domain.Block, error) {
	b, err := a.Store.Block(ctx, actor.UserID, id)
	if err == nil && (b.Author.PrincipalRef != domain.UserRef(actor.UserID) || len(b.FileIDs()) == 0) {
		err = domain.NewNotFound()
	}
	return b, err
}

// What others get of the metadata of a block's file.
const (
	MetadataRemoved     = "removed"
	MetadataNone        = "none"
	MetadataKept        = "kept"
	MetadataIrremovable = "irremovable"
	MetadataPending     = "pending"
)

// MetadataState returns what others get of the metadata of a block's file: of its attachment, or its
// image. It is "" for a block without one.
func (a *Content) MetadataState(b domain.Block) string {
	f := b.File
	if f == nil {
		f = b.Image
	}
	switch {
	case f == nil:
		return ""
	case f.CleanSize == domain.CleanUnknown && !a.KeepsMetadata(*f):
		return MetadataPending
	case f.Clean():
		return MetadataNone
	case a.KeepsMetadata(*f):
		return MetadataKept
	case f.CleanSize == domain.CleanImpossible:
		return MetadataIrremovable
	}
	return MetadataRemoved
}

// OpenFor opens the original of a file for a user who takes it with them: whole for its owner,
// without metadata for others. A file that cannot be cleaned is NotFound for them.
func (a *Content) OpenFor(ctx context.Context, user domain.UserID, f domain.File) (*blob.File, error) {
	if f.Owner == user && user != 0 || a.KeepsMetadata(f) {
		got, err := a.blobs.Open(ctx, f.Object)
		return got, missing(err)
	}
	f, plan, err := a.examined(ctx, f)
	if err != nil {
		return nil, missing(err)
	}
	got, err := a.openClean(ctx, f, plan)
	return got, missing(err)
}

// IsWhole reports whether OpenFor gives a user all bytes of a file.
func (a *Content) IsWhole(ctx context.Context, user domain.UserID, f domain.File) (bool, error) {
	if f.Owner == user && user != 0 || a.KeepsMetadata(f) {
		return true, nil
	}
	f, _, err := a.examined(ctx, f)
	return f.Clean(), missing(err)
}
