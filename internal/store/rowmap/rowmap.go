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

// Channels declares the columns of the channel `ch` and the public data of its owner, who is missing only where
// PostgreSQL had to wait for a lock while the owner changed; then the row is read again.
var Channels = sqlx.Table[ChannelRow]{Name: "channels", Alias: "ch", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *ChannelRow) *domain.ChannelID { return &r.Channel.ID }),
	sqlx.Col("slug", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *string { return &r.Channel.Slug }),
	sqlx.Col("title", sqlx.Insert|sqlx.Update|sqlx.Quota, func(r *ChannelRow) *string { return &r.Channel.Title }),
	sqlx.RenderedText("description", sqlx.Insert|sqlx.Update|sqlx.Quota, func(r *ChannelRow) *sqlx.TextColumns { return &r.description }),
	sqlx.Col("visibility", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *domain.Visibility { return &r.Channel.Visibility }),
	sqlx.Col("layout", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *domain.Layout { return &r.Channel.Layout }),
	sqlx.Col("snapshots", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *domain.SnapshotPolicy { return &r.Channel.Snapshots }),
	sqlx.Col("user_id", sqlx.Insert, func(r *ChannelRow) *domain.UserID { return &r.Channel.UserID }),
	sqlx.Col("metadata", sqlx.Insert|sqlx.Update|sqlx.Quota, func(r *ChannelRow) **string { return &r.metadata }),
	sqlx.Col("blocks_count", 0, func(r *ChannelRow) *int64 { return &r.Channel.Blocks }),
	sqlx.Col("channels_count", 0, func(r *ChannelRow) *int64 { return &r.Channel.Channels }),
	sqlx.Col("private_count", 0, func(r *ChannelRow) *int64 { return &r.Channel.PrivateItems }),
	sqlx.Col("collaborators_count", 0, func(r *ChannelRow) *int64 { return &r.Channel.Collaborators }),
	sqlx.Col("version", 0, func(r *ChannelRow) *int64 { return &r.Channel.Version }),
	sqlx.Col("created_at", sqlx.Insert, func(r *ChannelRow) *int64 { return &r.created }),
	sqlx.Col("updated_at", sqlx.Insert, func(r *ChannelRow) *int64 { return &r.updated }),
	sqlx.Other[ChannelRow]("state", "last_connected_at", "key_spreads"),
	sqlx.Col("owner_type", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *domain.PrincipalType { return &r.Channel.Owner.Type }),
	sqlx.Col("owner_id", sqlx.Insert|sqlx.Update, func(r *ChannelRow) *int64 { return &r.Channel.Owner.ID }),
	sqlx.Joined("COALESCE(ou.name, og.name, '')", func(r *ChannelRow) *string { return &r.Channel.Owner.Name }),
	sqlx.Joined("COALESCE(ou.slug, og.slug, '')", func(r *ChannelRow) *string { return &r.Channel.Owner.Slug }),
	sqlx.Joined("COALESCE(ou.avatar, og.avatar)", func(r *ChannelRow) **string { return &r.Channel.Owner.Avatar }),
	sqlx.Joined("COALESCE(ou.face_version, og.face_version, 0)", func(r *ChannelRow) *int64 { return &r.Channel.Owner.Version }),
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

// connectionRow holds the columns of a connection.
type connectionRow struct {
	*domain.Connection
	metadata         *string
	created, updated int64
	itemUpdated      int64
}

// Connections declares the columns of the connection `c` created by the user `cu`.
var Connections = sqlx.Table[connectionRow]{Name: "connections", Alias: "c", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *connectionRow) *domain.ConnectionID { return &r.ID }),
	sqlx.Col("channel_id", sqlx.Insert|sqlx.Hide, func(r *connectionRow) *domain.ChannelID { return &r.ChannelID }),
	sqlx.Col("item_type", sqlx.Insert|sqlx.Hide, func(r *connectionRow) *domain.ItemType { return &r.Item.Type }),
	sqlx.Col("item_id", sqlx.Insert|sqlx.Hide, func(r *connectionRow) *int64 { return &r.Item.ID }),
	sqlx.Col("position_key", sqlx.Insert, func(r *connectionRow) *int64 { return &r.PositionKey }),
	sqlx.Col("item_private", sqlx.Insert, func(r *connectionRow) *bool { return &r.ItemPrivate }),
	sqlx.Unread("item_updated_at", sqlx.Insert, func(r *connectionRow) *int64 { return &r.itemUpdated }),
	sqlx.Col("pinned", sqlx.Hide, func(r *connectionRow) *bool { return &r.Pinned }),
	sqlx.Col("metadata", sqlx.Insert|sqlx.Hide|sqlx.Quota, func(r *connectionRow) **string { return &r.metadata }),
	sqlx.Col("version", 0, func(r *connectionRow) *int64 { return &r.Version }),
	sqlx.Col("created_at", sqlx.Insert, func(r *connectionRow) *int64 { return &r.created }),
	sqlx.Unread("updated_at", sqlx.Insert|sqlx.Hide, func(r *connectionRow) *int64 { return &r.updated }),
	person("user_id", sqlx.Insert|sqlx.Hide, "cu", func(r *connectionRow) *domain.Principal { return &r.Maker }),
)}

// ConnectionColumns selects a connection.
var ConnectionColumns = Connections.Select()

// ConnectionMaker joins the creator of the connection `c`.
const ConnectionMaker = `JOIN users cu ON cu.id = c.user_id`

// ScanConnection reads ConnectionColumns.
func ScanConnection(row sqlx.Row) (c domain.Connection, err error) {
	err = ReadConnection(row, &c)
	return c, err
}

// ReadConnection reads ConnectionColumns into an existing connection.
func ReadConnection(row sqlx.Row, c *domain.Connection) error {
	r := connectionRow{Connection: c}
	c.Maker.Type = domain.TypeUser
	err := row.Scan(Connections.Targets(&r)...)
	c.Metadata, c.CreatedAt = sqlx.MetadataValue(r.metadata), sqlx.Time(r.created)
	return err
}

// InsertConnection returns the arguments of Connections.Insert. itemUpdated is the time of change
// of a block, 0 for a channel.
func InsertConnection(c *domain.Connection, itemUpdated int64) []any {
	created := sqlx.Micros(c.CreatedAt)
	r := connectionRow{Connection: c, metadata: sqlx.MetadataOf(c.Metadata), created: created, updated: created, itemUpdated: itemUpdated}
	return Connections.Args(sqlx.Insert, &r)
}

// commentRow holds the columns of a comment.
type commentRow struct {
	*domain.Comment
	created, updated int64
}

const commentText = sqlx.Insert | sqlx.Update | sqlx.Hide | sqlx.Quota

// Comments declares the columns of the comment `cm` by the user `cu`.
var Comments = sqlx.Table[commentRow]{Name: "comments", Alias: "cm", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *commentRow) *domain.CommentID { return &r.ID }),
	sqlx.Col("block_id", sqlx.Insert|sqlx.Hide, func(r *commentRow) *domain.BlockID { return &r.BlockID }),
	sqlx.Col("body_markdown", commentText, func(r *commentRow) *string { return &r.Body.Markdown }),
	sqlx.Col("body_html", commentText, func(r *commentRow) *string { return &r.Body.HTML }),
	sqlx.Col("body_plain", commentText, func(r *commentRow) *string { return &r.Body.Plain }),
	sqlx.Col("version", 0, func(r *commentRow) *int64 { return &r.Version }),
	sqlx.Col("created_at", sqlx.Insert|sqlx.Hide, func(r *commentRow) *int64 { return &r.created }),
	sqlx.Col("updated_at", sqlx.Insert|sqlx.Hide, func(r *commentRow) *int64 { return &r.updated }),
	person("user_id", sqlx.Insert|sqlx.Hide, "cu", func(r *commentRow) *domain.Principal { return &r.Author }),
)}

// SelectComments begins a statement that selects comments.
var SelectComments = "SELECT " + Comments.Select() + " FROM comments cm JOIN users cu ON cu.id = cm.user_id "

// ScanComment reads a row of SelectComments.
func ScanComment(row sqlx.Row) (c domain.Comment, err error) {
	r := commentRow{Comment: &c}
	c.Author.Type = domain.TypeUser
	err = row.Scan(Comments.Targets(&r)...)
	c.CreatedAt, c.UpdatedAt = sqlx.Time(r.created), sqlx.Time(r.updated)
	return c, err
}

// CommentArgs returns the arguments of a statement that writes a comment, after others.
func CommentArgs(use sqlx.Use, c *domain.Comment, before ...any) []any {
	r := commentRow{Comment: c, created: sqlx.Micros(c.CreatedAt), updated: sqlx.Micros(c.UpdatedAt)}
	return Comments.Args(use, &r, before...)
}

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
