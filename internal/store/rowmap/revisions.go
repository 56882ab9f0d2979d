package rowmap

import (
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// BlockRevisionColumns are the columns of the stamp of the block `b` by the user `bu`.
const BlockRevisionColumns = `b.id, b.user_id, b.version, bu.face_version, b.updated_at, ` + access.OpenCount + `, ` + access.PrivateCount

// blockRevisionFields contains scan targets in the order of BlockRevisionColumns. They have plain types,
// which are scanned without reflection.
type blockRevisionFields struct {
	domain.BlockRevision
	updated, open, private int64
}

func (f *blockRevisionFields) targets() []any {
	return []any{(*int64)(&f.ID), (*int64)(&f.Author), &f.Version, &f.Face, &f.updated, &f.open, &f.private}
}

func (f *blockRevisionFields) value() domain.BlockRevision {
	f.UpdatedAt, f.Visibility = sqlx.Time(f.updated), domain.VisibilityIn(f.open, f.private)
	return f.BlockRevision
}

// ScanBlockRevision reads BlockRevisionColumns.
func ScanBlockRevision(row sqlx.Row) (domain.BlockRevision, error) {
	var f blockRevisionFields
	err := row.Scan(f.targets()...)
	return f.value(), err
}

// OutlineColumns are the columns of the stamp of the connection `c` created by the user `cu`, of
// its item and, if that is a block, of the stamp of the block `b` by the user `bu`.
const OutlineColumns = `c.id, c.item_type, c.version, cu.face_version, c.created_at,
	c.item_id, COALESCE(b.user_id, 0), COALESCE(b.version, 0), COALESCE(bu.face_version, 0),
	COALESCE(b.updated_at, 0), COALESCE(` + access.OpenCount + `, 0), COALESCE(` + access.PrivateCount + `, 0)`

// OutlineJoins joins the tables of OutlineColumns to the connection `c`.
const OutlineJoins = ConnectionMaker + ` LEFT JOIN blocks b ON c.item_type = 'Block' AND b.id = c.item_id
	LEFT JOIN users bu ON bu.id = b.user_id`

// Outline reads OutlineColumns, reusing the same memory for each row. It is for one goroutine at a
// time.
type Outline struct {
	connection domain.Connection
	created    int64
	block      blockRevisionFields
	stamps     []domain.BlockRevision // the stamps read so far
	targets    []any
}

// NewOutline returns an Outline for about n rows.
func NewOutline(n int) *Outline {
	o := &Outline{stamps: make([]domain.BlockRevision, 0, n)}
	c := &o.connection
	o.targets = append([]any{(*int64)(&c.ID), (*string)(&c.Item.Type), &c.Version, &c.Maker.Version, &o.created}, o.block.targets()...)
	return o
}

// Read reads the stamp and the item of a connection and, if the item is an existing block, the
// stamp of that.
func (o *Outline) Read(row sqlx.Row, c *domain.Connection) error {
	if err := row.Scan(o.targets...); err != nil {
		return err
	}
	*c = o.connection
	c.Item.ID, c.CreatedAt = int64(o.block.ID), sqlx.Time(o.created)
	if o.block.Version != 0 { // versions begin with 1
		o.stamps = append(o.stamps, o.block.value())
		c.Block = &o.stamps[len(o.stamps)-1]
	}
	return nil
}
