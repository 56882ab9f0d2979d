package content

import (
	"context"
	"errors"
	"io"

	"vitrine/internal/auth"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// originals is the folder of bytes from users and other servers, named by their hash.
const originals = "originals/"

// keep stores bytes, unless they are stored already, and returns their blob, which is kept for at least unreferencedFor.
//
// The row is created before the object, so that the sweep finds and removes the remains of a crash.
func (a *Content) keep(ctx context.Context, staged *blob.Staged, contentType string) (b domain.Blob, err error) {
	if err := a.CheckFile(ctx, staged.SHA256); err != nil {
		return b, err
	}
	// The name is unique, so that the removal of an older object with the same content cannot delete this one.
	object := originals + staged.SHA256[:2] + "/" + staged.SHA256 + "-" + auth.NewKey()[:8]
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		b, err = tx.Blobs().ClaimBlob(ctx, staged.SHA256, object, staged.Size, a.Now())
		return err
	})
	if err != nil || b.Stored {
		return b, err
	}
	if err := a.spare(0); err != nil {
		return b, err
	}
	if err := a.blobs.PutStaged(ctx, b.Object, staged, contentType); err != nil {
		return b, err
	}
	b.Stored = true
	bytes, err := staged.Open()
	if err != nil {
		return b, err
	}
	defer closing(bytes)
	clean, err := examineBytes(ctx, b.ID, bytes, staged.Size)
	if err != nil {
		return b, err
	}
	return b, a.Store.InTx(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.Blobs().BlobStored(ctx, b.ID, a.Now()), tx.Blobs().SetCleaned(ctx, clean))
	})
}

// discard removes staged bytes. If that fails, the sweep removes them later.
func (a *Content) discard(staged *blob.Staged) { _ = staged.Close() }

// closing closes a reader whose error on Close does not matter.
func closing(c io.Closer) { _ = c.Close() }
