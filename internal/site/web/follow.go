package web

import (
	"context"
	"strings"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
)

// Follow is the button that follows or unfollows something, for the template "follow". The zero
// Follow shows nothing.
type Follow struct {
	Type      domain.SubjectType
	ID        int64
	Following bool
	Followers int64  // -1 if not shown
	Next      string // where it redirects to: its page
}

// Follow returns the button for a user, channel or group that the viewer can see. For guests it
// links to the sign-in page. Users have no button for themselves.
func (v *Visit) Follow(ctx context.Context, what domain.Subject, followers int64) (Follow, error) {
	if what == (domain.Subject{Type: domain.SubjectUser, ID: int64(v.Actor().UserID)}) {
		return Follow{}, nil
	}
	f := v.Following(what, false, followers)
	if v.Account == nil {
		return f, nil
	}
	var err error
	f.Following, err = v.App().People.IsFollowing(ctx, v.Actor(), people.FollowTarget{Type: what.Type, Ref: domain.Ref{ID: what.ID}})
	return f, err
}

// Following is Follow for something else than a user, if it is known whether the viewer follows it.
func (v *Visit) Following(what domain.Subject, is bool, followers int64) Follow {
	return Follow{Type: what.Type, ID: what.ID, Following: is, Followers: followers, Next: v.Here()}
}

// Kind returns the type as in addresses and forms.
func (f Follow) Kind() string { return strings.ToLower(string(f.Type)) }
