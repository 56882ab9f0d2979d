package activity

import (
	"context"
	"math"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Limits bound what is copied into feeds. A source (a user, channel or group) with
// more than Followers of them is not copied but fetched by whoever reads; of what was
// done before somebody began to follow, the newest History activities are copied and
// older ones fetched when the reader gets there.
type Limits struct{ Followers, History int64 }

// DefaultLimits are measured (bench/README.md): with 100 followers a write takes
// twice as long as with few, with 500 five times; a page takes three times as
// long when its reader follows some 1,700 sources that are not copied.
var DefaultLimits = Limits{Followers: 200, History: 100}

// notCopied is follows.copied_from where everything is fetched.
const notCopied = math.MaxInt64

// feedSource is a row of feed_sources.
type feedSource struct {
	domain.Subject
	followers int64
	pulled    bool
}

// copied reports whether somebody follows the source who has its activities copied.
func (s feedSource) copied() bool { return s.followers > 0 && !s.pulled }

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
func (tx Writes) LockSources(ctx context.Context, what ...domain.Subject) error {
	if !tx.db.LocksRows() {
		return nil
	}
	_, err := tx.lockedSources(ctx, what, tx.db.ForShare("s"))
	return err
}

// LockFollowed is LockSources for something that goes away: it keeps activities of it out
// as well.
func (tx Writes) LockFollowed(ctx context.Context, what domain.Subject) error {
	_, err := tx.lockedSources(ctx, []domain.Subject{what}, tx.db.ForUpdate("s"))
	return err
}

// lockedSources locks the rows of sources in their order, making those that are missing.
func (tx Writes) lockedSources(ctx context.Context, what []domain.Subject, clause string) (map[domain.Subject]feedSource, error) {
	what = slices.Clone(what)
	slices.SortFunc(what, domain.Subject.Compare)
	what = slices.Compact(what)
	found, err := tx.feedSources(ctx, what, clause)
	if err != nil || len(found) == len(what) {
		return found, err
	}
	for _, subject := range what {
		if _, ok := found[subject]; ok {
			continue
		}
		s := feedSource{Subject: subject}
		// Another may have made it meanwhile. Whoever makes it locks it.
		err := tx.db.QueryRow(ctx, `INSERT INTO feed_sources (source_type, source_id) VALUES ($1, $2)
			ON CONFLICT (source_type, source_id) DO UPDATE SET pulled = feed_sources.pulled
			RETURNING followers, pulled`, s.Type, s.ID).Scan(&s.followers, &s.pulled)
		if err != nil {
			return nil, err
		}
		found[s.Subject] = s
	}
	return found, nil
}

func (tx Writes) feedSources(ctx context.Context, what []domain.Subject, clause string) (map[domain.Subject]feedSource, error) {
	ids := map[domain.SubjectType][]int64{}
	for _, s := range what {
		ids[s.Type] = append(ids[s.Type], s.ID)
	}
	found := make(map[domain.Subject]feedSource, len(what))
	err := tx.db.LaterEach(ctx, func(row sqlx.Row) error {
		var s feedSource
		err := row.Scan(&s.Type, &s.ID, &s.followers, &s.pulled)
		found[s.Subject] = s
		return err
	}, nil, `SELECT s.source_type, s.source_id, s.followers, s.pulled FROM feed_sources s WHERE
			s.source_type = 'Channel' AND `+tx.db.In("s.source_id", "$1")+` OR
			s.source_type = 'Group' AND `+tx.db.In("s.source_id", "$2")+` OR
			s.source_type = 'User' AND `+tx.db.In("s.source_id", "$3")+`
		ORDER BY s.source_type, s.source_id`+clause, sqlx.IDs(tx.db.Dialect, ids[domain.SubjectChannel]),
		sqlx.IDs(tx.db.Dialect, ids[domain.SubjectGroup]), sqlx.IDs(tx.db.Dialect, ids[domain.SubjectUser]))
	if err == nil {
		err = tx.db.Sync(ctx)
	}
	return found, err
}

// startFollowing writes that a user follows a user, channel or group, and reports whether
// that is new.
func (tx Writes) startFollowing(ctx context.Context, follower domain.UserID, what domain.Subject, now time.Time) (bool, error) {
	// Whoever follows records it as well: both sources are locked at once, in order.
	at, err := tx.lockedSources(ctx, []domain.Subject{what, {Type: domain.SubjectUser, ID: int64(follower)}}, tx.db.ForUpdate("s"))
	if err != nil {
		return false, err
	}
	rows, err := tx.db.Query(ctx, `INSERT INTO follows (follower_id, followed_type, followed_id, created_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT (follower_id, followed_type, followed_id) DO NOTHING RETURNING id`,
		follower, what.Type, what.ID, sqlx.Micros(now))
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
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
func (tx Writes) stopFollowing(ctx context.Context, follower domain.UserID, what domain.Subject) (bool, error) {
	if is, err := NewReads(tx.db).IsFollowing(ctx, follower, what); err != nil || !is {
		return false, err
	}
	if _, err := tx.lockedSources(ctx, []domain.Subject{what}, tx.db.ForUpdate("s")); err != nil {
		return false, err
	}
	rows, err := tx.db.Query(ctx, `DELETE FROM follows WHERE follower_id = $1 AND followed_type = $2 AND followed_id = $3
		RETURNING id`, follower, what.Type, what.ID)
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	err = tx.db.ExecOne(ctx, `UPDATE feed_sources SET followers = followers - 1 WHERE source_type = $1 AND source_id = $2`,
		what.Type, what.ID)
	if err != nil {
		return false, err
	}
	if err := tx.dropRank(ctx, what, ids[0]); err != nil {
		return false, err
	}
	return true, tx.db.Exec(ctx, `DELETE FROM feed_entries WHERE follow_id = $1`, ids[0])
}

// followSource counts a new follower of a locked source, and fills their feed.
func (tx Writes) followSource(ctx context.Context, follow int64, follower domain.UserID, s feedSource) error {
	pulled := s.pulled || s.followers >= tx.limits.Followers
	err := tx.db.ExecOne(ctx, `UPDATE feed_sources SET followers = followers + 1, pulled = $3
		WHERE source_type = $1 AND source_id = $2`, s.Type, s.ID, pulled)
	switch {
	case err != nil:
		return err
	case !pulled:
		return tx.copyHistory(ctx, follow, follower, s.Subject)
	case !s.pulled:
		return tx.db.Exec(ctx, `UPDATE follows SET copied_from = $3 WHERE followed_type = $1 AND followed_id = $2`,
			s.Type, s.ID, int64(notCopied))
	}
	return tx.db.ExecOne(ctx, `UPDATE follows SET copied_from = $2 WHERE id = $1`, follow, int64(notCopied))
}

// copyHistory copies the newest of what a source did into a feed.
func (tx Writes) copyHistory(ctx context.Context, follow int64, follower domain.UserID, s domain.Subject) error {
	of := `SELECT x.id, x.actor_id FROM activities x WHERE x.` + sourceColumn(s.Type) + ` = $1 ORDER BY x.id DESC `
	err := tx.db.Exec(ctx, `INSERT INTO feed_entries (user_id, activity_id, follow_id)
		SELECT CAST($2 AS BIGINT), a.id, CAST($3 AS BIGINT) FROM (`+of+`LIMIT $4) a WHERE a.actor_id <> $2`,
		s.ID, follower, follow, tx.limits.History)
	if err != nil {
		return err
	}
	return tx.db.ExecOne(ctx, `UPDATE follows SET copied_from = COALESCE((SELECT a.id + 1 FROM (`+of+`LIMIT 1 OFFSET $3) a), 0)
		WHERE id = $2`, s.ID, follow, tx.limits.History)
}
