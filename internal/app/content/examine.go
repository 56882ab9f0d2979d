package content

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/domain"
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
