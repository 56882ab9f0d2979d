package store

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// maxLookedAlike is the number of files that SetLook updates at once.
const maxLookedAlike = 100

// SetLook stores what the image f looks like, for f and later files with the same bytes and content type that nobody has
// looked at, up to a limit. It also writes the documents of their blocks again.
func (w BlockWrites) SetLook(ctx context.Context, f domain.File) error {
	db := w.tx.db
	rows, err := db.Query(ctx, `SELECT id FROM files WHERE blob_id = $1 AND content_type = $2 AND palette IS NULL AND blurhash IS NOT NULL
		AND id >= $3 ORDER BY id`+sqlx.Limit("$4"), f.BlobID, f.ContentType, f.ID, maxLookedAlike)
	alike, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.FileID])
	if err != nil || len(alike) == 0 {
		return err
	}
	rows, err = db.Query(ctx, "SELECT b.id FROM blocks b WHERE "+db.In("b.image_id", "$1")+" ORDER BY b.id"+db.ForUpdate("b"), sqlx.IDs(db.Dialect, alike))
	blocks, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil {
		return err
	}
	for _, id := range blocks {
		w.tx.documents().Refresh(domain.SubjectBlock, id)
	}
	return db.Exec(ctx, "UPDATE files SET palette = $2, look_hash = $3 WHERE "+db.In("id", "$1"), sqlx.IDs(db.Dialect, alike), f.Palette, f.LookHash)
}
