package domain

import "testing"

// Stored limits that this version cannot read allow nothing, instead of everything.
func TestStoredTokenLimits(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"write:save channel:5", "channel:1 channel:2", ""} {
		if got := StoredTokenLimits(list).String(); got != list {
			t.Errorf("%q is read as %q", list, got)
		}
	}
	for _, list := range []string{"write:later", "write:later channel:5", "channel:x", "channel:-1"} {
		l := StoredTokenLimits(list)
		if _, wrong := ParseTokenLimits(list); wrong == "" || !l.InChannels() || l.InChannel(5) {
			t.Errorf("%q: wrong %q, limits %v", list, wrong, l)
		}
		for _, a := range Abilities {
			if l.Allows(a) {
				t.Errorf("%q allows %s", list, a)
			}
		}
	}
}
