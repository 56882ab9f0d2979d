// Package reads says of a request where it may read: at the primary database alone, or at a
// replica, which lags behind a little. The edge says who asks and whether what they get may
// be a little old, and the database finds a place for it. What has no such request in its
// context, such as a job, reads at the primary.
package reads

import (
	"context"
	"sync"
)

// Asks is what a place to read has to hold: all that an account has written, which is so many
// transactions. The zero value is a guest's.
type Asks struct {
	Account int64
	Writes  int64
}

// Request is one request. It is safe for concurrent use; a nil one reads at the primary.
type Request struct {
	mu      sync.Mutex
	asks    Asks
	may     bool // what it reads may be a little old
	placed  bool // on is chosen
	on      any  // where it reads; nil for the primary
	broken  bool // a replica has failed it
	wrote   bool // it has begun a transaction that writes
	primary bool // it reads at the primary from now on
}

type requestKey struct{}

// With gives a context with a request in it, which reads at the primary until Lag.
func With(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, new(Request))
}

// AtPrimary gives a context whose reads are the primary's, for what is remembered longer than a
// request lasts.
func AtPrimary(ctx context.Context) context.Context {
	if From(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, requestKey{}, (*Request)(nil))
}

// From gives the request of a context, nil for none.
func From(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// For says who asks.
func (r *Request) For(a Asks) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asks = a
}

// Account is who asks, 0 for a guest.
func (r *Request) Account() int64 {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asks.Account
}

// Lag says that what is read from now on may be a little old.
func (r *Request) Lag() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.may = true
}

// Writes has the request read at the primary from now on, since it writes there.
func (r *Request) Writes() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote, r.primary = true, true
}

// Place gives where the request reads, nil for the primary. All of it is read at one place,
// which choose finds when it is asked first.
func (r *Request) Place(choose func(Asks) any) any {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.may || r.primary {
		return nil
	}
	if !r.placed {
		r.on, r.placed = choose(r.asks), true
	}
	return r.on
}

// Break says that a replica has failed the request, which reads at the primary from now on.
func (r *Request) Break() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken, r.primary = true, true
}

// Repeat reports whether the request is to be made once more, since a replica has failed it,
// and notes that it is. One that writes is not: its reads were the primary's.
func (r *Request) Repeat() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	again := r.broken && !r.wrote
	r.broken = false
	return again
}
