package rowmap

import (
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// UserColumns are the columns of the user `u`.
const UserColumns = `u.id, u.slug, u.name, u.email, u.bio_markdown, u.bio_html, u.bio_plain, u.avatar, u.tier, u.office,
	u.open_channels, u.private_channels, u.followers_count, u.following_count,
	COALESCE((SELECT n.unread FROM inboxes n WHERE n.user_id = u.id), 0),
	u.unread_notices, u.suspended_at, u.version, u.created_at, u.updated_at`

// ScanUser reads UserColumns.
func ScanUser(row sqlx.Row) (u domain.User, err error) {
	var bio sqlx.TextColumns
	var suspended *int64
	var created, updated int64
	err = row.Scan(&u.ID, &u.Slug, &u.Name, &u.Email, &bio.Markdown, &bio.HTML, &bio.Plain, &u.Avatar, &u.Tier, &u.Office,
		&u.OpenChannels, &u.PrivateChannels, &u.Followers, &u.Following, &u.Unread,
		&u.Notices, &suspended, &u.Version, &created, &updated)
	u.Bio, u.SuspendedAt = bio.Value(), sqlx.TimePtr(suspended)
	u.CreatedAt, u.UpdatedAt = sqlx.Time(created), sqlx.Time(updated)
	return u, err
}
