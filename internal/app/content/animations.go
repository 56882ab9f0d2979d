package content

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/domain"
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
	examine := func(ctx context.Context, f domain.File) (domain.File, error) {
		var err error
		if f.Animated, err = a.isAnimated(ctx, f); err != nil {
			err = fmt.Errorf("find animations in %s: %w", f.Object, err)
		}
		return f, err
	}
	set := func(tx *store.Tx, ctx context.Context, f domain.File) error { return tx.Blobs().SetAnimated(ctx, f) }
	return a.examineImages(ctx, a.inspectTimeout, a.Store.Blobs().UnexaminedFiles, examine, set)
}

// isAnimated reads the header of an image. It returns false for a missing, broken or slow file.
func (a *Content) isAnimated(ctx context.Context, f domain.File) (animated bool, err error) {
	err = a.inspect(ctx, func(src *source.Window, k filetype.Kind) error {
		facts, err := a.studio.Inspect(ctx, src, k)
		animated = err == nil && facts.Animated
		return err
	}, version{f.Object, filetype.Kind{ContentType: f.ContentType}})
	return animated, err
}
