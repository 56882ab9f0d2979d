package counters

import (
	"cmp"
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// byte_usage counts the bytes that users have stored. A request that stores more first reserves
// them (Reserve) while the row is locked, so that concurrent requests cannot use the same bytes.
// Triggers count texts (texts.go).

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
const byteUsage = byteUsageOf + `byte_usage` + byteUsageWhere

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

// lockByteUsage locks the row of a user's counts.
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

// RecountBytes sums the uploads, files and texts of a user. A concurrent transaction that changes
// a text adds its difference after this one has committed, because it needs the same row.
func (w Writes) RecountBytes(ctx context.Context, user domain.UserID) error {
	if err := w.lockByteUsage(ctx, user); err != nil {
		return err
	}
	return w.db.Exec(ctx, `UPDATE byte_usage SET
		unused = (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM uploads WHERE user_id = $1 AND used_at IS NULL),
		files = (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM files WHERE user_id = $1),
		texts = (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM (`+textsOf+`) AS t), texts_counted = TRUE
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
		SELECT user_id, ` + column + ` AS stored, 0 AS actual FROM byte_usage
		UNION ALL SELECT user_id, 0, size FROM (` + actual + `) AS facts) AS both_sides
		GROUP BY user_id HAVING sum(stored) <> sum(actual)`
}
