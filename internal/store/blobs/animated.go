package blobs

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// UnexaminedFiles lists files with an id above a given one that may be animated and that older
// versions stored without examining this.
func (r Reads) UnexaminedFiles(ctx context.Context, above domain.FileID, limit int) ([]domain.File, error) {
	rows, err := r.db.Query(ctx, rowmap.SelectFiles+`WHERE f.animated IS NULL
		AND f.content_type IN ('image/gif', 'image/png', 'image/webp', 'image/avif') AND f.id > $1
		ORDER BY f.id`+sqlx.Limit("$2"), above, limit)
	return sqlx.Collect(ctx, rows, err, rowmap.ScanFile)
}

// maxAlike is the number of files that SetAnimated updates at once.
const maxAlike = 1000

// SetAnimated stores f.Animated for f and later unexamined files with the same bytes and content type. Because millions
// of files may have the same bytes, it updates at most 1,000, and does not look for them below f.
func (w Writes) SetAnimated(ctx context.Context, f domain.File) error {
	return w.db.Exec(ctx, `UPDATE files SET animated = $3 WHERE id IN (SELECT id FROM files
		WHERE blob_id = $1 AND content_type = $2 AND animated IS NULL AND id >= $5 ORDER BY id`+sqlx.Limit("$4")+`)`,
		f.BlobID, f.ContentType, f.Animated, maxAlike, f.ID)
}

// UnseenFiles lists images with an id above a given one that older versions stored without their colours.
func (r Reads) UnseenFiles(ctx context.Context, above domain.FileID, limit int) ([]domain.File, error) {
	rows, err := r.db.Query(ctx, rowmap.SelectFiles+`WHERE f.palette IS NULL AND f.blurhash IS NOT NULL AND f.id > $1
		ORDER BY f.id`+sqlx.Limit("$2"), above, limit)
	return sqlx.Collect(ctx, rows, err, rowmap.ScanFile)
}
