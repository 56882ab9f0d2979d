package lite

import (
	"context"
	"sync"
)

// Committed pages are in the write-ahead log until a checkpoint copies them to the database file. By
// default, SQLite runs a checkpoint in the writer after every thousand pages, and all waiting writers
// then wait for two more syncs. Checkpoints uses a separate connection instead, concurrently with the
// writer. But SQLite only reuses the log from the start when all of it has been copied, which never
// happens under constant writes. So once the log is large, the writer itself copies the small rest.
const (
	checkpointPages = 1000 // pages written between checkpoints
	largeLog        = 8000 // pages in the log before the writer helps
	// AutoCheckpoint is a setting for the writing connection. Writes by libraries, such as the job queue,
	// are not counted until our next commit, so SQLite limits the log for them.
	AutoCheckpoint = "PRAGMA wal_autocheckpoint = 16000"
)

// Checkpoints runs checkpoints in the background.
type Checkpoints struct {
	conns *Pool // of one connection
	wake  chan struct{}
	end   context.CancelFunc
	all   sync.WaitGroup
	mu    sync.Mutex // allows one checkpoint at a time on all connections

	since, log int // pages written since the last checkpoint, and since the log was restarted; only for the writer
}

// StartCheckpoints starts the background checkpoints.
func StartCheckpoints(connect func() (*Conn, error)) *Checkpoints {
	ctx, end := context.WithCancel(context.Background())
	c := &Checkpoints{conns: NewPool(1, connect), wake: make(chan struct{}, 1), end: end}
	c.all.Go(func() { c.run(ctx) })
	return c
}

// Wrote counts the pages of a commit. Only the current user of the writer may call it.
func (c *Checkpoints) Wrote(writer *Conn) {
	n := writer.Written()
	c.since, c.log = c.since+n, c.log+n
	switch {
	case c.log >= largeLog:
		c.since, c.log = 0, largeLog-checkpointPages // retry later if readers still need the log
		if c.checkpoint(context.Background(), writer) {
			c.log = 0
		}
	case c.since >= checkpointPages:
		select {
		case c.wake <- struct{}{}:
			c.since = 0
		default: // a checkpoint is running and another one is already requested
		}
	}
}

func (c *Checkpoints) run(ctx context.Context) {
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

// checkpoint runs a checkpoint and reports whether it copied the whole log. If it fails, for example because
// the disk is full, the log grows until the next one.
func (c *Checkpoints) checkpoint(ctx context.Context, conn *Conn) bool {
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

// Close waits for a running checkpoint and closes the connection.
func (c *Checkpoints) Close() error {
	c.end()
	c.all.Wait()
	return c.conns.Close()
}
