package database

import (
	"context"
	"errors"
	"sync"
)

// litePool has up to so many connections to a file, which are opened as they are wanted and
// stay open. Whoever waits for one gets it in the order of coming, and the one that was
// used last, whose cache is warm.
type litePool struct {
	open   func() (*liteConn, error)
	places chan struct{} // one taken for each connection in use

	mu   sync.Mutex
	idle []*liteConn
	done chan struct{} // closed with the pool
}

func newPool(n int, open func() (*liteConn, error)) *litePool {
	return &litePool{open: open, places: make(chan struct{}, n), done: make(chan struct{})}
}

// take gives a connection, which the caller gives back.
func (p *litePool) take(ctx context.Context) (*liteConn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case p.places <- struct{}{}:
	default:
		select {
		case p.places <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.done:
			return nil, errClosed
		}
	}
	c, err := p.connection()
	if err != nil {
		<-p.places
	}
	return c, err
}

func (p *litePool) connection() (*liteConn, error) {
	p.mu.Lock()
	if p.isClosed() {
		p.mu.Unlock()
		return nil, errClosed
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

func (p *litePool) isClosed() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// give takes a connection back. One from which somebody still reads is given up.
func (p *litePool) give(c *liteConn) {
	p.mu.Lock()
	keep := !c.broken && c.reading == 0 && !p.isClosed()
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		_ = c.close()
	}
	<-p.places
}

// close closes the connections, and those in use when they are given back.
func (p *litePool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isClosed() {
		return nil
	}
	close(p.done)
	var err error
	for _, c := range p.idle {
		err = errors.Join(err, c.close())
	}
	p.idle = nil
	return err
}

// A pool runs statements each on a connection of its own.

func (p *litePool) rows(ctx context.Context, text string, args []any) (*liteRows, error) {
	c, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	r, err := c.rows(ctx, text, args)
	if err != nil {
		p.give(c)
		return nil, err
	}
	r.pool = p
	return r, nil
}

func (p *litePool) query(ctx context.Context, text string, args []any) (Rows, error) {
	r, err := p.rows(ctx, text, args)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (p *litePool) queryRow(ctx context.Context, text string, args []any) Row {
	r, err := p.rows(ctx, text, args)
	if err != nil {
		return failedRow{err}
	}
	return (*liteRow)(r)
}

func (p *litePool) exec(ctx context.Context, text string, args []any) (Result, error) {
	c, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer p.give(c)
	return c.exec(ctx, text, args)
}
