package activity

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// sourceColumn returns the column of activities that holds a source of the given type.
func sourceColumn(t domain.SubjectType) string {
	switch t {
	case domain.SubjectChannel:
		return "channel_id"
	case domain.SubjectGroup:
		return "group_id"
	}
	return "actor_id"
}

// LockSources blocks following and unfollowing the given subjects until the transaction ends. A
// use case that changes rows of users before it records its activity calls it first, since these
// locks come before those.
func (tx Writes) LockSources(ctx context.Context, what ...domain.Subject) error {
	if !tx.db.LocksRows() {
		return nil
	}
	_, err := tx.lockedSources(ctx, what, tx.db.ForShare("s"))
	return err
}

// LockFollowed is LockSources for a subject that is being deleted. It also blocks activities about
// it.
func (tx Writes) LockFollowed(ctx context.Context, what domain.Subject) error {
	_, err := tx.lockedSources(ctx, []domain.Subject{what}, tx.db.ForUpdate("s"))
	return err
}

// lockedSources locks the rows of sources in order, creates the missing ones, and returns the
// number of followers of each.
func (tx Writes) lockedSources(ctx context.Context, what []domain.Subject, clause string) (map[domain.Subject]int64, error) {
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
		// Another transaction may have created it. Either way, the statement locks it.
		found[subject], err = sqlx.ScanInt64(tx.db.QueryRow(ctx, `INSERT INTO feed_sources (source_type, source_id) VALUES ($1, $2)
			ON CONFLICT (source_type, source_id) DO UPDATE SET followers = feed_sources.followers
			RETURNING followers`, subject.Type, subject.ID))
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (tx Writes) feedSources(ctx context.Context, what []domain.Subject, clause string) (map[domain.Subject]int64, error) {
	ids := map[domain.SubjectType][]int64{}
	for _, s := range what {
		ids[s.Type] = append(ids[s.Type], s.ID)
	}
	found := make(map[domain.Subject]int64, len(what))
	err := tx.db.LaterEach(ctx, func(row sqlx.Row) error {
		var s domain.Subject
		var followers int64
		err := row.Scan(&s.Type, &s.ID, &followers)
		found[s] = followers
		return err
	}, nil, `SELECT s.source_type, s.source_id, s.followers FROM feed_sources s WHERE
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

// startFollowing records that a user follows a subject and reports whether that is new.
func (tx Writes) startFollowing(ctx context.Context, follower domain.UserID, what domain.Subject, now time.Time) (bool, error) {
	// Following is also recorded as an activity, so both sources are locked at once, in order.
	both := []domain.Subject{what, {Type: domain.SubjectUser, ID: int64(follower)}}
	if _, err := tx.lockedSources(ctx, both, tx.db.ForUpdate("s")); err != nil {
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
	return true, tx.db.ExecOne(ctx, `UPDATE feed_sources SET followers = followers + 1 WHERE source_type = $1 AND source_id = $2`,
		what.Type, what.ID)
}

// stopFollowing ends a following and reports whether there was one. If not, it writes and locks
// nothing.
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
	return true, tx.dropRank(ctx, what, ids[0])
}
