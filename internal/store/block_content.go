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

// FillBlock writes the content of a locked block: type, state, title, content, source, files and
// embed. It deletes the previous files.
func (w BlockWrites) FillBlock(ctx context.Context, was, b domain.Block, now time.Time) error {
	c := sqlx.TextOf(b.Content)
	d := sqlx.TextOf(b.Description)
	err := w.tx.db.ExecOne(ctx, `UPDATE blocks SET type = $2, state = $3, title = $4, description_markdown = $5,
			description_html = $6, description_plain = $7, content_markdown = $8, content_html = $9, content_plain = $10,
			source_url = $11, source_title = $12, alt_text = $13, image_id = $14, file_id = $15, embed = $16,
			version = version + 1, updated_at = $17 WHERE id = $1`,
		b.ID, b.Type, b.State, b.Title, d.Markdown, d.HTML, d.Plain, c.Markdown, c.HTML, c.Plain,
		b.SourceURL, b.SourceTitle, b.AltText, fileID(b.Image), fileID(b.File), rowmap.EmbedColumn(b), sqlx.Micros(now))
	if err != nil {
		return err
	}
	w.tx.grow(domain.UserID(b.Author.ID), blockBytes(was), blockBytes(b))
	w.tx.documents.Refresh(domain.SubjectBlock, int64(b.ID))
	if err := blobs.DeleteFiles(ctx, w.tx.Blobs(), ids(fileID(was.Image), fileID(was.File))...); err != nil {
		return err
	}
	return w.tx.deltas.TouchBlock(ctx, b.ID, was.UpdatedAt, now)
}

func fileID(f *domain.File) *domain.FileID {
	if f == nil {
		return nil
	}
	return &f.ID
}
