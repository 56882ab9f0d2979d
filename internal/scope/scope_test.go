package scope_test

import (
	"testing"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
)

func TestScope(t *testing.T) {
	t.Parallel()
	if got := scope.Of(t.Context()); got != (scope.Scope{}) {
		t.Errorf("without a scope: %+v", got)
	}
	outer := scope.With(t.Context(), &scope.Scope{OwnCommit: true})
	inner := scope.With(outer, &scope.Scope{Claim: new(scope.Claim)})
	if got := scope.Of(inner); got.OwnCommit || got.Claim == nil {
		t.Errorf("the inner scope does not replace the outer one: %+v", got)
	}
	if got := scope.Of(outer); !got.OwnCommit || got.Claim != nil {
		t.Errorf("the outer scope has changed: %+v", got)
	}
}

func TestCharge(t *testing.T) {
	t.Parallel()
	memory := budget.New(1)
	account := memory.Open(func() any { return "a" })
	other := memory.Open(func() any { return "b" })
	if err := other.Charge(1 << 20); err != nil { // the one that may exceed its share
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		scope *scope.Scope
		want  bool
	}{
		"without an account": {&scope.Scope{}, true},
		"with an account":    {&scope.Scope{Memory: account}, false},
	} {
		err := scope.Charge(scope.With(t.Context(), c.scope), 1<<20)
		if (err == nil) != c.want || err != nil && domain.KindOf(err) != domain.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := scope.Charge(t.Context(), 1<<20); err != nil {
		t.Errorf("without a scope: %v", err)
	}
}
