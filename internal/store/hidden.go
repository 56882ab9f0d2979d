package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/ranked"
)

// Unchanged is a time before all others. Passed as the current time, it leaves times of change as
// they are.
var Unchanged = time.UnixMicro(0)

// errHidden returns the error for a block that operators have hidden.
func errHidden() error {
	return domain.NewForbidden("Whoever runs this site has hidden this block")
}

// refuseHidden returns an error for a hidden block that is being added to its first channel. It is
// called after the block is locked, so that hiding it at the same time happens before or after.
func (w HidingWrites) refuseHidden(ctx context.Context, id int64) error {
	hidden, err := w.tx.Hiding().HiddenSubject(ctx, domain.Subject{Type: domain.SubjectBlock, ID: id})
	if err == nil && hidden.ID != 0 {
		return errHidden()
	}
	if domain.KindOf(err) == domain.NotFound {
		err = nil
	}
	return err
}

// PutAway removes a connection from its locked channel until what it is hidden for is shown again.
func (w HidingWrites) PutAway(ctx context.Context, under moderation.HidingID, c domain.Connection) error {
	if err := w.tx.Hiding().KeepConnection(ctx, under, c.ID); err != nil {
		return err
	}
	return w.tx.Connections().Disconnect(ctx, c, Unchanged)
}

// PutBack restores a hidden connection in its live, locked channel, unchanged and in its place.
// Its item exists, is locked and is not in the channel. Transitions pending for the channel also
// apply to it, as if it had never been hidden.
func (w HidingWrites) PutBack(ctx context.Context, k moderation.HiddenConnection) error {
	at, err := w.tx.Connections().freeTime(ctx, k.Channel, k.CreatedAt)
	if err != nil {
		return err
	}
	e, err := w.tx.Transitions().effect(ctx, k.Channel, at)
	if err != nil {
		return err
	}
	n := NewConnection{Item: k.Item, Channel: domain.Channel{Visibility: domain.Private}}
	if e.open > 0 {
		n.Channel.Visibility = domain.Public
	}
	item, err := w.tx.Connections().enter(ctx, n)
	if err != nil {
		return err
	}
	if err := w.tx.documents().Relink(ctx, k.Item, n.Channel.Visibility, 1); err != nil {
		return err
	}
	if e.group != 0 && k.Item.Type == domain.ItemBlock {
		if err := w.tx.documents().PutInGroup(ctx, e.owner(), k.Item, e.open, e.private); err != nil {
			return err
		}
	}
	blocks, channels, privates := tally(k.Item.Type, item.private)
	var all int64
	err = w.tx.db.QueryRow(ctx, `UPDATE channels SET blocks_count = blocks_count + $2, channels_count = channels_count + $3,
			private_count = private_count + $4, version = version + 1 WHERE id = $1 RETURNING blocks_count + channels_count`,
		k.Channel, blocks, channels, privates).Scan(&all)
	if err != nil {
		return err
	}
	list := ranked.Of(w.tx.db, k.Channel)
	key, err := list.Again(ctx, k.PositionKey, all-1)
	if err != nil {
		return err
	}
	err = w.tx.db.ExecOne(ctx, moderation.ShowConnection, k.ID, item.private, item.updatedAt, key, at)
	if err != nil {
		return err
	}
	if !item.private {
		w.tx.deltas().Connection(k.Channel, k.User, 1)
	}
	if k.Item.Type == domain.ItemBlock {
		w.tx.deltas().BlockTime(k.Channel, item.updatedAt, 1)
	}
	if err := list.Insert(ctx, ranked.Item{PositionKey: key, CreatedAt: at, Private: item.private}, all-1); err != nil {
		return err
	}
	return w.tx.Hiding().DropKept(ctx, k.ID)
}

// forgetHidden deletes the hidden things of an account that is being deleted.
func (w HidingWrites) forgetHidden(ctx context.Context, user domain.UserID) error {
	comments, err := w.tx.Hiding().ForgetHiddenOf(ctx, user)
	if err != nil || len(comments) == 0 {
		return err
	}
	return w.tx.Activity().ForgetActivities(ctx, domain.SubjectComment, comments...)
}
