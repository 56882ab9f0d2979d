// Package budget limits the memory of requests while their bodies are read, and of responses until
// their clients have read them.
package budget

import (
	"errors"
	"sync"

	"vitrine/internal/domain"
)

// free is the number of bytes per response that do not count. So small responses, such as those to
// probes, are never refused because of large ones.
const free = 64 << 10

// shares is the divisor of the budget for the maximum share of one client.
const shares = 4

// errFull is the logged cause of a refusal.
var errFull = errors.New("too many large responses are in memory")

// Budget is shared by all responses of a process. It is safe for concurrent use.
//
// A response that is larger than its client's share is still sent, but only one at a time and outside
// the budget. So every response can be sent, and a client that requests the largest pages only blocks
// other such requests.
type Budget struct {
	total int64

	mu      sync.Mutex
	used    int64
	clients map[any]int64
	large   *Account // the response that exceeds a share
}

// New returns a budget with a size in bytes.
func New(total int64) *Budget {
	return &Budget{total: total, clients: map[any]int64{}}
}

// Used returns the number of bytes in use, without the free part of each response.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.large != nil {
		return b.used + b.large.held
	}
	return b.used
}

// Account counts the memory of one request and its response. It belongs to the goroutine of the
// request.
type Account struct {
	budget *Budget
	client func() any // called when the response becomes large
	must   bool       // charges are never refused

	size   int64 // sum of all charges
	held   int64 // the part that counts
	holder any   // the client, set when something counts
}

// Open opens the account of a request. client returns its client, as any comparable value.
func (b *Budget) Open(client func() any) *Account {
	return &Account{budget: b, client: client}
}

// Close releases the memory of the response. It can be called more than once.
func (a *Account) Close() {
	if a.size = 0; a.held == 0 {
		return
	}
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.large == a {
		b.large = nil
	} else {
		b.put(a, -a.held)
	}
	a.held = 0
}

// Must makes all later charges succeed, because the request has made a change and its response has to
// report that.
func (a *Account) Must() {
	if a != nil {
		a.must = true
	}
}

// Charge adds n bytes, or returns an error of the kind Unavailable. A nil Account has no limit.
func (a *Account) Charge(n int64) error {
	if a == nil {
		return nil
	}
	a.size += n
	more := a.size - free - a.held
	if more <= 0 {
		return nil
	}
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.held == 0 {
		a.holder = a.client()
	}
	share := b.total / shares
	switch {
	case b.large == a:
	case a.must || b.used+more <= b.total && b.clients[a.holder]+more <= share:
		b.put(a, more)
	case a.held+more > share && b.large == nil:
		b.put(a, -a.held)
		b.large = a
	default:
		return domain.NewUnavailable(errFull)
	}
	a.held += more
	return nil
}

// put adds n bytes to an account in the budget.
func (b *Budget) put(a *Account, n int64) {
	b.used += n
	if b.clients[a.holder] += n; b.clients[a.holder] == 0 {
		delete(b.clients, a.holder)
	}
}
