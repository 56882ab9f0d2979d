package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/activity"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// TrashReads reads what is in Trash.
type TrashReads struct{ q Queries }

// TrashWrites also moves things to Trash and back.
type TrashWrites struct {
	TrashReads
	tx *Tx
}

// TrashLists also counts and reads pages of Trash.
type TrashLists struct {
	TrashReads
	v *Snapshot
}

// Trash returns the statements that read Trash.
func (q Queries) Trash() TrashReads { return TrashReads{q} }

// Trash returns the statements of a transaction.
func (tx *Tx) Trash() TrashWrites { return TrashWrites{TrashReads{tx.Queries}, tx} }

// Trash returns the statements of a snapshot.
func (v *Snapshot) Trash() TrashLists { return TrashLists{TrashReads{v.Queries}, v} }

// inTrashOf finds the things `t` that the user $1 can restore.
const inTrashOf = `(t.owner_type = 'User' AND t.owner_id = $1
	OR t.owner_type = 'Group' AND t.owner_id IN (SELECT group_id FROM group_members WHERE user_id = $1)) AND NOT t.purging`

const selectTrashed = `SELECT t.id, t.kind, t.target_id, t.owner_type, t.owner_id, t.label, t.deleted_at, t.deleted_by,
		COALESCE(u.name, ''), COALESCE(u.slug, ''),
		COALESCE((SELECT k.block_id FROM trash_comments k WHERE t.kind = 'Comment' AND k.id = t.target_id), 0)
	FROM trash_things t LEFT JOIN users u ON u.id = t.deleted_by WHERE `

func scanTrashed(row sqlx.Row) (t domain.Trashed, err error) {
	var at int64
	by := &t.DeletedBy
	by.Type = domain.TypeUser
	err = row.Scan(&t.ID, &t.Kind, &t.Target, &t.Owner.Type, &t.Owner.ID, &t.Label, &at, &by.ID, &by.Name, &by.Slug, &t.Block)
	t.DeletedAt = sqlx.Time(at)
	return t, err
}

// Trashed lists what a user can restore, last deleted first.
func (r TrashLists) Trashed(ctx context.Context, user domain.UserID, page domain.Page) (l domain.List[domain.Trashed], err error) {
	l.Total, err = sqlx.ScanInt64(r.q.db.QueryRow(ctx, "SELECT count(*) FROM trash_things t WHERE "+inTrashOf, user))
	if err != nil || page.Offset() >= l.Total {
		return l, err
	}
	rows, err := r.q.db.Query(ctx, selectTrashed+inTrashOf+" ORDER BY t.id DESC"+sqlx.Limit("$2")+" OFFSET $3", user, page.Per, page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, scanTrashed)
	return l, err
}

// InTrash reports whether something is in Trash where a user can restore it.
func (r TrashReads) InTrash(ctx context.Context, user domain.UserID, kind domain.TrashKind, id int64) (there bool, err error) {
	err = r.q.db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM trash_things t WHERE t.kind = $2 AND t.target_id = $3 AND "+inTrashOf+")", user, kind, id).Scan(&there)
	return there, err
}

// TrashPlace is a channel that something in Trash was in.
type TrashPlace struct {
	Thing   domain.TrashID
	Channel domain.Channel
}

// placesShown limits the places of one thing that Places returns.
const placesShown = 3

// Places lists some of the channels that things were in, and that the viewer may see.
func (r TrashReads) Places(ctx context.Context, viewer domain.UserID, things []domain.TrashID) ([]TrashPlace, error) {
	if len(things) == 0 {
		return nil, nil
	}
	args := sqlx.Args{viewer, placesShown}
	var parts []string
	for _, id := range things {
		parts = append(parts, `SELECT * FROM (SELECT c.thing_id, c.channel_id FROM trash_connections c JOIN channels ch ON ch.id = c.channel_id
			WHERE c.thing_id = `+args.Add(id)+" AND "+access.VisibleChannel+" ORDER BY c.id"+sqlx.Limit("$2")+") AS part")
	}
	rows, err := r.q.db.Query(ctx, "SELECT p.thing_id, "+rowmap.ChannelColumns+" FROM ("+strings.Join(parts, " UNION ALL ")+
		") AS p JOIN channels ch ON ch.id = p.channel_id "+rowmap.ChannelOwner, args...)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p TrashPlace, err error) {
		p.Channel, err = rowmap.ScanChannel(after{row, &p.Thing})
		return p, err
	})
}

// after scans one additional column before the others.
type after struct {
	sqlx.Row
	first any
}

func (a after) Scan(dest ...any) error { return a.Row.Scan(append([]any{a.first}, dest...)...) }

// NewTrashed contains the data of a thing that moves to Trash.
type NewTrashed struct {
	Owner domain.PrincipalRef
	By    domain.UserID
	Label string
	Keys  func() string // returns a new key for a file
	Now   time.Time
}

func (w TrashWrites) add(ctx context.Context, kind domain.TrashKind, id int64, n NewTrashed, data *string) (domain.TrashID, error) {
	return sqlx.ScanID[domain.TrashID](w.tx.db.QueryRow(ctx, `INSERT INTO trash_things (kind, target_id, owner_type, owner_id, deleted_by, label, data, deleted_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`, kind, id, n.Owner.Type, n.Owner.ID, n.By, n.Label, data, sqlx.Micros(n.Now)))
}

var (
	connectionToTrash = "INSERT INTO trash_connections (id, thing_id, below_id, above_id, position_key, version, created_at, " + rowmap.Connections.Names(sqlx.Hide) +
		") SELECT id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), position_key, version, created_at, " + rowmap.Connections.Names(sqlx.Hide) +
		" FROM connections WHERE id = $1"
	connectionFromTrash = moderation.CopyConnectionBack("trash_connections")

	commentsToTrash = "INSERT INTO trash_comments (id, thing_id, version, " + rowmap.Comments.Names(sqlx.Hide) +
		") SELECT id, CAST($2 AS BIGINT), version, " + rowmap.Comments.Names(sqlx.Hide) + " FROM comments WHERE "
	commentsFromTrash = "INSERT INTO comments (id, version, " + rowmap.Comments.Names(sqlx.Hide) +
		") SELECT t.id, t.version + 1, t." + strings.ReplaceAll(rowmap.Comments.Names(sqlx.Hide), ", ", ", t.") +
		` FROM trash_comments t JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL WHERE t.thing_id = $1
			AND NOT EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = 'User' AND h.target_id = t.user_id)`
)

// keepConnections copies connections of locked channels, which are about to be removed.
func (w TrashWrites) keepConnections(ctx context.Context, thing domain.TrashID, conns []domain.Connection) error {
	for _, c := range conns {
		below, above, err := ranked.Of(w.tx.db, c.ChannelID).Neighbours(ctx, c.PositionKey)
		if err == nil {
			err = w.tx.db.ExecOne(ctx, connectionToTrash, c.ID, thing, below, above)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TrashBlock copies a locked block and its connections, comments and files, before the caller removes its connections and
// deletes it. Nobody can get its files afterwards.
func (w TrashWrites) TrashBlock(ctx context.Context, b domain.Block, conns []domain.Connection, n NewTrashed) error {
	data, err := w.blockRows(ctx, b.ID)
	if err != nil {
		return err
	}
	id, err := w.add(ctx, domain.TrashedBlock, int64(b.ID), n, &data)
	if err != nil {
		return err
	}
	if err := w.keepConnections(ctx, id, conns); err != nil {
		return err
	}
	if err := w.tx.db.Exec(ctx, commentsToTrash+"block_id = $1", b.ID, id); err != nil {
		return err
	}
	if b.Image == nil && b.File == nil {
		return nil
	}
	for _, f := range slices.Compact(b.FileIDs()) {
		err := w.tx.db.ExecOne(ctx, `INSERT INTO trash_files (file_id, thing_id, key) SELECT id, CAST($2 AS BIGINT), key FROM files WHERE id = $1`, f, id)
		if err == nil {
			err = w.tx.db.ExecOne(ctx, `UPDATE files SET key = $2 WHERE id = $1`, f, n.Keys())
		}
		if err != nil {
			return err
		}
	}
	return w.tx.db.ExecOne(ctx, `UPDATE blocks SET image_id = NULL, file_id = NULL WHERE id = $1`, b.ID) // DeleteBlock then keeps the files
}

// TrashComment copies a comment on a locked block, before the caller deletes it.
func (w TrashWrites) TrashComment(ctx context.Context, c domain.Comment, n NewTrashed) error {
	id, err := w.add(ctx, domain.TrashedComment, int64(c.ID), n, nil)
	if err != nil {
		return err
	}
	return w.tx.db.ExecOne(ctx, commentsToTrash+"id = $1", c.ID, id)
}

// TrashChannel copies the connections of a channel to its parents, and its followers, before the caller deletes it. The
// channel must be locked with its parents.
func (w TrashWrites) TrashChannel(ctx context.Context, c domain.Channel, n NewTrashed) error {
	id, err := w.add(ctx, domain.TrashedChannel, int64(c.ID), n, nil)
	if err != nil {
		return err
	}
	var parents []domain.Connection
	err = w.tx.Channels().eachParent(ctx, c.ID, func(conn domain.Connection) error {
		parents = append(parents, conn)
		return nil
	})
	if err == nil {
		err = w.keepConnections(ctx, id, parents)
	}
	if err != nil {
		return err
	}
	return w.tx.db.Exec(ctx, `INSERT INTO trash_follows (id, thing_id, follower_id, created_at)
		SELECT id, CAST($2 AS BIGINT), follower_id, created_at FROM follows WHERE followed_type = 'Channel' AND followed_id = $1
		ORDER BY created_at, id`+sqlx.Limit("$3"), c.ID, id, followersKept)
}

// followersKept is how many followers of a channel Trash keeps, the earliest ones. One transaction restores them.
const followersKept = 1000

// trashedRows are the rows of a block as JSON: values by column.
type trashedRows struct {
	Block      map[string]any `json:"block"`
	Processing map[string]any `json:"processing,omitempty"`
}

// blockRows returns the rows of a block as JSON.
func (w TrashWrites) blockRows(ctx context.Context, id domain.BlockID) (string, error) {
	var rows trashedRows
	var err error
	if rows.Block, err = w.oneRow(ctx, "SELECT * FROM blocks WHERE id = $1", id); err != nil {
		return "", err
	}
	if rows.Block == nil {
		return "", domain.NewNotFound()
	}
	if rows.Processing, err = w.oneRow(ctx, "SELECT * FROM processings WHERE block_id = $1", id); err != nil {
		return "", err
	}
	data, err := json.Marshal(rows)
	return string(data), err
}

// oneRow returns the only row of a query by column, nil if there is none.
func (w TrashWrites) oneRow(ctx context.Context, query string, args ...any) (map[string]any, error) {
	rows, err := w.tx.db.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all, err := sqlx.Collect(ctx, rows, nil, func(row sqlx.Row) (map[string]any, error) {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := row.Scan(into...); err != nil {
			return nil, err
		}
		one := make(map[string]any, len(columns))
		for i, name := range columns {
			if _, binary := values[i].([]byte); binary {
				return nil, fmt.Errorf("store: trash: column %s is binary, which is not supported", name)
			}
			one[name] = values[i]
		}
		return one, nil
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// insertRow writes a row by column. It omits columns that the table does not have: a newer version wrote the row.
func (w TrashWrites) insertRow(ctx context.Context, table string, row map[string]any) error {
	rows, err := w.tx.db.Query(ctx, "SELECT * FROM "+table+" WHERE FALSE")
	if err != nil {
		return err
	}
	columns, err := rows.Columns()
	if err = errors.Join(err, rows.Close()); err != nil {
		return database.Classify(ctx, err)
	}
	var args sqlx.Args
	var names, marks []string
	for _, name := range slices.Sorted(maps.Keys(row)) {
		if !slices.Contains(columns, name) {
			continue
		}
		value := row[name]
		if n, ok := value.(json.Number); ok {
			if value, err = n.Int64(); err != nil {
				return fmt.Errorf("store: trash: column %s: %w", name, err)
			}
		}
		names, marks = append(names, name), append(marks, args.Add(value))
	}
	return w.tx.db.ExecOne(ctx, "INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(marks, ", ")+")", args...)
}

// LockTrashed locks and reads something that a user can restore. It must be locked before what it is about. It returns
// NotFound for everything else.
func (w TrashWrites) LockTrashed(ctx context.Context, user domain.UserID, id domain.TrashID) (domain.Trashed, error) {
	if w.tx.db.LocksRows() {
		if _, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `SELECT t.id FROM trash_things t WHERE t.id = $1`+w.tx.db.ForUpdate("t"), id)); err != nil {
			return domain.Trashed{}, sqlx.Found(err)
		}
	}
	t, err := scanTrashed(w.tx.db.QueryRow(ctx, selectTrashed+"t.id = $2 AND "+inTrashOf, user, id))
	return t, sqlx.Found(err)
}

// kept is a connection in Trash.
type kept struct {
	moderation.HiddenConnection
	below, above domain.ConnectionID
}

// connections lists the connections of a thing in the order of their channels, and locks these.
func (w TrashWrites) connections(ctx context.Context, id domain.TrashID, others ...domain.ChannelID) ([]kept, error) {
	rows, err := w.tx.db.Query(ctx, `SELECT k.id, k.channel_id, k.item_type, k.item_id, k.user_id, k.position_key, k.created_at, k.below_id, k.above_id
		FROM trash_connections k WHERE k.thing_id = $1 ORDER BY k.channel_id`, id)
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
	}
	return all, w.tx.Channels().LockChannels(ctx, channels...)
}

// TrashRestored is the result of restoring something.
type TrashRestored struct {
	Connected []domain.Connected // the connections that are visible again
	Lost      int                // number of connections, comments and followers that could not be restored
}

// Events returns the events of the connections.
func (r TrashRestored) Events() (all []domain.Event) {
	for _, c := range r.Connected {
		all = append(all, c)
	}
	return all
}

// connect restores connections in their locked channels. A deleted channel gets them too, since it may be restored later.
func (w TrashWrites) connect(ctx context.Context, all []kept, owner domain.PrincipalRef, private bool, r *TrashRestored, now time.Time) error {
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
			var waits bool
			err = w.tx.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM trash_things WHERE kind = 'Channel' AND target_id = $1 AND NOT purging)`, k.Channel).Scan(&waits)
			if err != nil {
				return err
			}
			if !waits {
				r.Lost++
			}
		case err != nil:
			return err
		default:
			r.Connected = append(r.Connected, domain.Connected{Channel: c, Item: k.Item, Owner: owner, ItemPrivate: private, Again: true})
		}
	}
	return nil
}

// RestoreBlock restores a block from Trash, with its connections, comments and files.
func (w TrashWrites) RestoreBlock(ctx context.Context, t domain.Trashed, now time.Time) (r TrashRestored, err error) {
	all, err := w.connections(ctx, t.ID)
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
	if rows.Processing != nil {
		if err := w.restoreProcessing(ctx, rows); err != nil {
			return r, err
		}
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
	b, err := w.tx.Blocks().AnyBlock(ctx, id)
	if err != nil {
		return r, err
	}
	w.tx.documents().Add(search.DocumentOfBlock(b))
	if err := w.connect(ctx, all, t.Owner, false, &r, now); err != nil {
		return r, err
	}
	return r, w.forget(ctx, t.ID)
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

// restoreProcessing restores how the content of a block was got. An attempt that was still to come is not made.
func (w TrashWrites) restoreProcessing(ctx context.Context, rows trashedRows) error {
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

// RestoreChannel restores a channel from Trash, with its places in other channels and its followers. Its own connections
// have stayed in their table (DeleteChannel).
func (w TrashWrites) RestoreChannel(ctx context.Context, t domain.Trashed, now time.Time) (r TrashRestored, err error) {
	id := domain.ChannelID(t.Target)
	all, err := w.connections(ctx, t.ID, id)
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
	if err := w.connect(ctx, all, c.Owner.PrincipalRef, private > 0, &r, now); err != nil {
		return r, err
	}
	if err := w.restoreFollows(ctx, t.ID, id, &r); err != nil {
		return r, err
	}
	if err := w.tx.Principals().bumpOwner(ctx, c.Owner.PrincipalRef, c.Visibility, 1); err != nil {
		return r, err
	}
	return r, w.forget(ctx, t.ID)
}

// restoreFollows restores the followers of a channel who still have an account.
func (w TrashWrites) restoreFollows(ctx context.Context, id domain.TrashID, channel domain.ChannelID, r *TrashRestored) error {
	rows, err := w.tx.db.Query(ctx, `SELECT f.follower_id, f.created_at, u.deleted_at IS NULL FROM trash_follows f
		JOIN users u ON u.id = f.follower_id WHERE f.thing_id = $1 ORDER BY f.created_at, f.id`, id)
	var all []activity.Following
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (none struct{}, err error) {
		var f activity.Following
		var at int64
		var live bool
		err = row.Scan(&f.User, &at, &live)
		if f.At = sqlx.Time(at); live {
			all = append(all, f)
		} else {
			r.Lost++
		}
		return none, err
	})
	if err != nil {
		return err
	}
	return w.tx.Activity().FollowAgain(ctx, channel, all)
}

// forget deletes the entry of a restored thing, and what belongs to it.
func (w TrashWrites) forget(ctx context.Context, id domain.TrashID) error {
	return w.tx.db.ExecOne(ctx, `DELETE FROM trash_things WHERE id = $1`, id)
}

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

// trashParts are the tables with rows of things, and their keys.
var trashParts = []struct{ table, key string }{{"trash_connections", "id"}, {"trash_comments", "id"}}

// PurgeSome deletes at most n rows of a thing that is marked for deletion, or the thing itself, and reports whether it
// found one.
func (w TrashWrites) PurgeSome(ctx context.Context, n int) (found bool, err error) {
	id, err := sqlx.ScanID[domain.TrashID](w.tx.db.QueryRow(ctx, `SELECT t.id FROM trash_things t WHERE t.purging ORDER BY t.id LIMIT 1`+w.tx.db.ForUpdate("t")))
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, part := range trashParts {
		gone, err := w.tx.db.ExecCount(ctx, "DELETE FROM "+part.table+" WHERE "+part.key+" IN (SELECT "+part.key+" FROM "+part.table+
			" WHERE thing_id = $1 ORDER BY "+part.key+sqlx.Limit("$2")+")", id, n)
		if err != nil || gone == int64(n) {
			return true, err
		}
	}
	rows, err := w.tx.db.Query(ctx, `DELETE FROM trash_files WHERE thing_id = $1 RETURNING file_id`, id)
	files, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.FileID])
	if err == nil {
		err = blobs.DeleteFiles(ctx, w.tx.Blobs(), files...)
	}
	if err != nil {
		return true, err
	}
	return true, w.forget(ctx, id)
}

// inherit makes a user the owner of what a deleted group has in Trash.
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
	{What: "trash_files under the key that they had", Query: `SELECT t.file_id, 1, 0 FROM trash_files t JOIN files f ON f.id = t.file_id AND f.key = t.key`},
}
