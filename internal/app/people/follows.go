package people

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/activity"
)

// FollowTarget identifies a thing to follow, by id or slug.
type FollowTarget struct {
	Type domain.SubjectType
	Ref  domain.Ref
}

// Validate checks that its kind can be followed.
func (t FollowTarget) Validate() error {
	var f domain.Faults
	domain.Among(&f, "type", t.Type, domain.SubjectUser, domain.SubjectChannel, domain.SubjectGroup)
	return f.Err()
}

// followed reads a target, as far as the actor may see it.
func followed(ctx context.Context, q store.Queries, actor domain.Actor, t FollowTarget) (domain.Subject, error) {
	what := domain.Subject{Type: t.Type}
	if err := t.Validate(); err != nil {
		return what, err
	}
	switch t.Type {
	case domain.SubjectChannel:
		c, err := q.Channels().Channel(ctx, actor.UserID, t.Ref)
		what.ID = int64(c.ID)
		return what, err
	case domain.SubjectGroup:
		g, err := q.Groups().Group(ctx, actor.UserID, t.Ref)
		what.ID = int64(g.ID)
		return what, err
	}
	u, err := q.Users().User(ctx, t.Ref)
	what.ID = int64(u.ID)
	return what, err
}

// IsFollowing reports whether the actor follows a thing that they see.
func (a *People) IsFollowing(ctx context.Context, actor domain.Actor, t FollowTarget) (following bool, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		what, err := followed(ctx, v.Queries, actor, t)
		if err != nil {
			return err
		}
		following, err = v.Activity().IsFollowing(ctx, actor.UserID, what)
		return err
	})
	return following, err
}

// Follow makes the actor follow a thing that they see. Following it again changes nothing. Nobody can follow themselves.
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
		switch what.Type { // it must not be deleted in the meantime
		case domain.SubjectChannel:
			_, err = core.LockedChannel(ctx, tx, actor, domain.Ref{ID: what.ID})
		case domain.SubjectGroup:
			err = tx.Groups().LockGroup(ctx, domain.GroupID(what.ID))
		}
		if err != nil {
			return err
		}
		isNew, err := tx.Activity().Follow(ctx, actor.UserID, what, now)
		if err != nil || !isNew {
			return err
		}
		// A group may have been deleted while this waited for its lock.
		if what, err = followed(ctx, tx.Queries, actor, FollowTarget{what.Type, domain.Ref{ID: what.ID}}); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.Followed{What: what})
	})
}

// Unfollow ends a follow. Doing it again changes nothing.
func (a *People) Unfollow(ctx context.Context, actor domain.Actor, t FollowTarget) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		what, err := followed(ctx, tx.Queries, actor, t)
		if err != nil {
			return err
		}
		was, err := tx.Activity().Unfollow(ctx, actor.UserID, what)
		if err != nil || !was {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, a.Now(), domain.Unfollowed{What: what})
	})
}

// EndedFollows is the job that deletes the follows of a deleted thing.
type EndedFollows = activity.EndedFollows

// EndFollows deletes some follows of a deleted thing and leaves the rest to another job. Running it again changes
// nothing.
func (a *People) EndFollows(ctx context.Context, job EndedFollows) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Activity().EndSomeFollows(ctx, domain.Subject(job)) })
}

// FollowersBack is the job that restores the followers of a channel that was restored from Trash.
type FollowersBack = activity.FollowersBack

// RestoreFollowers restores some followers of a channel from Trash and leaves the rest to another job. Running it again
// changes nothing.
func (a *People) RestoreFollowers(ctx context.Context, job FollowersBack) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Activity().FollowSomeAgain(ctx, job.Channel) })
}

// Followers lists the followers of a thing that the actor sees.
func (a *People) Followers(ctx context.Context, actor domain.Actor, t FollowTarget, desc bool, page domain.Page) (l domain.List[domain.User], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		what, err := followed(ctx, v.Queries, actor, t)
		if err != nil {
			return err
		}
		l, err = v.Users().Followers(ctx, what, desc, page)
		return err
	})
	return l, err
}

// FollowingInput requests a page of a user's follows; Type "" means all kinds.
type FollowingInput struct {
	Type domain.SubjectType
	Desc bool
	Page domain.Page
}

// Validate checks the page and the kind.
func (in FollowingInput) Validate() error {
	if in.Type == "" {
		return in.Page.Validate()
	}
	return domain.JoinFaults(in.Page.Validate(), FollowTarget{Type: in.Type}.Validate())
}

// Following lists what a user follows and the actor may see.
func (a *People) Following(ctx context.Context, actor domain.Actor, ref domain.Ref, in FollowingInput) (l domain.List[domain.Entity], err error) {
	if err := in.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		u, err := v.Users().User(ctx, ref)
		if err != nil {
			return err
		}
		refs, err := v.Activity().Following(ctx, activity.FollowingQuery{Viewer: actor.UserID, User: u.ID, Type: in.Type, Desc: in.Desc, Page: in.Page})
		if err != nil {
			return err
		}
		l.Total = refs.Total
		l.Items, err = core.ReadEntities(ctx, v, actor, refs.Items)
		return err
	})
	return l, err
}

// FollowedIDs returns the ids of the visible things among the actor's last 1,000 follows, latest first.
func (a *People) FollowedIDs(ctx context.Context, actor domain.Actor) (channels []domain.ChannelID, users []domain.UserID, groups []domain.GroupID, err error) {
	if !actor.SignedIn() {
		return nil, nil, nil, nil
	}
	all, err := a.Store.Activity().LatestFollowings(ctx, actor.UserID, maxFollowed)
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

// maxFollowed is the maximum number of ids that FollowedIDs examines.
const maxFollowed = 1_000
