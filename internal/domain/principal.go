package domain

import "time"

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
	LastUsedAt    *time.Time
	RevokedAt     *time.Time
	CreatedAt     time.Time
}
