// Package domain defines the entities, actors, permissions, limits and errors of the application.
// It does no I/O.
package domain

// Typed IDs, so that they cannot be confused. Valid IDs are positive; 0 means none.
type (
	UserID       int64
	GroupID      int64
	ChannelID    int64
	BlockID      int64
	ConnectionID int64
	TokenID      int64
)

// Tier is the tier of an account, which determines its rate limit (behaviour.md section 9).
type Tier string

// The tiers. TierGuest applies to requests without a token.
const (
	TierGuest     Tier = "guest"
	TierFree      Tier = "free"
	TierPremium   Tier = "premium"
	TierSupporter Tier = "supporter"
)

// ValidTier reports whether an account can have the tier.
func ValidTier(t Tier) bool {
	return t == TierFree || t == TierPremium || t == TierSupporter
}

// Actor is the caller of a use case. The zero Actor is a guest. An application that acts as itself
// has no user and can read what guests can (behaviour.md section 8).
type Actor struct {
	UserID        UserID
	ApplicationID ApplicationID // acting for the user or as itself; 0 for none
	Tier          Tier
	Scope         Scope
	Writes        int64 // number of the user's transactions, which a replica must have applied; only counted with replicas
}

// SignedIn reports whether the actor is a user.
func (a Actor) SignedIn() bool { return a.UserID != 0 }

// MayWrite reports whether the actor's token allows any changes.
func (a Actor) MayWrite() bool { return a.SignedIn() && a.Scope.Allows(ScopeWrite) }
