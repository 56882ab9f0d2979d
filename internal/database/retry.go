package database

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	defaultRetryTime = 10 * time.Second
	firstPause       = 2 * time.Millisecond
	longestPause     = 100 * time.Millisecond
)

// retry repeats attempt while it fails with a concurrency conflict, until ctx is done or db.retryTime is
// over.
func (db *DB) retry(ctx context.Context, attempt func() error) error {
	var start time.Time
	for n, pause := 1, firstPause; ; n, pause = n+1, min(2*pause, longestPause) {
		err := attempt()
		if err == nil || !IsRetryable(err) {
			return err
		}
		if n == 1 {
			start = time.Now()
		} else if time.Since(start) > db.retryTime {
			return unavailable(fmt.Errorf("database: gave up after %d attempts: %w", n, err))
		}
		if pauseFor(ctx, pause) != nil {
			return Classify(ctx, err)
		}
	}
}

// pauseFor sleeps for a random time around d. It returns early with the error of ctx.
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
