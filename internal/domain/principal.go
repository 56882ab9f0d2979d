// Package domain defines the entities, actors, permissions, limits and errors of the application.
// It does no I/O.
package domain

import (
	"strings"
	"time"
)

// PrincipalType is the type of a principal.
type PrincipalType string

// The types of principals, which can own a channel or collaborate on it.
const (
	TypeUser  PrincipalType = "User"
	TypeGroup PrincipalType = "Group"
)

// PrincipalRef identifies a user or a group.
type PrincipalRef struct {
	Type PrincipalType
	ID   int64
}

// UserRef returns the reference to a user.
func UserRef(id UserID) PrincipalRef { return PrincipalRef{TypeUser, int64(id)} }

// GroupRef returns the reference to a group.
func GroupRef(id GroupID) PrincipalRef { return PrincipalRef{TypeGroup, int64(id)} }

// Principal is a user or group as embedded in other resources (EmbeddedUser, EmbeddedGroup).
// Version increases with every change of these fields.
type Principal struct {
	PrincipalRef
	Name    string
	Slug    string
	Avatar  *string
	Version int64
}

// Text is a Markdown text, rendered when it is saved (behaviour.md section 3).
type Text struct{ Markdown, HTML, Plain string }

// Shown reports whether a text is shown to anyone. The text of a document is not: it has no Markdown, because only
// searches use it.
func (t *Text) Shown() bool { return t != nil && t.Markdown != "" }

// User is an account.
type User struct {
	ID              UserID
	Slug            string
	Name            string
	Email           string
	Bio             *Text
	Avatar          *string
	Tier            Tier
	Office          Office
	OpenChannels    int64 // number of live public and closed channels
	PrivateChannels int64
	Followers       int64
	Following       int64
	Unread          int64
	Notices         int64 // unread notices of operators
	SuspendedAt     *time.Time
	Version         int64
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// ChannelsFor returns the number of channels that the viewer may know of. Private ones only count
// for the user.
func (u User) ChannelsFor(viewer Actor) int64 {
	if viewer.UserID == u.ID {
		return u.OpenChannels + u.PrivateChannels
	}
	return u.OpenChannels
}

// Badge returns the badge of the tier, or "" (behaviour.md section 13).
func (u User) Badge() string {
	if u.Tier == TierPremium || u.Tier == TierSupporter {
		return string(u.Tier)
	}
	return ""
}

// Token is an access token without its secret: a user's personal one, an application's for a user,
// or an application's own.
type Token struct {
	ID            TokenID
	UserID        UserID        // 0: an application's own
	ApplicationID ApplicationID // 0: a personal access token
	Name          string
	Hint          string
	Scope         Scope
	Audience      TokenAudience // only set when it is created
	Limits        *TokenLimits  // nil: none
	RefreshID     RefreshID     // of its refresh token; 0: none
	ExpiresAt     *time.Time    // nil: never
	LastUsedAt    *time.Time
	RevokedAt     *time.Time
	CreatedAt     time.Time
}

// Typed IDs, so that they cannot be confused. Valid IDs are positive; 0 means none.
type (
	UserID       int64
	GroupID      int64
	ChannelID    int64
	BlockID      int64
	ConnectionID int64
	TokenID      int64
	RefreshID    int64
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
	Limits        *TokenLimits // of the token; nil: none
	TokenID       TokenID      // of a token that may operate the server, for the audit log; 0 for others
	Writes        int64        // number of the user's transactions, which a replica must have applied; only counted with replicas
}

// SignedIn reports whether the actor is a user.
func (a Actor) SignedIn() bool { return a.UserID != 0 }

// MayWrite reports whether the actor's token allows any changes.
func (a Actor) MayWrite() bool { return a.SignedIn() && a.Scope.Allows(ScopeWrite) }

// Scope is the scope of a token (behaviour.md section 8; RFC 6749 section 3.3). Scopes are ordered:
// write includes read, and read includes none.
type Scope string

// The scopes in increasing order. ScopeNone is the scope of guests, and of operations that require
// no scope.
const (
	ScopeNone  Scope = ""
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
)

// Allows reports whether a token with scope s may use an operation that requires needed. Unknown
// scopes are never allowed.
func (s Scope) Allows(needed Scope) bool {
	have, want := s.rank(), needed.rank()
	return have >= 0 && want >= 0 && have >= want
}

func (s Scope) rank() int {
	switch s {
	case ScopeNone:
		return 0
	case ScopeRead:
		return 1
	case ScopeWrite:
		return 2
	}
	return -1
}

// ParseScopes parses a list of scopes in a request, separated by spaces, and returns the highest one.
// Scopes of other servers, such as openid, are ignored (RFC 6749 section 3.3). It returns ScopeNone
// if the list contains no known scope.
func ParseScopes(list string) Scope {
	highest := ScopeNone
	for word := range strings.FieldsSeq(list) {
		if s := Scope(word); s.rank() > highest.rank() {
			highest = s
		}
	}
	return highest
}

// Exposure defines what guests and search engines can see. By default guests see everything that
// the API shows them, and closed channels are not indexed.
type Exposure struct {
	GuestsClosed bool // guests do not see collections
	IndexClosed  bool // search engines may also index closed channels
}

// Admits returns an error if guests are closed out and the actor is a guest, or an application that
// acts as itself, which anyone can register.
func (e Exposure) Admits(a Actor) error {
	if e.GuestsClosed && !a.SignedIn() {
		return NewUnauthenticated("A user's token is required")
	}
	return nil
}

// Indexes reports whether search engines may index a channel.
func (e Exposure) Indexes(v Visibility) bool {
	return !e.GuestsClosed && (v == Public || v == Closed && e.IndexClosed)
}
