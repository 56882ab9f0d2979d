package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// Pauses between attempts to reach an unavailable service.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 2 * time.Second
)

// await calls reach until it succeeds, for at most maxWait. It retries only if the service is
// unreachable, for example because all services of a machine start at once, and logs once at the
// start and once at the end of the wait. It returns immediately for any other error, such as a
// wrong password, and when ctx is done.
func await(ctx context.Context, maxWait time.Duration, log *slog.Logger, what string, reach func(ctx context.Context) error) error {
	err := reach(ctx)
	if maxWait == 0 || !isAway(ctx, err) {
		return err
	}
	log.WarnContext(ctx, "waiting for "+what+", which does not answer", "at-most", maxWait, "error", err)
	started := time.Now()
	waiting, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		again := err
		select {
		case <-waiting.Done(): // also if ctx is done
		case <-time.After(pause):
			again = reach(waiting)
		}
		switch {
		case again == nil:
			log.InfoContext(ctx, what+" answers", "after", time.Since(started).Round(time.Millisecond))
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case waiting.Err() != nil: // a new error is less informative
			return err
		case !isAway(ctx, again):
			return again
		default:
			err = again
		}
	}
}

// isAway reports whether an error means that a service is unreachable and may soon be back.
func isAway(ctx context.Context, err error) bool {
	return err != nil && domain.KindOf(database.Classify(ctx, err)) == domain.Unavailable &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, database.ErrPooler)
}
