package moderation

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
)

// remove deletes a thing for an operator, like its owner could, and returns its locked state. It returns NotFound if the
// thing no longer exists.
func (a *Moderation) remove(ctx context.Context, tx *store.Tx, actor domain.Actor, what domain.Subject, now time.Time) (t SubjectDetails, err error) {
	switch what.Type {
	case domain.SubjectBlock:
		t, err = a.removeBlock(ctx, tx, actor, what, now)
	case domain.SubjectChannel:
		t, err = a.removeChannel(ctx, tx, actor, what, now)
	case domain.SubjectComment:
		t, err = a.removeComment(ctx, tx, actor, what, now)
	case domain.SubjectGroup:
		t, err = a.removeGroup(ctx, tx, actor, what, now)
	default:
		return t, domain.NewUnprocessable("An account is deleted on its own page, or suspended")
	}
	if err != nil {
		return t, err
	}
	return t, a.Audit(ctx, tx, actor, domain.ActDeleted, t.About, nil)
}

func (a *Moderation) removeBlock(ctx context.Context, tx *store.Tx, actor domain.Actor, what domain.Subject, now time.Time) (t SubjectDetails, err error) {
	id := domain.BlockID(what.ID)
	conns, err := tx.Blocks().LockBlockInChannels(ctx, id)
	if err != nil {
		return t, err
	}
	if t, err = readAny(ctx, tx.Queries, what); err != nil {
		return t, err
	}
	var events []domain.Event
	for _, c := range conns {
		if err := tx.Connections().Disconnect(ctx, c, now); err != nil {
			return t, err
		}
		events = append(events, domain.Disconnected{Connection: c})
	}
	if err := tx.Blocks().DeleteBlock(ctx, id, now); err != nil {
		return t, err
	}
	if err := tx.Trash().ForgetConnectionsOf(ctx, domain.BlockRef(id)); err != nil {
		return t, err
	}
	return t, core.Publish(ctx, tx, actor.UserID, now, append(events, domain.BlockDeleted{Block: id, Author: t.Owner})...)
}

func (a *Moderation) removeChannel(ctx context.Context, tx *store.Tx, actor domain.Actor, what domain.Subject, now time.Time) (t SubjectDetails, err error) {
	if err := tx.Channels().LockWithParents(ctx, domain.ChannelID(what.ID)); err != nil {
		return t, err
	}
	if t, err = readAny(ctx, tx.Queries, what); err != nil {
		return t, err
	}
	if err := tx.Channels().DeleteChannel(ctx, *t.What.Channel, now); err != nil {
		return t, err
	}
	if err := tx.Trash().ForgetConnectionsOf(ctx, domain.ChannelRef(t.What.Channel.ID)); err != nil {
		return t, err
	}
	return t, core.Publish(ctx, tx, actor.UserID, now, domain.ChannelDeleted{Channel: *t.What.Channel})
}

func (a *Moderation) removeComment(ctx context.Context, tx *store.Tx, actor domain.Actor, what domain.Subject, now time.Time) (t SubjectDetails, err error) {
	if t, err = readAny(ctx, tx.Queries, what); err != nil {
		return t, err
	}
	if err := tx.Blocks().LockBlock(ctx, t.What.Comment.BlockID); err != nil {
		return t, err
	}
	if t, err = readAny(ctx, tx.Queries, what); err != nil { // it may have been deleted in the meantime
		return t, err
	}
	if err := takeBack(ctx, tx, *t.What.Comment); err != nil {
		return t, err
	}
	if err := tx.Comments().DeleteComment(ctx, *t.What.Comment); err != nil {
		return t, err
	}
	return t, core.Publish(ctx, tx, actor.UserID, now, domain.CommentDeleted{Comment: *t.What.Comment})
}

// takeBack restores a hidden comment, so that it can be deleted like any other.
func takeBack(ctx context.Context, tx *store.Tx, c domain.Comment) error {
	if err := tx.Hiding().PutCommentBack(ctx, moderation.HiddenComment{Comment: c.ID, Block: c.BlockID}); err != nil {
		return err
	}
	return tx.Hiding().ForgetHidden(ctx, domain.Subject{Type: domain.SubjectComment, ID: int64(c.ID)})
}

func (a *Moderation) removeGroup(ctx context.Context, tx *store.Tx, actor domain.Actor, what domain.Subject, now time.Time) (t SubjectDetails, err error) {
	id := domain.GroupID(what.ID)
	if err := tx.Groups().LockGroupWithChannels(ctx, id); err != nil {
		return t, err
	}
	if t, err = readAny(ctx, tx.Queries, what); err != nil {
		return t, err
	}
	if err := tx.Groups().DeleteGroup(ctx, *t.What.Group, now); err != nil {
		return t, err
	}
	return t, core.Publish(ctx, tx, actor.UserID, now, domain.GroupDeleted{Group: id})
}
