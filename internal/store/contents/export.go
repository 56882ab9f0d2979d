package contents

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// Order returns the ids of the connections in a channel that the viewer may see by position, lowest
// first. A channel that is read completely needs only these in memory, eight bytes each.
func (v Lists) Order(ctx context.Context, viewer domain.UserID, c domain.Channel) ([]domain.ConnectionID, error) {
	visible, args := "c.item_private = FALSE", []any{c.ID}
	if viewer != 0 && c.PrivateItems > 0 {
		visible = "(" + visible + " OR EXISTS (SELECT 1 FROM channels ch WHERE ch.id = c.item_id AND " + access.VisibleChannel + "))"
		args = []any{viewer, c.ID}
	}
	rows, err := v.db.Query(ctx, fmt.Sprintf("SELECT c.id FROM connections c WHERE c.channel_id = $%d AND %s ORDER BY c.position_key", len(args), visible), args...)
	return sqlx.CollectPage(ctx, rows, err, int(c.Contents()), func(row sqlx.Row, id *domain.ConnectionID) error { return row.Scan(id) })
}

// StillIn reads those of the connections that are still in a channel, in the order of the ids,
// without their positions.
func (q Reads) StillIn(ctx context.Context, channel domain.ChannelID, ids []domain.ConnectionID) ([]domain.Connection, error) {
	all, err := q.inOrder(ctx, Query{}, ids)
	kept := all[:0]
	for _, c := range all {
		if c.ChannelID == channel {
			kept = append(kept, c)
		}
	}
	return kept, err
}

// OwnedChannels lists the live channels of an owner that the viewer may see, with ids above the
// given one, by id.
func (q Reads) OwnedChannels(ctx context.Context, viewer domain.UserID, owner domain.PrincipalRef, above domain.ChannelID, n int) ([]domain.Channel, error) {
	rows, err := q.db.Query(ctx, "SELECT "+rowmap.ChannelColumns+" FROM channels ch "+rowmap.ChannelOwner+
		" WHERE ch.owner_type = $2 AND ch.owner_id = $3 AND ch.id > $4 AND "+access.For(viewer, access.VisibleChannel, access.GuestChannel)+
		" ORDER BY ch.id"+sqlx.Limit("$5"), viewer, owner.Type, owner.ID, above, n)
	return sqlx.Collect(ctx, rows, err, rowmap.ScanChannel)
}

// Mark is a position in a list of a user's blocks, after which reading continues.
type Mark struct {
	At time.Time
	ID int64
}

// AuthoredBlocks lists the blocks of an author by time of creation.
func (q Reads) AuthoredBlocks(ctx context.Context, author domain.UserID, after Mark, n int) ([]domain.BlockID, error) {
	rows, err := q.db.Query(ctx, `SELECT id FROM blocks WHERE user_id = $1 AND (created_at, id) > ($2, $3)
		ORDER BY created_at, id`+sqlx.Limit("$4"), author, sqlx.Micros(after.At), after.ID, n)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.BlockID, err error) {
		err = row.Scan(&id)
		return id, err
	})
}
