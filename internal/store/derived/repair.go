package derived

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/activity"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// RepairTx is the transaction of a repair.
type RepairTx struct {
	RepairStatements
	DB        sqlx.Conn
	Deltas    *counters.Deltas
	Documents *search.Index
}

// RepairStatements contains the methods that repairs share with requests, loading and jobs.
type RepairStatements interface {
	LockChannels(ctx context.Context, ids ...domain.ChannelID) error
	LockGroupWithChannels(ctx context.Context, id domain.GroupID) error
	Rebuild(ctx context.Context, id domain.ChannelID) error
	RecountFollowers(ctx context.Context, id int64) error
	RecountBytes(ctx context.Context, id domain.UserID) error
	UploadByID(ctx context.Context, id domain.UploadID) (domain.Upload, error)
	Blob(ctx context.Context, id domain.BlobID) (domain.Blob, error)
}

// Repair repairs one row that a check reported, by the id in its report. It locks what the value
// derives from and computes the value again, so it may run while servers are running.
type Repair func(ctx context.Context, tx RepairTx, c sqlx.Check, id int64) error

// Repairs maps checks to repairs by a prefix of their names; the first match counts. A check
// without a repair is only reported, because two facts contradict each other and one of them would
// have to be deleted.
var Repairs = []struct {
	Prefix string
	Repair Repair
}{
	{"inboxes.unread", repairUnread},
	{"notifications without an inbox", repairUnread},
	{"connections.item_updated_at", repairItemTime},
	{"connections.item_private", repairItemPrivate},
	{"channels.last_connected_at", repairLastConnected},
	{"channels.updated_at before", repairUpdatedAt},
	{"feed_sources.followers", repairFollowers},
	{"follower_ranks", repairFollowers},
	{"search_documents", repairDocument},
	{"search_words", repairDocument},
	{"group_items", repairGroupItems},
	{"content_counts of a User", repairContentCounts(domain.TypeUser,
		`SELECT type, item_id % 8 AS part, open FROM search_documents WHERE author_id = $1 AND kind IN ('Block', 'Channel')`)},
	{"content_counts of a Group", repairContentCounts(domain.TypeGroup, `SELECT type, item_id % 8 AS part, open FROM group_items WHERE group_id = $1`)},
	{"adder_counts", repairConnectionCounts},
	{"updated_counts", repairConnectionCounts},
	{"order_nodes", repairOrders},
	{"byte_usage", repairByteUsage},
	{"uploads.size", repairUploadSize},
	{"text_versions of blocks", repairVersions(domain.SubjectBlock)},
	{"text_versions of channels", repairVersions(domain.SubjectChannel)},
	{"text_versions of users", repairVersions(domain.SubjectUser)},
	{"text_versions of groups", repairVersions(domain.SubjectGroup)},
	{"files.user_id of a block's image", repairFileOwner("image_id")},
	{"files.user_id of a block's file", repairFileOwner("file_id")},
}

// RepairOf returns the repair of a check, or nil if the check has no repair. Checks made by
// `counted` are named after their table and column.
func RepairOf(c sqlx.Check) Repair {
	for _, r := range Repairs {
		if strings.HasPrefix(c.What, r.Prefix) {
			return r.Repair
		}
	}
	table, column, _ := strings.Cut(c.What, ".")
	if slices.Contains([]string{"channels", "blocks", "users", "groups"}, table) && column != "" && !strings.Contains(column, " ") {
		return repairCounted(table, column)
	}
	return nil
}

// lockRow locks a row by its key and reports whether it exists.
func (tx RepairTx) lockRow(ctx context.Context, table, key string, id int64) (bool, error) {
	err := tx.DB.QueryRow(ctx, "SELECT r."+key+" FROM "+table+" r WHERE r."+key+" = $1"+tx.DB.ForUpdate("r"), id).Scan(&id)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// rewrite stores the value that a check computes for a row. Requests add to such a value in the
// same transaction that changes its source. So a statement that runs after the row is locked sees
// all changes that have been added, and later ones are added afterwards.
func rewrite(ctx context.Context, tx RepairTx, c sqlx.Check, table, key, column, more string, id int64) error {
	ok, err := tx.lockRow(ctx, table, key, id)
	if err != nil || !ok {
		return err
	}
	actual, err := sqlx.ScanInt64(tx.DB.QueryRow(ctx, "SELECT actual FROM ("+c.Query+") AS now WHERE id = $1", id))
	if errors.Is(err, database.ErrNoRows) {
		return nil // it is correct now
	}
	if err != nil {
		return err
	}
	return tx.DB.ExecOne(ctx, "UPDATE "+table+" SET "+column+" = $2"+more+" WHERE "+key+" = $1", id, actual)
}

// repairCounted repairs a column that Facts count.
func repairCounted(table, column string) Repair {
	return func(ctx context.Context, tx RepairTx, c sqlx.Check, id int64) error {
		return rewrite(ctx, tx, c, table, "id", column, ", version = version + 1", id)
	}
}

// repairUnread counts the unread notifications of a user.
func repairUnread(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	if err := tx.DB.Exec(ctx, `INSERT INTO inboxes (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING`, id); err != nil {
		return err
	}
	unread := slices.IndexFunc(activity.Checks, func(c sqlx.Check) bool { return c.What == "inboxes.unread" })
	return rewrite(ctx, tx, activity.Checks[unread], "inboxes", "user_id", "unread", "", id)
}

// placedItem reads the channel and the item of a connection; ok is false if it is gone.
func (tx RepairTx) placedItem(ctx context.Context, connection int64) (in domain.ChannelID, item domain.ItemRef, ok bool, err error) {
	err = tx.DB.QueryRow(ctx, `SELECT channel_id, item_type, item_id FROM connections WHERE id = $1`, connection).Scan(&in, &item.Type, &item.ID)
	if errors.Is(err, database.ErrNoRows) {
		return 0, item, false, nil
	}
	return in, item, err == nil, err
}

// repairItemTime repairs the time by which a connection sorts. For a block, it stores the block's
// time of change in all its connections. For a channel, the time is 0, because lists read it from
// the channel.
func repairItemTime(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	_, item, ok, err := tx.placedItem(ctx, id)
	if err != nil || !ok {
		return err
	}
	if item.Type == domain.ItemChannel {
		return tx.DB.Exec(ctx, `UPDATE connections SET item_updated_at = 0 WHERE id = $1`, id)
	}
	if ok, err := tx.lockRow(ctx, "blocks", "id", item.ID); err != nil || !ok {
		return err
	}
	at, err := sqlx.ScanInt64(tx.DB.QueryRow(ctx, `SELECT updated_at FROM blocks WHERE id = $1`, item.ID))
	if err != nil {
		return err
	}
	return tx.Deltas.RepairBlockTime(ctx, domain.BlockID(item.ID), sqlx.Time(at))
}

// repairItemPrivate stores in a connection whether its item is a private channel. The counts and
// orders that depend on it have checks of their own, which run later.
func repairItemPrivate(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	in, item, ok, err := tx.placedItem(ctx, id)
	if err != nil || !ok {
		return err
	}
	lock := []domain.ChannelID{in}
	if item.Type == domain.ItemChannel {
		lock = append(lock, domain.ChannelID(item.ID))
	}
	if err := tx.LockChannels(ctx, lock...); err != nil {
		return err
	}
	return tx.DB.Exec(ctx, `UPDATE connections SET item_private = (item_type = 'Channel' AND EXISTS (
		SELECT 1 FROM channels ch WHERE ch.id = item_id AND ch.visibility = 'private')) WHERE id = $1`, id)
}

// repairLastConnected sets last_connected_at to the time of the last connection if that is later.
func repairLastConnected(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	if ok, err := tx.lockRow(ctx, "channels", "id", id); err != nil || !ok {
		return err
	}
	return tx.DB.Exec(ctx, `UPDATE channels SET last_connected_at = (SELECT max(c.created_at) FROM connections c WHERE c.channel_id = $1)
		WHERE id = $1 AND EXISTS (SELECT 1 FROM connections c WHERE c.channel_id = $1 AND c.created_at > last_connected_at)`, id)
}

// repairUpdatedAt sets the channel's time of change to that of its last connection if that is
// later.
func repairUpdatedAt(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	var owner domain.PrincipalType
	err := tx.DB.QueryRow(ctx, `UPDATE channels SET updated_at = last_connected_at, version = version + 1
		WHERE id = $1 AND updated_at < last_connected_at RETURNING owner_type`, id).Scan(&owner)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err == nil {
		tx.Deltas.ChannelTouched(domain.ChannelID(id), owner)
	}
	return err
}

// repairConnectionCounts recounts the connections of a channel by user and by time.
func repairConnectionCounts(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	if err := tx.LockChannels(ctx, domain.ChannelID(id)); err != nil {
		return err
	}
	return tx.Deltas.RecountConnections(ctx, domain.ChannelID(id))
}

// repairContentCounts adds the missing differences to the counts of an owner, computed from one
// snapshot.
func repairContentCounts(owner domain.PrincipalType, things string) Repair {
	table := "users"
	if owner == domain.TypeGroup {
		table = "groups"
	}
	return func(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
		if ok, err := tx.lockRow(ctx, table, "id", id); err != nil || !ok { // against concurrent repairs
			return err
		}
		return tx.Deltas.Contents(ctx, owner, `SELECT CAST($1 AS BIGINT), type, part, CAST(sum(open) AS BIGINT), CAST(sum(hidden) AS BIGINT) FROM (
				SELECT type, part, CASE WHEN open THEN 1 ELSE 0 END AS open, CASE WHEN open THEN 0 ELSE 1 END AS hidden FROM (`+things+`) AS had
				UNION ALL SELECT type, part, -open, -hidden FROM content_counts WHERE owner_type = '`+string(owner)+`' AND owner_id = $1) AS sides
			GROUP BY type, part HAVING sum(open) <> 0 OR sum(hidden) <> 0`, id)
	}
}

// repairVersions deletes the versions of a thing that does not exist, which older versions of the program leave behind.
// Ids are not used again.
func repairVersions(kind domain.SubjectType) Repair {
	return func(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
		return tx.DB.Exec(ctx, `DELETE FROM text_versions WHERE item_type = $1 AND item_id = $2`, string(kind), id)
	}
}

// repairUploadSize sets the size of an upload to that of its blob and counts the difference.
func repairUploadSize(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	if ok, err := tx.lockRow(ctx, "uploads", "id", id); err != nil || !ok {
		return err
	}
	u, err := tx.UploadByID(ctx, domain.UploadID(id))
	if err != nil || u.BlobID == 0 {
		return err
	}
	b, err := tx.Blob(ctx, u.BlobID)
	if err != nil {
		return err
	}
	if !u.Used {
		tx.Deltas.Unused(u.UserID, b.Size-u.Size, 1)
	}
	return tx.DB.Exec(ctx, `UPDATE uploads SET size = $2 WHERE id = $1`, id, b.Size)
}

// repairFileOwner makes a file in a column of blocks count towards the quota of the block's
// author.
func repairFileOwner(column string) Repair {
	return func(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
		if ok, err := tx.lockRow(ctx, "files", "id", id); err != nil || !ok {
			return err
		}
		var was, size, is int64
		err := tx.DB.QueryRow(ctx, `SELECT f.user_id, f.size, b.user_id FROM files f JOIN blocks b ON b.`+column+` = f.id WHERE f.id = $1`, id).
			Scan(&was, &size, &is)
		if errors.Is(err, database.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		tx.Deltas.File(domain.UserID(was), size, -1)
		tx.Deltas.File(domain.UserID(is), size, 1)
		return tx.DB.Exec(ctx, `UPDATE files SET user_id = $2 WHERE id = $1`, id, is)
	}
}

// repairOrders rebuilds the orders of a channel.
func repairOrders(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	if ok, err := tx.lockRow(ctx, "channels", "id", id); err != nil || !ok {
		return err
	}
	return tx.Rebuild(ctx, domain.ChannelID(id))
}

func repairFollowers(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	return tx.RecountFollowers(ctx, id)
}

// repairDocument rewrites the documents with an id, of all kinds.
func repairDocument(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	for _, thing := range []struct {
		kind  domain.SubjectType
		table string
	}{
		{domain.SubjectChannel, "channels"},
		{domain.SubjectGroup, "groups"},
		{domain.SubjectBlock, "blocks"},
		{domain.SubjectUser, "users"},
	} {
		if _, err := tx.lockRow(ctx, thing.table, "id", id); err != nil {
			return err
		}
		if err := tx.Documents.Repair(ctx, thing.kind, id); err != nil {
			return err
		}
	}
	return nil
}

// repairGroupItems repairs the items of a group.
func repairGroupItems(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	err := tx.LockGroupWithChannels(ctx, domain.GroupID(id))
	if err != nil && domain.KindOf(err) != domain.NotFound { // a job deletes the items of a deleted group
		return err
	}
	return tx.Documents.RepairGroup(ctx, domain.GroupID(id))
}

func repairByteUsage(ctx context.Context, tx RepairTx, _ sqlx.Check, id int64) error {
	return tx.RecountBytes(ctx, domain.UserID(id))
}
