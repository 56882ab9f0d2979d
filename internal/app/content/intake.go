package content

import (
	"context"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// intake fetches the content of one block or picture. It reserves bytes in the owner's quota before it stores them.
type intake struct {
	*Content
	held     *hold
	spared   int64           // bytes that the owner has less of once the content is stored
	kept     int64           // bytes of it so far
	posterID domain.UploadID // image that a browser took of an uploaded video, 0 for none
	related  relatedTime     // fetched because a page refers to them
}

// newIntake returns an intake for the content that a key names. The bytes of replaced files become free.
func (a *Content) newIntake(key string, owner domain.UserID, replaced ...*domain.File) *intake {
	in := &intake{Content: a, held: a.newHold(key, owner, false)}
	for _, f := range replaced {
		if f != nil && f.Owner == owner {
			in.spared += f.Size
		}
	}
	return in
}

// from subtracts the bytes of an upload, which count as unused until the content is stored.
func (a *intake) from(u domain.Upload) {
	if !u.Used && u.UserID == a.held.user {
		a.spared += u.Size
	}
}

// keep is Content.keep within the quota.
func (a *intake) keep(ctx context.Context, staged *blob.Staged, contentType string) (domain.Blob, error) {
	if err := a.held.grow(ctx, a.kept+staged.Size-a.spared); err != nil {
		return domain.Blob{}, err
	}
	kept, err := a.Content.keep(ctx, staged, contentType)
	if err == nil {
		a.kept += staged.Size
	}
	return kept, err
}

// settle releases the reservation in the transaction that stores the content.
func (a *intake) settle(ctx context.Context, tx *store.Tx, files ...*domain.File) error {
	growth := -a.spared
	for _, f := range files {
		if f != nil {
			growth += f.Size
		}
	}
	return a.held.settle(ctx, tx, growth)
}

func (a *intake) release(ctx context.Context) { a.held.release(ctx) }
