package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// FollowTarget names what is to be followed, by id or slug.
type FollowTarget struct {
	Type domain.SubjectType
	Ref  domain.Ref
}

// followed finds what a target names, as far as the actor may see it.
func followed(ctx context.Context, q store.Queries, actor domain.Actor, t FollowTarget) (domain.Subject, error) {
	what := domain.Subject{Type: t.Type}
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
func (a *App) IsFollowing(ctx context.Context, actor domain.Actor, t FollowTarget) (following bool, err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
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
func (a *App) Follow(ctx context.Context, actor domain.Actor, t FollowTarget) error {
	now := a.now()
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		what, err := followed(ctx, tx.Queries, actor, t)
		if err != nil {
			return err
		}
		if what == (domain.Subject{Type: domain.SubjectUser, ID: int64(actor.UserID)}) {
			return domain.NewUnprocessable("You cannot follow yourself")
		}
		switch what.Type { // it must not go away meanwhile
		case domain.SubjectChannel:
			_, err = lockedChannel(ctx, tx, actor, domain.Ref{ID: what.ID})
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
		news, err := newsOfFollow(ctx, tx, actor, what, now)
		if err != nil {
			return err
		}
		_, err = tx.RecordAll(ctx, news)
		return err
	})
}

// Unfollow ends a following; again changes nothing.
func (a *App) Unfollow(ctx context.Context, actor domain.Actor, t FollowTarget) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		what, err := followed(ctx, tx.Queries, actor, t)
		if err != nil {
			return err
		}
		_, err = tx.Unfollow(ctx, actor.UserID, what)
		return err
	})
}

// EndedFollows is the job that ends the followings of something that is gone.
type EndedFollows = store.EndedFollows

// EndFollows ends some of the followings of something that is gone, and leaves the
// others to a further job. A second time changes nothing.
func (a *App) EndFollows(ctx context.Context, job EndedFollows) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error { return tx.EndSomeFollows(ctx, domain.Subject(job)) })
}

// Followers lists who follows something that the actor sees.
func (a *App) Followers(ctx context.Context, actor domain.Actor, t FollowTarget, desc bool, page domain.Page) (l domain.List[domain.User], err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
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

// Following lists what a user follows and the actor may see.
func (a *App) Following(ctx context.Context, actor domain.Actor, ref domain.Ref, in FollowingInput) (l domain.List[domain.FollowedThing], err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		u, err := v.User(ctx, ref)
		if err != nil {
			return err
		}
		refs, err := v.Following(ctx, store.FollowingQuery{Viewer: actor.UserID, User: u.ID, Type: in.Type, Desc: in.Desc, Page: in.Page})
		if err != nil {
			return err
		}
		l.Total = refs.Total
		l.Items, err = things(ctx, v, actor, refs.Items)
		return err
	})
	return l, err
}

// things reads users, groups and channels, a query for each kind.
func things(ctx context.Context, v *store.Snapshot, actor domain.Actor, refs []domain.Subject) ([]domain.FollowedThing, error) {
	var userIDs []domain.UserID
	var groupIDs []domain.GroupID
	var channelIDs []domain.ChannelID
	for _, r := range refs {
		switch r.Type {
		case domain.SubjectUser:
			userIDs = append(userIDs, domain.UserID(r.ID))
		case domain.SubjectGroup:
			groupIDs = append(groupIDs, domain.GroupID(r.ID))
		case domain.SubjectChannel:
			channelIDs = append(channelIDs, domain.ChannelID(r.ID))
		}
	}
	users, err := v.UsersByID(ctx, userIDs)
	if err != nil {
		return nil, err
	}
	groups, err := v.GroupsByID(ctx, actor.UserID, groupIDs)
	if err != nil {
		return nil, err
	}
	channels, err := v.ChannelsByID(ctx, actor.UserID, channelIDs)
	if err != nil {
		return nil, err
	}
	all := make([]domain.FollowedThing, 0, len(refs))
	for _, r := range refs {
		var t domain.FollowedThing
		switch r.Type {
		case domain.SubjectUser:
			t.User = found(users, domain.UserID(r.ID))
		case domain.SubjectGroup:
			t.Group = found(groups, domain.GroupID(r.ID))
		case domain.SubjectChannel:
			t.Channel = found(channels, domain.ChannelID(r.ID))
		}
		if t == (domain.FollowedThing{}) { // nothing is shown of what is not there
			continue
		}
		all = append(all, t)
	}
	return all, nil
}
