package counters

import (
	"context"
	"strconv"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Totals returns what the site contains. It sums existing counts and reads a row per account and
// channel, but none for blocks or connections.
func (r Reads) Totals(ctx context.Context) (t domain.Totals, err error) {
	err = r.db.QueryRow(ctx, `SELECT (SELECT count(*) FROM users WHERE deleted_at IS NULL), (SELECT count(*) FROM groups),
			of_channels.n, of_channels.connections,
			(SELECT COALESCE(CAST(sum(open + hidden) AS BIGINT), 0) FROM content_counts WHERE owner_type = 'User' AND type <> 'Channel'),
			(SELECT COALESCE(CAST(sum(`+Stored+`) AS BIGINT), 0) FROM byte_usage bu)
		FROM (SELECT count(*) AS n, COALESCE(CAST(sum(blocks_count + channels_count) AS BIGINT), 0) AS connections
			FROM channels WHERE state = 'available') AS of_channels`).
		Scan(&t.Users, &t.Groups, &t.Channels, &t.Connections, &t.Blocks, &t.Bytes)
	return t, err
}

// Stored is the SQL expression for the bytes of `bu`, a row of byte_usage, that count towards a
// quota. It is indexed.
var Stored = "(bu.unused + bu.files + " + strconv.Itoa(domain.TextFactor) + " * bu.texts)"

// LargestByteUsage lists users by stored bytes, largest first.
func (r Reads) LargestByteUsage(ctx context.Context, page domain.Page) (l domain.List[domain.UserID], err error) {
	from := ` FROM byte_usage bu JOIN users u ON u.id = bu.user_id WHERE ` + Stored + ` > 0 AND u.deleted_at IS NULL`
	if l.Total, err = sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*)"+from)); err != nil || page.Offset() >= l.Total {
		return l, err
	}
	rows, err := r.db.Query(ctx, "SELECT bu.user_id"+from+" ORDER BY "+Stored+" DESC, bu.user_id DESC"+sqlx.Limit("$1")+" OFFSET $2",
		page.Per, page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
	return l, err
}
