package blobs

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// UnexaminedFiles lists files with an id above a given one that may be animated and that older
// versions stored without examining this.
func (r Reads) UnexaminedFiles(ctx context.Context, above domain.FileID, most int) ([]domain.File, error) {
	rows, err := r.db.Query(ctx, "SELECT "+fileColumns+fileFrom+`WHERE f.animated IS NULL
		AND f.content_type IN ('image/gif', 'image/png', 'image/webp', 'image/avif') AND f.id > $1
		ORDER BY f.id`+sqlx.Limit("$2"), above, most)
	return sqlx.Collect(ctx, rows, err, scanFile)
}

// SetAnimated stores whether files are animated.
func (w Writes) SetAnimated(ctx context.Context, animated bool, ids ...domain.FileID) error {
	return w.db.Exec(ctx, `UPDATE files SET animated = $2 WHERE `+w.db.In("id", "$1"), sqlx.IDs(w.db.Dialect, ids), animated)
}
