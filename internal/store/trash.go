package store

import (
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
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/rowmap"
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

// restorableBy finds the things `t` that the user $1 can restore: those in their Trash, and their removals from channels of
// others.
const restorableBy = `(` + inTrashOf + ` OR t.kind = 'Connection' AND t.deleted_by = $1 AND NOT t.purging)`

// inTrashOf finds the things `t` that the user $1 can restore and delete for good.
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
	l.Total, err = sqlx.ScanInt64(r.q.db.QueryRow(ctx, "SELECT count(*) FROM trash_things t WHERE "+restorableBy, user))
	if err != nil || page.Offset() >= l.Total {
		return l, err
	}
	rows, err := r.q.db.Query(ctx, selectTrashed+restorableBy+" ORDER BY t.id DESC"+sqlx.Limit("$2")+" OFFSET $3", user, page.Per, page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, scanTrashed)
	return l, err
}

// InTrash reports whether something is in Trash where a user can restore it.
func (r TrashReads) InTrash(ctx context.Context, user domain.UserID, kind domain.TrashKind, id int64) (there bool, err error) {
	err = r.q.db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM trash_things t WHERE t.kind = $2 AND t.target_id = $3 AND "+restorableBy+")", user, kind, id).Scan(&there)
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

// TrashedItem is an item of connections in Trash.
type TrashedItem struct {
	Thing domain.TrashID
	Item  domain.ItemRef
	Count int // of all items of the thing
}

// itemsShown limits the items of one thing that Items returns.
const itemsShown = 3

// Items lists some of the items of things that are connections, from the top. Items that operators have hidden, themselves or
// with an account, are only counted.
func (r TrashReads) Items(ctx context.Context, things []domain.TrashID) ([]TrashedItem, error) {
	if len(things) == 0 {
		return nil, nil
	}
	args := sqlx.Args{itemsShown}
	var parts []string
	for _, id := range things {
		parts = append(parts, `SELECT * FROM (SELECT k.thing_id, k.item_type, CASE WHEN `+moderation.StaysHidden("k")+` THEN 0 ELSE k.item_id END,
			count(*) OVER () FROM trash_connections k WHERE k.thing_id = `+args.Add(id)+" ORDER BY k.position_key DESC"+sqlx.Limit("$1")+") AS part")
	}
	rows, err := r.q.db.Query(ctx, strings.Join(parts, " UNION ALL "), args...)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (i TrashedItem, err error) {
		err = row.Scan(&i.Thing, &i.Item.Type, &i.Item.ID, &i.Count)
		return i, err
	})
}

// ThingsOf lists the things in Trash that connections are in, in the order of locking.
func (r TrashReads) ThingsOf(ctx context.Context, conns []domain.ConnectionID) ([]domain.TrashID, error) {
	if len(conns) == 0 {
		return nil, nil
	}
	rows, err := r.q.db.Query(ctx, `SELECT DISTINCT k.thing_id FROM trash_connections k WHERE `+r.q.db.In("k.id", "$1")+` ORDER BY k.thing_id`,
		sqlx.IDs(r.q.db.Dialect, conns))
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.TrashID])
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
	return sqlx.ScanID[domain.TrashID](w.tx.db.QueryRow(ctx, addTrashed+" RETURNING id", kind, id, n.Owner.Type, n.Owner.ID, n.By, n.Label, data, sqlx.Micros(n.Now)))
}

const addTrashed = `INSERT INTO trash_things (kind, target_id, owner_type, owner_id, deleted_by, label, data, deleted_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

var (
	connectionFromTrash = moderation.CopyConnectionBack("trash_connections")

	commentsToTrash = "INSERT INTO trash_comments (id, thing_id, version, " + rowmap.Comments.Names(sqlx.Hide) +
		") SELECT id, CAST($2 AS BIGINT), version, " + rowmap.Comments.Names(sqlx.Hide) + " FROM comments WHERE "
	commentsFromTrash = "INSERT INTO comments (id, version, " + rowmap.Comments.Names(sqlx.Hide) +
		") SELECT t.id, t.version + 1, t." + strings.ReplaceAll(rowmap.Comments.Names(sqlx.Hide), ", ", ", t.") +
		` FROM trash_comments t JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL WHERE t.thing_id = $1
			AND NOT EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = 'User' AND h.target_id = t.user_id)`
)

// keepConnections copies connections of locked channels, which are about to be removed, to a thing that was just added.
// Their neighbours are those that remain.
func (w TrashWrites) keepConnections(ctx context.Context, kind domain.TrashKind, target int64, conns []domain.Connection) error {
	if len(conns) == 0 {
		return nil
	}
	ids := make([]domain.ConnectionID, 0, len(conns))
	for _, c := range conns {
		ids = append(ids, c.ID)
	}
	in := func(column string) string { return w.tx.db.In(column, "$3") }
	below, above := ranked.Neighbours("NOT (" + in("n.id") + ")")
	kept := rowmap.Connections.Names(sqlx.Hide)
	return w.tx.db.Later(ctx, "INSERT INTO trash_connections (id, thing_id, below_id, above_id, position_key, version, created_at, "+kept+
		") SELECT c.id, (SELECT t.id FROM trash_things t WHERE t.kind = $1 AND t.target_id = $2), "+below+", "+above+", position_key, version, created_at, "+kept+
		" FROM connections c WHERE "+in("c.id"), kind, target, sqlx.IDs(w.tx.db.Dialect, ids))
}

// TrashConnections copies connections of a locked channel, before the caller removes them. It costs no round trip on
// PostgreSQL.
func (w TrashWrites) TrashConnections(ctx context.Context, conns []domain.Connection, n NewTrashed) error {
	target := int64(conns[0].ID)
	err := w.tx.db.Later(ctx, addTrashed, domain.TrashedConnection, target, n.Owner.Type, n.Owner.ID, n.By, "", nil, sqlx.Micros(n.Now))
	if err != nil {
		return err
	}
	return w.keepConnections(ctx, domain.TrashedConnection, target, conns)
}

// TrashBlock copies a locked block and its connections, comments, files and readers' places, and keeps its saved copies, highlights and
// versions, before the caller removes its connections and deletes it. Nobody can get its files afterwards.
func (w TrashWrites) TrashBlock(ctx context.Context, b domain.Block, conns []domain.Connection, n NewTrashed) error {
	data, err := w.blockRows(ctx, b.ID)
	if err != nil {
		return err
	}
	id, err := w.add(ctx, domain.TrashedBlock, int64(b.ID), n, &data)
	if err != nil {
		return err
	}
	if err := w.keepConnections(ctx, domain.TrashedBlock, int64(b.ID), conns); err != nil {
		return err
	}
	if err := w.tx.db.Exec(ctx, commentsToTrash+"block_id = $1", b.ID, id); err != nil {
		return err
	}
	err = w.tx.db.Exec(ctx, `INSERT INTO trash_places (thing_id, user_id, place, read_at) SELECT CAST($2 AS BIGINT), user_id, place, read_at
		FROM reading_places WHERE block_id = $1`, b.ID, id)
	if err != nil {
		return err
	}
	for _, table := range blockParts {
		if err := w.tx.db.Exec(ctx, "UPDATE "+table+" SET block_id = NULL, trash_id = $2 WHERE block_id = $1", b.ID, id); err != nil {
			return err
		}
	}
	if err := w.tx.Versions().TrashVersions(ctx, domain.BlockRef(b.ID).Subject()); err != nil {
		return err
	}
	if b.Image == nil && b.File == nil {
		return nil
	}
	for _, f := range slices.Compact(b.FileIDs()) {
		err := w.tx.db.ExecOne(ctx, `INSERT INTO trash_files (file_id, thing_id, key) SELECT id, CAST($2 AS BIGINT), key FROM files WHERE id = $1`, f, id)
		if err == nil {
			err = w.tx.db.ExecOne(ctx, `UPDATE files SET key = $2 WHERE id = $1`, f, blobs.TrashedKey+n.Keys())
		}
		if err != nil {
			return err
		}
	}
	return w.tx.db.ExecOne(ctx, `UPDATE blocks SET image_id = NULL, file_id = NULL WHERE id = $1`, b.ID) // DeleteBlock then keeps the files
}

// blockParts are the tables whose rows stay where they are, without their block, while it is in Trash.
var blockParts = []string{"snapshots", "highlights"}

// TrashComment copies a comment on a locked block, before the caller deletes it.
func (w TrashWrites) TrashComment(ctx context.Context, c domain.Comment, n NewTrashed) error {
	id, err := w.add(ctx, domain.TrashedComment, int64(c.ID), n, nil)
	if err != nil {
		return err
	}
	return w.tx.db.ExecOne(ctx, commentsToTrash+"id = $1", c.ID, id)
}

// TrashChannel copies the connections of a channel to its parents, and takes its feeds and mail addresses out of use, before
// the caller deletes it. EndSomeFollows then moves its followers. The channel must be locked with its parents.
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
		err = w.keepConnections(ctx, domain.TrashedChannel, int64(c.ID), parents)
	}
	if err == nil {
		err = w.tx.Versions().TrashVersions(ctx, domain.ChannelRef(c.ID).Subject())
	}
	if err != nil {
		return err
	}
	for _, table := range channelParts {
		if err := w.tx.db.Exec(ctx, "UPDATE "+table+" SET trash_id = $2 WHERE channel_id = $1", c.ID, id); err != nil {
			return err
		}
	}
	return nil
}

// channelParts are the tables whose rows stay where they are, out of use, while their channel is in Trash.
var channelParts = []string{"channel_feeds", "mailboxes"}

// trashedRows are the rows of a block as JSON: values by column.
type trashedRows struct {
	Block      map[string]any `json:"block"`
	Processing map[string]any `json:"processing,omitempty"`
	Failure    map[string]any `json:"failure,omitempty"`
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
	if rows.Failure, err = w.oneRow(ctx, "SELECT * FROM link_failures WHERE block_id = $1", id); err != nil {
		return "", err
	}
	data, err := json.Marshal(rows)
	return string(data), err
}

// oneRow returns the only row of a query by column, or nil if the query finds no row.
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
