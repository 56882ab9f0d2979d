package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// The pauses between two looks at what is away when a server starts.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 2 * time.Second
)

// await tries to reach something that a server needs to start. While it is away, as when all of
// a machine starts at once, await tries again for so long, and says so in the log once, and once
// more when it is there. Any other error, such as that of a wrong password, comes at once, and so
// does the end of ctx.
func await(ctx context.Context, atMost time.Duration, log *slog.Logger, what string, reach func(ctx context.Context) error) error {
	err := reach(ctx)
	if atMost == 0 || !isAway(ctx, err) {
		return err
	}
	log.WarnContext(ctx, "waiting for "+what+", which does not answer", "at-most", atMost, "error", err)
	begun := time.Now()
	waiting, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-waiting.Done():
			return err
		case <-time.After(pause):
		}
		switch again := reach(waiting); {
		case again == nil:
			log.InfoContext(ctx, what+" answers", "after", time.Since(begun).Round(time.Millisecond))
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case waiting.Err() != nil: // which says less than the error before
			return err
		case !isAway(ctx, again):
			return again
		default:
			err = again
		}
	}
}

// isAway reports whether an error says that something cannot be reached, and may be soon.
func isAway(ctx context.Context, err error) bool {
	return err != nil && domain.KindOf(database.Classify(ctx, err)) == domain.Unavailable &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, database.ErrPooler)
}
