package counters

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// byte_usage counts the bytes that users have stored. A request that stores more first reserves
// them (Reserve) while the row is locked, so that concurrent requests cannot use the same bytes.
// Triggers count texts. On PostgreSQL they insert a row for each change, so that the writes of a user
// do not wait for each other. Locking the user's row adds these rows to it, and so does every 128th
// change (migration 0050). current_byte_usage is byte_usage with the rows that are still separate.

// byteCounts writes the counts of uploads and files. Open of a Tally counts unused bytes, Hidden
// those of files.
var byteCounts = countTable[domain.UserID]{
	name:    "byte_usage",
	key:     []string{"user_id"},
	sums:    []string{"unused", "files"},
	compare: cmp.Compare[domain.UserID],
	values:  func(u domain.UserID) []any { return []any{u} },
}

// byteUsage reads the usage of a user, except for the reservation with one key.
const byteUsage = byteUsageOf + `current_byte_usage` + byteUsageWhere

const byteUsageOf = `SELECT u.id, u.tier, COALESCE(bu.unused, 0), COALESCE(bu.files, 0), COALESCE(bu.texts, 0),
		COALESCE((SELECT CAST(sum(r.bytes) AS BIGINT) FROM byte_reservations r
			WHERE r.user_id = u.id AND r.upload AND r.expires_at > $2 AND r.key <> $3), 0),
		COALESCE((SELECT CAST(sum(r.bytes) AS BIGINT) FROM byte_reservations r
			WHERE r.user_id = u.id AND NOT r.upload AND r.expires_at > $2 AND r.key <> $3), 0),
		(SELECT count(*) FROM uploads up WHERE up.user_id = u.id AND up.used_at IS NULL
			AND (up.size IS NOT NULL OR up.expires_at > $2))
	FROM users u LEFT JOIN `

const byteUsageWhere = ` bu ON bu.user_id = u.id WHERE `

func scanByteUsage(row sqlx.Row) (u domain.ByteUsage, err error) {
	var unused, files, texts, uploads, others int64
	err = row.Scan(&u.UserID, &u.Tier, &unused, &files, &texts, &uploads, &others, &u.Uploads)
	u.Unused = unused + uploads
	u.Texts = domain.TextFactor * texts
	u.Total = u.Unused + files + u.Texts + others
	return u, err
}

// ByteUsage reads the bytes that a user has stored. Its cost is constant.
func (r Reads) ByteUsage(ctx context.Context, user domain.UserID, now time.Time) (domain.ByteUsage, error) {
	u, err := scanByteUsage(r.db.QueryRow(ctx, byteUsage+"u.id = $1", user, sqlx.Micros(now), ""))
	return u, sqlx.Found(err)
}

// ByteUsages reads the bytes that some users have stored.
func (r Reads) ByteUsages(ctx context.Context, users []domain.UserID, now time.Time) (map[domain.UserID]domain.ByteUsage, error) {
	rows, err := r.db.Query(ctx, byteUsage+r.db.In("u.id", "$1"), sqlx.IDs(r.db.Dialect, users), sqlx.Micros(now), "")
	all, err := sqlx.Collect(ctx, rows, err, scanByteUsage)
	return sqlx.ByID(all, func(u domain.ByteUsage) domain.UserID { return u.UserID }), err
}

// BlocksMade counts the blocks of some users, without users who have none.
func (r Reads) BlocksMade(ctx context.Context, ids []domain.UserID) (map[domain.UserID]int64, error) {
	made := map[domain.UserID]int64{}
	if len(ids) == 0 {
		return made, nil
	}
	rows, err := r.db.Query(ctx, "SELECT user_id, count(*) FROM blocks WHERE "+r.db.In("user_id", "$1")+" GROUP BY user_id", sqlx.IDs(r.db.Dialect, ids))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.UserID, err error) {
		var n int64
		err = row.Scan(&id, &n)
		made[id] = n
		return id, err
	})
	return made, err
}

// LockByteUsage is ByteUsage without the reservation of a key. It prevents others from storing or
// reserving bytes of the user until the transaction ends.
func (w Writes) LockByteUsage(ctx context.Context, user domain.UserID, key string, now time.Time) (u domain.ByteUsage, err error) {
	if err := w.lockByteUsage(ctx, user); err != nil {
		return u, err
	}
	u, err = scanByteUsage(w.db.QueryRow(ctx, byteUsage+"u.id = $1", user, sqlx.Micros(now), key))
	return u, sqlx.Found(err)
}

// lockByteUsage locks the row of a user's counts and, on PostgreSQL, adds all changes of texts to it.
func (w Writes) lockByteUsage(ctx context.Context, user domain.UserID) error {
	return w.db.Exec(ctx, `INSERT INTO byte_usage (user_id, unused, files) VALUES ($1, 0, 0)
		ON CONFLICT (user_id) DO UPDATE SET unused = byte_usage.unused`, user)
}

// Reserve reserves bytes, replacing the previous reservation of the same key.
func (w Writes) Reserve(ctx context.Context, r domain.Reservation) error {
	return w.db.Exec(ctx, `INSERT INTO byte_reservations (key, user_id, upload, bytes, expires_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (key) DO UPDATE SET user_id = excluded.user_id, upload = excluded.upload, bytes = excluded.bytes,
			expires_at = excluded.expires_at`, r.Key, r.UserID, r.Upload, r.Bytes, sqlx.Micros(r.ExpiresAt))
}

// ExtendReservation extends a reservation.
func (w Writes) ExtendReservation(ctx context.Context, key string, until time.Time) error {
	return w.db.Exec(ctx, `UPDATE byte_reservations SET expires_at = $2 WHERE key = $1`, key, sqlx.Micros(until))
}

// EndReservation deletes the reservation of a key and returns its bytes, 0 if it had expired.
func (w Writes) EndReservation(ctx context.Context, key string, now time.Time) (held int64, err error) {
	rows, err := w.db.Query(ctx, `DELETE FROM byte_reservations WHERE key = $1
		RETURNING CASE WHEN expires_at > $2 THEN bytes ELSE 0 END`, key, sqlx.Micros(now))
	all, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	for _, n := range all {
		held += n
	}
	return held, err
}

// SweepReservations deletes at most `limit` expired reservations and returns their number.
func (w Writes) SweepReservations(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "byte_reservations", "key", now, limit)
}

// File registers that a file was created (by 1) or deleted (by -1).
func (d *Deltas) File(owner domain.UserID, size, by int64) {
	d.bytes.add(owner, Tally{Hidden: by * size})
}

// Unused registers that bytes of an unused upload were added (by 1) or removed (by -1).
func (d *Deltas) Unused(owner domain.UserID, size, by int64) {
	d.bytes.add(owner, Tally{Open: by * size})
}

// RecountBytes sums the uploads, files and texts of a user. Concurrent transactions may change texts.
// Their changes are not added to the locked row yet, so the sum excludes those that it can see.
func (w Writes) RecountBytes(ctx context.Context, user domain.UserID) error {
	if err := w.lockByteUsage(ctx, user); err != nil {
		return err
	}
	return w.db.Exec(ctx, `UPDATE byte_usage SET
		unused = (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM uploads WHERE user_id = $1 AND used_at IS NULL),
		files = (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM files WHERE user_id = $1),
		texts = texts - (SELECT n.texts FROM current_byte_usage n WHERE n.user_id = $1)
			+ (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM (`+textsOf+`) AS t), texts_counted = TRUE
		WHERE user_id = $1`, user)
}

// ByteChecks compare the counts with uploads and files, and files with their owners.
var ByteChecks = []sqlx.Check{
	{What: "byte_usage.unused", Query: byteSums("unused", `SELECT user_id, size FROM uploads WHERE used_at IS NULL AND size IS NOT NULL`)},
	{What: "byte_usage.files", Query: byteSums("files", `SELECT user_id, size FROM files`)},
	{What: "byte_usage.texts", Query: `SELECT * FROM (` + byteSums("texts", textRows) + `) AS d
		WHERE user_id NOT IN (SELECT user_id FROM byte_usage WHERE texts_counted = FALSE)`},
	{What: "uploads.size", Query: `SELECT up.id, COALESCE(up.size, -1), bl.size FROM uploads up JOIN blobs bl ON bl.id = up.blob_id
		WHERE up.size IS NULL OR up.size <> bl.size`},
	{What: "files.user_id of a block's image", Query: `SELECT f.id, f.user_id, b.user_id FROM blocks b JOIN files f ON f.id = b.image_id
		WHERE f.user_id <> b.user_id`},
	{What: "files.user_id of a block's file", Query: `SELECT f.id, f.user_id, b.user_id FROM blocks b JOIN files f ON f.id = b.file_id
		WHERE f.user_id <> b.user_id`},
}

func byteSums(column, actual string) string {
	return `SELECT user_id, CAST(sum(stored) AS BIGINT), CAST(sum(actual) AS BIGINT) FROM (
		SELECT user_id, ` + column + ` AS stored, 0 AS actual FROM current_byte_usage
		UNION ALL SELECT user_id, 0, size FROM (` + actual + `) AS facts) AS both_sides
		GROUP BY user_id HAVING sum(stored) <> sum(actual)`
}

// Database triggers count texts in the transaction that changes them. They
// cover every write, including loads, cascades and writes of nodes that run an older version. The
// tables here, and the columns that are declared with sqlx.Quota, must match the triggers
// (migrations 0041 and 0050); the store check compares both.

// textSource is a table with texts that count towards a user's quota.
type textSource struct {
	table   string
	payer   string // column with the user whose quota is used
	columns string
	where   string // condition for rows that count, or "TRUE"
	of      string // condition for rows of user $1, covered by an index
}

var textSources = []textSource{
	{"blocks", "user_id", rowmap.Blocks.Names(sqlx.Quota), "TRUE", "user_id = $1"},
	{"comments", "user_id", rowmap.Comments.Names(sqlx.Quota), "TRUE", "user_id = $1"},
	{"hidden_comments", "user_id", rowmap.Comments.Names(sqlx.Quota), "TRUE", "user_id = $1"},
	{"channels", "owner_id", rowmap.Channels.Names(sqlx.Quota), "state <> 'deleted' AND owner_type = 'User'", "owner_id = $1"},
	{"channels", "user_id", rowmap.Channels.Names(sqlx.Quota), "state <> 'deleted' AND owner_type <> 'User'", "user_id = $1"},
	{"connections", "user_id", rowmap.Connections.Names(sqlx.Quota), "metadata IS NOT NULL", "user_id = $1"},
	{"groups", "owner_id", rowmap.Groups.Names(sqlx.Quota), "TRUE",
		"owner_id = $1 AND id IN (SELECT group_id FROM group_members WHERE user_id = $1)"},
	{"users", "id", rowmap.Users.Names(sqlx.Quota), "TRUE", "id = $1"},
	{"trash_things", "owner_id", "data", "owner_type = 'User'", "owner_id = $1"},
	{"trash_comments", "user_id", rowmap.Comments.Names(sqlx.Quota), "TRUE", "user_id = $1"},
	{"trash_connections", "user_id", rowmap.Connections.Names(sqlx.Quota), "metadata IS NOT NULL", "user_id = $1"},
	{"once_keys", "user_id", "answer", "TRUE", "user_id = $1"},
}

// textRows selects the payer and size of all rows with text, and textsOf those of user $1.
var textRows, textsOf = func() (all, of string) {
	var selects, ofUser []string
	for _, s := range textSources {
		var sizes []string
		for column := range strings.SplitSeq(s.columns, ",") {
			sizes = append(sizes, "COALESCE(octet_length("+strings.TrimSpace(column)+"), 0)")
		}
		one := "SELECT " + s.payer + " AS user_id, " + strings.Join(sizes, " + ") + " AS size FROM " + s.table + " WHERE " + s.where
		selects, ofUser = append(selects, one), append(ofUser, one+" AND "+s.of)
	}
	const and = " UNION ALL "
	return strings.Join(selects, and), strings.Join(ofUser, and)
}()

// EachUsage calls each with the usage of a user, for a transaction that writes the user's texts. On PostgreSQL the
// statement is sent with the next one. The usage may lack texts that this transaction writes, and on SQLite counts that
// are written at the commit.
func (w Writes) EachUsage(ctx context.Context, user domain.UserID, now time.Time, each func(domain.ByteUsage)) error {
	return w.db.LaterEach(ctx, func(row sqlx.Row) error {
		u, err := scanByteUsage(row)
		each(u)
		return err
	}, nil, byteUsageOf+"stored_bytes"+byteUsageWhere+"u.id = $1", user, sqlx.Micros(now), "")
}

// FinishTexts sums the texts of all users after a load without triggers.
func (w Writes) FinishTexts(ctx context.Context) error {
	return w.db.Exec(ctx, `INSERT INTO byte_usage (user_id, unused, files, texts)
		SELECT user_id, 0, 0, CAST(sum(size) AS BIGINT) FROM (`+textRows+`) AS t WHERE size > 0 GROUP BY user_id
		ON CONFLICT (user_id) DO UPDATE SET texts = excluded.texts`)
}

// CountTexts sums the texts of at most `limit` users that were stored before texts were counted,
// and returns the number of users.
func (w Writes) CountTexts(ctx context.Context, limit int) (int, error) {
	rows, err := w.db.Query(ctx, `SELECT user_id FROM byte_usage WHERE texts_counted = FALSE ORDER BY user_id`+sqlx.Limit("$1"), limit)
	users, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
	for _, user := range users {
		if err == nil {
			err = w.RecountBytes(ctx, user)
		}
	}
	return len(users), err
}

// Totals returns what the site contains. It sums existing counts and reads a row per account and
// channel, but none for blocks or connections.
func (r Reads) Totals(ctx context.Context) (t domain.Totals, err error) {
	err = r.db.QueryRow(ctx, `SELECT (SELECT count(*) FROM users WHERE deleted_at IS NULL), (SELECT count(*) FROM groups),
			of_channels.n, of_channels.connections,
			(SELECT COALESCE(CAST(sum(open + hidden) AS BIGINT), 0) FROM content_counts WHERE owner_type = 'User' AND type <> 'Channel'),
			(SELECT COALESCE(CAST(sum(`+Stored+`) AS BIGINT), 0) FROM current_byte_usage bu)
		FROM (SELECT count(*) AS n, COALESCE(CAST(sum(blocks_count + channels_count) AS BIGINT), 0) AS connections
			FROM channels WHERE state = 'available') AS of_channels`).
		Scan(&t.Users, &t.Groups, &t.Channels, &t.Connections, &t.Blocks, &t.Bytes)
	return t, err
}

// Stored is the SQL expression for the bytes of `bu`, a row of current_byte_usage, that count towards a
// quota. On SQLite it is indexed.
var Stored = "(bu.unused + bu.files + " + strconv.Itoa(domain.TextFactor) + " * bu.texts)"

// LargestByteUsage lists users by stored bytes, largest first.
func (r Reads) LargestByteUsage(ctx context.Context, page domain.Page) (l domain.List[domain.UserID], err error) {
	from := ` FROM current_byte_usage bu JOIN users u ON u.id = bu.user_id WHERE ` + Stored + ` > 0 AND u.deleted_at IS NULL`
	if l.Total, err = sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*)"+from)); err != nil || page.Offset() >= l.Total {
		return l, err
	}
	rows, err := r.db.Query(ctx, "SELECT bu.user_id"+from+" ORDER BY "+Stored+" DESC, bu.user_id DESC"+sqlx.Limit("$1")+" OFFSET $2",
		page.Per, page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
	return l, err
}
