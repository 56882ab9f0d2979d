package content

import (
	"context"
	"errors"
	"io"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/media"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/source"
	"vitrine/internal/store"
)

// examineBatch is the number of rows whose results are stored in one transaction.
const examineBatch = 20

// errSlow is the cause when the examination of one row takes too long.
var errSlow = errors.New("reading the file takes too long")

// examineAll examines rows that older versions stored: the batches that next returns, each row for at most limit. It may
// stop at any point and run again. An outage of the storage stops it, but an unreadable file does not keep it from the
// other files. save stores the results of a batch, also of an incomplete one, so that each run gets further.
func examineAll[T, R any](ctx context.Context, limit time.Duration, next func() ([]T, error), examine func(context.Context, T) (R, error), save func([]R) error) error {
	var failed error
	for {
		some, err := next()
		if err != nil || len(some) == 0 {
			return errors.Join(err, failed)
		}
		var done []R
		var stopped error
		for _, row := range some {
			one, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
			result, err := examine(one, row)
			slow := slowly(one)
			cancel()
			if err == nil {
				done = append(done, result)
				continue
			}
			if ctx.Err() != nil || domain.KindOf(err) == domain.Unavailable && !slow {
				stopped = err
				break
			}
			failed = err
		}
		if err := errors.Join(stopped, save(done)); err != nil {
			return err
		}
	}
}

// slowly reports whether the time for one row is up, not that of the job.
func slowly(one context.Context) bool { return errors.Is(context.Cause(one), errSlow) }

// batches returns a function that reads the next rows with each call, in the order of their ids.
func batches[T any, ID ~int64](ctx context.Context, read func(context.Context, ID, int) ([]T, error), id func(T) ID) func() ([]T, error) {
	var above ID
	return func() ([]T, error) {
		some, err := read(ctx, above, examineBatch)
		if len(some) > 0 {
			above = id(some[len(some)-1])
		}
		return some, err
	}
}

// noteAll stores results in one transaction, even if the time of the job or request is up.
func noteAll[R any](ctx context.Context, a *Content, all []R, set func(*store.Tx, context.Context, R) error) error {
	return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, r := range all {
			if err := set(tx, ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// examineImages examines images for all files with the same bytes and content type. set stores a result for all of them.
func (a *Content) examineImages(ctx context.Context, limit time.Duration, read func(context.Context, domain.FileID, int) ([]domain.File, error),
	examine func(context.Context, domain.File) (domain.File, error), set func(*store.Tx, context.Context, domain.File) error) error {
	all := batches(ctx, read, func(f domain.File) domain.FileID { return f.ID })
	next := func() ([]domain.File, error) {
		some, err := all()
		return oncePerContent(some), err
	}
	return examineAll(ctx, limit, next, examine, func(found []domain.File) error { return noteAll(ctx, a, found, set) })
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

// version is an object of the storage with an image.
type version struct {
	object string
	kind   filetype.Kind
}

// inspect calls use with the first of the versions of an image that is there. Missing and broken files are no errors.
// Neither are slow ones, because they would use up the time of every run.
func (a *Content) inspect(ctx context.Context, use func(*source.Window, filetype.Kind) error, versions ...version) error {
	for _, v := range versions {
		file, err := a.blobs.Open(ctx, v.object)
		if errors.Is(err, blob.ErrNotFound) {
			continue
		}
		if err == nil {
			defer closing(file)
			err = use(source.NewWindow(io.NewSectionReader(file, 0, file.Size)), v.kind)
		}
		_, unusable := errors.AsType[*media.Error](err)
		if err != nil && slowly(ctx) || unusable && ctx.Err() == nil {
			return nil
		}
		return err
	}
	return nil
}
