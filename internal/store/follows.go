package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"vitrine/internal/domain"
)

// IsFollowing reports whether a user follows something.
func (q Queries) IsFollowing(ctx context.Context, follower domain.UserID, what domain.Subject) (bool, error) {
	var n int
	err := q.q.QueryRow(ctx, `SELECT count(*) FROM follows WHERE follower_id = $1 AND followed_type = $2 AND followed_id = $3`,
		follower, what.Type, what.ID).Scan(&n)
	return n > 0, err
}

// Follow makes a user follow something that exists, and reports whether that is new.
// Its locks come after those of channels: feed_sources, then users.
func (tx *Tx) Follow(ctx context.Context, follower domain.UserID, what domain.Subject, now time.Time) (bool, error) {
	isNew, err := tx.startFollowing(ctx, follower, what, now)
	if err != nil || !isNew {
		return false, err
	}
	return true, tx.countFollow(ctx, follower, what, 1)
}

// Unfollow ends a following, and reports whether there was one.
func (tx *Tx) Unfollow(ctx context.Context, follower domain.UserID, what domain.Subject) (bool, error) {
	was, err := tx.stopFollowing(ctx, follower, what)
	if err != nil || !was {
		return false, err
	}
	return true, tx.countFollow(ctx, follower, what, -1)
}

// countFollow adds to the counts that users show. Users are locked in the order of
// their ids.
func (tx *Tx) countFollow(ctx context.Context, follower domain.UserID, what domain.Subject, by int64) error {
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
		err := tx.execOne(ctx, "UPDATE users SET "+c.column+" = "+c.column+" + $2, version = version + 1 WHERE id = $1", c.user, by)
		if err != nil {
			return err
		}
	}
	return nil
}

// Followers lists who follows something, by the time of following. What a page costs
// grows with its number by a row of follower_ranks for every 1000 followers before it.
func (v *Snapshot) Followers(ctx context.Context, what domain.Subject, desc bool, page domain.Page) (l domain.List[domain.User], err error) {
	if l.Total, err = v.followers(ctx, what); err != nil || page.Offset() >= l.Total {
		return l, err
	}
	at, err := v.seekFollow(ctx, what, desc, page.Offset())
	if err != nil {
		return l, err
	}
	_, dir := direction(desc)
	beyond := map[bool]string{false: ">=", true: "<"}[desc]
	rows, err := v.q.Query(ctx, `SELECT `+userColumns+` FROM (SELECT f.follower_id, f.id FROM follows f
			WHERE f.followed_type = $1 AND f.followed_id = $2 AND f.id `+beyond+` $3
			ORDER BY f.id `+dir+` LIMIT $4 OFFSET $5) AS page
		JOIN users u ON u.id = page.follower_id ORDER BY page.id `+dir,
		what.Type, what.ID, at.from, page.Per, at.skip)
	l.Items, err = collect(ctx, rows, err, scanUser)
	return l, err
}

// FollowingQuery asks for a page of what a user follows. Type "" means all kinds.
type FollowingQuery struct {
	Viewer domain.UserID
	User   domain.UserID
	Type   domain.SubjectType
	Desc   bool
	Page   domain.Page
}

// Following lists what a user follows, as far as the viewer may see it, by the time
// of following.
func (v *Snapshot) Following(ctx context.Context, q FollowingQuery) (l domain.List[domain.Subject], err error) {
	from := ` FROM follows f WHERE f.follower_id = $2 AND CASE f.followed_type
		WHEN 'Channel' THEN EXISTS (SELECT 1 FROM channels ch WHERE ch.id = f.followed_id AND ` + visibleChannel + `)
		WHEN 'User' THEN EXISTS (SELECT 1 FROM users fu WHERE fu.id = f.followed_id AND fu.deleted_at IS NULL)
		ELSE EXISTS (SELECT 1 FROM groups fg WHERE fg.id = f.followed_id) END`
	args := []any{q.Viewer, q.User}
	limit := " LIMIT $3 OFFSET $4"
	if q.Type != "" {
		from += " AND f.followed_type = $3"
		args, limit = append(args, q.Type), " LIMIT $4 OFFSET $5"
	}
	if l.Total, err = scanInt64(v.q.QueryRow(ctx, "SELECT count(*)"+from, args...)); err != nil {
		return l, err
	}
	if q.Page.Offset() >= l.Total {
		return l, nil
	}
	_, dir := direction(q.Desc)
	rows, err := v.q.Query(ctx, "SELECT f.followed_type, f.followed_id"+from+
		" ORDER BY f.created_at "+dir+", f.id "+dir+limit, append(args, q.Page.Per, q.Page.Offset())...)
	l.Items, err = collect(ctx, rows, err, func(row scanner) (f domain.Subject, err error) {
		err = row.Scan(&f.Type, &f.ID)
		return f, err
	})
	return l, err
}

// UsersByID reads users.
func (q Queries) UsersByID(ctx context.Context, ids []domain.UserID) (map[domain.UserID]domain.User, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.q.Query(ctx, "SELECT "+userColumns+" FROM users u WHERE "+q.d.in("u.id", "$1"), list(q.d, ids))
	all, err := collect(ctx, rows, err, scanUser)
	return byID(all, func(u domain.User) domain.UserID { return u.ID }), err
}

// UsersBySlug gives the ids of those of the slugs that are users'.
func (q Queries) UsersBySlug(ctx context.Context, slugs []string) (map[string]domain.UserID, error) {
	found := make(map[string]domain.UserID, len(slugs))
	for _, slug := range slugs {
		var id domain.UserID
		err := q.q.QueryRow(ctx, `SELECT u.id FROM slugs s JOIN users u ON u.id = s.target_id
			WHERE s.kind = 'User' AND s.slug = $1 AND u.deleted_at IS NULL`, slug).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found[slug] = id
	}
	return found, nil
}
