package content

import (
	"context"
	"fmt"
	"io"
	"mime"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// FormFile is a file of a form. Invisible characters are removed from its name, and its media type may be missing or
// invalid.
type FormFile struct {
	Name, ContentType string
	Body              io.Reader
}

// ReceivedFile describes an upload whose bytes have arrived: the address to create a block from, its name, and the
// SHA-256 of its bytes.
type ReceivedFile struct{ Value, Name, Sum string }

// ReceiveFile stores a file of a form. It replaces Presign and ReceiveUpload, which API clients call, and applies the
// same limits and quotas.
func (a *Content) ReceiveFile(ctx context.Context, actor domain.Actor, f FormFile) (r ReceivedFile, err error) {
	in := FileInput{Name: tidyName(f.Name), ContentType: f.ContentType}
	if _, _, err := mime.ParseMediaType(in.ContentType); err != nil || !contentType.MatchString(in.ContentType) || len(in.ContentType) > domain.MaxContentType {
		in.ContentType = "application/octet-stream" // its bytes decide later
	}
	if err := in.Validate(); err != nil {
		return r, err
	}
	now := a.Now()
	key := auth.NewKey() + "/" + keyName(in.Name)
	err = a.addUploads(ctx, actor, []domain.Upload{{Key: key, UserID: actor.UserID, Name: in.Name, ContentType: in.ContentType,
		ExpiresAt: now.Add(UploadTTL), CreatedAt: now}})
	if err != nil {
		return r, err
	}
	u, err := a.Store.Blobs().Upload(ctx, key)
	if err != nil {
		return r, err
	}
	r = ReceivedFile{Value: a.UploadValue(key), Name: in.Name}
	r.Sum, err = a.take(ctx, SentFile{ContentType: in.ContentType, Length: -1, Body: f.Body}, u)
	return r, err
}

// UploadValue returns the address to create a block from, by the key of the upload.
func (a *Content) UploadValue(key string) string { return a.BaseURL + "/uploads/" + key }

// addUploads records uploads that are about to be sent, up to the limit per user.
func (a *Content) addUploads(ctx context.Context, actor domain.Actor, uploads []domain.Upload) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		has, err := tx.Counters().LockByteUsage(ctx, actor.UserID, "", a.Now())
		if err != nil {
			return err
		}
		if left := max(MaxOpenUploads-has.Uploads, 0); int64(len(uploads)) > left {
			return domain.Wrap(domain.Forbidden, fmt.Sprintf("You may have %d uploads that are in no block, of which %d can still be added. "+
				"Make blocks of them; what is in none is removed after a day", MaxOpenUploads, left), errOverQuota)
		}
		if left, refusal := a.available(has, true); left == 0 {
			return refusal
		}
		for _, u := range uploads {
			if err := tx.Blobs().AddUpload(ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
}
