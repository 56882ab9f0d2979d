package domain

import (
	"strings"
	"testing"
)

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

// Tokens operate the server only in the ways that their list names; write does not include any.
func TestAdminAbilities(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"admin:read":                       "admin:read",
		"write admin:jobs":                 "write:save write:arrange write:channels write:comment write:follow write:people write:account admin:jobs",
		"write:save admin:jobs write":      "write:save write:arrange write:channels write:comment write:follow write:people write:account admin:jobs",
		"admin:site write:save admin:site": "write:save admin:site",
		"write":                            "",
	} {
		l, wrong := ParseTokenLimits(list)
		if l.String() != want || wrong != "" || StoredTokenLimits(want).String() != want {
			t.Errorf("%q is read as %q, wrong %q", list, l, wrong)
		}
		for _, a := range AdminAbilities {
			if l.Allows(a) != strings.Contains(list, string(a)) {
				t.Errorf("%q: allows %s: %t", list, a, l.Allows(a))
			}
		}
	}
	if _, wrong := ParseTokenLimits("admin:all"); wrong != "admin:all" {
		t.Errorf("wrong is %q", wrong)
	}
}
