package store

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"vitrine/internal/domain"
)

// The followings of a source are counted in ranges of their ids, in follower_ranks: a
// page of a million followers is found by reading the counts before it. Ids are given
// out while the source is locked, so that a new one is always the last. rankMost is how
// many a row counts at most, and how many one transaction ends.
const rankMost = 1000

// addRank counts a new following of a locked source.
func (tx *Tx) addRank(ctx context.Context, what domain.Subject, follow int64) error {
	res, err := tx.q.Exec(ctx, `UPDATE follower_ranks SET followings = followings + 1
		WHERE followed_type = $1 AND followed_id = $2 AND followings < $3 AND first_follow = (
			SELECT max(r.first_follow) FROM follower_ranks r WHERE r.followed_type = $1 AND r.followed_id = $2)`,
		what.Type, what.ID, rankMost)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return tx.exec(ctx, `INSERT INTO follower_ranks (followed_type, followed_id, first_follow, followings)
		VALUES ($1, $2, $3, 1)`, what.Type, what.ID, follow)
}

// dropRank stops counting a following of a locked source.
func (tx *Tx) dropRank(ctx context.Context, what domain.Subject, follow int64) error {
	var first, left int64
	err := tx.q.QueryRow(ctx, `UPDATE follower_ranks SET followings = followings - 1
		WHERE followed_type = $1 AND followed_id = $2 AND first_follow = (
			SELECT max(r.first_follow) FROM follower_ranks r
			WHERE r.followed_type = $1 AND r.followed_id = $2 AND r.first_follow <= $3)
		RETURNING first_follow, followings`, what.Type, what.ID, follow).Scan(&first, &left)
	if err != nil || left > 0 {
		return err
	}
	return tx.exec(ctx, `DELETE FROM follower_ranks WHERE followed_type = $1 AND followed_id = $2 AND first_follow = $3`,
		what.Type, what.ID, first)
}

// followSeek says where a page begins: at the following that comes `skip` after the
// first one with an id of at least `from`; or, the newest first, after the last one with
// an id below it.
type followSeek struct{ from, skip int64 }

// seekFollow finds the following that comes after so many others.
func (v *Snapshot) seekFollow(ctx context.Context, what domain.Subject, desc bool, offset int64) (at followSeek, err error) {
	at.skip = offset
	if desc {
		at.from = math.MaxInt64
	}
	if offset < rankMost {
		return at, nil
	}
	_, dir := direction(desc)
	rows, err := v.q.Query(ctx, `SELECT first_follow, followings FROM follower_ranks
		WHERE followed_type = $1 AND followed_id = $2 ORDER BY first_follow `+dir, what.Type, what.ID)
	if err != nil {
		return at, err
	}
	defer rows.Close()
	for rows.Next() {
		var first, n int64
		if err := rows.Scan(&first, &n); err != nil {
			return at, err
		}
		if !desc {
			at.from = first
		}
		if at.skip < n {
			return at, nil
		}
		at.skip -= n
		if desc {
			at.from = first
		}
	}
	return at, rows.Err()
}

// followers counts who follows something.
func (q Queries) followers(ctx context.Context, what domain.Subject) (int64, error) {
	n, err := scanInt64(q.q.QueryRow(ctx, `SELECT followers FROM feed_sources WHERE source_type = $1 AND source_id = $2`,
		what.Type, what.ID))
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}
