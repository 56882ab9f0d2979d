package people

import (
	"context"
	"math"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ActivityKind says whose activities a list has.
type ActivityKind string

// The lists of activities that are read in parts.
const (
	OwnFeed     ActivityKind = "feed"    // what those did whom the actor follows
	GlobalFeed  ActivityKind = "global"  // what anybody did and everybody may see
	ChannelFeed ActivityKind = "channel" // what was done in a channel
	UserFeed    ActivityKind = "user"    // what a user did
	NetworkFeed ActivityKind = "network" // what those did whom a user follows
)

// ActivitySource names a list of activities; Ref is of its channel or user, where it is of one.
type ActivitySource struct {
	Kind ActivityKind
	Ref  domain.Ref
}

// Validate checks that there is such a list.
func (s ActivitySource) Validate() error {
	var f domain.Faults
	domain.Among(&f, "kind", s.Kind, OwnFeed, GlobalFeed, ChannelFeed, UserFeed, NetworkFeed)
	return f.Err()
}

// Part asks for a part of a list: Limit things, after so many others.
type Part struct{ Offset, Limit int64 }

// Validate checks that there can be such a part.
func (p Part) Validate() error {
	var f domain.Faults
	f.Between("offset", p.Offset, 0, math.MaxInt64)
	f.Between("limit", p.Limit, 1, domain.MaxPerPage)
	return f.Err()
}

// maxOffset bounds how far parts of lists of activities reach: what comes before one is looked
// at anew for each.
const maxOffset = 2_000

// Activities reads a part of a list of activities, the newest first. Of each list it shows what
// the actor may see now, of the global one what everybody may. A part that begins beyond the
// 2,000th activity is empty, and so is one behind 10,000 that are hidden. Cursors reach
// further (Feed).
func (a *People) Activities(ctx context.Context, actor domain.Actor, of ActivitySource, part Part) (all []domain.Story, err error) {
	if err := domain.JoinFaults(of.Validate(), part.Validate()); err != nil || part.Offset >= maxOffset {
		return nil, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		r, err := activitiesOf(ctx, v, actor, of)
		if err != nil {
			return err
		}
		all, err = partOf(part, r)
		return err
	})
	return all, err
}

// activitiesOf gives the reader of a list, NotFound if the actor does not see what it is of.
func activitiesOf(ctx context.Context, v *store.Snapshot, actor domain.Actor, of ActivitySource) (reader[domain.Story], error) {
	source := domain.Subject{}
	switch of.Kind {
	case OwnFeed:
		return feedReader(ctx, v, actor, actor.UserID), nil
	case GlobalFeed:
		actor = domain.Actor{} // as guests see it
	case ChannelFeed:
		c, err := v.Channel(ctx, actor.UserID, of.Ref)
		if err != nil {
			return reader[domain.Story]{}, err
		}
		source = domain.Subject{Type: domain.SubjectChannel, ID: int64(c.ID)}
	default:
		u, err := v.User(ctx, of.Ref)
		if err != nil || of.Kind == NetworkFeed {
			return feedReader(ctx, v, actor, u.ID), err
		}
		source = domain.Subject{Type: domain.SubjectUser, ID: int64(u.ID)}
	}
	return reader[domain.Story]{
		visible: func(w domain.Window) (seen stretch, err error) {
			ids, err := v.ActivityIDs(ctx, source, w)
			if err != nil {
				return seen, err
			}
			return visible(ctx, v, actor, ids)
		},
		hydrate: func(found []domain.Activity) ([]domain.Story, error) { return hydrate(ctx, v, actor, found) },
	}, nil
}

// partOf reads a part of a list, from the list's beginning.
func partOf[T any](part Part, r reader[T]) ([]T, error) {
	found, _, err := gather(r.visible, domain.Window{Before: math.MaxInt64}, int(part.Offset+part.Limit))
	if err != nil || part.Offset >= int64(len(found)) {
		return nil, err
	}
	return r.hydrate(found[part.Offset:])
}

// NotificationsAt reads a part of the actor's notifications, the newest first. It reaches as far
// as Activities.
func (a *People) NotificationsAt(ctx context.Context, actor domain.Actor, part Part) (all []domain.Notice, err error) {
	if err := part.Validate(); err != nil || part.Offset >= maxOffset || !actor.SignedIn() {
		return nil, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		all, err = partOf(part, noticeReader(ctx, v, actor, false))
		return err
	})
	return all, err
}
