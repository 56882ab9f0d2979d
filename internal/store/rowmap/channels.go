// Package rowmap maps rows to channels, blocks, connections and users. It declares the columns
// of each table once (sqlx.Table), and contains the joins for statements and the functions that scan their rows.
package rowmap

import (
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// ChannelOwner joins the user or group that owns the channel `ch`.
const ChannelOwner = `LEFT JOIN users ou ON ch.owner_type = 'User' AND ou.id = ch.owner_id
	LEFT JOIN groups og ON ch.owner_type = 'Group' AND og.id = ch.owner_id`

// ChannelRow holds the columns of a channel.
type ChannelRow struct {
	Channel          domain.Channel
	description      sqlx.TextColumns
	metadata         *string
	created, updated int64
}

// Channels declares the columns of the channel `ch` and the public data of its owner.
var Channels = sqlx.Table[ChannelRow]{Name: "channels", Alias: "ch", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *ChannelRow) *domain.ChannelID { return &r.Channel.ID }),
	sqlx.Col("slug", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *string { return &r.Channel.Slug }),
	sqlx.Col("title", sqlx.Insert|sqlx.Update|sqlx.Quota, func(r *ChannelRow) *string { return &r.Channel.Title }),
	sqlx.RenderedText("description", sqlx.Insert|sqlx.Update|sqlx.Quota, func(r *ChannelRow) *sqlx.TextColumns { return &r.description }),
	sqlx.Col("visibility", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *domain.Visibility { return &r.Channel.Visibility }),
	sqlx.Col("user_id", sqlx.Insert, func(r *ChannelRow) *domain.UserID { return &r.Channel.UserID }),
	sqlx.Col("metadata", sqlx.Insert|sqlx.Update|sqlx.Quota, func(r *ChannelRow) **string { return &r.metadata }),
	sqlx.Col("blocks_count", 0, func(r *ChannelRow) *int64 { return &r.Channel.Blocks }),
	sqlx.Col("channels_count", 0, func(r *ChannelRow) *int64 { return &r.Channel.Channels }),
	sqlx.Col("private_count", 0, func(r *ChannelRow) *int64 { return &r.Channel.PrivateItems }),
	sqlx.Col("collaborators_count", 0, func(r *ChannelRow) *int64 { return &r.Channel.Collaborators }),
	sqlx.Col("version", 0, func(r *ChannelRow) *int64 { return &r.Channel.Version }),
	sqlx.Col("created_at", sqlx.Insert, func(r *ChannelRow) *int64 { return &r.created }),
	sqlx.Col("updated_at", sqlx.Insert, func(r *ChannelRow) *int64 { return &r.updated }),
	sqlx.Other[ChannelRow]("state", "last_connected_at"),
	sqlx.Col("owner_type", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *domain.PrincipalType { return &r.Channel.Owner.Type }),
	sqlx.Col("owner_id", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *int64 { return &r.Channel.Owner.ID }),
	sqlx.Joined("COALESCE(ou.name, og.name)", func(r *ChannelRow) *string { return &r.Channel.Owner.Name }),
	sqlx.Joined("COALESCE(ou.slug, og.slug)", func(r *ChannelRow) *string { return &r.Channel.Owner.Slug }),
	sqlx.Joined("COALESCE(ou.avatar, og.avatar)", func(r *ChannelRow) **string { return &r.Channel.Owner.Avatar }),
	sqlx.Joined("COALESCE(ou.face_version, og.face_version)", func(r *ChannelRow) *int64 { return &r.Channel.Owner.Version }),
)}

// ChannelColumns selects a channel.
var ChannelColumns = Channels.Select()

// Value returns the scanned channel.
func (r *ChannelRow) Value() domain.Channel {
	r.Channel.Description, r.Channel.Metadata = r.description.Value(), sqlx.MetadataValue(r.metadata)
	r.Channel.CreatedAt, r.Channel.UpdatedAt = sqlx.Time(r.created), sqlx.Time(r.updated)
	return r.Channel
}

// ChannelArgs returns the arguments of a statement that writes a channel, after others.
func ChannelArgs(use sqlx.Use, c domain.Channel, before ...any) []any {
	r := ChannelRow{Channel: c, description: sqlx.TextOf(c.Description), metadata: sqlx.MetadataOf(c.Metadata),
		created: sqlx.Micros(c.CreatedAt), updated: sqlx.Micros(c.UpdatedAt)}
	return Channels.Args(use, &r, before...)
}

// ScanChannel reads ChannelColumns.
func ScanChannel(row sqlx.Row) (domain.Channel, error) {
	var r ChannelRow
	err := row.Scan(Channels.Targets(&r)...)
	return r.Value(), err
}

// ChannelQuery reads a live channel with the role of the viewer $1, by its id or slug $2.
type ChannelQuery struct {
	Scan                                 func(sqlx.Row) (domain.Channel, error)
	byID, bySlug, guestByID, guestBySlug string
}

// WholeChannel reads a whole channel. ChannelSize reads only its id, its visibility and its
// counts.
var (
	WholeChannel = newChannelQuery(ChannelColumns, ChannelOwner, ScanChannelRole)
	ChannelSize  = newChannelQuery("ch.id, ch.visibility, ch.blocks_count, ch.channels_count, ch.private_count", "", scanChannelSize)
)

func newChannelQuery(columns, joins string, scan func(sqlx.Row) (domain.Channel, error)) *ChannelQuery {
	text := func(role, id string) string {
		return "SELECT " + columns + ", " + role + " FROM channels ch " + joins + " WHERE ch.state = 'available' AND ch.id = " + id
	}
	const ofSlug = "(SELECT target_id FROM slugs WHERE kind = 'Channel' AND slug = $2)"
	return &ChannelQuery{scan, text(access.RoleOf, "$2"), text(access.RoleOf, ofSlug), text(access.GuestRole, "$2"), text(access.GuestRole, ofSlug)}
}

// Text returns the statement for a viewer and its second argument.
func (q *ChannelQuery) Text(viewer domain.UserID, ref domain.Ref) (query string, arg any) {
	if ref.Slug != "" {
		return access.For(viewer, q.bySlug, q.guestBySlug), ref.Slug
	}
	return access.For(viewer, q.byID, q.guestByID), ref.ID
}

// ScanChannelRole reads ChannelColumns and the role of the viewer.
func ScanChannelRole(row sqlx.Row) (domain.Channel, error) {
	var r ChannelRow
	err := row.Scan(Channels.Targets(&r, &r.Channel.Role)...)
	return r.Value(), err
}

func scanChannelSize(row sqlx.Row) (c domain.Channel, err error) {
	err = row.Scan((*int64)(&c.ID), (*string)(&c.Visibility), &c.Blocks, &c.Channels, &c.PrivateItems, (*int)(&c.Role))
	return c, err
}
