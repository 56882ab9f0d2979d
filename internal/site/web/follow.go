package web

import (
	"context"
	"strings"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
)

// Follow is the button by which the viewer follows something or no longer does, as the
// template "follow" shows it. The zero Follow shows nothing.
type Follow struct {
	Type      domain.SubjectType
	ID        int64
	Following bool
	Followers int64  // -1 where they are not said
	Next      string // where it leads: the page that it stands on
}

// Follow makes the button for a user, a channel or a group that the viewer sees. Guests
// have one too, which leads them to sign in; nobody has one for themself.
func (v *Visit) Follow(ctx context.Context, what domain.Subject, followers int64) (Follow, error) {
	if what == (domain.Subject{Type: domain.SubjectUser, ID: int64(v.Actor().UserID)}) {
		return Follow{}, nil
	}
	f := Follow{Type: what.Type, ID: what.ID, Followers: followers, Next: v.Here()}
	if v.Account == nil {
		return f, nil
	}
	var err error
	f.Following, err = v.App().IsFollowing(ctx, v.Actor(), people.FollowTarget{Type: what.Type, Ref: domain.Ref{ID: what.ID}})
	return f, err
}

// Kind is the type as addresses and forms have it.
func (f Follow) Kind() string { return strings.ToLower(string(f.Type)) }
