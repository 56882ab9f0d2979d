package lite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed reports that the pool has been closed.
var ErrClosed = errors.New("sqlite: the database is closed")

// Pool is a pool of connections to a file, which are opened when needed and stay open. Waiting callers
// are served in order of arrival, and get the most recently used connection, because its cache is warm.
type Pool struct {
	open  func() (*Conn, error)
	slots chan struct{} // has an element for each connection in use
	waits Waits

	mu   sync.Mutex
	idle []*Conn
	done chan struct{} // closed when the pool is closed
}

// NewPool returns a pool of at most n connections.
func NewPool(n int, open func() (*Conn, error)) *Pool {
	return &Pool{open: open, slots: make(chan struct{}, n), done: make(chan struct{})}
}

// Take returns a connection, which the caller must return with Give.
func (p *Pool) Take(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case p.slots <- struct{}{}:
	default:
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
	c, err := p.connection()
	if err != nil {
		<-p.slots
	}
	return c, err
}

// wait waits until a connection becomes available.
func (p *Pool) wait(ctx context.Context) error {
	defer p.waits.Begin()()
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.done:
		return ErrClosed
	}
}

func (p *Pool) connection() (*Conn, error) {
	p.mu.Lock()
	if p.isClosed() {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	return p.open()
}

func (p *Pool) isClosed() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Give returns a connection to the pool. A connection with open rows is closed instead.
func (p *Pool) Give(c *Conn) {
	p.mu.Lock()
	keep := !c.broken && c.reading == 0 && !p.isClosed()
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		_ = c.Close()
	}
	<-p.slots
}

// Close closes the pool. Connections in use are closed when they are returned.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isClosed() {
		return nil
	}
	close(p.done)
	var err error
	for _, c := range p.idle {
		err = errors.Join(err, c.Close())
	}
	p.idle = nil
	return err
}

// Size returns the maximum number of connections.
func (p *Pool) Size() int { return cap(p.slots) }

// InUse returns the number of connections in use.
func (p *Pool) InUse() int { return len(p.slots) }

// Waits returns how often callers waited for a connection, and the total time.
func (p *Pool) Waits() (n int64, took time.Duration) { return p.waits.Total() }

// Waits counts waits and their total time.
type Waits struct{ n, nanos atomic.Int64 }

// Begin counts a wait. The caller must call end when the wait is over.
func (w *Waits) Begin() (end func()) {
	w.n.Add(1)
	start := time.Now()
	return func() { w.nanos.Add(int64(time.Since(start))) }
}

// Total returns the number of waits and their total time.
func (w *Waits) Total() (n int64, took time.Duration) {
	return w.n.Load(), time.Duration(w.nanos.Load())
}

// Query runs a statement on a connection that is returned when the rows are closed.
func (p *Pool) Query(ctx context.Context, text string, args []any) (*Rows, error) {
	c, err := p.Take(ctx)
	if err != nil {
		return nil, err
	}
	r, err := c.Query(ctx, text, args)
	if err != nil {
		p.Give(c)
		return nil, err
	}
	r.pool = p
	return r, nil
}

// Exec runs a statement on a connection from the pool.
func (p *Pool) Exec(ctx context.Context, text string, args []any) (changed int64, err error) {
	c, err := p.Take(ctx)
	if err != nil {
		return 0, err
	}
	defer p.Give(c)
	return c.Exec(ctx, text, args)
}

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
