package lite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed says that a pool has been closed.
var ErrClosed = errors.New("sqlite: the database is closed")

// Pool has up to so many connections to a file, which are opened as they are wanted and
// stay open. Whoever waits for one gets it in the order of coming, and the one that was
// used last, whose cache is warm.
type Pool struct {
	open   func() (*Conn, error)
	places chan struct{} // one taken for each connection in use
	waits  Waits

	mu   sync.Mutex
	idle []*Conn
	done chan struct{} // closed with the pool
}

// NewPool makes a pool of up to n connections.
func NewPool(n int, open func() (*Conn, error)) *Pool {
	return &Pool{open: open, places: make(chan struct{}, n), done: make(chan struct{})}
}

// Take gives a connection, which the caller gives back.
func (p *Pool) Take(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case p.places <- struct{}{}:
	default:
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
	c, err := p.connection()
	if err != nil {
		<-p.places
	}
	return c, err
}

// wait takes a place once somebody leaves one.
func (p *Pool) wait(ctx context.Context) error {
	defer p.waits.Begin()()
	select {
	case p.places <- struct{}{}:
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

// Give takes a connection back. One from which somebody still reads is given up.
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
	<-p.places
}

// Close closes the connections, and those in use when they are given back.
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

// Size is how many connections there may be.
func (p *Pool) Size() int { return cap(p.places) }

// InUse is how many connections are taken.
func (p *Pool) InUse() int { return len(p.places) }

// Waits is how often somebody waited for a connection, and for how long together.
func (p *Pool) Waits() (n int64, took time.Duration) { return p.waits.Total() }

// Waits counts who waited, and for how long.
type Waits struct{ n, nanos atomic.Int64 }

// Begin counts one who begins to wait; the function is called when that ends.
func (w *Waits) Begin() (end func()) {
	w.n.Add(1)
	start := time.Now()
	return func() { w.nanos.Add(int64(time.Since(start))) }
}

// Total is how often somebody waited, and for how long together.
func (w *Waits) Total() (n int64, took time.Duration) {
	return w.n.Load(), time.Duration(w.nanos.Load())
}

// Query runs a statement on a connection of its own until the rows are closed.
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

// Exec runs a statement on a connection of its own.
func (p *Pool) Exec(ctx context.Context, text string, args []any) (changed int64, err error) {
	c, err := p.Take(ctx)
	if err != nil {
		return 0, err
	}
	defer p.Give(c)
	return c.Exec(ctx, text, args)
}
