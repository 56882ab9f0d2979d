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

// ExamineFiles is the job that examines the metadata of files that older versions stored.
type ExamineFiles struct{}

// Kind implements jobs.Args.
func (ExamineFiles) Kind() string { return "examine_files" }

// ExamineInterval is the interval of the job.
const ExamineInterval = 10 * time.Minute

// ExamineFiles examines the blobs that were not examined yet. Files that it has not reached are examined when they are
// opened, so they are never served with their metadata.
func (a *Content) ExamineFiles(ctx context.Context) error {
	next := batches(ctx, a.Store.Blobs().UnexaminedBlobs, func(b blobs.StoredBlob) domain.BlobID { return b.ID })
	examine := func(ctx context.Context, b blobs.StoredBlob) (blobs.Cleaned, error) {
		c, err := a.examineBlob(ctx, b.ID, b.Object)
		if errors.Is(err, blob.ErrNotFound) { // nothing to serve
			return blobs.Cleaned{ID: b.ID, Size: domain.CleanImpossible}, nil
		}
		if err != nil {
			err = fmt.Errorf("examine %s: %w", b.Object, err)
		}
		return c, err
	}
	return examineAll(ctx, examineTimeout, next, examine, func(found []blobs.Cleaned) error { return a.setCleaned(ctx, found...) })
}

// setCleaned stores what was found, even if the time of the job or request is up.
func (a *Content) setCleaned(ctx context.Context, all ...blobs.Cleaned) error {
	return noteAll(ctx, a, all, func(tx *store.Tx, ctx context.Context, c blobs.Cleaned) error { return tx.Blobs().SetCleaned(ctx, c) })
}

// examineBlob examines a stored blob.
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

// examineTimeout bounds the examination of a file, also while requests wait for it.
const examineTimeout = time.Minute

// examined fills in CleanSize and CleanPlanned of a file, and returns its plan. A file that was not
// examined before is examined once, even if many requests wait for it. Failure to store the result
// is ignored, so that files are served while the database is read-only.
func (a *Content) examined(ctx context.Context, f domain.File) (domain.File, []byte, error) {
	if f.CleanSize != domain.CleanUnknown {
		if !f.CleanPlanned {
			return f, nil, nil
		}
		plan, err := a.Store.Blobs().CleanPlan(ctx, f.BlobID)
		if domain.KindOf(err) != domain.NotFound { // a replica may not have it yet
			return f, plan, err
		}
	}
	found := a.examining.DoChan(f.Object, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), examineTimeout) // other requests wait for it, too
		defer cancel()
		c, err := a.examineBlob(ctx, f.BlobID, f.Object)
		if err == nil {
			_ = a.setCleaned(ctx, c) // on failure the job examines it again
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

// errUnclean is the error for a file that cannot be served without its metadata.
var errUnclean = domain.Wrap(domain.NotFound, "The metadata of this file cannot be removed, and its owner has not chosen to show it", strip.ErrMalformed)

// openClean opens the original of an examined file without its metadata.
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

// KeepsMetadata reports whether others get a file with its metadata, because the operator or its
// owner chose so.
func (a *Content) KeepsMetadata(f domain.File) bool { return a.keepMetadata || f.KeepsMetadata }

// FileMetadata reads a block for its author. It returns NotFound for others and for a block without a file.
func (a *Content) FileMetadata(ctx context.Context, actor domain.Actor, id domain.BlockID) (domain.Block, error) {
	b, err := a.Store.Block(ctx, actor.UserID, id)
	if err == nil && (b.Author.PrincipalRef != domain.UserRef(actor.UserID) || len(b.FileIDs()) == 0) {
		err = domain.NewNotFound()
	}
	return b, err
}

// States of the metadata of a block's file, for other people.
const (
	MetadataRemoved     = "removed"
	MetadataNone        = "none"
	MetadataKept        = "kept"
	MetadataIrremovable = "irremovable"
	MetadataPending     = "pending"
)

// MetadataState returns the state of the metadata of a block's attachment, or else of its image. It
// is "" for a block without a file.
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

// OpenFor opens the original of a file for a user's export: whole for its owner, without metadata for
// others. It returns NotFound to others if the file cannot be cleaned.
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

// IsWhole reports whether OpenFor opens all bytes of a file for a user.
func (a *Content) IsWhole(ctx context.Context, user domain.UserID, f domain.File) (bool, error) {
	if f.Owner == user && user != 0 || a.KeepsMetadata(f) {
		return true, nil
	}
	f, _, err := a.examined(ctx, f)
	return f.Clean(), missing(err)
}
