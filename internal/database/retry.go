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
			return unavailable(fmt.Errorf("database: gave up after %d attempts: %w", n, err))
		}
		if pauseFor(ctx, pause) != nil {
			return Classify(ctx, err)
		}
	}
}

// pauseFor waits for a random time around d, or returns the context's error.
func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
