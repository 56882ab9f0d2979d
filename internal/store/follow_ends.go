package store

import (
	"context"
	"fmt"
	"math"

	"vitrine/internal/domain"
)

// EndedFollows is the job that ends the followings of something that is gone.
type EndedFollows struct {
	Type domain.SubjectType `json:"type"`
	ID   int64              `json:"id"`
}

// Kind names the job.
func (EndedFollows) Kind() string { return "ended_follows" }

// endedAtOnce is how many followings end in the transaction that ends what is followed.
const endedAtOnce = 100

// EndFollows ends the followings of something that is going away, or leaves them to a
// job if they are many. It comes before rows of users are locked.
func (tx *Tx) EndFollows(ctx context.Context, what domain.Subject) error {
	at, err := tx.lockedSources(ctx, []domain.Subject{what}, tx.d.lock("s"))
	if err != nil {
		return err
	}
	if at[what].followers > endedAtOnce {
		return tx.Enqueue(ctx, EndedFollows(what))
	}
	return tx.EndSomeFollows(ctx, what)
}

// EndSomeFollows ends the followings that one row of follower_ranks counts, and leaves
// the others to a further job.
func (tx *Tx) EndSomeFollows(ctx context.Context, what domain.Subject) error {
	if _, err := tx.lockedSources(ctx, []domain.Subject{what}, tx.d.lock("s")); err != nil {
		return err
	}
	rows, err := tx.q.Query(ctx, `SELECT first_follow FROM follower_ranks
		WHERE followed_type = $1 AND followed_id = $2 ORDER BY first_follow LIMIT 2`, what.Type, what.ID)
	first, err := collect(ctx, rows, err, scanInt64)
	if err != nil {
		return err
	}
	if len(first) == 2 {
		if err := tx.endFollowsBelow(ctx, what, first[1]); err != nil {
			return err
		}
		return tx.Enqueue(ctx, EndedFollows(what))
	}
	if err := tx.endFollowsBelow(ctx, what, math.MaxInt64); err != nil {
		return err
	}
	return tx.exec(ctx, `DELETE FROM feed_sources WHERE source_type = $1 AND source_id = $2`, what.Type, what.ID)
}

// endFollowsBelow ends the followings of a locked source whose id is below one at which
// a row of follower_ranks begins.
func (tx *Tx) endFollowsBelow(ctx context.Context, what domain.Subject, below int64) error {
	const of = ` WHERE followed_type = $1 AND followed_id = $2 AND `
	ended := `(SELECT f.id FROM follows f` + of + `f.id < $3)`
	for _, query := range []string{
		`UPDATE users SET following_count = following_count - 1, version = version + 1
			WHERE id IN (SELECT f.follower_id FROM follows f` + of + `f.id < $3)`,
		`DELETE FROM feed_entries WHERE follow_id IN ` + ended,
		`UPDATE feed_sources SET followers = followers - (SELECT count(*) FROM follows` + of + `id < $3)
			WHERE source_type = $1 AND source_id = $2`,
		`DELETE FROM follows` + of + `id < $3`,
		`DELETE FROM follower_ranks` + of + `first_follow < $3`,
	} {
		if err := tx.exec(ctx, query, what.Type, what.ID, below); err != nil {
			return fmt.Errorf("ending follows: %w", err)
		}
	}
	return nil
}
