package database

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	defaultPatience = 10 * time.Second
	firstPause      = 2 * time.Millisecond
	longestPause    = 100 * time.Millisecond
)

// retry repeats attempt while it ends in a conflict of concurrency, until ctx is
// done or the database's patience is at its end.
func (db *DB) retry(ctx context.Context, attempt func() error) error {
	var start time.Time
	for n, pause := 1, firstPause; ; n, pause = n+1, min(2*pause, longestPause) {
		err := attempt()
		if err == nil || !IsRetryable(err) {
			return err
		}
		if n == 1 {
			start = time.Now()
		} else if time.Since(start) > db.patience {
			return fmt.Errorf("database: gave up after %d attempts: %w", n, err)
		}
		timer := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-ctx.Done():
			timer.Stop()
			return Classify(ctx, err)
		case <-timer.C:
		}
	}
}
