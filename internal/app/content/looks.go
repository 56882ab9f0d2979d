package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/media"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/source"
	"vitrine/internal/store"
)

// FindLooks is the job that finds the colours and hashes of the images that older versions stored.
type FindLooks struct{}

// Kind implements jobs.Args.
func (FindLooks) Kind() string { return "find_looks" }

// lookTimeout bounds how long one image is read and decoded for this.
const lookTimeout = 30 * time.Second

// FindLooks decodes an image once for all files with the same bytes. Images that it has not reached are not found by what
// they look like.
func (a *Content) FindLooks(ctx context.Context) error {
	var above domain.FileID
	next := func() ([]domain.File, error) {
		some, err := a.Store.Blobs().UnseenFiles(ctx, above, examineBatch)
		if len(some) > 0 {
			above = some[len(some)-1].ID
		}
		return oncePerContent(some), err
	}
	look := func(ctx context.Context, f domain.File) (domain.File, error) {
		l, err := a.lookAt(ctx, f)
		if err != nil {
			return f, fmt.Errorf("find the colours of %s: %w", f.Object, err)
		}
		f.Palette, f.LookHash = l.Palette, l.Hash
		return f, nil
	}
	return examineAll(ctx, lookTimeout, next, look, func(found []domain.File) error {
		return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
			for _, f := range found {
				if err := tx.Blocks().SetLook(ctx, f); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// lookAt describes what an image looks like, from its small version if there is one. The result is empty for a missing,
// broken or slow file.
func (a *Content) lookAt(ctx context.Context, f domain.File) (l media.Look, err error) {
	kind := filetype.Kind{ContentType: resizedTypes[f.Resized]}
	file, err := a.blobs.Open(ctx, versionObject(f.Object, domain.SmallImage, f.Resized))
	if errors.Is(err, blob.ErrNotFound) {
		kind.ContentType = f.ContentType
		file, err = a.blobs.Open(ctx, f.Object)
	}
	if errors.Is(err, blob.ErrNotFound) || err != nil && slowly(ctx) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	defer closing(file)
	l, err = a.studio.Look(ctx, source.NewWindow(io.NewSectionReader(file, 0, file.Size)), kind)
	_, unusable := errors.AsType[*media.Error](err)
	if err != nil && slowly(ctx) || unusable && ctx.Err() == nil {
		return media.Look{}, nil
	}
	return l, err
}
