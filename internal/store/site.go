package store

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/blobs"
)

// UpdateSite writes what a locked site says of itself, and removes a picture that it shows
// no more.
func (tx *Tx) UpdateSite(ctx context.Context, was, s domain.Site) error {
	if err := tx.PutSite(ctx, s); err != nil {
		return err
	}
	if was.Picture == nil || s.Picture != nil && s.Picture.ID == was.Picture.ID {
		return nil
	}
	return blobs.DeleteFiles(ctx, tx.blobWrites, was.Picture.ID)
}
