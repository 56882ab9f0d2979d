package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

const uploadColumns = `id, key, user_id, name, content_type, COALESCE(blob_id, 0), expires_at, created_at`

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
	u, err := scanUpload(q.q.QueryRow(ctx, "SELECT "+uploadColumns+" FROM uploads WHERE key = $1", key))
	return u, found(err)
}

// UploadByID reads an upload.
func (q Queries) UploadByID(ctx context.Context, id domain.UploadID) (domain.Upload, error) {
	u, err := scanUpload(q.q.QueryRow(ctx, "SELECT "+uploadColumns+" FROM uploads WHERE id = $1", id))
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

// SweepUploads forgets uploads made before a time that nothing waits for, at most
// `most` of them, and gives them.
func (tx *Tx) SweepUploads(ctx context.Context, before time.Time, most int) ([]domain.Upload, error) {
	rows, err := tx.q.Query(ctx, `DELETE FROM uploads WHERE id IN (
			SELECT u.id FROM uploads u WHERE u.created_at < $1 AND NOT EXISTS (
				SELECT 1 FROM processings p WHERE p.upload_id = u.id AND p.state = 'waiting')
				AND NOT EXISTS (SELECT 1 FROM avatar_wishes w WHERE w.upload_id = u.id)
			ORDER BY u.created_at`+limit("$2")+`) RETURNING `+uploadColumns, micros(before), most)
	return collect(ctx, rows, err, scanUpload)
}
