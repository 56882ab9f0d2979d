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

// FindAnimations is the job that finds animated images among the files that older versions stored.
type FindAnimations struct{}

// Kind implements jobs.Args.
func (FindAnimations) Kind() string { return "find_animations" }

// inspectTimeout bounds how long one file is read for this.
const inspectTimeout = 10 * time.Second

// FindAnimations examines a file for all files with the same bytes. Images that it has not reached are shown still.
func (a *Content) FindAnimations(ctx context.Context) error {
	var above domain.FileID
	next := func() ([]domain.File, error) {
		some, err := a.Store.Blobs().UnexaminedFiles(ctx, above, examineBatch)
		if len(some) > 0 {
			above = some[len(some)-1].ID
		}
		return oncePerContent(some), err
	}
	examine := func(ctx context.Context, f domain.File) (domain.File, error) {
		var err error
		if f.Animated, err = a.isAnimated(ctx, f); err != nil {
			err = fmt.Errorf("find animations in %s: %w", f.Object, err)
		}
		return f, err
	}
	return examineAll(ctx, a.inspectTimeout, next, examine, func(found []domain.File) error {
		return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
			for _, f := range found {
				if err := tx.Blobs().SetAnimated(ctx, f); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// oncePerContent returns the first of the files with the same bytes and content type.
func oncePerContent(all []domain.File) (some []domain.File) {
	type content struct {
		blob domain.BlobID
		typ  string
	}
	seen := map[content]bool{}
	for _, f := range all {
		if c := (content{f.BlobID, f.ContentType}); !seen[c] {
			seen[c] = true
			some = append(some, f)
		}
	}
	return some
}

// isAnimated reads the header of an image. It returns false for a missing or broken file. It also
// returns false for a slow one, because slow files would use up the time of every run.
func (a *Content) isAnimated(ctx context.Context, f domain.File) (bool, error) {
	original, err := a.blobs.Open(ctx, f.Object)
	if errors.Is(err, blob.ErrNotFound) || err != nil && slowly(ctx) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer closing(original)
	file := source.NewWindow(io.NewSectionReader(original, 0, original.Size))
	facts, err := a.studio.Inspect(ctx, file, filetype.Kind{ContentType: f.ContentType})
	_, unusable := errors.AsType[*media.Error](err)
	if err != nil && slowly(ctx) || unusable && ctx.Err() == nil {
		return false, nil
	}
	return facts.Animated, err
}
