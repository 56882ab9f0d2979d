package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// Taken from branch people until both are merged; then this file goes.

// IsFollowing tells whether a user follows something.
func (q Queries) IsFollowing(ctx context.Context, follower domain.UserID, what domain.Followed) (bool, error) {
	var n int
	err := q.q.QueryRow(ctx, `SELECT count(*) FROM follows WHERE follower_id = $1 AND followed_type = $2 AND followed_id = $3`,
		follower, what.Type, what.ID).Scan(&n)
	return n > 0, err
}

// Follow makes a user follow something.
func (tx *Tx) Follow(ctx context.Context, follower domain.UserID, what domain.Followed, now time.Time) (bool, error) {
	err := tx.exec(ctx, `INSERT INTO follows (follower_id, followed_type, followed_id, created_at) VALUES ($1, $2, $3, $4)`,
		follower, what.Type, what.ID, micros(now))
	if err != nil {
		return false, err
	}
	if what.Type == domain.FollowsUser {
		if err := tx.execOne(ctx, "UPDATE users SET followers_count = followers_count + 1 WHERE id = $1", what.ID); err != nil {
			return false, err
		}
	}
	return true, tx.execOne(ctx, "UPDATE users SET following_count = following_count + 1 WHERE id = $1", follower)
}

// EndFollows ends all followings of something that is going away.
func (tx *Tx) EndFollows(ctx context.Context, what domain.Followed) error {
	err := tx.exec(ctx, `UPDATE users SET following_count = following_count - 1, version = version + 1
		WHERE id IN (SELECT follower_id FROM follows WHERE followed_type = $1 AND followed_id = $2)`, what.Type, what.ID)
	if err != nil {
		return err
	}
	return tx.exec(ctx, `DELETE FROM follows WHERE followed_type = $1 AND followed_id = $2`, what.Type, what.ID)
}
