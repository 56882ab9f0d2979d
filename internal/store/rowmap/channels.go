// Package rowmap maps rows to channels, blocks, connections and users. It contains the columns and
// joins for statements, and the functions that scan their rows.
package rowmap

import (
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// ChannelOwner joins the user or group that owns the channel `ch`.
const ChannelOwner = `LEFT JOIN users ou ON ch.owner_type = 'User' AND ou.id = ch.owner_id
	LEFT JOIN groups og ON ch.owner_type = 'Group' AND og.id = ch.owner_id`

const ownerColumns = `ch.owner_type, ch.owner_id, COALESCE(ou.name, og.name), COALESCE(ou.slug, og.slug),
	COALESCE(ou.avatar, og.avatar), COALESCE(ou.face_version, og.face_version)`

// ChannelColumns are the columns of the channel `ch` and the public data of its owner.
const ChannelColumns = `ch.id, ch.slug, ch.title, ch.description_markdown, ch.description_html, ch.description_plain,
	ch.visibility, ch.user_id, ch.metadata, ch.blocks_count, ch.channels_count, ch.private_count,
	ch.collaborators_count, ch.version, ch.created_at, ch.updated_at, ` + ownerColumns

// ChannelFields contains scan targets in the order of ChannelColumns.
type ChannelFields struct {
	Channel          domain.Channel
	description      sqlx.TextColumns
	metadata         *string
	created, updated int64
}

// Targets returns the scan targets for ChannelColumns.
func (f *ChannelFields) Targets() []any {
	c := &f.Channel
	return []any{&c.ID, &c.Slug, &c.Title, &f.description.Markdown, &f.description.HTML, &f.description.Plain,
		&c.Visibility, &c.UserID, &f.metadata, &c.Blocks, &c.Channels, &c.PrivateItems,
		&c.Collaborators, &c.Version, &f.created, &f.updated,
		&c.Owner.Type, &c.Owner.ID, &c.Owner.Name, &c.Owner.Slug, &c.Owner.Avatar, &c.Owner.Version}
}

// Value returns the scanned channel.
func (f *ChannelFields) Value() domain.Channel {
	f.Channel.Description, f.Channel.Metadata = f.description.Value(), sqlx.MetadataValue(f.metadata)
	f.Channel.CreatedAt, f.Channel.UpdatedAt = sqlx.Time(f.created), sqlx.Time(f.updated)
	return f.Channel
}

// ScanChannel reads ChannelColumns.
func ScanChannel(row sqlx.Row) (domain.Channel, error) {
	var f ChannelFields
	err := row.Scan(f.Targets()...)
	return f.Value(), err
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
	var f ChannelFields
	err := row.Scan(append(f.Targets(), &f.Channel.Role)...)
	return f.Value(), err
}

func scanChannelSize(row sqlx.Row) (c domain.Channel, err error) {
	err = row.Scan((*int64)(&c.ID), (*string)(&c.Visibility), &c.Blocks, &c.Channels, &c.PrivateItems, (*int)(&c.Role))
	return c, err
}
