package activity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/contents"
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
	missing := slices.DeleteFunc(slices.Clone(what), func(s domain.Subject) bool {
		_, locked := tx.locked[s]
		return locked
	})
	if len(missing) == 0 {
		return nil
	}
	_, err := tx.lockedSources(ctx, missing, tx.db.ForShare("s"))
	return err
}

// LockSource locks a source if it exists, in the next round trip. A use case that records an activity as its last step
// calls it once it holds all locks that come before those of sources, so that Record needs no round trip for it.
func (tx Writes) LockSource(ctx context.Context, what domain.Subject) error {
	if !tx.db.LocksRows() {
		return nil
	}
	return tx.queueSources(ctx, tx.locked, []domain.Subject{what}, tx.db.ForShare("s"))
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
	found := make(map[domain.Subject]int64, len(what))
	err := tx.queueSources(ctx, found, what, clause)
	if err == nil {
		err = tx.db.Sync(ctx)
	}
	return found, err
}

// queueSources is feedSources, but sends the statement with the next one, which adds to found.
func (tx Writes) queueSources(ctx context.Context, found map[domain.Subject]int64, what []domain.Subject, clause string) error {
	each := func(row sqlx.Row) error {
		var s domain.Subject
		var followers int64
		err := row.Scan(&s.Type, &s.ID, &followers)
		found[s] = followers
		return err
	}
	const from = "SELECT s.source_type, s.source_id, s.followers FROM feed_sources s WHERE "
	if len(what) == 1 { // PostgreSQL plans the other statement again each time, which takes longer than running it
		return tx.db.LaterEach(ctx, each, nil, from+"s.source_type = $1 AND s.source_id = $2"+clause, what[0].Type, what[0].ID)
	}
	ids := map[domain.SubjectType][]int64{}
	for _, s := range what {
		ids[s.Type] = append(ids[s.Type], s.ID)
	}
	return tx.db.LaterEach(ctx, each, nil, from+`
			s.source_type = 'Channel' AND `+tx.db.In("s.source_id", "$1")+` OR
			s.source_type = 'Group' AND `+tx.db.In("s.source_id", "$2")+` OR
			s.source_type = 'User' AND `+tx.db.In("s.source_id", "$3")+`
		ORDER BY s.source_type, s.source_id`+clause, sqlx.IDs(tx.db.Dialect, ids[domain.SubjectChannel]),
		sqlx.IDs(tx.db.Dialect, ids[domain.SubjectGroup]), sqlx.IDs(tx.db.Dialect, ids[domain.SubjectUser]))
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

// IsFollowing reports whether a user follows something.
func (q Reads) IsFollowing(ctx context.Context, follower domain.UserID, what domain.Subject) (bool, error) {
	var n int
	err := q.db.QueryRow(ctx, `SELECT count(*) FROM follows WHERE follower_id = $1 AND followed_type = $2 AND followed_id = $3`,
		follower, what.Type, what.ID).Scan(&n)
	return n > 0, err
}

// Follow makes a user follow an existing subject and reports whether that is new. It locks
// feed_sources, then users, both after channels.
func (tx Writes) Follow(ctx context.Context, follower domain.UserID, what domain.Subject, now time.Time) (bool, error) {
	isNew, err := tx.startFollowing(ctx, follower, what, now)
	if err != nil || !isNew {
		return false, err
	}
	return true, tx.countFollow(ctx, follower, what, 1)
}

// Unfollow ends a following and reports whether there was one.
func (tx Writes) Unfollow(ctx context.Context, follower domain.UserID, what domain.Subject) (bool, error) {
	was, err := tx.stopFollowing(ctx, follower, what)
	if err != nil || !was {
		return false, err
	}
	return true, tx.countFollow(ctx, follower, what, -1)
}

// countFollow adds to the counts that users show. It locks users in the order of their ids.
func (tx Writes) countFollow(ctx context.Context, follower domain.UserID, what domain.Subject, by int64) error {
	type count struct {
		user   domain.UserID
		column string
	}
	counts := []count{{follower, "following_count"}}
	if what.Type == domain.SubjectUser {
		counts = append(counts, count{domain.UserID(what.ID), "followers_count"})
	}
	slices.SortFunc(counts, func(a, b count) int { return cmp.Compare(a.user, b.user) })
	for _, c := range counts {
		err := tx.db.ExecOne(ctx, "UPDATE users SET "+c.column+" = "+c.column+" + $2, version = version + 1 WHERE id = $1", c.user, by)
		if err != nil {
			return err
		}
	}
	return nil
}

// FollowerPage counts the followers of a subject and returns a query for a page of them as
// (follower_id, id), in the order of following, for the caller to join with users. The query is
// empty beyond the last page. A page costs one row of follower_ranks for every 1000 followers
// before it.
func (v Lists) FollowerPage(ctx context.Context, what domain.Subject, desc bool, page domain.Page) (total int64, query string, args []any, err error) {
	if total, err = v.followers(ctx, what); err != nil || page.Offset() >= total {
		return total, "", nil, err
	}
	at, err := v.seekFollow(ctx, what, desc, page.Offset())
	if err != nil {
		return total, "", nil, err
	}
	beyond := map[bool]string{false: ">=", true: "<"}[desc]
	return total, `SELECT f.follower_id, f.id FROM follows f
			WHERE f.followed_type = $1 AND f.followed_id = $2 AND f.id ` + beyond + ` $3
			ORDER BY f.id ` + sqlx.Direction(desc) + ` LIMIT $4 OFFSET $5`, []any{what.Type, what.ID, at.from, page.Per, at.skip}, nil
}

// FollowersAfter lists up to n followers of a subject after one row of follows, or the first ones. last is the row of the
// last one, and 0 at the end.
func (v Lists) FollowersAfter(ctx context.Context, what domain.Subject, after *int64, desc bool, n int) (ids []domain.UserID, last int64, err error) {
	args, beyond := sqlx.Args{what.Type, what.ID}, ""
	if after != nil {
		beyond = " AND f.id " + map[bool]string{false: ">", true: "<"}[desc] + " " + args.Add(*after)
	}
	rows, err := v.db.Query(ctx, "SELECT f.follower_id, f.id FROM follows f WHERE f.followed_type = $1 AND f.followed_id = $2"+beyond+
		" ORDER BY f.id "+sqlx.Direction(desc)+sqlx.Limit(args.Add(n+1)), args...)
	var at []int64
	ids, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.UserID, err error) {
		var follow int64
		err = row.Scan(&id, &follow)
		at = append(at, follow)
		return id, err
	})
	if err != nil || len(ids) <= n {
		return ids, 0, err
	}
	return ids[:n], at[n-1], nil
}

// FollowingQuery selects a page of a user's followings. Type "" means all types.
type FollowingQuery struct {
	Viewer domain.UserID
	User   domain.UserID
	Type   domain.SubjectType
	Desc   bool
	Page   domain.Page
}

// visibleFollowed is true if the subject of the row `f` of follows exists and the viewer may see
// it.
const visibleFollowed = `CASE f.followed_type
	WHEN 'Channel' THEN EXISTS (SELECT 1 FROM channels ch WHERE ch.id = f.followed_id AND ` + access.VisibleChannel + `)
	WHEN 'User' THEN EXISTS (SELECT 1 FROM users fu WHERE fu.id = f.followed_id AND fu.deleted_at IS NULL)
	ELSE EXISTS (SELECT 1 FROM groups fg WHERE fg.id = f.followed_id) END`

// Following lists the subjects that a user follows and the viewer may see, in the order of
// following.
func (v Lists) Following(ctx context.Context, q FollowingQuery) (l domain.List[domain.Subject], err error) {
	from := ` FROM follows f WHERE f.follower_id = $2 AND ` + visibleFollowed
	args := []any{q.Viewer, q.User}
	limit := " LIMIT $3 OFFSET $4"
	if q.Type != "" {
		from += " AND f.followed_type = $3"
		args, limit = append(args, q.Type), " LIMIT $4 OFFSET $5"
	}
	if l.Total, err = sqlx.ScanInt64(v.db.QueryRow(ctx, "SELECT count(*)"+from, args...)); err != nil {
		return l, err
	}
	if q.Page.Offset() >= l.Total {
		return l, nil
	}
	dir := sqlx.Direction(q.Desc)
	rows, err := v.db.Query(ctx, "SELECT f.followed_type, f.followed_id"+from+
		" ORDER BY f.created_at "+dir+", f.id "+dir+limit, append(args, q.Page.Per, q.Page.Offset())...)
	l.Items, err = sqlx.Collect(ctx, rows, err, scanSubject)
	return l, err
}

// FollowingAfter lists a part of the subjects that a user follows and the viewer may see, by the time of following. Type ""
// means all types.
func (v Lists) FollowingAfter(ctx context.Context, user domain.UserID, kind domain.SubjectType, q contents.AfterQuery) ([]domain.Subject, *contents.Bookmark, error) {
	list := contents.Timeline{From: "follows f WHERE f.follower_id = $2 AND " + visibleFollowed, Time: "f.created_at", ID: "f.id", Args: sqlx.Args{q.Viewer, user}}
	if kind != "" {
		list.From += " AND f.followed_type = " + list.Args.Add(kind)
	}
	return contents.AfterTime(ctx, v.db, q, list, "f.followed_type, f.followed_id", func(s *domain.Subject) []any { return []any{&s.Type, &s.ID} })
}

// LatestFollowings lists the user's n latest followings, newest first, without the subjects that
// the user may not see.
func (q Reads) LatestFollowings(ctx context.Context, user domain.UserID, n int) ([]domain.Subject, error) {
	rows, err := q.db.Query(ctx, `SELECT f.followed_type, f.followed_id FROM (SELECT id FROM follows WHERE follower_id = $1
			ORDER BY created_at DESC, id DESC`+sqlx.Limit("$2")+`) AS part CROSS JOIN follows f WHERE f.id = part.id AND `+visibleFollowed+`
		ORDER BY f.created_at DESC, f.id DESC`, user, n)
	return sqlx.Collect(ctx, rows, err, scanSubject)
}

// Followings lists up to n subjects that a user follows.
func (q Reads) Followings(ctx context.Context, user domain.UserID, n int) ([]domain.Subject, error) {
	rows, err := q.db.Query(ctx, `SELECT followed_type, followed_id FROM follows WHERE follower_id = $1 ORDER BY id`+sqlx.Limit("$2"), user, n)
	return sqlx.Collect(ctx, rows, err, scanSubject)
}

func scanSubject(row sqlx.Row) (s domain.Subject, err error) {
	err = row.Scan(&s.Type, &s.ID)
	return s, err
}
