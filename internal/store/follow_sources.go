package store

import (
	"context"
	"math"
	"slices"
	"time"

	"vitrine/internal/domain"
)

// FeedLimits bound what is copied into feeds. A source (a user, channel or group) with
// more than Followers of them is not copied but fetched by whoever reads; of what was
// done before somebody began to follow, the newest History activities are copied and
// older ones fetched when the reader gets there.
type FeedLimits struct{ Followers, History int64 }

// DefaultFeedLimits are measured (bench/README.md): with 100 followers a write takes
// twice as long as with few, with 500 five times; a page takes three times as
// long when its reader follows some 1,700 sources that are not copied.
var DefaultFeedLimits = FeedLimits{Followers: 200, History: 100}

// WithFeedLimits is the store with other limits; a database keeps to one kind.
func (s *Store) WithFeedLimits(l FeedLimits) *Store {
	other := *s
	other.feed = l
	return &other
}

// notCopied is follows.copied_from where everything is fetched.
const notCopied = math.MaxInt64

// feedSource is a row of feed_sources.
type feedSource struct {
	domain.Subject
	followers int64
	pulled    bool
}

// sourceColumn is the column of activities that holds a source.
func sourceColumn(t domain.SubjectType) string {
	switch t {
	case domain.SubjectChannel:
		return "channel_id"
	case domain.SubjectGroup:
		return "group_id"
	}
	return "actor_id"
}

// LockSources keeps following and unfollowing of the given things out until the
// transaction ends. A use case that changes rows of users before it records its
// activity calls it first, since these locks come before those.
func (tx *Tx) LockSources(ctx context.Context, what ...domain.Subject) error {
	if !tx.d.locks() {
		return nil
	}
	_, err := tx.lockedSources(ctx, what, tx.d.share("s"))
	return err
}

// lockedSources locks the rows of sources in their order, making those that are missing.
func (tx *Tx) lockedSources(ctx context.Context, what []domain.Subject, clause string) (map[domain.Subject]feedSource, error) {
	what = slices.Clone(what)
	slices.SortFunc(what, domain.Subject.Compare)
	what = slices.Compact(what)
	found, err := tx.feedSources(ctx, what, clause)
	if err != nil || len(found) == len(what) {
		return found, err
	}
	for _, s := range what {
		if _, ok := found[s]; ok {
			continue
		}
		err := tx.exec(ctx, `INSERT INTO feed_sources (source_type, source_id) VALUES ($1, $2)
			ON CONFLICT (source_type, source_id) DO NOTHING`, s.Type, s.ID)
		if err != nil {
			return nil, err
		}
	}
	return tx.feedSources(ctx, what, clause) // others may have made them meanwhile
}

func (tx *Tx) feedSources(ctx context.Context, what []domain.Subject, clause string) (map[domain.Subject]feedSource, error) {
	ids := map[domain.SubjectType][]int64{}
	for _, s := range what {
		ids[s.Type] = append(ids[s.Type], s.ID)
	}
	rows, err := tx.q.Query(ctx, `SELECT s.source_type, s.source_id, s.followers, s.pulled FROM feed_sources s WHERE
			s.source_type = 'Channel' AND `+tx.d.in("s.source_id", "$1")+` OR
			s.source_type = 'Group' AND `+tx.d.in("s.source_id", "$2")+` OR
			s.source_type = 'User' AND `+tx.d.in("s.source_id", "$3")+`
		ORDER BY s.source_type, s.source_id`+clause, list(tx.d, ids[domain.SubjectChannel]),
		list(tx.d, ids[domain.SubjectGroup]), list(tx.d, ids[domain.SubjectUser]))
	all, err := collect(ctx, rows, err, func(row scanner) (s feedSource, err error) {
		err = row.Scan(&s.Type, &s.ID, &s.followers, &s.pulled)
		return s, err
	})
	found := make(map[domain.Subject]feedSource, len(all))
	for _, s := range all {
		found[s.Subject] = s
	}
	return found, err
}

// startFollowing writes that a user follows a user, channel or group, and reports whether
// that is new.
func (tx *Tx) startFollowing(ctx context.Context, follower domain.UserID, what domain.Subject, now time.Time) (bool, error) {
	// Whoever follows records it as well: both sources are locked at once, in order.
	at, err := tx.lockedSources(ctx, []domain.Subject{what, {Type: domain.SubjectUser, ID: int64(follower)}}, tx.d.lock("s"))
	if err != nil {
		return false, err
	}
	rows, err := tx.q.Query(ctx, `INSERT INTO follows (follower_id, followed_type, followed_id, created_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT (follower_id, followed_type, followed_id) DO NOTHING RETURNING id`,
		follower, what.Type, what.ID, micros(now))
	ids, err := collect(ctx, rows, err, scanInt64)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	if err := tx.addRank(ctx, what, ids[0]); err != nil {
		return false, err
	}
	return true, tx.followSource(ctx, ids[0], follower, at[what])
}

// stopFollowing ends what startFollowing began, and reports whether it was so. Where there
// is nothing to end, nothing is written or locked.
func (tx *Tx) stopFollowing(ctx context.Context, follower domain.UserID, what domain.Subject) (bool, error) {
	if is, err := tx.IsFollowing(ctx, follower, what); err != nil || !is {
		return false, err
	}
	if _, err := tx.lockedSources(ctx, []domain.Subject{what}, tx.d.lock("s")); err != nil {
		return false, err
	}
	rows, err := tx.q.Query(ctx, `DELETE FROM follows WHERE follower_id = $1 AND followed_type = $2 AND followed_id = $3
		RETURNING id`, follower, what.Type, what.ID)
	ids, err := collect(ctx, rows, err, scanInt64)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	err = tx.execOne(ctx, `UPDATE feed_sources SET followers = followers - 1 WHERE source_type = $1 AND source_id = $2`,
		what.Type, what.ID)
	if err != nil {
		return false, err
	}
	if err := tx.dropRank(ctx, what, ids[0]); err != nil {
		return false, err
	}
	return true, tx.exec(ctx, `DELETE FROM feed_entries WHERE follow_id = $1`, ids[0])
}

// followSource counts a new follower of a locked source, and fills their feed.
func (tx *Tx) followSource(ctx context.Context, follow int64, follower domain.UserID, s feedSource) error {
	pulled := s.pulled || s.followers >= tx.feed.Followers
	err := tx.execOne(ctx, `UPDATE feed_sources SET followers = followers + 1, pulled = $3
		WHERE source_type = $1 AND source_id = $2`, s.Type, s.ID, pulled)
	switch {
	case err != nil:
		return err
	case !pulled:
		return tx.copyHistory(ctx, follow, follower, s.Subject)
	case !s.pulled:
		return tx.exec(ctx, `UPDATE follows SET copied_from = $3 WHERE followed_type = $1 AND followed_id = $2`,
			s.Type, s.ID, int64(notCopied))
	}
	return tx.execOne(ctx, `UPDATE follows SET copied_from = $2 WHERE id = $1`, follow, int64(notCopied))
}

// copyHistory copies the newest of what a source did into a feed.
func (tx *Tx) copyHistory(ctx context.Context, follow int64, follower domain.UserID, s domain.Subject) error {
	of := `SELECT x.id, x.actor_id FROM activities x WHERE x.` + sourceColumn(s.Type) + ` = $1 ORDER BY x.id DESC `
	err := tx.exec(ctx, `INSERT INTO feed_entries (user_id, activity_id, follow_id)
		SELECT CAST($2 AS BIGINT), a.id, CAST($3 AS BIGINT) FROM (`+of+`LIMIT $4) a WHERE a.actor_id <> $2`,
		s.ID, follower, follow, tx.feed.History)
	if err != nil {
		return err
	}
	return tx.execOne(ctx, `UPDATE follows SET copied_from = COALESCE((SELECT a.id + 1 FROM (`+of+`LIMIT 1 OFFSET $3) a), 0)
		WHERE id = $2`, s.ID, follow, tx.feed.History)
}
