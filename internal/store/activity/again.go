package activity

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// FollowersBack is the job that restores the followers of a channel that was restored from Trash.
type FollowersBack struct {
	Channel domain.ChannelID `json:"channel_id"`
}

// Kind returns the name of the job.
func (FollowersBack) Kind() string { return "followers_back" }

// FollowSomeAgain restores some followers of a channel from Trash, with the ids of their followings, and enqueues a job for
// the others. If the channel is in Trash again, they stay there. If it was deleted for good, it deletes them. It locks
// feed_sources, then users, both after channels.
//
// The newest ones are first. EndSomeFollows takes the oldest ones first, so followings in Trash have lower ids than all
// others of the channel, and those restored here are below all rows of follower_ranks.
func (tx Writes) FollowSomeAgain(ctx context.Context, channel domain.ChannelID) error {
	var some bool
	err := tx.db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM trash_followers WHERE channel_id = $1)", channel).Scan(&some)
	if err != nil || !some { // the channel may not exist any more
		return err
	}
	what := domain.Subject{Type: domain.SubjectChannel, ID: int64(channel)}
	if _, err := tx.lockedSources(ctx, []domain.Subject{what}, tx.db.ForUpdate("s")); err != nil {
		return err
	}
	at, err := tx.followable(ctx, what)
	if err != nil || at.trashed && !at.exists {
		return err
	}
	rows, err := tx.db.Query(ctx, `SELECT id FROM trash_followers WHERE channel_id = $1 ORDER BY id DESC`+sqlx.Limit("$2"), channel, maxRank)
	all, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil || len(all) == 0 {
		return err
	}
	if at.exists {
		if err := tx.followAgain(ctx, what, all); err != nil {
			return err
		}
	}
	if err := tx.db.Exec(ctx, "DELETE FROM trash_followers WHERE "+tx.db.In("id", "$1"), sqlx.IDs(tx.db.Dialect, all)); err != nil {
		return err
	}
	if len(all) < maxRank {
		return nil
	}
	return tx.queue.Enqueue(ctx, FollowersBack{channel})
}

// followAgain copies followings of a locked channel back from Trash. It omits people who have followed the channel again, or
// have no account any more.
func (tx Writes) followAgain(ctx context.Context, what domain.Subject, ids []int64) error {
	rows, err := tx.db.Query(ctx, `INSERT INTO follows (id, follower_id, followed_type, followed_id, created_at)
		SELECT t.id, t.follower_id, CAST($2 AS TEXT), t.channel_id, t.created_at FROM trash_followers t
		JOIN users u ON u.id = t.follower_id AND u.deleted_at IS NULL WHERE `+tx.db.In("t.id", "$1")+`
		ON CONFLICT DO NOTHING RETURNING id, follower_id`, sqlx.IDs(tx.db.Dialect, ids), what.Type)
	var followers []int64
	first, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id int64, err error) {
		var follower int64
		err = row.Scan(&id, &follower)
		followers = append(followers, follower)
		return id, err
	})
	if err != nil || len(first) == 0 {
		return err
	}
	err = tx.db.Exec(ctx, `INSERT INTO follower_ranks (followed_type, followed_id, first_follow, followings) VALUES ($1, $2, $3, $4)`,
		what.Type, what.ID, slices.Min(first), len(first))
	if err != nil {
		return err
	}
	err = tx.db.ExecOne(ctx, `UPDATE feed_sources SET followers = followers + $3 WHERE source_type = $1 AND source_id = $2`, what.Type, what.ID, len(first))
	if err != nil {
		return err
	}
	slices.Sort(followers) // users are locked in this order
	return tx.db.Exec(ctx, "UPDATE users SET following_count = following_count + 1, version = version + 1 WHERE "+tx.db.In("id", "$1"),
		sqlx.IDs(tx.db.Dialect, followers))
}

// ForgetTrashedFollows deletes at most n followings by a deleted account of channels in Trash, and returns their number.
func (tx Writes) ForgetTrashedFollows(ctx context.Context, user domain.UserID, n int) (int, error) {
	done, err := tx.db.ExecCount(ctx, `DELETE FROM trash_followers WHERE id IN (SELECT id FROM trash_followers WHERE follower_id = $1
		ORDER BY id`+sqlx.Limit("$2")+`)`, user, n)
	return int(done), err
}
