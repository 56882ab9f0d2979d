// Package reads records where a request may read: only at the primary database, or also at a
// replica, which lags behind a little. The edge sets the account and whether the response may be a
// little old, and the database chooses a replica. Anything without such a request, such as a job,
// reads at the primary.
package reads

import "sync"

// Asks is what a replica must contain: all writes of an account, as a number of transactions. The
// zero value is that of a guest.
type Asks struct {
	Account int64
	Writes  int64
}

// Request is the state of one request. It is safe for concurrent use. A nil Request reads at the
// primary.
type Request struct {
	mu      sync.Mutex
	asks    Asks
	may     bool // the data may be a little old
	placed  bool // on is set
	on      any  // the database that it reads; nil for the primary
	broken  bool // a replica has failed
	wrote   bool // the request started a write transaction
	primary bool // all further reads use the primary
}

// For sets the account and its writes.
func (r *Request) For(a Asks) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asks = a
}

// Account returns the account, 0 for a guest.
func (r *Request) Account() int64 {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asks.Account
}

// Lag allows reads to be a little old from now on.
func (r *Request) Lag() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.may = true
}

// Writes makes the request read at the primary from now on, since it writes there.
func (r *Request) Writes() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote, r.primary = true, true
}

// Place returns where the request reads, nil for the primary. The request reads everything at one
// place, which choose returns on the first call.
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

// AtReplica reports whether the request has read at a replica.
func (r *Request) AtReplica() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.on != nil && !r.primary
}

// Break records that a replica has failed. The request reads at the primary from now on.
func (r *Request) Break() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken, r.primary = true, true
}

// Repeat reports whether to repeat the request because a replica has failed. Another call then
// returns false. A request that writes is not repeated, since it read at the primary.
func (r *Request) Repeat() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	again := r.broken && !r.wrote
	r.broken = false
	return again
}
