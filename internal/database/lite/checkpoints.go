package lite

import (
	"context"
	"sync"
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
	// AutoCheckpoint sets up the connection that writes. Libraries that write past us, as the queue
	// of jobs does, count for nothing until one of us writes: SQLite bounds what they add.
	AutoCheckpoint = "PRAGMA wal_autocheckpoint = 16000"
)

// Checkpoints brings the log into the file.
type Checkpoints struct {
	conns *Pool // one
	wake  chan struct{}
	end   context.CancelFunc
	all   sync.WaitGroup
	mu    sync.Mutex // one at a time, of whichever connection

	since, log int // pages written since the last checkpoint, and since the log began; who has the writer may touch them
}

// StartCheckpoints begins to wait for pages.
func StartCheckpoints(connect func() (*Conn, error)) *Checkpoints {
	ctx, end := context.WithCancel(context.Background())
	c := &Checkpoints{conns: NewPool(1, connect), wake: make(chan struct{}, 1), end: end}
	c.all.Go(func() { c.run(ctx) })
	return c
}

// Wrote notes what the writer has written by a commit. Only who has the writer calls it.
func (c *Checkpoints) Wrote(writer *Conn) {
	n := writer.Written()
	c.since, c.log = c.since+n, c.log+n
	switch {
	case c.log >= largeLog:
		c.since, c.log = 0, largeLog-checkpointPages // to try again, where readers still need what is in the log
		if c.make(context.Background(), writer) {
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

func (c *Checkpoints) run(ctx context.Context) {
	for {
		select {
		case <-c.wake:
			if conn, err := c.conns.Take(ctx); err == nil {
				c.make(ctx, conn)
				c.conns.Give(conn)
			}
		case <-ctx.Done():
			return
		}
	}
}

// make brings what it can into the file, and reports whether that was all. Where it fails, as
// on a full disk, the log grows until the next one.
func (c *Checkpoints) make(ctx context.Context, conn *Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows, err := conn.Query(ctx, "PRAGMA wal_checkpoint(PASSIVE)", nil)
	if err != nil {
		return false
	}
	defer func() { _ = rows.Close() }()
	var busy, log, done int
	return rows.Next() && rows.Scan(&busy, &log, &done) == nil && busy == 0 && log == done
}

// Close waits for a checkpoint that is under way.
func (c *Checkpoints) Close() error {
	c.end()
	c.all.Wait()
	return c.conns.Close()
}
