package domain

import "testing"

func TestScopeAllows(t *testing.T) {
	t.Parallel()
	scopes := []Scope{ScopeNone, ScopeRead, ScopeWrite, "admin", "Read", "read write"}
	want := []string{ // a row per token scope, a column per required scope
		"y-----",
		"yy----",
		"yyy---",
		"------",
		"------",
		"------",
	}
	for i, have := range scopes {
		for j, needed := range scopes {
			if got, want := have.Allows(needed), want[i][j] == 'y'; got != want {
				t.Errorf("%q.Allows(%q) = %v, want %v", have, needed, got, want)
			}
		}
	}
}
