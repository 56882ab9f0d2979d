package content

import (
	"context"
	"errors"
	"fmt"
	"io"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/media"
	"vitrine/internal/media/filetype"
	"vitrine/internal/store"
)

// FindAnimations is the job that finds animated images among the files that older versions stored.
type FindAnimations struct{}

// Kind implements jobs.Args.
func (FindAnimations) Kind() string { return "find_animations" }

// FindAnimations may stop at any point and run again. Images that it has not reached yet are still shown. It skips
// unreadable files.
func (a *Content) FindAnimations(ctx context.Context) error {
	var failed error
	for above := domain.FileID(0); ; {
		some, err := a.Store.UnexaminedFiles(ctx, above, examineBatch)
		if err != nil || len(some) == 0 {
			return errors.Join(err, failed)
		}
		found := map[bool][]domain.FileID{}
		for _, f := range some {
			above = f.ID
			animated, err := a.isAnimated(ctx, f)
			switch {
			case ctx.Err() != nil, domain.KindOf(err) == domain.Unavailable:
				return err
			case err != nil:
				failed = fmt.Errorf("find animations in %s: %w", f.Object, err)
				continue
			}
			found[animated] = append(found[animated], f.ID)
		}
		err = a.Store.InTx(ctx, func(tx *store.Tx) error {
			for animated, ids := range found {
				if err := tx.SetAnimated(ctx, animated, ids...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// isAnimated reads the header of an image. A missing or broken file is not animated.
func (a *Content) isAnimated(ctx context.Context, f domain.File) (bool, error) {
	original, err := a.blobs.Open(ctx, f.Object)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer closing(original)
	facts, err := a.studio.Inspect(ctx, io.NewSectionReader(original, 0, original.Size), filetype.Kind{ContentType: f.ContentType})
	if _, unusable := errors.AsType[*media.Error](err); unusable && ctx.Err() == nil {
		return false, nil
	}
	return facts.Animated, err
}
