package database

import (
	"context"
	"sync"

	"vitrine/internal/database/lite"
)

// What SQLite has committed stands in the write-ahead log until a checkpoint brings it into
// the file. Left to itself, SQLite has the writer do that after every thousand pages, and
// all who wait for the writer wait for two more syncs. Here a connection of its own does it
// beside the writer. But the log begins anew only once all of it is in the file, which it
// never is while somebody writes: so where it has become large, the writer does the little
// that is left.
const (
	checkpointPages = 1000 // written since the last checkpoint
	largeLog        = 8000 // pages written since the log began
	// libraries that write past us, as the queue of jobs does, count for nothing until one of us
	// writes; SQLite itself bounds what they add.
	autoCheckpoint = "PRAGMA wal_autocheckpoint = 16000"
)

// checkpoints brings the log into the file.
type checkpoints struct {
	conns *lite.Pool // one
	wake  chan struct{}
	end   context.CancelFunc
	all   sync.WaitGroup
	mu    sync.Mutex // one at a time, of whichever connection

	since, log int // pages written since the last checkpoint, and since the log began; who has the writer may touch them
}

// startCheckpoints begins to wait for pages.
func startCheckpoints(connect func() (*lite.Conn, error)) *checkpoints {
	ctx, end := context.WithCancel(context.Background())
	c := &checkpoints{conns: lite.NewPool(1, connect), wake: make(chan struct{}, 1), end: end}
	c.all.Go(func() { c.run(ctx) })
	return c
}

// wrote notes what the writer has written by a commit. Only who has the writer calls it.
func (c *checkpoints) wrote(writer *lite.Conn) {
	n := writer.Written()
	c.since, c.log = c.since+n, c.log+n
	switch {
	case c.log >= largeLog:
		c.since, c.log = 0, largeLog-checkpointPages // to try again, where readers still need what is in the log
		if c.checkpoint(context.Background(), writer) {
			c.log = 0
		}
	case c.since >= checkpointPages:
		select {
		case c.wake <- struct{}{}:
			c.since = 0
		default: // another is to follow the one that is under way
		}
	}
}

func (c *checkpoints) run(ctx context.Context) {
	for {
		select {
		case <-c.wake:
			if conn, err := c.conns.Take(ctx); err == nil {
				c.checkpoint(ctx, conn)
				c.conns.Give(conn)
			}
		case <-ctx.Done():
			return
		}
	}
}

// checkpoint brings what it can into the file, and reports whether that was all. Where it fails, as
// on a full disk, the log grows until the next one.
func (c *checkpoints) checkpoint(ctx context.Context, conn *lite.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows, err := conn.Query(ctx, "PRAGMA wal_checkpoint(PASSIVE)", nil)
	if err != nil {
		return false
	}
	defer rows.Close()
	var busy, log, done int
	return rows.Next() && rows.Scan(&busy, &log, &done) == nil && busy == 0 && log == done
}

// close waits for a checkpoint that is under way.
func (c *checkpoints) close() error {
	c.end()
	c.all.Wait()
	return c.conns.Close()
}
