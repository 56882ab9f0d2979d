package blobs

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Cleaned describes a blob without its metadata.
type Cleaned struct {
	ID   domain.BlobID
	Size int64  // without the metadata, or domain.CleanImpossible
	Plan []byte // nil if nothing has to be removed
}

// SetCleaned stores how to read a blob without its metadata.
func (w Writes) SetCleaned(ctx context.Context, c Cleaned) error {
	return w.db.Exec(ctx, `UPDATE blobs SET clean_size = $2, clean_plan = $3 WHERE id = $1`, c.ID, c.Size, c.Plan)
}

// CleanPlan reads the plan that SetCleaned stored. It returns NotFound if no plan is stored.
func (r Reads) CleanPlan(ctx context.Context, id domain.BlobID) (plan []byte, err error) {
	err = r.db.QueryRow(ctx, `SELECT clean_plan FROM blobs WHERE id = $1 AND clean_plan IS NOT NULL`, id).Scan(&plan)
	return plan, sqlx.Found(err)
}

// UnexaminedBlobs lists stored blobs with an id above a given one that were not examined for metadata.
func (r Reads) UnexaminedBlobs(ctx context.Context, above domain.BlobID, limit int) ([]StoredBlob, error) {
	rows, err := r.db.Query(ctx, `SELECT id, object, hash, size FROM blobs WHERE clean_size IS NULL AND stored_at IS NOT NULL AND id > $1
		ORDER BY id`+sqlx.Limit("$2"), above, limit)
	return sqlx.Collect(ctx, rows, err, scanStored)
}

// KeepMetadata sets whether files are shown with their metadata.
func (w Writes) KeepMetadata(ctx context.Context, keep bool, ids ...domain.FileID) error {
	return w.db.Exec(ctx, `UPDATE files SET keep_metadata = $2 WHERE `+w.db.In("id", "$1"), sqlx.IDs(w.db.Dialect, ids), keep)
}
