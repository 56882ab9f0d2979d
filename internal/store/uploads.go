package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

const uploadColumns = `up.id, up.key, up.user_id, up.name, up.content_type, COALESCE(up.blob_id, 0), up.expires_at, up.created_at`

func scanUpload(row scanner) (u domain.Upload, err error) {
	var expires, created int64
	err = row.Scan(&u.ID, &u.Key, &u.UserID, &u.Name, &u.ContentType, &u.BlobID, &expires, &created)
	u.ExpiresAt, u.CreatedAt = instant(expires), instant(created)
	return u, err
}

// AddUpload notes what a user may send. Its key must be fresh.
func (tx *Tx) AddUpload(ctx context.Context, u domain.Upload) error {
	return tx.exec(ctx, `INSERT INTO uploads (key, user_id, name, content_type, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, u.Key, u.UserID, u.Name, u.ContentType, micros(u.ExpiresAt), micros(u.CreatedAt))
}

// Upload reads an upload by its key.
func (q Queries) Upload(ctx context.Context, key string) (domain.Upload, error) {
	u, err := scanUpload(q.q.QueryRow(ctx, "SELECT "+uploadColumns+" FROM uploads up WHERE up.key = $1", key))
	return u, found(err)
}

// UploadByID reads an upload.
func (q Queries) UploadByID(ctx context.Context, id domain.UploadID) (domain.Upload, error) {
	u, err := scanUpload(q.q.QueryRow(ctx, "SELECT "+uploadColumns+" FROM uploads up WHERE up.id = $1", id))
	return u, found(err)
}

// FillUpload gives an upload its bytes, unless it has some: then it tells which.
func (tx *Tx) FillUpload(ctx context.Context, id domain.UploadID, blob domain.BlobID) (domain.BlobID, error) {
	if err := tx.exec(ctx, `UPDATE uploads SET blob_id = $2 WHERE id = $1 AND blob_id IS NULL`, id, blob); err != nil {
		return 0, err
	}
	has, err := scanInt64(tx.q.QueryRow(ctx, `SELECT blob_id FROM uploads WHERE id = $1`, id))
	return domain.BlobID(has), found(err)
}

// KeepUpload keeps an upload from SweepUploads until the transaction ends; NotFound if
// it was faster.
func (tx *Tx) KeepUpload(ctx context.Context, id domain.UploadID) error {
	_, err := scanInt64(tx.q.QueryRow(ctx, `SELECT up.id FROM uploads up WHERE up.id = $1`+tx.d.share("up"), id))
	return found(err)
}

// SweepUploads forgets uploads made before a time that nothing waits for, at most
// `most` of them, and gives their keys. A picture that was wished for before that time is
// not waited for any more.
//
// The rows are locked before it is asked again, by a statement of its own, who waits for
// them: that is how whoever called KeepUpload first is seen.
func (tx *Tx) SweepUploads(ctx context.Context, before time.Time, most int) ([]string, error) {
	const unused = `up.created_at < $1 AND NOT EXISTS (
			SELECT 1 FROM processings p WHERE p.upload_id = up.id AND p.state = 'waiting')
		AND NOT EXISTS (SELECT 1 FROM avatar_wishes w WHERE w.upload_id = up.id AND w.created_at >= $1)`
	rows, err := tx.q.Query(ctx, `SELECT up.id FROM uploads up WHERE `+unused+` ORDER BY up.created_at, up.id`+
		limit("$2")+tx.d.lock("up"), micros(before), most)
	locked, err := collect(ctx, rows, err, scanInt64)
	if err != nil || len(locked) == 0 {
		return nil, err
	}
	rows, err = tx.q.Query(ctx, `DELETE FROM uploads AS up WHERE `+tx.d.in("up.id", "$2")+` AND `+unused+`
		RETURNING key`, micros(before), list(tx.d, locked))
	return collect(ctx, rows, err, scanString)
}
