package activity

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// FinishFeeds fills feeds and counts what follows imply. What was done in the time of
// the late followers is in their feeds as if they had come after it all.
func (tx Writes) FinishFeeds(ctx context.Context, late []domain.UserID) error {
	err := tx.db.Exec(ctx, `INSERT INTO feed_sources (source_type, source_id, followers, pulled)
		SELECT followed_type, followed_id, count(*), count(*) > $1 FROM follows GROUP BY followed_type, followed_id`, tx.limits.Followers)
	if err != nil {
		return err
	}
	err = tx.db.Exec(ctx, `INSERT INTO follower_ranks (followed_type, followed_id, first_follow, followings)
		SELECT followed_type, followed_id, min(id), count(*) FROM (SELECT followed_type, followed_id, id, (row_number() OVER (
			PARTITION BY followed_type, followed_id ORDER BY id) - 1) / $1 AS part FROM follows) AS f
		GROUP BY followed_type, followed_id, part`, rankMost)
	if err != nil {
		return err
	}
	err = tx.db.Exec(ctx, `UPDATE follows SET copied_from = $1 WHERE EXISTS (SELECT 1 FROM feed_sources s
		WHERE s.source_type = follows.followed_type AND s.source_id = follows.followed_id AND s.pulled)`, int64(notCopied))
	if err != nil {
		return err
	}
	for _, t := range []domain.SubjectType{domain.SubjectUser, domain.SubjectChannel} {
		if err := tx.finishSources(ctx, t, late); err != nil {
			return err
		}
	}
	return tx.db.Exec(ctx, `UPDATE users SET
			followers_count = (SELECT count(*) FROM follows f WHERE f.followed_type = 'User' AND f.followed_id = users.id),
			following_count = (SELECT count(*) FROM follows f WHERE f.follower_id = users.id)
		WHERE id IN (SELECT follower_id FROM follows UNION SELECT followed_id FROM follows WHERE followed_type = 'User')`)
}

// finishSources makes the sources of one kind that nobody follows, and fills feeds from
// those that are copied.
func (tx Writes) finishSources(ctx context.Context, t domain.SubjectType, late []domain.UserID) error {
	column := "x." + sourceColumn(t)
	err := tx.db.Exec(ctx, `INSERT INTO feed_sources (source_type, source_id) SELECT '`+string(t)+`', `+column+` FROM activities x
		WHERE `+column+` IS NOT NULL GROUP BY `+column+` ON CONFLICT (source_type, source_id) DO NOTHING`)
	if err != nil {
		return err
	}
	// The history of a late follower begins as copyHistory has it.
	err = tx.db.Exec(ctx, `UPDATE follows SET copied_from = COALESCE((SELECT x.id + 1 FROM activities x
			WHERE `+column+` = follows.followed_id ORDER BY x.id DESC LIMIT 1 OFFSET $1), 0)
		WHERE followed_type = '`+string(t)+`' AND copied_from < $2 AND `+tx.db.In("follower_id", "$3"),
		tx.limits.History, int64(notCopied), sqlx.IDs(tx.db.Dialect, late))
	if err != nil {
		return err
	}
	return tx.db.Exec(ctx, `INSERT INTO feed_entries (user_id, activity_id, follow_id)
		SELECT f.follower_id, x.id, f.id FROM follows f JOIN activities x ON `+column+` = f.followed_id
			AND x.id >= f.copied_from AND x.actor_id <> f.follower_id
		WHERE f.followed_type = '`+string(t)+`' AND f.copied_from < $1 ORDER BY f.follower_id, x.id`, int64(notCopied))
}
