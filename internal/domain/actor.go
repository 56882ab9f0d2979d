// Package domain holds the words of the service: entities, who is acting, what
// they may do, limits and kinds of errors. It does no I/O.
package domain

// Typed ids, so that one is not passed for another. All are positive; 0 is nobody
// or nothing.
type (
	UserID       int64
	GroupID      int64
	ChannelID    int64
	BlockID      int64
	ConnectionID int64
	TokenID      int64
)

// Tier is the standing of an account. It sets the rate limit (behaviour.md section 9).
type Tier string

// The tiers. TierGuest is that of requests without a token.
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

// Actor is who makes a request. The zero Actor is a guest. An application that acts as
// itself has no user, and reads what a guest does (behaviour.md section 8).
type Actor struct {
	UserID        UserID
	ApplicationID ApplicationID // that acts, for the user or as itself; 0: none
	Tier          Tier
	Scope         Scope
	Writes        int64 // transactions of the user that a replica must have; counted where there are any
}

// SignedIn reports whether the actor is a user.
func (a Actor) SignedIn() bool { return a.UserID != 0 }

// MayWrite reports whether the actor's token allows changes at all.
func (a Actor) MayWrite() bool { return a.SignedIn() && a.Scope.Allows(ScopeWrite) }
