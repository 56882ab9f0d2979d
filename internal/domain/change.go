package domain

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// ChangeKind is what happened to a thing.
type ChangeKind string

// The kinds of changes. The first three also depend on the rights of the viewer (Change.For).
const (
	ChangeCreated      ChangeKind = "created"
	ChangeUpdated      ChangeKind = "updated"
	ChangeDeleted      ChangeKind = "deleted"
	ChangeMoved        ChangeKind = "moved"
	ChangeConnected    ChangeKind = "connected"
	ChangeDisconnected ChangeKind = "disconnected"
	ChangeJoined       ChangeKind = "joined"
	ChangeLeft         ChangeKind = "left"
	ChangeFollowed     ChangeKind = "followed"
	ChangeUnfollowed   ChangeKind = "unfollowed"
)

// SubjectConnection is the type of a connection in a change.
const SubjectConnection SubjectType = "Connection"

// ChangePosition is the place of a change in the order of commits. On PostgreSQL, Transaction is the number of the
// transaction; on SQLite it is 0.
type ChangePosition struct{ Transaction, ID int64 }

// Before reports whether a position comes before another.
func (p ChangePosition) Before(q ChangePosition) bool {
	return p.Transaction < q.Transaction || p.Transaction == q.Transaction && p.ID < q.ID
}

// Change is an entry of the outbox.
type Change struct {
	At        ChangePosition
	Kind      ChangeKind
	Type      SubjectType
	ID        int64
	Channel   ChannelID // of a connection, or 0
	Item      Subject   // of a connection; the block of a comment; the member who joined or left
	Actor     UserID    // 0 if the API shows none
	Fields    []string  // the changed fields of a channel
	Detail    string    // as JSON: their values before and after the change, if everyone who saw the channel before may read them
	Audience  Audience
	CreatedAt time.Time
}

// Audience describes who could see a thing before it changed: a list of words. "*" means everyone, "u5" the user 5 and
// "g5" the members of the group 5. The words come from the state after the change; "+u5" means that the user gained
// access by it, and "-u5" that they lost it.
type Audience string

// Everyone is the audience of public things.
const Everyone Audience = "*"

// Grouped reports whether the audience depends on memberships.
func (a Audience) Grouped() bool {
	return strings.Contains(string(a), "g") && !strings.Contains(string(a), string(Everyone))
}

// AudienceOf returns the audience of one user or group.
func AudienceOf(p PrincipalRef) Audience {
	prefix := "u"
	if p.Type == TypeGroup {
		prefix = "g"
	}
	return Audience(prefix + strconv.FormatInt(p.ID, 10))
}

// Includes reports whether a viewer is part of the audience of a change at a time. groups contains the groups that they
// are a member of, and since when: members do not learn about things that were gone when they joined.
func (a Audience) Includes(viewer UserID, groups map[GroupID]time.Time, at time.Time) bool {
	words := strings.Fields(string(a))
	if slices.Contains(words, string(Everyone)) {
		return true
	}
	if viewer == 0 {
		return false
	}
	mine := []string{string(AudienceOf(UserRef(viewer)))}
	for g, since := range groups {
		if !since.After(at) {
			mine = append(mine, string(AudienceOf(GroupRef(g))))
		}
	}
	for _, one := range mine {
		if slices.Contains(words, "-"+one) || slices.Contains(words, one) && !slices.Contains(words, "+"+one) {
			return true
		}
	}
	return false
}

// For returns the kind of the change for a viewer, or "" if it does not concern them. before reports whether they could
// see the thing before the change, and now whether they can see it when they read the change. So a thing that they can
// no longer see is deleted for them, and one that they can see for the first time is created.
func (c *Change) For(before, now bool) ChangeKind {
	switch c.Kind {
	case ChangeDeleted, ChangeDisconnected:
		if !before {
			return ""
		}
		return c.Kind
	case ChangeUpdated, ChangeMoved:
		switch {
		case c.Type != SubjectChannel || before && now:
			if !now {
				return ""
			}
			return c.Kind
		case now:
			return ChangeCreated
		case before:
			return ChangeDeleted
		}
		return ""
	}
	if !now {
		return ""
	}
	return c.Kind
}
