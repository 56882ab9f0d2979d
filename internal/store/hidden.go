package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/sqlx"
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

// PutBack restores a hidden connection in its locked channel, which exists or is in Trash, unchanged and in its place.
// Its item exists, is locked and is not in the channel. Transitions pending for the channel also
// apply to it, as if it had never been hidden.
func (w HidingWrites) PutBack(ctx context.Context, k moderation.HiddenConnection) error {
	err := w.tx.Connections().putBack(ctx, k, moderation.ShowConnection, func(list ranked.List, others int64) (int64, error) {
		return list.Again(ctx, k.PositionKey, others)
	})
	if err != nil {
		return err
	}
	return w.tx.Hiding().DropKept(ctx, k.ID)
}

// putBack restores a connection of another table in its locked channel, which may be deleted. place returns its key in
// the list of the other connections, and gets their number.
func (w ConnectionWrites) putBack(ctx context.Context, k moderation.HiddenConnection, copyBack string, place func(list ranked.List, others int64) (int64, error)) error {
	at, err := w.freeTime(ctx, k.Channel, k.CreatedAt)
	if err != nil {
		return err
	}
	e, err := w.tx.Transitions().effect(ctx, k.Channel, at)
	if err != nil {
		return err
	}
	item, err := w.readItem(ctx, k.Item)
	if err == nil {
		err = w.count(ctx, e, k.Item, 1)
	}
	if err != nil {
		return err
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
	key, err := place(list, all-1)
	if err != nil {
		return err
	}
	err = w.tx.db.ExecOne(ctx, copyBack, k.ID, item.private, item.updatedAt, key, at)
	if err != nil {
		return err
	}
	if !item.private {
		w.tx.deltas().Connection(k.Channel, k.User, 1)
	}
	if k.Item.Type == domain.ItemBlock {
		w.tx.deltas().BlockTime(k.Channel, item.updatedAt, 1)
	}
	return list.Insert(ctx, ranked.Item{PositionKey: key, CreatedAt: at, Private: item.private}, all-1)
}

// readItem returns what a connection stores of a locked item.
func (w ConnectionWrites) readItem(ctx context.Context, item domain.ItemRef) (e entering, err error) {
	if item.Type == domain.ItemBlock {
		e.updatedAt, err = sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `SELECT updated_at FROM blocks WHERE id = $1`, item.ID))
		return e, sqlx.Found(err)
	}
	err = w.tx.db.QueryRow(ctx, `SELECT visibility = 'private' FROM channels WHERE id = $1 AND state = 'available'`, item.ID).Scan(&e.private)
	return e, sqlx.Found(err)
}

// forgetHidden deletes the hidden things of an account that is being deleted.
func (w HidingWrites) forgetHidden(ctx context.Context, user domain.UserID) error {
	comments, err := w.tx.Hiding().ForgetHiddenOf(ctx, user)
	if err != nil || len(comments) == 0 {
		return err
	}
	return w.tx.Activity().ForgetActivities(ctx, domain.SubjectComment, comments...)
}
