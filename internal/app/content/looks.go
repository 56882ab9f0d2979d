package content

import (
	"context"
	"fmt"
	"time"

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
	examine := func(ctx context.Context, f domain.File) (domain.File, error) {
		l, err := a.lookAt(ctx, f)
		if err != nil {
			return f, fmt.Errorf("find the colours of %s: %w", f.Object, err)
		}
		f.Palette, f.LookHash = l.Palette, l.Hash
		return f, nil
	}
	set := func(tx *store.Tx, ctx context.Context, f domain.File) error { return tx.Blocks().SetLook(ctx, f) }
	return a.examineImages(ctx, lookTimeout, a.Store.Blobs().UnseenFiles, examine, set)
}

// lookAt describes what an image looks like, from its small version if there is one. The result is empty for a missing,
// broken or slow file.
func (a *Content) lookAt(ctx context.Context, f domain.File) (l media.Look, err error) {
	err = a.inspect(ctx, func(src *source.Window, k filetype.Kind) (err error) {
		l, err = a.studio.Look(ctx, src, k)
		return err
	}, version{versionObject(f.Object, domain.SmallImage, f.Resized), filetype.Kind{ContentType: resizedTypes[f.Resized]}},
		version{f.Object, filetype.Kind{ContentType: f.ContentType}})
	return l, err
}
