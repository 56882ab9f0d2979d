package budget_test

import (
	"sync"
	"testing"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
)

const kib = 1 << 10

// response is a response with an account.
type response struct{ *budget.Account }

func open(t *testing.T, b *budget.Budget, client string, must bool) response {
	t.Helper()
	r := response{b.Open(func() any { return client })}
	if must {
		r.Must()
	}
	return r
}

func (r response) charge(t *testing.T, n int64, ok bool) {
	t.Helper()
	err := r.Charge(n)
	if ok && err != nil || !ok && domain.KindOf(err) != domain.Unavailable {
		t.Errorf("charging %d: %v", n, err)
	}
}

func TestSmallResponsesAreFree(t *testing.T) {
	t.Parallel()
	b := budget.New(1)
	for range 1000 {
		open(t, b, "a", false).charge(t, 64*kib, true)
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes are used", b.Used())
	}
	var none *budget.Account
	none.Must()
	if err := none.Charge(1 << 40); err != nil {
		t.Errorf("what is for no response: %v", err)
	}
}

func TestClientsHaveShares(t *testing.T) {
	t.Parallel()
	b := budget.New(4000 * kib)
	first, second, third := open(t, b, "a", false), open(t, b, "a", false), open(t, b, "a", false)
	first.charge(t, 664*kib, true)
	second.charge(t, 464*kib, true) // fills the share
	third.charge(t, 65*kib, false)
	third.Close()
	for _, other := range []string{"b", "c", "d"} {
		open(t, b, other, false).charge(t, 1064*kib, true)
	}
	if b.Used() != 4000*kib {
		t.Errorf("%d KiB are used", b.Used()/kib)
	}
	open(t, b, "e", false).charge(t, 65*kib, false)
	done := open(t, b, "e", true) // must report a change
	done.charge(t, 65*kib, true)
	done.Close()
	second.Close()
	second.Close()
	open(t, b, "a", false).charge(t, 464*kib, true)
}

// One response at a time may be larger than a share, and does not reduce the budget of the others.
func TestOneLargeResponse(t *testing.T) {
	t.Parallel()
	b := budget.New(4000 * kib)
	large := open(t, b, "a", false)
	for range 100 {
		large.charge(t, 100*kib, true)
	}
	second := open(t, b, "b", false)
	second.charge(t, 1064*kib, true)
	second.charge(t, 1, false)
	second.Close()
	open(t, b, "a", false).charge(t, 1064*kib, true)
	open(t, b, "b", false).charge(t, 1064*kib, true)
	large.Close()
	open(t, b, "c", false).charge(t, 9000*kib, true)
}

func TestConcurrentResponses(t *testing.T) {
	t.Parallel()
	b := budget.New(4000 * kib)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			for range 100 {
				r := open(t, b, string(rune('a'+i%7)), i%5 == 0)
				for range 3 {
					_ = r.Charge(int64(i) * 10 * kib)
				}
				r.Close()
			}
		})
	}
	all.Wait()
	if b.Used() != 0 {
		t.Errorf("%d bytes are never given back", b.Used())
	}
}
