package people

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/activity"
)

// FollowTarget names what is to be followed, by id or slug.
type FollowTarget struct {
	Type domain.SubjectType
	Ref  domain.Ref
}

// Validate checks that it is of a kind that can be followed.
func (t FollowTarget) Validate() error {
	var f domain.Faults
	domain.Among(&f, "type", t.Type, domain.SubjectUser, domain.SubjectChannel, domain.SubjectGroup)
	return f.Err()
}

// followed finds what a target names, as far as the actor may see it.
func followed(ctx context.Context, q store.Queries, actor domain.Actor, t FollowTarget) (domain.Subject, error) {
	what := domain.Subject{Type: t.Type}
	if err := t.Validate(); err != nil {
		return what, err
	}
	switch t.Type {
	case domain.SubjectChannel:
		c, err := q.Channel(ctx, actor.UserID, t.Ref)
		what.ID = int64(c.ID)
		return what, err
	case domain.SubjectGroup:
		g, err := q.Group(ctx, actor.UserID, t.Ref)
		what.ID = int64(g.ID)
		return what, err
	}
	u, err := q.User(ctx, t.Ref)
	what.ID = int64(u.ID)
	return what, err
}

// IsFollowing reports whether the actor follows something they see.
func (a *People) IsFollowing(ctx context.Context, actor domain.Actor, t FollowTarget) (following bool, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		what, err := followed(ctx, v.Queries, actor, t)
		if err != nil {
			return err
		}
		following, err = v.IsFollowing(ctx, actor.UserID, what)
		return err
	})
	return following, err
}

// Follow makes the actor follow something they see; again changes nothing. Nobody
// follows themself.
func (a *People) Follow(ctx context.Context, actor domain.Actor, t FollowTarget) error {
	now := a.Now()
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		what, err := followed(ctx, tx.Queries, actor, t)
		if err != nil {
			return err
		}
		if what == (domain.Subject{Type: domain.SubjectUser, ID: int64(actor.UserID)}) {
			return domain.NewUnprocessable("You cannot follow yourself")
		}
		switch what.Type { // it must not go away meanwhile
		case domain.SubjectChannel:
			_, err = core.LockedChannel(ctx, tx, actor, domain.Ref{ID: what.ID})
		case domain.SubjectGroup:
			err = tx.LockGroup(ctx, domain.GroupID(what.ID))
		}
		if err != nil {
			return err
		}
		isNew, err := tx.Follow(ctx, actor.UserID, what, now)
		if err != nil || !isNew {
			return err
		}
		// A group that was deleted while this waited for it is gone by now.
		if what, err = followed(ctx, tx.Queries, actor, FollowTarget{what.Type, domain.Ref{ID: what.ID}}); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.Followed{What: what})
	})
}

// Unfollow ends a following; again changes nothing.
func (a *People) Unfollow(ctx context.Context, actor domain.Actor, t FollowTarget) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		what, err := followed(ctx, tx.Queries, actor, t)
		if err != nil {
			return err
		}
		was, err := tx.Unfollow(ctx, actor.UserID, what)
		if err != nil || !was {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, a.Now(), domain.Unfollowed{What: what})
	})
}

// EndedFollows is the job that ends the followings of something that is gone.
type EndedFollows = activity.EndedFollows

// EndFollows ends some of the followings of something that is gone, and leaves the
// others to a further job. A second time changes nothing.
func (a *People) EndFollows(ctx context.Context, job EndedFollows) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.EndSomeFollows(ctx, domain.Subject(job)) })
}

// Followers lists who follows something that the actor sees.
func (a *People) Followers(ctx context.Context, actor domain.Actor, t FollowTarget, desc bool, page domain.Page) (l domain.List[domain.User], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		what, err := followed(ctx, v.Queries, actor, t)
		if err != nil {
			return err
		}
		l, err = v.Followers(ctx, what, desc, page)
		return err
	})
	return l, err
}

// FollowingInput asks for a page of what a user follows; Type "" means all kinds.
type FollowingInput struct {
	Type domain.SubjectType
	Desc bool
	Page domain.Page
}

// Validate checks the page, and that things of such a kind can be followed.
func (in FollowingInput) Validate() error {
	if in.Type == "" {
		return in.Page.Validate()
	}
	return domain.JoinFaults(in.Page.Validate(), FollowTarget{Type: in.Type}.Validate())
}

// Following lists what a user follows and the actor may see.
func (a *People) Following(ctx context.Context, actor domain.Actor, ref domain.Ref, in FollowingInput) (l domain.List[domain.Thing], err error) {
	if err := in.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		u, err := v.User(ctx, ref)
		if err != nil {
			return err
		}
		refs, err := v.Following(ctx, activity.FollowingQuery{Viewer: actor.UserID, User: u.ID, Type: in.Type, Desc: in.Desc, Page: in.Page})
		if err != nil {
			return err
		}
		l.Total = refs.Total
		l.Items, err = core.ReadThings(ctx, v, actor, refs.Items)
		return err
	})
	return l, err
}

// FollowedIDs gives the ids of what the actor follows and may see, of the 1,000 that they
// began to follow last; those first.
func (a *People) FollowedIDs(ctx context.Context, actor domain.Actor) (channels []domain.ChannelID, users []domain.UserID, groups []domain.GroupID, err error) {
	if !actor.SignedIn() {
		return nil, nil, nil, nil
	}
	all, err := a.Store.LatestFollowings(ctx, actor.UserID, mostFollowed)
	for _, what := range all {
		switch what.Type {
		case domain.SubjectChannel:
			channels = append(channels, domain.ChannelID(what.ID))
		case domain.SubjectUser:
			users = append(users, domain.UserID(what.ID))
		default:
			groups = append(groups, domain.GroupID(what.ID))
		}
	}
	return channels, users, groups, err
}

// mostFollowed is how many of what somebody follows is named at once.
const mostFollowed = 1_000
