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

// FormFile is a file as a form sends it: with a name of the sender's, of which what cannot be
// shown is taken off, and a media type that may be missing or none.
type FormFile struct {
	Name, ContentType string
	Body              io.Reader
}

// ReceivedFile is an upload whose bytes have come: the address by which a block is made of it,
// the name that it has, and the SHA-256 of its bytes.
type ReceivedFile struct{ Value, Name, Sum string }

// ReceiveFile takes a file that comes through the server, in one step where clients take the
// two of Presign and ReceiveUpload. The same limits and quotas hold.
func (a *Content) ReceiveFile(ctx context.Context, actor domain.Actor, f FormFile) (r ReceivedFile, err error) {
	in := FileInput{Name: tidyName(f.Name), ContentType: f.ContentType}
	if _, _, err := mime.ParseMediaType(in.ContentType); err != nil || !contentType.MatchString(in.ContentType) || len(in.ContentType) > domain.MaxContentType {
		in.ContentType = "application/octet-stream" // the bytes decide later what it is
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
	u, err := a.Store.Upload(ctx, key)
	if err != nil {
		return r, err
	}
	r = ReceivedFile{Value: a.UploadValue(key), Name: in.Name}
	r.Sum, err = a.take(ctx, SentFile{ContentType: in.ContentType, Length: -1, Body: f.Body}, u)
	return r, err
}

// UploadValue is the address by which a block is made of an upload, by its key.
func (a *Content) UploadValue(key string) string { return a.BaseURL + "/uploads/" + key }

// addUploads notes uploads that are going to be sent, as far as the user may have so many.
func (a *Content) addUploads(ctx context.Context, actor domain.Actor, uploads []domain.Upload) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		has, err := tx.LockByteUsage(ctx, actor.UserID, "", a.Now())
		if err != nil {
			return err
		}
		if left := max(MaxOpenUploads-has.Uploads, 0); int64(len(uploads)) > left {
			return domain.Wrap(domain.Forbidden, fmt.Sprintf("You may have %d uploads that are in no block, and %d are left. "+
				"Make blocks of them; what is in none is removed after a day", MaxOpenUploads, left), errOverQuota)
		}
		if left, refusal := a.room(has, true); left == 0 {
			return refusal
		}
		for _, u := range uploads {
			if err := tx.AddUpload(ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
}
