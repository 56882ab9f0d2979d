package rowmap

import (
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// groupRow holds the columns of a group.
type groupRow struct {
	*domain.Group
	nameKey          string
	description      sqlx.TextColumns
	created, updated int64
}

// Groups declares the columns of the group `g` with its owner `gu`, and whether the viewer $1 is a
// member.
var Groups = sqlx.Table[groupRow]{Name: "groups", Alias: "g", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *groupRow) *domain.GroupID { return &r.ID }),
	sqlx.Col("slug", sqlx.Insert|sqlx.Update, func(r *groupRow) *string { return &r.Slug }),
	sqlx.Col("name", sqlx.Insert|sqlx.Update|sqlx.Quota, func(r *groupRow) *string { return &r.Name }),
	sqlx.Unread("name_key", sqlx.Insert|sqlx.Update, func(r *groupRow) *string { return &r.nameKey }),
	sqlx.RenderedText("description", sqlx.Insert|sqlx.Update|sqlx.Quota, func(r *groupRow) *sqlx.TextColumns { return &r.description }),
	sqlx.Col("avatar", 0, func(r *groupRow) **string { return &r.Avatar }),
	sqlx.Col("open_channels", 0, func(r *groupRow) *int64 { return &r.OpenChannels }),
	sqlx.Col("private_channels", 0, func(r *groupRow) *int64 { return &r.PrivateChannels }),
	sqlx.Col("users_count", 0, func(r *groupRow) *int64 { return &r.Users }),
	sqlx.Col("version", 0, func(r *groupRow) *int64 { return &r.Version }),
	sqlx.Col("face_version", 0, func(r *groupRow) *int64 { return &r.FaceVersion }),
	sqlx.Col("created_at", sqlx.Insert, func(r *groupRow) *int64 { return &r.created }),
	sqlx.Col("updated_at", sqlx.Insert, func(r *groupRow) *int64 { return &r.updated }),
	person("owner_id", sqlx.Insert, "gu", func(r *groupRow) *domain.Principal { return &r.Owner }),
	sqlx.Joined("EXISTS (SELECT 1 FROM group_members vm WHERE vm.group_id = g.id AND vm.user_id = CAST($1 AS BIGINT))",
		func(r *groupRow) *bool { return &r.Member }),
)}

// GroupColumns selects a group.
var GroupColumns = Groups.Select()

// GroupOwner joins the owner of the group `g`.
const GroupOwner = `JOIN users gu ON gu.id = g.owner_id`

// ScanGroup reads GroupColumns.
func ScanGroup(row sqlx.Row) (g domain.Group, err error) {
	r := groupRow{Group: &g}
	g.Owner.Type = domain.TypeUser
	err = row.Scan(Groups.Targets(&r)...)
	g.Description, g.CreatedAt, g.UpdatedAt = r.description.Value(), sqlx.Time(r.created), sqlx.Time(r.updated)
	return g, err
}

// GroupArgs returns the arguments of a statement that writes a group, after others.
func GroupArgs(use sqlx.Use, g *domain.Group, before ...any) []any {
	r := groupRow{Group: g, nameKey: domain.NameKey(g.Name), description: sqlx.TextOf(g.Description),
		created: sqlx.Micros(g.CreatedAt), updated: sqlx.Micros(g.UpdatedAt)}
	return Groups.Args(use, &r, before...)
}
