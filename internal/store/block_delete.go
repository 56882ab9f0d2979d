package store

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
)

// BlockConnections gives the connections of a block, whoever looks.
func (q Queries) BlockConnections(ctx context.Context, id domain.BlockID) ([]domain.Connection, error) {
	rows, err := q.q.Query(ctx, "SELECT "+connectionColumns+" FROM connections c "+connectionMaker+
		" WHERE c.item_type = 'Block' AND c.item_id = $1 ORDER BY c.channel_id", id)
	return collect(ctx, rows, err, scanConnection)
}

// LockBlockInChannels locks the channels a block is in, and then the block, after
// which no channel can be added; and gives its connections.
func (tx *Tx) LockBlockInChannels(ctx context.Context, id domain.BlockID) ([]domain.Connection, error) {
	for range 2 { // the second time for channels that were added before the block was locked
		conns, err := tx.BlockConnections(ctx, id)
		if err != nil {
			return nil, err
		}
		channels := make([]domain.ChannelID, len(conns))
		for i, c := range conns {
			channels[i] = c.ChannelID
		}
		if err := tx.LockChannels(ctx, channels...); err != nil {
			return nil, err
		}
		if err := tx.LockBlock(ctx, id); err != nil {
			return nil, err
		}
	}
	return tx.BlockConnections(ctx, id)
}

// DeleteBlock removes a locked block that is in no channel any more, with its
// comments, its files, the upload that it was made of, and what was told of it.
func (tx *Tx) DeleteBlock(ctx context.Context, id domain.BlockID, now time.Time) error {
	rows, err := tx.q.Query(ctx, `SELECT id FROM comments WHERE block_id = $1`, id)
	comments, err := collect(ctx, rows, err, scanInt64)
	if err != nil {
		return err
	}
	if err := tx.exec(ctx, `DELETE FROM comments WHERE block_id = $1`, id); err != nil {
		return err
	}
	rows, err = tx.q.Query(ctx, `DELETE FROM processings WHERE block_id = $1 RETURNING COALESCE(upload_id, 0)`, id)
	uploads, err := collect(ctx, rows, err, scanInt64)
	if err != nil {
		return err
	}
	var image, file *domain.FileID
	err = tx.q.QueryRow(ctx, `DELETE FROM blocks WHERE id = $1 RETURNING image_id, file_id`, id).Scan(&image, &file)
	if err != nil {
		return found(err)
	}
	if err := tx.unindex(ctx, domain.SubjectBlock, int64(id)); err != nil {
		return err
	}
	if err := tx.dropFiles(ctx, ids(image, file)...); err != nil {
		return err
	}
	for _, upload := range uploads {
		if err := tx.DropUpload(ctx, domain.UploadID(upload), now); err != nil {
			return err
		}
	}
	return tx.forgetBlock(ctx, id, comments)
}

// forgetBlock deletes what was told of a block and its comments: together, so that the
// inboxes that it is in are locked all at once, in their order.
func (tx *Tx) forgetBlock(ctx context.Context, id domain.BlockID, comments []int64) error {
	ofComments, err := tx.about(ctx, domain.SubjectComment, comments)
	if err != nil {
		return err
	}
	ofBlock, err := tx.about(ctx, domain.SubjectBlock, []int64{int64(id)})
	if err != nil {
		return err
	}
	activities := append(ofComments, ofBlock...)
	slices.Sort(activities)
	return tx.forget(ctx, slices.Compact(activities))
}
