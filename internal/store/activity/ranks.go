package activity

import (
	"context"
	"errors"
	"fmt"
	"math"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// maxRank is how many followings a row of follower_ranks counts at most, and how many one
// transaction ends. The rows divide the followings of a source into ranges of ids, so that a page
// of a million followers is found by reading the counts before it. Ids are allocated while the
// source is locked, so a new id is always the last.
const maxRank = 1000

// addRank counts a new following of a locked source.
func (tx Writes) addRank(ctx context.Context, what domain.Subject, follow int64) error {
	n, err := tx.db.ExecCount(ctx, `UPDATE follower_ranks SET followings = followings + 1
		WHERE followed_type = $1 AND followed_id = $2 AND followings < $3 AND first_follow = (
			SELECT max(r.first_follow) FROM follower_ranks r WHERE r.followed_type = $1 AND r.followed_id = $2)`,
		what.Type, what.ID, maxRank)
	if err != nil || n > 0 {
		return err
	}
	return tx.db.Exec(ctx, `INSERT INTO follower_ranks (followed_type, followed_id, first_follow, followings)
		VALUES ($1, $2, $3, 1)`, what.Type, what.ID, follow)
}

// dropRank stops counting a following of a locked source.
func (tx Writes) dropRank(ctx context.Context, what domain.Subject, follow int64) error {
	var first, left int64
	err := tx.db.QueryRow(ctx, `UPDATE follower_ranks SET followings = followings - 1
		WHERE followed_type = $1 AND followed_id = $2 AND first_follow = (
			SELECT max(r.first_follow) FROM follower_ranks r
			WHERE r.followed_type = $1 AND r.followed_id = $2 AND r.first_follow <= $3)
		RETURNING first_follow, followings`, what.Type, what.ID, follow).Scan(&first, &left)
	if err != nil || left > 0 {
		return err
	}
	return tx.db.Exec(ctx, `DELETE FROM follower_ranks WHERE followed_type = $1 AND followed_id = $2 AND first_follow = $3`,
		what.Type, what.ID, first)
}

// followSeek is the start of a page: the following that comes `skip` after the first one with an
// id of at least `from` or, if newest first, after the last one with an id below it.
type followSeek struct{ from, skip int64 }

// seekFollow finds the following at an offset.
func (v Lists) seekFollow(ctx context.Context, what domain.Subject, desc bool, offset int64) (at followSeek, err error) {
	at.skip = offset
	if desc {
		at.from = math.MaxInt64
	}
	if offset < maxRank {
		return at, nil
	}
	dir := sqlx.Direction(desc)
	rows, err := v.db.Query(ctx, `SELECT first_follow, followings FROM follower_ranks
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

// followers counts the followers of a subject.
func (v Lists) followers(ctx context.Context, what domain.Subject) (int64, error) {
	n, err := sqlx.ScanInt64(v.db.QueryRow(ctx, `SELECT followers FROM feed_sources WHERE source_type = $1 AND source_id = $2`,
		what.Type, what.ID))
	if errors.Is(err, database.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// RecountFollowers counts the followers of the sources with an id.
func (tx Writes) RecountFollowers(ctx context.Context, id int64) error {
	for _, t := range []domain.SubjectType{domain.SubjectUser, domain.SubjectChannel, domain.SubjectGroup} {
		rows, err := tx.db.Query(ctx, `SELECT s.source_id FROM feed_sources s WHERE s.source_type = $1 AND s.source_id = $2`+tx.db.ForUpdate("s"), t, id)
		locked, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
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
				GROUP BY followed_type, followed_id, part`, maxRank),
		} {
			if err := tx.db.Exec(ctx, statement, t, id); err != nil {
				return err
			}
		}
	}
	return nil
}
