package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// LockTrashed locks and reads something that a user can restore. It must be locked before what it is about. It returns
// NotFound for everything else.
func (w TrashWrites) LockTrashed(ctx context.Context, user domain.UserID, id domain.TrashID) (domain.Trashed, error) {
	if w.tx.db.LocksRows() {
		if _, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `SELECT t.id FROM trash_things t WHERE t.id = $1`+w.tx.db.ForUpdate("t"), id)); err != nil {
			return domain.Trashed{}, sqlx.Found(err)
		}
	}
	t, err := scanTrashed(w.tx.db.QueryRow(ctx, selectTrashed+"t.id = $2 AND "+restorableBy, user, id))
	return t, sqlx.Found(err)
}

// kept is a connection in Trash.
type kept struct {
	moderation.HiddenConnection
	below, above domain.ConnectionID
	owner        domain.PrincipalRef // of the item
	private      bool                // whether the item is
}

// connections lists the connections of things in the order of their channels, from the top, and locks the channels.
func (w TrashWrites) connections(ctx context.Context, things []domain.TrashID, others ...domain.ChannelID) ([]kept, error) {
	rows, err := w.tx.db.Query(ctx, `SELECT k.id, k.channel_id, k.item_type, k.item_id, k.user_id, k.position_key, k.created_at, k.below_id, k.above_id
		FROM trash_connections k WHERE `+w.tx.db.In("k.thing_id", "$1")+` ORDER BY k.channel_id, k.position_key DESC`, sqlx.IDs(w.tx.db.Dialect, things))
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (k kept, err error) {
		err = row.Scan(&k.ID, &k.Channel, &k.Item.Type, &k.Item.ID, &k.User, &k.PositionKey, &k.CreatedAt, &k.below, &k.above)
		return k, err
	})
	if err != nil {
		return nil, err
	}
	channels := others
	for _, k := range all {
		channels = append(channels, k.Channel)
		if k.Item.Type == domain.ItemChannel {
			channels = append(channels, domain.ChannelID(k.Item.ID))
		}
	}
	return all, w.tx.Channels().LockChannels(ctx, channels...)
}

// TrashRestored is the result of restoring something.
type TrashRestored struct {
	Connected   []domain.Connected    // the connections that are visible again
	Connections []domain.ConnectionID // their ids
	Lost        int                   // number of connections and comments that could not be restored
}

// Events returns the events of the connections.
func (r TrashRestored) Events() (all []domain.Event) {
	for _, c := range r.Connected {
		all = append(all, c)
	}
	return all
}

// connect restores connections in their locked channels. A deleted channel gets them too, since it may be restored later.
func (w TrashWrites) connect(ctx context.Context, all []kept, r *TrashRestored, now time.Time) error {
	for _, k := range all {
		there, err := w.tx.Contents().ConnectionOf(ctx, k.Channel, k.Item)
		if err != nil {
			return err
		}
		hidden, err := w.tx.Hiding().StaysHidden(ctx, k.HiddenConnection)
		if err != nil {
			return err
		}
		if there != 0 || hidden != 0 {
			r.Lost++
			continue
		}
		err = w.tx.Connections().putBack(ctx, k.HiddenConnection, connectionFromTrash, func(list ranked.List, others int64) (int64, error) {
			return list.AgainBetween(ctx, k.PositionKey, k.below, k.above, others)
		})
		if err == nil {
			err = w.tx.Connections().arranged(ctx, k.Channel, now)
		}
		if err != nil {
			return err
		}
		c, err := rowmap.ScanChannel(w.tx.db.QueryRow(ctx, "SELECT "+rowmap.ChannelColumns+" FROM channels ch "+rowmap.ChannelOwner+
			" WHERE ch.id = $1 AND ch.state = 'available'", k.Channel))
		switch {
		case errors.Is(err, database.ErrNoRows):
			waits, err := w.Waits(ctx, k.Channel)
			if err != nil {
				return err
			}
			if !waits {
				r.Lost++
			}
		case err != nil:
			return err
		default:
			r.Connections = append(r.Connections, k.ID)
			r.Connected = append(r.Connected, domain.Connected{Channel: c, Item: k.Item, Owner: k.owner, ItemPrivate: k.private, Again: true})
		}
	}
	return nil
}

// Waits reports whether a channel is in Trash and can be restored.
func (w TrashWrites) Waits(ctx context.Context, id domain.ChannelID) (waits bool, err error) {
	err = w.tx.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM trash_things WHERE kind = 'Channel' AND target_id = $1 AND NOT purging)`, id).Scan(&waits)
	return waits, err
}

// RestoreBlock restores a block from Trash, with its connections, comments and files.
func (w TrashWrites) RestoreBlock(ctx context.Context, t domain.Trashed, now time.Time) (r TrashRestored, err error) {
	all, err := w.connections(ctx, []domain.TrashID{t.ID})
	if err != nil {
		return r, err
	}
	var data string
	if err := w.tx.db.QueryRow(ctx, `SELECT data FROM trash_things WHERE id = $1`, t.ID).Scan(&data); err != nil {
		return r, err
	}
	var rows trashedRows
	in := json.NewDecoder(bytes.NewReader([]byte(data)))
	in.UseNumber()
	if err := in.Decode(&rows); err != nil {
		return r, fmt.Errorf("store: trash %d: %w", t.ID, err)
	}
	id := domain.BlockID(t.Target)
	rows.Block["open_count"], rows.Block["private_count"], rows.Block["comment_count"] = int64(0), int64(0), int64(0)
	if err := w.insertRow(ctx, "blocks", rows.Block); err != nil {
		return r, err
	}
	if err := w.restoreRows(ctx, rows); err != nil {
		return r, err
	}
	err = w.tx.db.Exec(ctx, `UPDATE files SET key = (SELECT t.key FROM trash_files t WHERE t.file_id = files.id)
		WHERE id IN (SELECT file_id FROM trash_files WHERE thing_id = $1)`, t.ID)
	if err != nil {
		return r, err
	}
	comments, err := w.restoreComments(ctx, t.ID, id, &r)
	if err != nil {
		return r, err
	}
	// The version grows, so that clients do not take an earlier answer for this one.
	err = w.tx.db.ExecOne(ctx, `UPDATE blocks SET comment_count = $2, version = version + 1 WHERE id = $1`, id, comments)
	if err != nil {
		return r, err
	}
	for _, table := range blockParts {
		if err := w.tx.db.Exec(ctx, "UPDATE "+table+" SET block_id = $1, trash_id = NULL WHERE trash_id = $2", id, t.ID); err != nil {
			return r, err
		}
	}
	err = w.tx.db.Exec(ctx, `INSERT INTO reading_places (user_id, block_id, place, read_at) SELECT p.user_id, CAST($2 AS BIGINT), p.place, p.read_at
		FROM trash_places p JOIN users u ON u.id = p.user_id AND u.deleted_at IS NULL WHERE p.thing_id = $1`, t.ID, id)
	if err != nil {
		return r, err
	}
	if err := w.tx.Versions().RestoreVersions(ctx, domain.BlockRef(id).Subject()); err != nil {
		return r, err
	}
	b, err := w.tx.Blocks().AnyBlock(ctx, id)
	if err != nil {
		return r, err
	}
	w.tx.documents().Add(search.DocumentOfBlock(b))
	for i := range all {
		all[i].owner = t.Owner
	}
	if err := w.connect(ctx, all, &r, now); err != nil {
		return r, err
	}
	return r, w.forget(ctx, t.ID)
}

// LockConnections locks the channel that connections in Trash were in, and their items, and returns the channel. It returns 0
// if nothing is left of them.
func (w TrashWrites) LockConnections(ctx context.Context, things ...domain.TrashID) (domain.ChannelID, error) {
	all, err := w.connections(ctx, things)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	var blocks []domain.BlockID
	for _, k := range all {
		if k.Item.Type == domain.ItemBlock {
			blocks = append(blocks, domain.BlockID(k.Item.ID))
		}
	}
	slices.Sort(blocks)
	for _, block := range blocks {
		if err := w.tx.Blocks().LockBlock(ctx, block); err != nil && domain.KindOf(err) != domain.NotFound {
			return 0, err
		}
	}
	return all[0].Channel, nil
}

// RestoreConnections restores connections from Trash in their live channel. LockConnections has locked it and the items.
func (w TrashWrites) RestoreConnections(ctx context.Context, t domain.Trashed, now time.Time) (r TrashRestored, err error) {
	all, err := w.connections(ctx, []domain.TrashID{t.ID})
	if err != nil {
		return r, err
	}
	there := all[:0]
	for _, k := range all {
		switch k.owner, k.private, err = w.ownerOf(ctx, k.Item); {
		case domain.KindOf(err) == domain.NotFound:
			r.Lost++
		case err != nil:
			return r, err
		default:
			there = append(there, k)
		}
	}
	if err := w.connect(ctx, there, &r, now); err != nil {
		return r, err
	}
	return r, w.forget(ctx, t.ID)
}

// ownerOf returns the owner of a locked item, and whether it is private. It returns NotFound if it does not exist.
func (w TrashWrites) ownerOf(ctx context.Context, item domain.ItemRef) (owner domain.PrincipalRef, private bool, err error) {
	if item.Type == domain.ItemBlock {
		owner.Type = domain.TypeUser
		err = w.tx.db.QueryRow(ctx, `SELECT user_id FROM blocks WHERE id = $1`, item.ID).Scan(&owner.ID)
	} else {
		err = w.tx.db.QueryRow(ctx, `SELECT owner_type, owner_id, visibility = 'private' FROM channels WHERE id = $1 AND state = 'available'`, item.ID).
			Scan(&owner.Type, &owner.ID, &private)
	}
	return owner, private, sqlx.Found(err)
}

// RestoreComment restores a comment on its locked block from Trash.
func (w TrashWrites) RestoreComment(ctx context.Context, t domain.Trashed) error {
	if err := w.tx.db.ExecOne(ctx, commentsFromTrash, t.ID); err != nil {
		return err
	}
	if err := w.tx.Comments().countComments(ctx, t.Block, 1); err != nil {
		return err
	}
	return w.forget(ctx, t.ID)
}

// restoreRows restores how the content of a block was got, and that its page could not be found. An attempt that was still to
// come is not made.
func (w TrashWrites) restoreRows(ctx context.Context, rows trashedRows) error {
	if rows.Failure != nil {
		if err := w.insertRow(ctx, "link_failures", rows.Failure); err != nil {
			return err
		}
	}
	if rows.Processing == nil {
		return nil
	}
	if rows.Processing["state"] == string(domain.ProcessingWaiting) {
		rows.Processing["state"] = string(domain.ProcessingDone)
		if rows.Block["state"] == string(domain.Failed) {
			rows.Processing["state"] = string(domain.ProcessingFailed)
		}
	}
	return w.insertRow(ctx, "processings", rows.Processing)
}

// restoreComments restores the comments of people who still have an account, and returns their number.
func (w TrashWrites) restoreComments(ctx context.Context, id domain.TrashID, block domain.BlockID, r *TrashRestored) (int64, error) {
	n, err := w.tx.db.ExecCount(ctx, commentsFromTrash, id)
	if err != nil {
		return 0, err
	}
	all, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `SELECT count(*) FROM trash_comments WHERE thing_id = $1`, id))
	r.Lost += int(all - n)
	return n, err
}

// RestoreChannel restores a channel from Trash, with its places in other channels, its feeds, its mail addresses and its
// followers. Its own connections have stayed in their table (DeleteChannel).
func (w TrashWrites) RestoreChannel(ctx context.Context, t domain.Trashed, now time.Time) (r TrashRestored, err error) {
	id := domain.ChannelID(t.Target)
	all, err := w.connections(ctx, []domain.TrashID{t.ID}, id)
	if err != nil {
		return r, err
	}
	c, err := rowmap.ScanChannel(w.tx.db.QueryRow(ctx, "SELECT "+rowmap.ChannelColumns+" FROM channels ch "+rowmap.ChannelOwner+
		" WHERE ch.id = $1 AND ch.state = 'deleted'", id))
	if err != nil {
		return r, sqlx.Found(err)
	}
	if err := w.tx.Principals().LockOwners(ctx, c.Owner.PrincipalRef); err != nil {
		return r, err
	}
	err = w.tx.db.ExecOne(ctx, `UPDATE channels SET state = 'available', version = version + 1, updated_at = `+later("updated_at", "$2")+`
		WHERE id = $1`, id, sqlx.Micros(now))
	if err != nil {
		return r, err
	}
	w.tx.documents().Add(search.DocumentOfChannel(c))
	w.tx.documents().Refresh(domain.SubjectChannel, int64(id)) // with the new time
	open, private := search.Placed(c.Visibility, 1)
	if err := w.tx.documents().PutInGroup(ctx, c.Owner.PrincipalRef, domain.ChannelRef(id), open, private); err != nil {
		return r, err
	}
	if err := w.tx.Transitions().transition(ctx, c, effect{}, effectOf(c)); err != nil {
		return r, err
	}
	for i := range all {
		all[i].owner, all[i].private = c.Owner.PrincipalRef, private > 0
	}
	if err := w.connect(ctx, all, &r, now); err != nil {
		return r, err
	}
	if err := w.restoreParts(ctx, t.ID, id); err != nil {
		return r, err
	}
	if err := w.tx.Versions().RestoreVersions(ctx, domain.ChannelRef(id).Subject()); err != nil {
		return r, err
	}
	if err := w.tx.Principals().bumpOwner(ctx, c.Owner.PrincipalRef, c.Visibility, 1); err != nil {
		return r, err
	}
	return r, w.forget(ctx, t.ID)
}

// restoreParts restores the feeds, mail addresses and followers of a channel. An older version copied its followers to
// trash_follows.
func (w TrashWrites) restoreParts(ctx context.Context, id domain.TrashID, channel domain.ChannelID) error {
	for _, table := range channelParts {
		if err := w.tx.db.Exec(ctx, "UPDATE "+table+" SET trash_id = NULL WHERE trash_id = $1", id); err != nil {
			return err
		}
	}
	err := w.tx.db.Exec(ctx, `INSERT INTO trash_followers (id, channel_id, follower_id, created_at)
		SELECT f.id, CAST($2 AS BIGINT), f.follower_id, f.created_at FROM trash_follows f WHERE f.thing_id = $1 ON CONFLICT DO NOTHING`, id, channel)
	if err != nil {
		return err
	}
	return w.tx.Activity().FollowSomeAgain(ctx, channel)
}

// forget deletes the row of a thing, and the rows that refer to it.
func (w TrashWrites) forget(ctx context.Context, id domain.TrashID) error {
	return w.tx.db.ExecOne(ctx, `DELETE FROM trash_things WHERE id = $1`, id)
}
