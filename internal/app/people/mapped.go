package people

import (
	"context"
	"slices"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// FollowMapping updates the memberships of a user that come from groups of an identity provider: it adds the wanted ones
// and removes those that it added before and that are no longer wanted. Other memberships stay, and so do owners.
// Usually nothing changes, and nothing is locked.
func (a *People) FollowMapping(ctx context.Context, user domain.UserID, wanted []domain.GroupID) error {
	changed, err := mappedChange(ctx, a.Store.Queries, user, wanted)
	if err != nil || len(changed) == 0 {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		u, err := tx.Users().User(ctx, domain.Ref{ID: int64(user)})
		if err != nil {
			return err
		}
		var events []domain.Event
		for _, id := range changed { // in the order of their ids, which is the lock order
			event, err := a.followInto(ctx, tx, u, id, slices.Contains(wanted, id))
			if err != nil {
				return err
			}
			if event != nil {
				events = append(events, event)
			}
		}
		if len(events) == 0 {
			return nil
		}
		return core.Publish(ctx, tx, user, a.Now(), events...)
	})
}

// mappedChange returns the groups, in the order of their ids, that a user is to join or leave.
func mappedChange(ctx context.Context, q store.Queries, user domain.UserID, wanted []domain.GroupID) (changed []domain.GroupID, err error) {
	was, err := q.Membership().MappedGroups(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, id := range was {
		if !slices.Contains(wanted, id) {
			changed = append(changed, id)
		}
	}
	for _, id := range wanted {
		member, err := q.Membership().IsMember(ctx, id, user)
		if err != nil {
			return nil, err
		}
		if !member {
			changed = append(changed, id)
		}
	}
	slices.Sort(changed)
	return slices.Compact(changed), nil
}

// followInto is FollowMapping for one group, based on its state after it was locked: another sign-in may have changed it
// before. The event is nil if nothing changed.
func (a *People) followInto(ctx context.Context, tx *store.Tx, u domain.User, id domain.GroupID, wanted bool) (domain.Event, error) {
	g, err := lockedGroup(ctx, tx, domain.Actor{UserID: u.ID}, domain.Ref{ID: int64(id)})
	if domain.KindOf(err) == domain.NotFound { // deleted in the meantime
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if wanted {
		isNew, err := settleIn(ctx, tx, id, u, a.Now())
		if err != nil || !isNew {
			return nil, err
		}
		return domain.MemberAdded{Group: id, User: u.ID}, tx.Membership().MarkMapped(ctx, id, u.ID, true)
	}
	was, err := tx.Membership().MappedGroups(ctx, u.ID)
	if err != nil || !slices.Contains(was, id) {
		return nil, err
	}
	if g.Owner.PrincipalRef == domain.UserRef(u.ID) { // the user became its owner
		return nil, tx.Membership().MarkMapped(ctx, id, u.ID, false)
	}
	if _, err := tx.Membership().RemoveMember(ctx, id, u.ID); err != nil {
		return nil, err
	}
	return domain.MemberRemoved{Group: id, User: u.ID}, nil
}
