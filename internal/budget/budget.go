// Package budget limits the memory of requests while their bodies are read, and of responses until
// their clients have read them.
package budget

import (
	"context"
	"errors"
	"sync"

	"vitrine/internal/domain"
)

// free is what each response has for nothing, in bytes: small ones, and so probes, are
// never refused because large ones wait.
const free = 64 << 10

// shares is the part of the budget that one client can have: one in so many.
const shares = 4

// errFull is the cause of a refusal, for the log.
var errFull = errors.New("too many large responses are in memory")

// Budget is shared by all responses of a process. It is safe for concurrent use.
//
// A response that alone is larger than its client's share is answered too, but one at
// a time, beside the budget: so everything can be read, and who asks for the largest
// pages keeps others from nothing but those.
type Budget struct {
	total int64

	mu      sync.Mutex
	used    int64
	clients map[any]int64
	large   *Account // the response that is larger than a share
}

// New makes a budget of so many bytes.
func New(total int64) *Budget {
	return &Budget{total: total, clients: map[any]int64{}}
}

// Used gives how many bytes are held, what is free of each response left out.
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
	client func() any // is asked when the response is large
	must   bool       // charges count, but are never refused

	size   int64 // all that was charged
	held   int64 // of that, what counts
	holder any   // the client, once something counts
}

// Open opens the account of a request. client returns its client, as any comparable value.
func (b *Budget) Open(client func() any) *Account {
	return &Account{budget: b, client: client}
}

// Close gives back all that the response held. It may be called again.
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

// charge adds n bytes, or refuses them by an error of the kind Unavailable.
func (a *Account) charge(n int64) error {
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

// put notes in the budget that an account holds n bytes more.
func (b *Budget) put(a *Account, n int64) {
	b.used += n
	if b.clients[a.holder] += n; b.clients[a.holder] == 0 {
		delete(b.clients, a.holder)
	}
}

type accountKey struct{}

// With gives a context in which Charge charges an account.
func With(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// Must makes all later charges to the request of ctx succeed, because the request has made a change
// and its response has to report that.
func Must(ctx context.Context) {
	if a, ok := ctx.Value(accountKey{}).(*Account); ok {
		a.must = true
	}
}

// Charge charges n bytes to the account in ctx, if any. The error is of the kind Unavailable: the
// caller must drop the data that it has read, and end the response with the error.
func Charge(ctx context.Context, n int64) error {
	if a, ok := ctx.Value(accountKey{}).(*Account); ok {
		return a.charge(n)
	}
	return nil
}
