package people

import (
	"context"
	"math"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ActivityKind is the kind of a list of activities.
type ActivityKind string

// The lists of activities that are read in parts.
const (
	OwnFeed     ActivityKind = "feed"    // by users that the actor follows
	GlobalFeed  ActivityKind = "global"  // by anybody, visible to everybody
	ChannelFeed ActivityKind = "channel" // in a channel
	UserFeed    ActivityKind = "user"    // by a user
	NetworkFeed ActivityKind = "network" // by users that a user follows
)

// ActivitySource identifies a list of activities. Ref is its channel or user, if the list has one.
type ActivitySource struct {
	Kind ActivityKind
	Ref  domain.Ref
}

// Validate checks that the list exists.
func (s ActivitySource) Validate() error {
	var f domain.Faults
	domain.Among(&f, "kind", s.Kind, OwnFeed, GlobalFeed, ChannelFeed, UserFeed, NetworkFeed)
	return f.Err()
}

// Part requests a part of a list: Limit entries after Offset others.
type Part struct{ Offset, Limit int64 }

// Validate checks offset and limit.
func (p Part) Validate() error {
	var f domain.Faults
	f.Between("offset", p.Offset, 0, math.MaxInt64)
	f.Between("limit", p.Limit, 1, domain.MaxPerPage)
	return f.Err()
}

// maxOffset is the maximum offset into a list of activities, since each request reads all entries before the offset
// again.
const maxOffset = 2_000

// Activities reads a part of a list of activities, newest first. It contains what the actor may see now; the global list
// contains what everybody may see. A part that begins beyond the 2,000th activity is empty, and so is one behind 10,000
// hidden ones. Cursors reach further (Feed).
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

// activitiesOf returns the reader of a list, or NotFound if the actor does not see its channel or user.
func activitiesOf(ctx context.Context, v *store.Snapshot, actor domain.Actor, of ActivitySource) (reader[domain.Story], error) {
	source := domain.Subject{}
	switch of.Kind {
	case OwnFeed:
		return feedReader(ctx, v, actor, actor.UserID), nil
	case GlobalFeed:
		actor = domain.Actor{} // as guests see it
	case ChannelFeed:
		c, err := v.Channels().Channel(ctx, actor.UserID, of.Ref)
		if err != nil {
			return reader[domain.Story]{}, err
		}
		source = domain.Subject{Type: domain.SubjectChannel, ID: int64(c.ID)}
	default:
		u, err := v.Users().User(ctx, of.Ref)
		if err != nil || of.Kind == NetworkFeed {
			return feedReader(ctx, v, actor, u.ID), err
		}
		source = domain.Subject{Type: domain.SubjectUser, ID: int64(u.ID)}
	}
	return reader[domain.Story]{
		visible: func(w domain.Window) (seen chunk, err error) {
			ids, err := v.Activity().ActivityIDs(ctx, source, w)
			if err != nil {
				return seen, err
			}
			return visible(ctx, v, actor, ids)
		},
		hydrate: func(found []domain.Activity) ([]domain.Story, error) { return hydrate(ctx, v, actor, found) },
	}, nil
}

// partOf reads a part of a list, starting at the list's beginning.
func partOf[T any](part Part, r reader[T]) ([]T, error) {
	found, _, err := gather(r.visible, domain.Window{Before: math.MaxInt64}, int(part.Offset+part.Limit))
	if err != nil || part.Offset >= int64(len(found)) {
		return nil, err
	}
	return r.hydrate(found[part.Offset:])
}

// NotificationsAt reads a part of the actor's notifications, newest first. It reaches as far as Activities.
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
