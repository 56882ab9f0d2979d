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

// originals is the folder of the bytes that came from outside, named by their hash.
const originals = "originals/"

// keep puts bytes into the storage, unless the same are there, and gives their blob,
// which stays for unreferencedFor from now.
//
// Its row comes first: what a crash leaves half done is found by it and removed.
func (a *Content) keep(ctx context.Context, staged *blob.Staged, contentType string) (b domain.Blob, err error) {
	if err := a.CheckFile(ctx, staged.SHA256); err != nil {
		return b, err
	}
	// A name of its own, so that what removes an older object of the same content
	// cannot hit this one.
	object := originals + staged.SHA256[:2] + "/" + staged.SHA256 + "-" + auth.NewKey()[:8]
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		b, err = tx.ClaimBlob(ctx, staged.SHA256, object, staged.Size, a.Now())
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
		return errors.Join(tx.BlobStored(ctx, b.ID, a.Now()), tx.SetCleaned(ctx, clean))
	})
}

// discard removes staged bytes. What cannot be removed now, the sweep removes.
func (a *Content) discard(staged *blob.Staged) { _ = staged.Close() }

// closing closes what was only read, where an error tells nothing.
func closing(c io.Closer) { _ = c.Close() }
