package contents

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Order gives all connections of a channel by their ids, the lowest position first. Ids are all
// that is held of a channel that is read from end to end, eight bytes each. Private items are
// left out where the viewer is a guest; who else sees them is asked when they are read.
func (v Lists) Order(ctx context.Context, viewer domain.UserID, c domain.Channel) ([]domain.ConnectionID, error) {
	open := " AND item_private = FALSE"
	if viewer != 0 && c.PrivateItems > 0 {
		open = ""
	}
	rows, err := v.db.Query(ctx, "SELECT id FROM connections WHERE channel_id = $1"+open+" ORDER BY position_key", c.ID)
	return sqlx.CollectPage(ctx, rows, err, int(c.Contents()), func(row sqlx.Row, id *domain.ConnectionID) error { return row.Scan(id) })
}

// StillIn reads those of the connections that are in a channel, in the order of their ids in the
// list and without their positions.
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
