package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// StartProcessing has a block wait for its content, from an upload unless it is 0.
func (tx *Tx) StartProcessing(ctx context.Context, id domain.BlockID, upload domain.UploadID, now time.Time) error {
	return tx.exec(ctx, `INSERT INTO processings (block_id, state, upload_id, created_at, updated_at)
		VALUES ($1, 'waiting', NULLIF($2, 0), $3, $3)`, id, upload, micros(now))
}

// Processing reads how far a block's content has come; NotFound for blocks that were
// made of text.
func (q Queries) Processing(ctx context.Context, id domain.BlockID) (p domain.ProcessingStatus, err error) {
	var updated int64
	err = q.q.QueryRow(ctx, `SELECT p.block_id, p.state, p.attempts, p.reason, COALESCE(p.upload_id, 0), p.updated_at
		FROM processings p WHERE p.block_id = $1`, id).
		Scan(&p.BlockID, &p.State, &p.Attempts, &p.Reason, &p.UploadID, &updated)
	p.UpdatedAt = instant(updated)
	return p, found(err)
}

// BeginAttempt counts an attempt to get the content of a block that waits; NotFound
// means that there is nothing to do.
func (tx *Tx) BeginAttempt(ctx context.Context, id domain.BlockID, now time.Time) error {
	_, err := scanInt64(tx.q.QueryRow(ctx, `UPDATE processings SET attempts = attempts + 1, updated_at = $2
		WHERE block_id = $1 AND state = 'waiting' RETURNING attempts`, id, micros(now)))
	return found(err)
}

// UndoAttempt takes an attempt back that could not be made.
func (tx *Tx) UndoAttempt(ctx context.Context, id domain.BlockID) error {
	return tx.exec(ctx, `UPDATE processings SET attempts = attempts - 1
		WHERE block_id = $1 AND state = 'waiting' AND attempts > 0`, id)
}

// AttemptFailed notes why an attempt failed.
func (tx *Tx) AttemptFailed(ctx context.Context, id domain.BlockID, reason string, now time.Time) error {
	return tx.exec(ctx, `UPDATE processings SET reason = $2, updated_at = $3 WHERE block_id = $1 AND state = 'waiting'`,
		id, reason, micros(now))
}

// EndProcessing ends the wait of a locked block, once: NotFound if it did not wait.
// The reason is that of a failure, nil for none.
func (tx *Tx) EndProcessing(ctx context.Context, id domain.BlockID, state domain.ProcessingState, reason *string, now time.Time) error {
	_, err := scanInt64(tx.q.QueryRow(ctx, `UPDATE processings SET state = $2, reason = $3, updated_at = $4
		WHERE block_id = $1 AND state = 'waiting' RETURNING block_id`, id, state, reason, micros(now)))
	return found(err)
}

// RestartProcessing has a block wait for its content again, unless it does.
func (tx *Tx) RestartProcessing(ctx context.Context, id domain.BlockID, now time.Time) error {
	return tx.exec(ctx, `UPDATE processings SET state = 'waiting', attempts = 0, reason = NULL, updated_at = $2
		WHERE block_id = $1 AND state <> 'waiting'`, id, micros(now))
}

// FillBlock writes the content of a locked block: kind, state, title, content, source,
// files and embed. Files that it had before go.
func (tx *Tx) FillBlock(ctx context.Context, was, b domain.Block, now time.Time) error {
	c := textColumns(b.Content)
	d := textColumns(b.Description)
	err := tx.execOne(ctx, `UPDATE blocks SET type = $2, state = $3, title = $4, description_markdown = $5,
			description_html = $6, description_plain = $7, content_markdown = $8, content_html = $9, content_plain = $10,
			source_url = $11, source_title = $12, alt_text = $13, image_id = $14, file_id = $15, embed = $16,
			version = version + 1, updated_at = $17 WHERE id = $1`,
		b.ID, b.Type, b.State, b.Title, d.markdown, d.html, d.plain, c.markdown, c.html, c.plain,
		b.SourceURL, b.SourceTitle, b.AltText, fileID(b.Image), fileID(b.File), embedColumn(b.Embed), micros(now))
	if err != nil {
		return err
	}
	if err := tx.index(ctx, domain.SubjectBlock, int64(b.ID)); err != nil {
		return err
	}
	if err := tx.dropFiles(ctx, ids(fileID(was.Image), fileID(was.File))...); err != nil {
		return err
	}
	return tx.touchBlock(ctx, b.ID, now)
}

func fileID(f *domain.File) *domain.FileID {
	if f == nil {
		return nil
	}
	return &f.ID
}
