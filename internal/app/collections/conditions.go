package collections

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Together runs fn so that everything that use cases write with tx as the Within of their scope is committed together, or
// nothing.
func (a *Collections) Together(ctx context.Context, fn func(tx any) error) error {
	return a.Store.Together(ctx, func(tx *store.Tx) error { return fn(tx) })
}

// Current is the state of a thing. One field is set.
type Current struct {
	Block      *domain.Block
	Channel    *FullChannel
	Connection *PlacedConnection
	Comment    *domain.Comment
	User       *domain.User
	Group      *domain.Group
}

// Locked reads a thing that the actor sees and locks it against changes, in a transaction that is about to change it.
// tx is that of scope.Match. A block that it deletes is locked after its channels, as DeleteBlock does.
func (a *Collections) Locked(ctx context.Context, tx any, actor domain.Actor, kind domain.SubjectType, ref domain.Ref, deletes bool) (c Current, err error) {
	t := tx.(*store.Tx)
	switch kind {
	case domain.SubjectBlock:
		id := domain.BlockID(ref.ID)
		if deletes {
			if _, err := t.Blocks().Block(ctx, actor.UserID, id); err != nil {
				return c, err
			}
			if _, err := t.Blocks().LockBlockInChannels(ctx, id); err != nil {
				return c, err
			}
		}
		b, err := t.Blocks().LockedBlock(ctx, actor.UserID, id)
		return Current{Block: &b}, err
	case domain.SubjectChannel:
		size, err := t.Channels().ChannelSize(ctx, actor.UserID, ref)
		if err == nil {
			err = t.Channels().LockWithParents(ctx, size.ID)
		}
		if err != nil {
			return c, err
		}
		full, err := fullChannel(ctx, t.Queries, actor, domain.Ref{ID: int64(size.ID)})
		return Current{Channel: &full}, err
	case domain.SubjectConnection:
		id := domain.ConnectionID(ref.ID)
		p, err := lockedConnection(ctx, t, actor, id)
		if err != nil {
			return c, err
		}
		at, err := t.Contents().Positions(ctx, id)
		p.Position = at[id]
		return Current{Connection: &p}, err
	case domain.SubjectComment:
		id := domain.CommentID(ref.ID)
		was, err := t.Comments().Comment(ctx, id)
		if err != nil {
			return c, err
		}
		if _, err := t.Blocks().LockedBlock(ctx, actor.UserID, was.BlockID); err != nil {
			return c, err
		}
		now, err := t.Comments().Comment(ctx, id)
		return Current{Comment: &now}, err
	case domain.SubjectGroup:
		id, err := t.Groups().ResolveGroup(ctx, ref)
		if err == nil {
			err = t.Groups().LockGroup(ctx, id)
		}
		if err != nil {
			return c, err
		}
		g, err := t.Groups().Group(ctx, actor.UserID, domain.Ref{ID: int64(id)})
		return Current{Group: &g}, err
	}
	u, err := t.Users().LockUser(ctx, domain.UserID(ref.ID))
	return Current{User: &u.User}, err
}
