package domain

import "time"

// PrincipalType says whether a principal is a user or a group.
type PrincipalType string

// The kinds of principals: who may own a channel or collaborate on it.
const (
	TypeUser  PrincipalType = "User"
	TypeGroup PrincipalType = "Group"
)

// PrincipalRef names a user or a group.
type PrincipalRef struct {
	Type PrincipalType
	ID   int64
}

// UserRef names a user.
func UserRef(id UserID) PrincipalRef { return PrincipalRef{TypeUser, int64(id)} }

// GroupRef names a group.
func GroupRef(id GroupID) PrincipalRef { return PrincipalRef{TypeGroup, int64(id)} }

// Principal is what is shown of a user or group inside another resource
// (EmbeddedUser, EmbeddedGroup). Version grows with every change to it.
type Principal struct {
	PrincipalRef
	Name    string
	Slug    string
	Avatar  *string
	Version int64
}

// Text is a piece of Markdown, rendered when written (behaviour.md section 3).
type Text struct{ Markdown, HTML, Plain string }

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
	OpenChannels    int64 // live channels owned, public and closed
	PrivateChannels int64
	Followers       int64
	Following       int64
	Unread          int64
	Notices         int64 // of operators, unread
	SuspendedAt     *time.Time
	Version         int64
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// ChannelsFor counts the user's channels as the viewer may know of them: private
// ones count for the user alone.
func (u User) ChannelsFor(viewer Actor) int64 {
	if viewer.UserID == u.ID {
		return u.OpenChannels + u.PrivateChannels
	}
	return u.OpenChannels
}

// Badge is the mark of the tier, or "" (behaviour.md section 13).
func (u User) Badge() string {
	if u.Tier == TierPremium || u.Tier == TierSupporter {
		return string(u.Tier)
	}
	return ""
}

// Token is an access token without its secret: a user's own, an application's that acts
// for a user, or an application's own.
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
