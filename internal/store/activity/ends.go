package activity

import (
	"context"
	"math"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// EndedFollows is the job that ends the followings of a deleted subject.
type EndedFollows struct {
	Type domain.SubjectType `json:"type"`
	ID   int64              `json:"id"`
}

// Kind returns the name of the job.
func (EndedFollows) Kind() string { return "ended_follows" }

// endedAtOnce is how many followings the transaction that deletes their subject may end itself.
const endedAtOnce = 100

// EndFollows ends the followings of a subject that is being deleted, or enqueues a job for it if
// there are many. It must be called before rows of users are locked.
func (tx Writes) EndFollows(ctx context.Context, what domain.Subject) error {
	at, err := tx.lockedSources(ctx, []domain.Subject{what}, tx.db.ForUpdate("s"))
	if err != nil {
		return err
	}
	if at[what] > endedAtOnce {
		return tx.queue.Enqueue(ctx, EndedFollows(what))
	}
	return tx.EndSomeFollows(ctx, what)
}

// EndSomeFollows ends the followings counted by one row of follower_ranks and enqueues a job for
// the others.
func (tx Writes) EndSomeFollows(ctx context.Context, what domain.Subject) error {
	if _, err := tx.lockedSources(ctx, []domain.Subject{what}, tx.db.ForUpdate("s")); err != nil {
		return err
	}
	at, err := tx.followable(ctx, what)
	if err != nil || at.exists { // restored from Trash, before a job has ended all followings
		return err
	}
	rows, err := tx.db.Query(ctx, `SELECT first_follow FROM follower_ranks
		WHERE followed_type = $1 AND followed_id = $2 ORDER BY first_follow LIMIT 2`, what.Type, what.ID)
	first, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil {
		return err
	}
	if len(first) == 2 {
		if err := tx.endFollowsBelow(ctx, what, first[1], at.trashed); err != nil {
			return err
		}
		return tx.queue.Enqueue(ctx, EndedFollows(what))
	}
	if err := tx.endFollowsBelow(ctx, what, math.MaxInt64, at.trashed); err != nil {
		return err
	}
	return tx.db.Exec(ctx, `DELETE FROM feed_sources WHERE source_type = $1 AND source_id = $2`, what.Type, what.ID)
}

// channelState is the state of a channel that followings end or are restored of.
type channelState struct{ exists, trashed bool }

// followable returns the state of a channel whose source is locked. Anything else neither exists nor is in Trash.
func (tx Writes) followable(ctx context.Context, what domain.Subject) (f channelState, err error) {
	err = tx.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM channels WHERE $1 = 'Channel' AND id = $2 AND state = 'available'),
		EXISTS (SELECT 1 FROM trash_things WHERE $1 = 'Channel' AND kind = 'Channel' AND target_id = $2 AND NOT purging)`, what.Type, what.ID).
		Scan(&f.exists, &f.trashed)
	return f, err
}

// endFollowsBelow ends the followings of a locked source with ids below one at which a row of
// follower_ranks begins. If keep is set, they move to Trash.
func (tx Writes) endFollowsBelow(ctx context.Context, what domain.Subject, below int64, keep bool) error {
	if keep {
		err := tx.db.Exec(ctx, `INSERT INTO trash_followers (id, channel_id, follower_id, created_at)
			SELECT id, followed_id, follower_id, created_at FROM follows WHERE followed_type = $1 AND followed_id = $2 AND id < $3
			ON CONFLICT DO NOTHING`, what.Type, what.ID, below)
		if err != nil {
			return err
		}
	}
	rows, err := tx.db.Query(ctx, `DELETE FROM follows WHERE followed_type = $1 AND followed_id = $2 AND id < $3
		RETURNING follower_id`, what.Type, what.ID, below)
	followers, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil {
		return err
	}
	if err := tx.uncountFollowers(ctx, what, followers); err != nil {
		return err
	}
	return tx.db.Exec(ctx, `DELETE FROM follower_ranks WHERE followed_type = $1 AND followed_id = $2 AND first_follow < $3`,
		what.Type, what.ID, below)
}

// uncountFollowers subtracts former followers of a locked source from the counts. Without any, it changes no
// version, since a job may end the same followings again.
func (tx Writes) uncountFollowers(ctx context.Context, what domain.Subject, followers []int64) error {
	if len(followers) == 0 {
		return nil
	}
	counted, user := followers, int64(0)
	if what.Type == domain.SubjectUser { // the account is being deleted
		counted, user = append(counted, what.ID), what.ID
	}
	slices.Sort(counted) // users are locked in this order
	err := tx.db.Exec(ctx, `UPDATE users SET following_count = following_count - CASE WHEN id = $2 THEN 0 ELSE 1 END,
			followers_count = followers_count - CASE WHEN id = $2 THEN $3 ELSE 0 END, version = version + 1
		WHERE `+tx.db.In("id", "$1"), sqlx.IDs(tx.db.Dialect, counted), user, len(followers))
	if err != nil {
		return err
	}
	return tx.db.Exec(ctx, `UPDATE feed_sources SET followers = followers - $3 WHERE source_type = $1 AND source_id = $2`,
		what.Type, what.ID, len(followers))
}
