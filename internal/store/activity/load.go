package activity

import "context"

// FinishFollows computes all counts that derive from follows.
func (tx Writes) FinishFollows(ctx context.Context) error {
	err := tx.db.Exec(ctx, `INSERT INTO feed_sources (source_type, source_id, followers)
		SELECT followed_type, followed_id, count(*) FROM follows GROUP BY followed_type, followed_id`)
	if err != nil {
		return err
	}
	err = tx.db.Exec(ctx, `INSERT INTO follower_ranks (followed_type, followed_id, first_follow, followings)
		SELECT followed_type, followed_id, min(id), count(*) FROM (SELECT followed_type, followed_id, id, (row_number() OVER (
			PARTITION BY followed_type, followed_id ORDER BY id) - 1) / $1 AS part FROM follows) AS f
		GROUP BY followed_type, followed_id, part`, maxRank)
	if err != nil {
		return err
	}
	return tx.db.Exec(ctx, `UPDATE users SET
			followers_count = (SELECT count(*) FROM follows f WHERE f.followed_type = 'User' AND f.followed_id = users.id),
			following_count = (SELECT count(*) FROM follows f WHERE f.follower_id = users.id)
		WHERE id IN (SELECT follower_id FROM follows UNION SELECT followed_id FROM follows WHERE followed_type = 'User')`)
}
