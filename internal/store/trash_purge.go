package store

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/sqlx"
)

// PurgeTrashed marks something that a user can restore for deletion.
func (w TrashWrites) PurgeTrashed(ctx context.Context, user domain.UserID, id domain.TrashID) error {
	n, err := w.tx.db.ExecCount(ctx, `UPDATE trash_things SET purging = TRUE WHERE id IN (SELECT t.id FROM trash_things t WHERE t.id = $2 AND `+inTrashOf+`)`, user, id)
	if err == nil && n == 0 {
		err = domain.NewNotFound()
	}
	return err
}

// PurgeSubject marks something for deletion, if it is in Trash, and reports whether it is.
func (w TrashWrites) PurgeSubject(ctx context.Context, kind domain.TrashKind, id int64) (bool, error) {
	n, err := w.tx.db.ExecCount(ctx, `UPDATE trash_things SET purging = TRUE WHERE kind = $1 AND target_id = $2`, kind, id)
	return n > 0, err
}

// ForgetConnectionsOf deletes the connections of an item in Trash that operators delete.
func (w TrashWrites) ForgetConnectionsOf(ctx context.Context, item domain.ItemRef) error {
	return w.tx.db.Exec(ctx, `DELETE FROM trash_connections WHERE item_type = $1 AND item_id = $2`, string(item.Type), item.ID)
}

// EmptyTrash marks at most n things that a user can restore for deletion, up to an id, and returns their number.
func (w TrashWrites) EmptyTrash(ctx context.Context, user domain.UserID, upto domain.TrashID, n int) (int, error) {
	done, err := w.tx.db.ExecCount(ctx, `UPDATE trash_things SET purging = TRUE WHERE id IN (
		SELECT t.id FROM trash_things t WHERE `+inTrashOf+` AND t.id <= $2 ORDER BY t.id`+sqlx.Limit("$3")+`)`, user, upto, n)
	return int(done), err
}

// ForgetTrash marks at most n things of a deleted account for deletion and returns their number.
func (w TrashWrites) ForgetTrash(ctx context.Context, user domain.UserID, n int) (int, error) {
	done, err := w.tx.db.ExecCount(ctx, `UPDATE trash_things SET purging = TRUE WHERE id IN (SELECT t.id FROM trash_things t
		WHERE t.owner_type = 'User' AND t.owner_id = $1 AND NOT t.purging ORDER BY t.id`+sqlx.Limit("$2")+`)`, user, n)
	return int(done), err
}

// ForgetTrashedComments deletes at most n comments of a deleted account in the Trash of others.
func (w TrashWrites) ForgetTrashedComments(ctx context.Context, user domain.UserID, n int) (int, error) {
	done, err := w.tx.db.ExecCount(ctx, `DELETE FROM trash_comments WHERE id IN (SELECT id FROM trash_comments WHERE user_id = $1
		ORDER BY id`+sqlx.Limit("$2")+`)`, user, n)
	return int(done), err
}

// ExpireTrash marks at most n things that were deleted before a time for deletion and returns their number.
func (w TrashWrites) ExpireTrash(ctx context.Context, before time.Time, n int) (int, error) {
	done, err := w.tx.db.ExecCount(ctx, `UPDATE trash_things SET purging = TRUE WHERE id IN (SELECT t.id FROM trash_things t
		WHERE t.deleted_at <= $1 AND NOT t.purging ORDER BY t.deleted_at, t.id`+sqlx.Limit("$2")+`)`, sqlx.Micros(before), n)
	return int(done), err
}

// trashParts are the tables with rows of the thing $1, and their keys. Some have rows of one kind of thing only.
var trashParts = []struct {
	of                domain.TrashKind // "" for all
	table, key, where string
}{
	{"", "trash_connections", "id", "thing_id = $1"},
	{"", "trash_comments", "id", "thing_id = $1"},
	{domain.TrashedBlock, "trash_places", "thing_id, user_id", "thing_id = $1"},
	{domain.TrashedChannel, "trash_followers", "id", "channel_id = " + trashedTarget},
	{domain.TrashedChannel, "hidden_connections", "id", "channel_id = " + trashedTarget},
	{domain.TrashedChannel, "channel_feed_entries", "feed_id, key", "feed_id IN (SELECT f.id FROM channel_feeds f WHERE f.trash_id = $1)"},
	{domain.TrashedChannel, "mailbox_mails", "mailbox_id, key", "mailbox_id IN (SELECT m.id FROM mailboxes m WHERE m.trash_id = $1)"},
	{domain.TrashedChannel, "channel_feeds", "id", "trash_id = $1"},
	{domain.TrashedChannel, "mailboxes", "id", "trash_id = $1"},
}

const trashedTarget = "(SELECT t.target_id FROM trash_things t WHERE t.id = $1)"

// PurgeSome deletes at most n rows of a thing that is marked for deletion, or the thing itself, and reports whether it
// found one.
func (w TrashWrites) PurgeSome(ctx context.Context, n int) (found bool, err error) {
	var id domain.TrashID
	var kind domain.TrashKind
	err = w.tx.db.QueryRow(ctx, `SELECT t.id, t.kind FROM trash_things t WHERE t.purging ORDER BY t.id LIMIT 1`+w.tx.db.ForUpdate("t")).Scan(&id, &kind)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if kind == domain.TrashedChannel {
		if err := w.lockParts(ctx, id); err != nil {
			return true, err
		}
	}
	for _, part := range trashParts {
		if part.of != "" && part.of != kind {
			continue
		}
		gone, err := w.tx.db.ExecCount(ctx, "DELETE FROM "+part.table+" WHERE ("+part.key+") IN (SELECT "+part.key+" FROM "+part.table+
			" WHERE "+part.where+" ORDER BY "+part.key+sqlx.Limit("$2")+")", id, n)
		if err != nil || gone == int64(n) {
			return true, err
		}
	}
	rows, err := w.tx.db.Query(ctx, `DELETE FROM trash_files WHERE thing_id = $1 RETURNING file_id`, id)
	files, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.FileID])
	if err == nil {
		err = blobs.DeleteFiles(ctx, w.tx.Blobs(), files...)
	}
	if err == nil {
		err = w.purgeVersions(ctx, id)
	}
	if err != nil {
		return true, err
	}
	return true, w.forget(ctx, id) // with its saved copies and highlights
}

// lockParts locks what may still be written while its channel is being deleted for good: a job may be moving its followers,
// and another may be checking its feeds.
func (w TrashWrites) lockParts(ctx context.Context, id domain.TrashID) error {
	if !w.tx.db.LocksRows() {
		return nil
	}
	rows, err := w.tx.db.Query(ctx, `SELECT f.id FROM channel_feeds f WHERE f.trash_id = $1 ORDER BY f.id`+w.tx.db.ForUpdate("f"), id)
	if _, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64); err != nil {
		return err
	}
	rows, err = w.tx.db.Query(ctx, `SELECT s.source_id FROM feed_sources s WHERE s.source_type = 'Channel' AND s.source_id = `+trashedTarget+w.tx.db.ForUpdate("s"), id)
	_, err = sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	return err
}

// purgeVersions deletes the versions of a thing.
func (w TrashWrites) purgeVersions(ctx context.Context, id domain.TrashID) error {
	var of domain.Subject
	if err := w.tx.db.QueryRow(ctx, `SELECT kind, target_id FROM trash_things WHERE id = $1`, id).Scan(&of.Type, &of.ID); err != nil {
		return err
	}
	return w.tx.Versions().PurgeVersions(ctx, of)
}

// inherit makes a user the owner of the things of a deleted group in Trash.
func (w TrashWrites) inherit(ctx context.Context, group domain.GroupID, by domain.UserID) error {
	return w.tx.db.Exec(ctx, `UPDATE trash_things SET owner_type = 'User', owner_id = $2 WHERE owner_type = 'Group' AND owner_id = $1`, group, by)
}

// trashChecks find things in Trash that exist as well, and files that anybody could get.
var trashChecks = []sqlx.Check{
	{What: "trash_things of a block that exists", Query: `SELECT t.id, t.target_id, 0 FROM trash_things t JOIN blocks b ON b.id = t.target_id WHERE t.kind = 'Block'`},
	{What: "trash_things of a channel that exists", Query: `SELECT t.id, t.target_id, 0 FROM trash_things t
		JOIN channels ch ON ch.id = t.target_id AND ch.state = 'available' WHERE t.kind = 'Channel' AND NOT t.purging`},
	{What: "trash_connections that exist", Query: `SELECT t.id, t.id, 0 FROM trash_connections t JOIN connections c ON c.id = t.id`},
	{What: "trash_comments that exist", Query: `SELECT t.id, t.id, 0 FROM trash_comments t JOIN comments c ON c.id = t.id`},
	{What: "trash_followers that are followers", Query: `SELECT t.id, t.id, 0 FROM trash_followers t JOIN follows f ON f.id = t.id`},
	{What: "channel_feeds of a channel that does not exist", Query: `SELECT f.id, f.channel_id, 0 FROM channel_feeds f
		JOIN channels ch ON ch.id = f.channel_id WHERE (ch.state = 'available') = (f.trash_id IS NOT NULL)`},
	{What: "mailboxes of a channel that does not exist", Query: `SELECT m.id, m.channel_id, 0 FROM mailboxes m
		JOIN channels ch ON ch.id = m.channel_id WHERE (ch.state = 'available') = (m.trash_id IS NOT NULL)`},
	{What: "trash_files under the key that they had", Query: `SELECT t.file_id, 1, 0 FROM trash_files t JOIN files f ON f.id = t.file_id AND f.key = t.key`},
}
