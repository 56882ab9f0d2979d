package rowmap

import (
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

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
