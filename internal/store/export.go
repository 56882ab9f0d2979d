package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// OwnedChannels lists live channels of an owner that the viewer may see, by id, from above one on.
func (q Queries) OwnedChannels(ctx context.Context, viewer domain.UserID, owner domain.PrincipalRef, above domain.ChannelID, n int) ([]domain.Channel, error) {
	rows, err := q.db.Query(ctx, "SELECT "+rowmap.ChannelColumns+" FROM channels ch "+rowmap.ChannelOwner+
		" WHERE ch.owner_type = $2 AND ch.owner_id = $3 AND ch.id > $4 AND "+access.For(viewer, access.VisibleChannel, access.GuestChannel)+
		" ORDER BY ch.id"+sqlx.Limit("$5"), viewer, owner.Type, owner.ID, above, n)
	return sqlx.Collect(ctx, rows, err, rowmap.ScanChannel)
}

// Mark is a place in a list of what somebody made, behind which it is read on.
type Mark struct {
	At time.Time
	ID int64
}

// AuthoredBlocks lists the blocks of an author by the time at which they were made.
func (q Queries) AuthoredBlocks(ctx context.Context, author domain.UserID, after Mark, n int) ([]domain.BlockID, error) {
	rows, err := q.db.Query(ctx, `SELECT id FROM blocks WHERE user_id = $1 AND (created_at, id) > ($2, $3)
		ORDER BY created_at, id`+sqlx.Limit("$4"), author, sqlx.Micros(after.At), after.ID, n)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.BlockID, err error) {
		err = row.Scan(&id)
		return id, err
	})
}

// AuthoredComments lists the comments of an author, block by block.
func (q Queries) AuthoredComments(ctx context.Context, author domain.UserID, block domain.BlockID, above domain.CommentID, n int) ([]domain.Comment, error) {
	rows, err := q.db.Query(ctx, "SELECT "+commentColumns+commentFrom+`WHERE cm.user_id = $1 AND (cm.block_id, cm.id) > ($2, $3)
		ORDER BY cm.block_id, cm.id`+sqlx.Limit("$4"), author, block, above, n)
	return sqlx.Collect(ctx, rows, err, scanComment)
}
