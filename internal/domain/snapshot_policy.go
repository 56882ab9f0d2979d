package domain

import (
	"cmp"
	"slices"
)

// SnapshotPolicy is when this server takes copies of pages. For a channel, "" means as the site, and for a block as its
// channels.
type SnapshotPolicy string

// The policies: no copies, copies that people ask for, and a copy of the page of every new Link.
const (
	NoSnapshots    SnapshotPolicy = "never"
	AskedSnapshots SnapshotPolicy = "on-request"
	EverySnapshot  SnapshotPolicy = "always"
)

// DefaultSnapshots is the policy of a channel or a block without its own one. It is stored as "".
const DefaultSnapshots SnapshotPolicy = "default"

// SnapshotPolicies lists the policies that users can choose, the default first.
func SnapshotPolicies() []SnapshotPolicy {
	return []SnapshotPolicy{DefaultSnapshots, NoSnapshots, AskedSnapshots, EverySnapshot}
}

// Stored returns the policy as channels and blocks store it.
func (p SnapshotPolicy) Stored() SnapshotPolicy {
	if p == DefaultSnapshots {
		return ""
	}
	return p
}

// Shown returns a stored policy as users choose it.
func (p SnapshotPolicy) Shown() SnapshotPolicy { return cmp.Or(p, DefaultSnapshots) }

// ChooseSnapshotPolicy returns the policy for a block. Nobody overrides an operator's "never". Otherwise the policy of the
// block counts, then those of its channels, then the operator's. If channels differ, "never" takes precedence, because a
// copy can still be taken later but a request to a site cannot be undone; then "always".
func ChooseSnapshotPolicy(operator, block SnapshotPolicy, channels ...SnapshotPolicy) SnapshotPolicy {
	if operator == NoSnapshots {
		return operator
	}
	if block != "" {
		return block
	}
	for _, p := range []SnapshotPolicy{NoSnapshots, EverySnapshot, AskedSnapshots} {
		if slices.Contains(channels, p) {
			return p
		}
	}
	return operator
}
