package rowmap

import (
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// BlockStampColumns are what the stamp of the block `b` by the user `bu` is made from.
const BlockStampColumns = `b.id, b.user_id, b.version, bu.face_version, b.updated_at, ` + access.OpenCount + `, ` + access.PrivateCount

// blockStampFields are scan targets in the order of BlockStampColumns.
type blockStampFields struct {
	domain.BlockStamp
	updated int64
	in      domain.Block // of which the counts alone are read
}

func (f *blockStampFields) targets() []any {
	return []any{&f.ID, &f.Author, &f.Version, &f.Face, &f.updated, &f.in.OpenCount, &f.in.PrivateCount}
}

func (f *blockStampFields) value() domain.BlockStamp {
	f.UpdatedAt, f.Visibility = sqlx.Time(f.updated), f.in.Visibility()
	return f.BlockStamp
}

// ScanBlockStamp reads BlockStampColumns.
func ScanBlockStamp(row sqlx.Row) (domain.BlockStamp, error) {
	var f blockStampFields
	err := row.Scan(f.targets()...)
	return f.value(), err
}

// OutlineColumns are the stamp of the connection `c` made by the user `cu`, its place, and what
// the stamp of its item is made from if that is a block: `b` by the user `bu`.
const OutlineColumns = `c.id, c.channel_id, c.item_type, c.item_id, c.position_key, c.item_private, c.version, c.created_at,
	c.user_id, cu.face_version, COALESCE(b.id, 0), COALESCE(b.user_id, 0), COALESCE(b.version, 0), COALESCE(bu.face_version, 0),
	COALESCE(b.updated_at, 0), COALESCE(` + access.OpenCount + `, 0), COALESCE(` + access.PrivateCount + `, 0)`

// OutlineJoins joins what OutlineColumns names to the connection `c`.
const OutlineJoins = ConnectionMaker + ` LEFT JOIN blocks b ON c.item_type = 'Block' AND b.id = c.item_id
	LEFT JOIN users bu ON bu.id = b.user_id`

// ReadOutline reads OutlineColumns: of a connection what its stamp is made from and where it
// is, and the stamp of its block, whose ID is 0 if it has none.
func ReadOutline(row sqlx.Row, c *domain.Connection) (domain.BlockStamp, error) {
	var f blockStampFields
	var created int64
	c.Maker.Type = domain.TypeUser
	err := row.Scan(&c.ID, &c.ChannelID, &c.Item.Type, &c.Item.ID, &c.PositionKey, &c.ItemPrivate, &c.Version, &created,
		&c.Maker.ID, &c.Maker.Version, &f.ID, &f.Author, &f.Version, &f.Face, &f.updated, &f.in.OpenCount, &f.in.PrivateCount)
	c.CreatedAt = sqlx.Time(created)
	return f.value(), err
}
