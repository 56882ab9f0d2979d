package rowmap

import (
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// BlockStampColumns are what the stamp of the block `b` by the user `bu` is made from.
const BlockStampColumns = `b.id, b.user_id, b.version, bu.face_version, b.updated_at, ` + access.OpenCount + `, ` + access.PrivateCount

// blockStampFields are scan targets in the order of BlockStampColumns. They are of plain types,
// which are read without reflection.
type blockStampFields struct {
	domain.BlockStamp
	updated, open, private int64
}

func (f *blockStampFields) targets() []any {
	return []any{(*int64)(&f.ID), (*int64)(&f.Author), &f.Version, &f.Face, &f.updated, &f.open, &f.private}
}

func (f *blockStampFields) value() domain.BlockStamp {
	f.UpdatedAt, f.Visibility = sqlx.Time(f.updated), domain.VisibilityIn(f.open, f.private)
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

// Outline reads OutlineColumns, row after row into the same memory. It is for one
// goroutine at a time.
type Outline struct {
	connection domain.Connection
	created    int64
	block      blockStampFields
	targets    []any
}

// NewOutline makes one.
func NewOutline() *Outline {
	o := &Outline{}
	c := &o.connection
	c.Maker.Type = domain.TypeUser
	o.targets = append([]any{(*int64)(&c.ID), (*int64)(&c.ChannelID), (*string)(&c.Item.Type), &c.Item.ID, &c.PositionKey, &c.ItemPrivate,
		&c.Version, &o.created, &c.Maker.ID, &c.Maker.Version}, o.block.targets()...)
	return o
}

// Read reads of a connection what its stamp is made from and where it is, and the stamp of
// its block, whose ID is 0 if it has none.
func (o *Outline) Read(row sqlx.Row, c *domain.Connection) (domain.BlockStamp, error) {
	err := row.Scan(o.targets...)
	*c = o.connection
	c.CreatedAt = sqlx.Time(o.created)
	return o.block.value(), err
}
