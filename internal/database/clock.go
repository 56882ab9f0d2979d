package database

import (
	"context"
	"sync/atomic"
	"time"
)

// Clock is the clock that all programs on a database share. The clocks of their machines may differ by minutes,
// but what one of them writes, such as the end of a lease or the expiry of a token, others compare with the
// present. On PostgreSQL it follows the server's clock. On SQLite all programs run on one machine, whose clock
// it is.
type Clock struct {
	db    *DB
	local func() time.Time
	ahead atomic.Int64 // how far the server's clock is ahead of local, in nanoseconds
}

// NewClock returns a clock that is the same as local, that of this machine, until Adjust.
func (db *DB) NewClock(local func() time.Time) *Clock { return &Clock{db: db, local: local} }

// Now returns the time.
func (c *Clock) Now() time.Time { return c.local().Add(c.Ahead()) }

// Ahead returns how far the clock is ahead of this machine's.
func (c *Clock) Ahead() time.Duration { return time.Duration(c.ahead.Load()) }

const (
	// clockSamples is the number of measurements, of which the quickest is used.
	clockSamples = 3
	// clockTolerance is the difference that is not corrected, so that the clock rarely jumps.
	clockTolerance = 100 * time.Millisecond
)

// Adjust measures the server's clock. If it is unreachable, the last measurement remains valid.
func (c *Clock) Adjust(ctx context.Context) error {
	if c.db.dialect == SQLite {
		return nil
	}
	var ahead, quickest time.Duration
	for i := range clockSamples {
		var micros int64
		began := c.local()
		err := c.db.Reader().QueryRow(ctx, "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)").Scan(&micros)
		if err != nil {
			return err
		}
		took := c.local().Sub(began)
		if i == 0 || took < quickest {
			quickest, ahead = took, time.UnixMicro(micros).Sub(began.Add(took/2))
		}
	}
	if (ahead - c.Ahead()).Abs() > max(quickest, clockTolerance) {
		c.ahead.Store(int64(ahead))
	}
	return nil
}
