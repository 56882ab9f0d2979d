package content

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ShowUpload makes a picture of an upload of the actor, by its address, and stores it in the transaction that show uses.
// The picture has no owner and counts against no quota. A problem with the upload is a fault of the field. It takes as
// long as decoding the image.
func (a *Content) ShowUpload(ctx context.Context, actor domain.Actor, field, address string, show func(tx *store.Tx, f *domain.File) error) error {
	upload, named, err := a.UploadNamed(ctx, actor, field, address)
	if err == nil && !named {
		err = domain.InvalidField(field, domain.FieldUnknown, "must be the address of an upload of yours")
	}
	if err != nil {
		return err
	}
	in := a.newIntake("picture:"+upload.Key, actor.UserID)
	defer in.release(ctx)
	made, err := in.contentOfUpload(ctx, upload.ID)
	if err == nil && made.kind != domain.ImageBlock {
		return domain.InvalidField(field, domain.FieldMalformed, "must be an image")
	}
	if err != nil {
		if why, lasting := explain(err); lasting {
			return domain.InvalidField(field, domain.FieldMalformed, "cannot be used: "+why)
		}
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if err := tx.Blobs().UseUpload(ctx, upload.ID, a.Now()); err != nil {
			return err
		}
		if err := in.settle(ctx, tx); err != nil {
			return err
		}
		f := *made.image
		if f.ID, err = tx.Blobs().AddFile(ctx, f, a.Now()); err != nil {
			return err
		}
		return show(tx, &f)
	})
}
