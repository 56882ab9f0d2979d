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
