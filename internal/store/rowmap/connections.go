package rowmap

import (
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// ConnectionColumns are the columns of the connection `c` created by the user `cu`.
const ConnectionColumns = `c.id, c.channel_id, c.item_type, c.item_id, c.position_key, c.item_private, c.pinned,
	c.metadata, c.version, c.created_at, cu.id, cu.name, cu.slug, cu.avatar, cu.face_version`

// ConnectionMaker joins the creator of the connection `c`.
const ConnectionMaker = `JOIN users cu ON cu.id = c.user_id`

// ScanConnection reads ConnectionColumns.
func ScanConnection(row sqlx.Row) (c domain.Connection, err error) {
	err = ReadConnection(row, &c)
	return c, err
}

// ReadConnection reads ConnectionColumns into an existing connection.
func ReadConnection(row sqlx.Row, c *domain.Connection) error {
	var metadata *string
	var created int64
	c.Maker.Type = domain.TypeUser
	err := row.Scan(&c.ID, &c.ChannelID, &c.Item.Type, &c.Item.ID, &c.PositionKey, &c.ItemPrivate, &c.Pinned,
		&metadata, &c.Version, &created, &c.Maker.ID, &c.Maker.Name, &c.Maker.Slug, &c.Maker.Avatar, &c.Maker.Version)
	c.Metadata, c.CreatedAt = sqlx.MetadataValue(metadata), sqlx.Time(created)
	return err
}
