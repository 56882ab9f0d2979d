package changes

import (
	"testing"
	"time"

	"vitrine/internal/domain"
)

// What guests may see of a batch is read once, so batches are shared only for a few seconds.
func TestBatchesExpire(t *testing.T) {
	t.Parallel()
	at := func(id int64) point { return point{domain.ChangePosition{ID: id}, "secret"} }
	old := &batch{since: time.Now().Add(-batchTime - time.Second), from: at(1), to: at(2)}
	young := &batch{since: time.Now(), from: at(2), to: at(3)}
	s := &shared{known: true, end: at(3), batches: []*batch{old, young}}
	if b, _, ok := s.after(at(1)); b != nil || ok {
		t.Error("an old batch is shared")
	}
	if b, more, ok := s.after(at(2)); b != young || more || !ok {
		t.Error("a young batch is not shared")
	}
	if _, _, ok := s.after(at(3)); !ok || len(s.batches) != 1 {
		t.Error("those who are up to date wait")
	}
}

// Requests go on for a few seconds if it cannot be checked whether their token is still valid.
func TestUncheckedRequests(t *testing.T) {
	t.Parallel()
	w := newWaiting(10, nil, time.Now)
	young, old := newHeld(Client{Token: []byte("a")}, nil), newHeld(Client{Token: []byte("b")}, nil)
	old.valid = old.valid.Add(-uncheckedTime - time.Second)
	w.held[young], w.held[old] = struct{}{}, struct{}{}
	w.judge([]*held{young, old}, time.Now(), nil, domain.NewUnavailable(nil))
	if young.over() != nil || old.over() != errUnchecked || len(w.held) != 1 {
		t.Errorf("young: %v, old: %v", young.over(), old.over())
	}
}
