package store

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// listed contains the queries for the pages of each kind that should be found by search engines,
// $2 < id <= $3. Users and groups are listed if they have an open channel. $1 is 0, since the
// viewer is a guest.
var listed = map[domain.SubjectType]string{
	domain.SubjectChannel: `SELECT ch.id, COALESCE(ou.slug, og.slug), ch.slug, ch.updated_at FROM channels ch ` + rowmap.ChannelOwner +
		` WHERE ch.id > $2 AND ch.id <= $3 AND ` + access.GuestChannel + ` AND ch.visibility IN ('public', $5) ORDER BY ch.id` + sqlx.Limit("$4"),
	domain.SubjectUser: `SELECT u.id, '', u.slug, u.updated_at FROM users u WHERE u.id > $2 AND u.id <= $3 AND CAST($1 AS BIGINT) = 0
		AND u.deleted_at IS NULL AND u.suspended_at IS NULL AND u.open_channels > 0 AND $5 <> '' ORDER BY u.id` + sqlx.Limit("$4"),
	domain.SubjectGroup: `SELECT g.id, '', g.slug, g.updated_at FROM groups g WHERE g.id > $2 AND g.id <= $3 AND CAST($1 AS BIGINT) = 0
		AND g.open_channels > 0 AND $5 <> '' ORDER BY g.id` + sqlx.Limit("$4"),
}

// Listings lists pages of a kind by id. It lists public channels and, if closed is set, closed
// ones too.
func (q Queries) Listings(ctx context.Context, kind domain.SubjectType, closed bool, in domain.ListingRange) ([]domain.Listing, error) {
	also := domain.Public
	if closed {
		also = domain.Closed
	}
	rows, err := q.db.Query(ctx, listed[kind], 0, in.After, in.Upto, in.Limit, also)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (l domain.Listing, err error) {
		var updated int64
		err = row.Scan(&l.ID, &l.Owner, &l.Slug, &updated)
		l.UpdatedAt = sqlx.Time(updated)
		return l, err
	})
}

// LastIDs returns the greatest ids of channels, users and groups. An id is 0 if its table is empty.
func (q Queries) LastIDs(ctx context.Context) (channels, users, groups int64, err error) {
	err = q.db.QueryRow(ctx, `SELECT COALESCE((SELECT max(id) FROM channels), 0), COALESCE((SELECT max(id) FROM users), 0),
		COALESCE((SELECT max(id) FROM groups), 0)`).Scan(&channels, &users, &groups)
	return channels, users, groups, err
}
