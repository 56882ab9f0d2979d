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

// FindAnimations may stop at any point and run again. It stores what it has found even if its time is up,
// so that each run gets further. Images that it has not reached are shown still. An unreadable file does
// not keep it from the other files.
func (a *Content) FindAnimations(ctx context.Context) error {
	var failed error
	for above := domain.FileID(0); ; {
		some, err := a.Store.UnexaminedFiles(ctx, above, examineBatch)
		if err != nil || len(some) == 0 {
			return errors.Join(err, failed)
		}
		found := map[bool][]domain.FileID{}
		var stopped error
		for _, f := range some {
			above = f.ID
			animated, err := a.isAnimated(ctx, f)
			if err == nil {
				found[animated] = append(found[animated], f.ID)
				continue
			}
			if ctx.Err() != nil || domain.KindOf(err) == domain.Unavailable {
				stopped = err
				break
			}
			failed = fmt.Errorf("find animations in %s: %w", f.Object, err)
		}
		err = a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
			for animated, ids := range found {
				if err := tx.SetAnimated(ctx, animated, ids...); err != nil {
					return err
				}
			}
			return nil
		})
		if err := errors.Join(stopped, err); err != nil {
			return err
		}
	}
}

// isAnimated reads the header of an image. It returns false for a missing or broken file. It also
// returns false for a slow one, because slow files would use up the time of every run.
func (a *Content) isAnimated(ctx context.Context, f domain.File) (bool, error) {
	one, cancel := context.WithTimeout(ctx, a.inspectTimeout)
	defer cancel()
	original, err := a.blobs.Open(one, f.Object)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer closing(original)
	file := source.NewWindow(io.NewSectionReader(original, 0, original.Size))
	facts, err := a.studio.Inspect(one, file, filetype.Kind{ContentType: f.ContentType})
	_, unusable := errors.AsType[*media.Error](err)
	if ctx.Err() == nil && (unusable || err != nil && one.Err() != nil) {
		return false, nil
	}
	return facts.Animated, err
}
