package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/domain"
)

// repair puts right what a check has found of one row, by the id that the check gives. It
// locks what the value follows from and works the value out once more, so that it may run
// beside servers.
type repair func(ctx context.Context, tx *Tx, c check, id int64) error

// repairs are the repairs of checks by what the names of these begin with; the first that
// fits counts. A check without one is only reported: there facts contradict each other,
// and one of them would have to go.
var repairs = []struct {
	prefix string
	repair repair
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
	{"files.user_id of a block's image", repairFileOwner("image_id")},
	{"files.user_id of a block's file", repairFileOwner("file_id")},
}

// repairOf gives the repair of a check, nil for none. What `counted` makes is named after
// its table and column.
func repairOf(c check) repair {
	for _, r := range repairs {
		if strings.HasPrefix(c.what, r.prefix) {
			return r.repair
		}
	}
	table, column, _ := strings.Cut(c.what, ".")
	if slices.Contains([]string{"channels", "blocks", "users", "groups"}, table) && column != "" && !strings.Contains(column, " ") {
		return func(ctx context.Context, tx *Tx, c check, id int64) error {
			return rewrite(ctx, tx, c, table, "id", column, ", version = version + 1", id)
		}
	}
	return nil
}

const (
	repairRows  = 50     // that one transaction puts right
	repairFound = 10_000 // that one look gives
)

// Repair makes each check and puts right what it finds, in small transactions, and gives
// what is left, at most `most` of each kind. It deletes nothing that anybody made.
func (s *Store) Repair(ctx context.Context, most int, tell func(Checked)) (left []Difference, err error) {
	all := append(allChecks(), check{what: wordsCheck})
	for n, c := range all {
		at := Checked{What: c.what, N: n + 1, Of: len(all)}
		tell(at)
		found, err := s.repairCheck(ctx, c, func(repaired int) {
			at.Repaired += repaired
			tell(at)
		})
		if err != nil {
			return left, fmt.Errorf("%s: %w", c.what, err)
		}
		at.Found, at.Ended = len(found), true
		tell(at)
		left = append(left, found[:min(len(found), most)]...)
	}
	return left, nil
}

// repairCheck repairs until a look finds nothing that was not tried before, and gives
// what it finds then.
func (s *Store) repairCheck(ctx context.Context, c check, tell func(repaired int)) (found []Difference, err error) {
	put, tried := repairOf(c), map[int64]bool{}
	for {
		err := s.InSnapshot(ctx, func(v *Snapshot) (err error) {
			found, err = v.found(ctx, c, repairFound)
			return err
		})
		if err != nil || put == nil {
			return found, err
		}
		var ids []int64
		for _, d := range found {
			if !tried[d.ID] {
				tried[d.ID] = true
				ids = append(ids, d.ID)
			}
		}
		if ids == nil {
			return found, nil
		}
		slices.Sort(ids)
		for some := range slices.Chunk(ids, repairRows) {
			err := s.InTx(ctx, func(tx *Tx) error {
				for _, id := range some {
					if err := put(ctx, tx, c, id); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return found, err
			}
			tell(len(some))
		}
	}
}

// lockRow locks a row by its key, and reports whether there is one.
func (tx *Tx) lockRow(ctx context.Context, table, key string, id int64) (bool, error) {
	err := tx.q.QueryRow(ctx, "SELECT r."+key+" FROM "+table+" r WHERE r."+key+" = $1"+tx.d.lock("r"), id).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// rewrite writes what a check works out for a row. Whoever changes such a value adds to it
// in the transaction that changes what it follows from: so what a statement sees after the
// row is locked is what has been added, and the rest is added later.
func rewrite(ctx context.Context, tx *Tx, c check, table, key, column, more string, id int64) error {
	ok, err := tx.lockRow(ctx, table, key, id)
	if err != nil || !ok {
		return err
	}
	actual, err := scanInt64(tx.q.QueryRow(ctx, "SELECT actual FROM ("+c.query+") AS now WHERE id = $1", id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil // right by now
	}
	if err != nil {
		return err
	}
	return tx.execOne(ctx, "UPDATE "+table+" SET "+column+" = $2"+more+" WHERE "+key+" = $1", id, actual)
}

// repairUnread counts the unread notifications of a user.
func repairUnread(ctx context.Context, tx *Tx, _ check, id int64) error {
	if err := tx.exec(ctx, `INSERT INTO inboxes (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING`, id); err != nil {
		return err
	}
	unread := slices.IndexFunc(feedChecks, func(c check) bool { return c.what == "inboxes.unread" })
	return rewrite(ctx, tx, feedChecks[unread], "inboxes", "user_id", "unread", "", id)
}

// placedItem reads what a connection connects, and where; false if it is gone.
func (tx *Tx) placedItem(ctx context.Context, connection int64) (in domain.ChannelID, item domain.ItemRef, ok bool, err error) {
	err = tx.q.QueryRow(ctx, `SELECT channel_id, item_type, item_id FROM connections WHERE id = $1`, connection).Scan(&in, &item.Type, &item.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, item, false, nil
	}
	return in, item, err == nil, err
}

// repairItemTime writes the time by which a connection sorts: of a block, that of its
// change, to all places that it has; of a channel none, since lists ask the channel.
func repairItemTime(ctx context.Context, tx *Tx, _ check, id int64) error {
	_, item, ok, err := tx.placedItem(ctx, id)
	if err != nil || !ok {
		return err
	}
	if item.Type == domain.ItemChannel {
		return tx.exec(ctx, `UPDATE connections SET item_updated_at = 0 WHERE id = $1`, id)
	}
	if ok, err := tx.lockRow(ctx, "blocks", "id", item.ID); err != nil || !ok {
		return err
	}
	at, err := scanInt64(tx.q.QueryRow(ctx, `SELECT updated_at FROM blocks WHERE id = $1`, item.ID))
	if err != nil {
		return err
	}
	return tx.touchBlock(ctx, domain.BlockID(item.ID), instant(at))
}

// repairItemPrivate carries to a connection whether its item is a private channel. Counts
// and orders that tell them apart have checks of their own, which come later.
func repairItemPrivate(ctx context.Context, tx *Tx, _ check, id int64) error {
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
	return tx.exec(ctx, `UPDATE connections SET item_private = (item_type = 'Channel' AND EXISTS (
		SELECT 1 FROM channels ch WHERE ch.id = item_id AND ch.visibility = 'private')) WHERE id = $1`, id)
}

func repairLastConnected(ctx context.Context, tx *Tx, _ check, id int64) error {
	if ok, err := tx.lockRow(ctx, "channels", "id", id); err != nil || !ok {
		return err
	}
	return tx.exec(ctx, `UPDATE channels SET last_connected_at = (SELECT max(c.created_at) FROM connections c WHERE c.channel_id = $1)
		WHERE id = $1 AND EXISTS (SELECT 1 FROM connections c WHERE c.channel_id = $1 AND c.created_at > last_connected_at)`, id)
}

// repairUpdatedAt has a channel changed when something was last added to it.
func repairUpdatedAt(ctx context.Context, tx *Tx, _ check, id int64) error {
	var owner domain.PrincipalType
	err := tx.q.QueryRow(ctx, `UPDATE channels SET updated_at = last_connected_at, version = version + 1
		WHERE id = $1 AND updated_at < last_connected_at RETURNING owner_type`, id).Scan(&owner)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		tx.moved(domain.ChannelID(id), owner)
	}
	return err
}

// repairConnectionCounts counts what is connected to a channel by user and time.
func repairConnectionCounts(ctx context.Context, tx *Tx, _ check, id int64) error {
	if err := tx.LockChannels(ctx, domain.ChannelID(id)); err != nil {
		return err
	}
	return tx.recountConnections(ctx, domain.ChannelID(id))
}

// repairOrders builds the orders of a channel anew.
func repairOrders(ctx context.Context, tx *Tx, _ check, id int64) error {
	if ok, err := tx.lockRow(ctx, "channels", "id", id); err != nil || !ok {
		return err
	}
	return tx.Rebuild(ctx, domain.ChannelID(id))
}

// repairFollowers counts the followers of the sources with an id.
func repairFollowers(ctx context.Context, tx *Tx, _ check, id int64) error {
	for _, t := range []domain.SubjectType{domain.SubjectUser, domain.SubjectChannel, domain.SubjectGroup} {
		rows, err := tx.q.Query(ctx, `SELECT s.source_id FROM feed_sources s WHERE s.source_type = $1 AND s.source_id = $2`+tx.d.lock("s"), t, id)
		locked, err := collect(ctx, rows, err, scanInt64)
		if err != nil {
			return err
		}
		if len(locked) == 0 {
			continue
		}
		for _, statement := range []string{
			`UPDATE feed_sources SET followers = (SELECT count(*) FROM follows f WHERE f.followed_type = $1 AND f.followed_id = $2)
				WHERE source_type = $1 AND source_id = $2`,
			`DELETE FROM follower_ranks WHERE followed_type = $1 AND followed_id = $2`,
			fmt.Sprintf(`INSERT INTO follower_ranks (followed_type, followed_id, first_follow, followings)
				SELECT followed_type, followed_id, min(id), count(*) FROM (SELECT followed_type, followed_id, id, (row_number() OVER (
					ORDER BY id) - 1) / %d AS part FROM follows WHERE followed_type = $1 AND followed_id = $2) AS f
				GROUP BY followed_type, followed_id, part`, rankMost),
		} {
			if err := tx.exec(ctx, statement, t, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// repairDocument writes the documents of the things with an id, of whichever kinds.
func repairDocument(ctx context.Context, tx *Tx, _ check, id int64) error {
	for _, thing := range []struct {
		kind          domain.SubjectType
		table, author string
		links         string
	}{
		{domain.SubjectChannel, "channels", "r.user_id", "(" + openParents + "r.id)"},
		{domain.SubjectGroup, "groups", "", ""},
		{domain.SubjectBlock, "blocks", "r.user_id", "r.open_count"},
		{domain.SubjectUser, "users", "", ""},
	} {
		if _, err := tx.lockRow(ctx, thing.table, "id", id); err != nil {
			return err
		}
		err := tx.exec(ctx, `UPDATE search_documents SET digest = NULL WHERE kind = $1 AND item_id = $2`, thing.kind, id)
		if err == nil {
			err = tx.index(ctx, thing.kind, id)
		}
		if err != nil {
			return err
		}
		if thing.links == "" {
			continue
		}
		err = tx.exec(ctx, `UPDATE search_documents SET (author_id, links, created_at) = (
				SELECT `+thing.author+`, `+thing.links+`, r.created_at FROM `+thing.table+` r WHERE r.id = $2)
			WHERE kind = $1 AND item_id = $2`, thing.kind, id)
		if err != nil {
			return err
		}
	}
	return nil
}

// repairGroupItems adds to what a group has what is missing of its channels, as of one
// moment, and carries the things' documents to it.
func repairGroupItems(ctx context.Context, tx *Tx, _ check, id int64) error {
	err := tx.LockGroupWithChannels(ctx, domain.GroupID(id))
	if err != nil && domain.KindOf(err) != domain.NotFound { // what a group that is gone has left, a job forgets
		return err
	}
	for _, statement := range []string{
		`INSERT INTO group_items (group_id, kind, item_id, type, open_n, private_n, open, created_at, updated_at)
		SELECT $1, d.kind, d.item_id, d.type, x.open_n, x.private_n, x.open_n > 0, d.created_at, d.updated_at FROM (
			SELECT kind, item_id, CAST(sum(open_n) AS BIGINT) AS open_n, CAST(sum(private_n) AS BIGINT) AS private_n FROM (
				SELECT p.kind, p.item_id, CASE WHEN p.visibility = 'private' THEN 0 ELSE 1 END AS open_n,
					CASE WHEN p.visibility = 'private' THEN 1 ELSE 0 END AS private_n FROM (` + groupPlaces + `) AS p WHERE p.group_id = $1
				UNION ALL SELECT gi.kind, gi.item_id, -gi.open_n, -gi.private_n FROM group_items gi WHERE gi.group_id = $1) AS sides
			GROUP BY kind, item_id HAVING sum(open_n) <> 0 OR sum(private_n) <> 0) AS x
		JOIN search_documents d ON d.kind = x.kind AND d.item_id = x.item_id WHERE TRUE` + addToGroupItems,
		`DELETE FROM group_items WHERE group_id = $1 AND (kind, item_id) NOT IN (
			SELECT p.kind, p.item_id FROM (` + groupPlaces + `) AS p WHERE p.group_id = $1)`,
		`UPDATE group_items SET open = open_n > 0, (type, created_at, updated_at) = (SELECT d.type, d.created_at, d.updated_at
			FROM search_documents d WHERE d.kind = group_items.kind AND d.item_id = group_items.item_id)
		WHERE group_id = $1 AND EXISTS (SELECT 1 FROM search_documents d WHERE d.kind = group_items.kind AND d.item_id = group_items.item_id
			AND (d.type <> group_items.type OR d.created_at <> group_items.created_at OR d.updated_at <> group_items.updated_at
				OR group_items.open <> (group_items.open_n > 0)))`,
	} {
		if err := tx.exec(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}

// repairContentCounts adds to the counts of an owner what is missing, as of one moment.
func repairContentCounts(owner domain.PrincipalType, things string) repair {
	table := "users"
	if owner == domain.TypeGroup {
		table = "groups"
	}
	return func(ctx context.Context, tx *Tx, _ check, id int64) error {
		if ok, err := tx.lockRow(ctx, table, "id", id); err != nil || !ok { // from another who repairs
			return err
		}
		return tx.recountMany(ctx, owner, `SELECT CAST($1 AS BIGINT), type, part, CAST(sum(open) AS BIGINT), CAST(sum(hidden) AS BIGINT) FROM (
				SELECT type, part, CASE WHEN open THEN 1 ELSE 0 END AS open, CASE WHEN open THEN 0 ELSE 1 END AS hidden FROM (`+things+`) AS had
				UNION ALL SELECT type, part, -open, -hidden FROM content_counts WHERE owner_type = '`+string(owner)+`' AND owner_id = $1) AS sides
			GROUP BY type, part HAVING sum(open) <> 0 OR sum(hidden) <> 0`, id)
	}
}

// repairByteUsage sums what a user has stored.
func repairByteUsage(ctx context.Context, tx *Tx, _ check, id int64) error {
	if err := tx.lockByteUsage(ctx, domain.UserID(id)); err != nil {
		return err
	}
	return tx.exec(ctx, `UPDATE byte_usage SET
		unused = (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM uploads WHERE user_id = $1 AND used_at IS NULL),
		files = (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM files WHERE user_id = $1) WHERE user_id = $1`, id)
}

// repairUploadSize gives an upload the size of its bytes, and counts what it has more.
func repairUploadSize(ctx context.Context, tx *Tx, _ check, id int64) error {
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
		tx.countUnused(u.UserID, b.Size-u.Size, 1)
	}
	return tx.exec(ctx, `UPDATE uploads SET size = $2 WHERE id = $1`, id, b.Size)
}

// repairFileOwner has a file that a column of blocks names count against the block's
// author.
func repairFileOwner(column string) repair {
	return func(ctx context.Context, tx *Tx, _ check, id int64) error {
		if ok, err := tx.lockRow(ctx, "files", "id", id); err != nil || !ok {
			return err
		}
		var was, size, is int64
		err := tx.q.QueryRow(ctx, `SELECT f.user_id, f.size, b.user_id FROM files f JOIN blocks b ON b.`+column+` = f.id WHERE f.id = $1`, id).
			Scan(&was, &size, &is)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		tx.countFile(domain.UserID(was), size, -1)
		tx.countFile(domain.UserID(is), size, 1)
		return tx.exec(ctx, `UPDATE files SET user_id = $2 WHERE id = $1`, id, is)
	}
}
