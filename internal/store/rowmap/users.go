package rowmap

import (
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// userRow holds the columns of a user.
type userRow struct {
	*domain.User
	bio              sqlx.TextColumns
	suspended        *int64
	created, updated int64
	passwordHash     string
}

// Users declares the columns of the user `u`.
var Users = sqlx.Table[userRow]{Name: "users", Alias: "u", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *userRow) *domain.UserID { return &r.ID }),
	sqlx.Col("slug", sqlx.Insert, func(r *userRow) *string { return &r.Slug }),
	sqlx.Col("name", sqlx.Insert|sqlx.Update, func(r *userRow) *string { return &r.Name }),
	sqlx.Col("email", sqlx.Insert, func(r *userRow) *string { return &r.Email }),
	sqlx.Unread("password_hash", sqlx.Insert, func(r *userRow) *string { return &r.passwordHash }),
	sqlx.RenderedText("bio", sqlx.Update|sqlx.Quota, func(r *userRow) *sqlx.TextColumns { return &r.bio }),
	sqlx.Col("avatar", 0, func(r *userRow) **string { return &r.Avatar }),
	sqlx.Col("tier", sqlx.Insert, func(r *userRow) *domain.Tier { return &r.Tier }),
	sqlx.Col("office", sqlx.Insert, func(r *userRow) *domain.Office { return &r.Office }),
	sqlx.Col("open_channels", 0, func(r *userRow) *int64 { return &r.OpenChannels }),
	sqlx.Col("private_channels", 0, func(r *userRow) *int64 { return &r.PrivateChannels }),
	sqlx.Col("followers_count", 0, func(r *userRow) *int64 { return &r.Followers }),
	sqlx.Col("following_count", 0, func(r *userRow) *int64 { return &r.Following }),
	sqlx.Joined("COALESCE((SELECT n.unread FROM inboxes n WHERE n.user_id = u.id), 0)", func(r *userRow) *int64 { return &r.Unread }),
	sqlx.Col("unread_notices", 0, func(r *userRow) *int64 { return &r.Notices }),
	sqlx.Col("suspended_at", 0, func(r *userRow) **int64 { return &r.suspended }),
	sqlx.Col("version", 0, func(r *userRow) *int64 { return &r.Version }),
	sqlx.Col("created_at", sqlx.Insert, func(r *userRow) *int64 { return &r.created }),
	sqlx.Col("updated_at", sqlx.Insert, func(r *userRow) *int64 { return &r.updated }),
	sqlx.Other[userRow]("face_version", "deleted_at"),
)}

// UserColumns selects a user.
var UserColumns = Users.Select()

// ScanUser reads UserColumns.
func ScanUser(row sqlx.Row) (u domain.User, err error) {
	r := userRow{User: &u}
	err = row.Scan(Users.Targets(&r)...)
	u.Bio, u.SuspendedAt = r.bio.Value(), sqlx.TimePtr(r.suspended)
	u.CreatedAt, u.UpdatedAt = sqlx.Time(r.created), sqlx.Time(r.updated)
	return u, err
}

// UserArgs returns the arguments of a statement that writes a user, after others.
func UserArgs(use sqlx.Use, u *domain.User, passwordHash string, before ...any) []any {
	r := userRow{User: u, bio: sqlx.TextOf(u.Bio), passwordHash: passwordHash, created: sqlx.Micros(u.CreatedAt), updated: sqlx.Micros(u.UpdatedAt)}
	return Users.Args(use, &r, before...)
}

// person declares the column with the id of a user, and the public data of that user from the
// table with the alias.
func person[R any](column string, use sqlx.Use, alias string, at func(*R) *domain.Principal) sqlx.Columns[R] {
	return slices.Concat(
		sqlx.Computed(column, use, alias+".id", func(r *R) *int64 { return &at(r).ID }),
		sqlx.Joined(alias+".name", func(r *R) *string { return &at(r).Name }),
		sqlx.Joined(alias+".slug", func(r *R) *string { return &at(r).Slug }),
		sqlx.Joined(alias+".avatar", func(r *R) **string { return &at(r).Avatar }),
		sqlx.Joined(alias+".face_version", func(r *R) *int64 { return &at(r).Version }))
}
