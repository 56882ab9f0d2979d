// Package budget limits the memory of requests while their bodies are read, and of responses until
// their clients have read them.
package budget

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

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

// Slots limits the number of concurrent operations per key. Further callers wait in order of arrival. Set
// the fields before first use. It is safe for concurrent use.
type Slots[K comparable] struct {
	AtOnce  int           // concurrent operations per key; 0 for no limit
	Waiting int           // maximum number of waiting callers per key
	MaxWait time.Duration // maximum wait
	Refusal string        // error message if too many callers wait, or for too long

	mu   sync.Mutex
	keys map[K]slot // keys with running operations
}

type slot struct {
	busy  int
	queue []chan struct{} // waiting callers; closing a channel passes a slot on
}

// Enter acquires a slot, and waits for it if necessary. The caller must release it with Leave. The error is
// Unavailable if too many callers wait or the wait is too long, or that of ctx.
func (t *Slots[K]) Enter(ctx context.Context, key K) error {
	turn, err := t.take(key)
	if turn == nil || err != nil {
		return err
	}
	timer := time.NewTimer(t.MaxWait)
	defer timer.Stop()
	select {
	case <-turn:
		return nil
	case <-timer.C:
		err = t.refuse()
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.giveUp(key, turn)
	return err
}

func (t *Slots[K]) refuse() error { return domain.NewUnavailableFor(t.MaxWait, t.Refusal) }

// take acquires a slot, or returns a channel that is closed when it is the caller's turn.
func (t *Slots[K]) take(key K) (turn chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.keys[key]
	switch {
	case t.AtOnce == 0 || s.busy < t.AtOnce:
		s.busy++
	case len(s.queue) >= t.Waiting:
		return nil, t.refuse()
	default:
		turn = make(chan struct{})
		s.queue = append(s.queue, turn)
	}
	if t.keys == nil {
		t.keys = map[K]slot{}
	}
	t.keys[key] = s
	return turn, nil
}

// giveUp leaves the queue. If the caller's turn has come in the meantime, it is passed on.
func (t *Slots[K]) giveUp(key K, turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.keys[key]
	if i := slices.Index(s.queue, turn); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
		t.keys[key] = s
		return
	}
	t.pass(key, s)
}

// Leave releases a slot and passes it to the next waiting caller.
func (t *Slots[K]) Leave(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass(key, t.keys[key])
}

func (t *Slots[K]) pass(key K, s slot) {
	if len(s.queue) > 0 {
		close(s.queue[0])
		s.queue = s.queue[1:]
	} else if s.busy--; s.busy == 0 {
		delete(t.keys, key)
		return
	}
	t.keys[key] = s
}
