package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

func (r BlockReads) readFiles(ctx context.Context, blocks ...*domain.Block) error {
	var ids []domain.FileID
	for _, b := range blocks {
		for _, f := range []*domain.File{b.Image, b.File} {
			if f != nil {
				ids = append(ids, f.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	files, err := r.q.Blobs().FilesByID(ctx, ids)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		for _, at := range []*domain.File{b.Image, b.File} {
			if at != nil {
				*at = files[at.ID]
			}
		}
	}
	return nil
}

// ids returns the ids that are not nil.
func ids(all ...*domain.FileID) (some []domain.FileID) {
	for _, id := range all {
		if id != nil {
			some = append(some, *id)
		}
	}
	return some
}

// FillBlock writes the content of a locked block (sqlx.Fill), and deletes the previous files.
func (w BlockWrites) FillBlock(ctx context.Context, was, b domain.Block, now time.Time) error {
	err := w.tx.db.ExecOne(ctx, fillBlock, rowmap.BlockArgs(sqlx.Fill, &b, b.ID, sqlx.Micros(now))...)
	if err != nil {
		return err
	}
	w.tx.grow(domain.UserID(b.Author.ID), blockBytes(was), blockBytes(b))
	w.tx.documents.Refresh(domain.SubjectBlock, int64(b.ID))
	if err := blobs.DeleteFiles(ctx, w.tx.Blobs(), was.FileIDs()...); err != nil {
		return err
	}
	return w.tx.deltas.TouchBlock(ctx, b.ID, was.UpdatedAt, now)
}
