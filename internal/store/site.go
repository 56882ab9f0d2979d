package store

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/blobs"
)

// UpdateSite writes the site's description of itself to a locked site and deletes a picture that
// is no longer used.
func (tx *Tx) UpdateSite(ctx context.Context, was, s domain.Site) error {
	if err := tx.Account().PutSite(ctx, s); err != nil {
		return err
	}
	if was.Picture == nil || s.Picture != nil && s.Picture.ID == was.Picture.ID {
		return nil
	}
	return blobs.DeleteFiles(ctx, tx.Blobs(), was.Picture.ID)
}
