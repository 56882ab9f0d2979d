package store

import (
	"cmp"
	"context"
	"time"

	"vitrine/internal/domain"
)

// Bytes that users have stored are counted in byte_usage, as other counts are: a
// transaction collects what it changes and writes it at its end. Whoever wants to store
// more holds room for it first (Reserve), while the row is locked, so that requests that
// race for the last bytes are seen by each other.

// byteCounts is how byte_usage is written: `open` of tallies is unused bytes, `hidden`
// those of files.
var byteCounts = countTable[domain.UserID]{
	name:    "byte_usage",
	key:     []string{"user_id"},
	sums:    []string{"unused", "files"},
	compare: cmp.Compare[domain.UserID],
	values:  func(u domain.UserID) []any { return []any{u} },
}

// Reservation is room held for bytes on their way.
type Reservation struct {
	Key       string // what they are for: one holds room once, however often it is tried
	UserID    domain.UserID
	Upload    bool // they will be an upload's
	Bytes     int64
	ExpiresAt time.Time // unless the reservation is extended
}

// byteUsage reads what a user has stored, without the reservation of one key.
const byteUsage = `SELECT u.id, u.tier, COALESCE(bu.unused, 0), COALESCE(bu.files, 0),
		COALESCE((SELECT CAST(sum(r.bytes) AS BIGINT) FROM byte_reservations r
			WHERE r.user_id = u.id AND r.upload AND r.expires_at > $2 AND r.key <> $3), 0),
		COALESCE((SELECT CAST(sum(r.bytes) AS BIGINT) FROM byte_reservations r
			WHERE r.user_id = u.id AND NOT r.upload AND r.expires_at > $2 AND r.key <> $3), 0),
		(SELECT count(*) FROM uploads up WHERE up.user_id = u.id AND up.used_at IS NULL
			AND (up.size IS NOT NULL OR up.expires_at > $2))
	FROM users u LEFT JOIN byte_usage bu ON bu.user_id = u.id WHERE `

func scanByteUsage(row scanner) (u domain.ByteUsage, err error) {
	var unused, files, uploads, others int64
	err = row.Scan(&u.UserID, &u.Tier, &unused, &files, &uploads, &others, &u.Uploads)
	u.Unused = unused + uploads
	u.Total = u.Unused + files + others
	return u, err
}

// ByteUsage reads what a user has stored. It costs the same however much that is.
func (q Queries) ByteUsage(ctx context.Context, user domain.UserID, now time.Time) (domain.ByteUsage, error) {
	u, err := scanByteUsage(q.q.QueryRow(ctx, byteUsage+"u.id = $1", user, micros(now), ""))
	return u, found(err)
}

// ByteUsages reads what some users have stored.
func (q Queries) ByteUsages(ctx context.Context, users []domain.UserID, now time.Time) (map[domain.UserID]domain.ByteUsage, error) {
	rows, err := q.q.Query(ctx, byteUsage+q.d.in("u.id", "$1"), list(q.d, users), micros(now), "")
	all, err := collect(ctx, rows, err, scanByteUsage)
	return byID(all, func(u domain.ByteUsage) domain.UserID { return u.UserID }), err
}

// LockByteUsage is ByteUsage without the reservation of a key, and keeps others from
// storing or reserving bytes of the user until the transaction ends.
func (tx *Tx) LockByteUsage(ctx context.Context, user domain.UserID, key string, now time.Time) (u domain.ByteUsage, err error) {
	if err := tx.lockByteUsage(ctx, user); err != nil {
		return u, err
	}
	u, err = scanByteUsage(tx.q.QueryRow(ctx, byteUsage+"u.id = $1", user, micros(now), key))
	return u, found(err)
}

// lockByteUsage locks what is counted of a user's bytes.
func (tx *Tx) lockByteUsage(ctx context.Context, user domain.UserID) error {
	return tx.exec(ctx, `INSERT INTO byte_usage (user_id, unused, files) VALUES ($1, 0, 0)
		ON CONFLICT (user_id) DO UPDATE SET unused = byte_usage.unused`, user)
}

// Reserve holds room for bytes, in place of what its key held before.
func (tx *Tx) Reserve(ctx context.Context, r Reservation) error {
	return tx.exec(ctx, `INSERT INTO byte_reservations (key, user_id, upload, bytes, expires_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (key) DO UPDATE SET user_id = excluded.user_id, upload = excluded.upload, bytes = excluded.bytes,
			expires_at = excluded.expires_at`, r.Key, r.UserID, r.Upload, r.Bytes, micros(r.ExpiresAt))
}

// ExtendReservation keeps a reservation for longer.
func (tx *Tx) ExtendReservation(ctx context.Context, key string, until time.Time) error {
	return tx.exec(ctx, `UPDATE byte_reservations SET expires_at = $2 WHERE key = $1`, key, micros(until))
}

// EndReservation gives back the room that a key holds, and reports how much that was: 0
// if its time was up.
func (tx *Tx) EndReservation(ctx context.Context, key string, now time.Time) (held int64, err error) {
	rows, err := tx.q.Query(ctx, `DELETE FROM byte_reservations WHERE key = $1
		RETURNING CASE WHEN expires_at > $2 THEN bytes ELSE 0 END`, key, micros(now))
	all, err := collect(ctx, rows, err, scanInt64)
	for _, n := range all {
		held += n
	}
	return held, err
}

// SweepReservations removes some of those whose time is up, and tells how many.
func (tx *Tx) SweepReservations(ctx context.Context, now time.Time, most int) (int, error) {
	return tx.sweepExpired(ctx, "byte_reservations", "key", now, most)
}

// countFile notes that a file came (by 1) or went (by -1).
func (tx *Tx) countFile(owner domain.UserID, size, by int64) {
	tx.bytes.add(owner, tallies{hidden: by * size})
}

// countUnused notes that bytes of an unused upload came (by 1) or went (by -1).
func (tx *Tx) countUnused(owner domain.UserID, size, by int64) {
	tx.bytes.add(owner, tallies{open: by * size})
}

// byteChecks hold the counts against uploads and files, and files against whose they are.
var byteChecks = []check{
	{"byte_usage.unused", byteSums("unused", `SELECT user_id, size FROM uploads WHERE used_at IS NULL AND size IS NOT NULL`)},
	{"byte_usage.files", byteSums("files", `SELECT user_id, size FROM files`)},
	{"uploads.size", `SELECT up.id, COALESCE(up.size, -1), bl.size FROM uploads up JOIN blobs bl ON bl.id = up.blob_id
		WHERE up.size IS NULL OR up.size <> bl.size`},
	{"files.user_id of a block's image", `SELECT f.id, f.user_id, b.user_id FROM blocks b JOIN files f ON f.id = b.image_id
		WHERE f.user_id <> b.user_id`},
	{"files.user_id of a block's file", `SELECT f.id, f.user_id, b.user_id FROM blocks b JOIN files f ON f.id = b.file_id
		WHERE f.user_id <> b.user_id`},
}

func byteSums(column, actual string) string {
	return `SELECT user_id, CAST(sum(stored) AS BIGINT), CAST(sum(actual) AS BIGINT) FROM (
		SELECT user_id, ` + column + ` AS stored, 0 AS actual FROM byte_usage
		UNION ALL SELECT user_id, 0, size FROM (` + actual + `) AS facts) AS both_sides
		GROUP BY user_id HAVING sum(stored) <> sum(actual)`
}
