package content

import (
	"context"
	"strings"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
)

// Hashes gives the SHA-256 of the bytes of files, hexadecimal. It needs no actor: who has a file
// has read what shows it.
func (a *Content) Hashes(ctx context.Context, files []*domain.File) (map[domain.BlobID]string, error) {
	ids := make([]domain.BlobID, len(files))
	for i, f := range files {
		ids[i] = f.BlobID
	}
	return a.Store.BlobHashes(ctx, ids)
}

// OpenBytes opens the bytes with a SHA-256. It needs no actor: whoever has the sum of what is
// here has seen it. IsMissing tells of bytes that are not here.
func (a *Content) OpenBytes(ctx context.Context, hash string) (*blob.File, error) {
	b, err := a.Store.BlobByHash(ctx, hash)
	if err != nil {
		return nil, err
	}
	f, err := a.blobs.Open(ctx, b.Object)
	return f, missing(err)
}

// Picture gives the file behind the picture of a user or group, as it is kept: nil where there
// is none here.
func (a *Content) Picture(ctx context.Context, kept *string) (*domain.File, error) {
	if kept == nil || strings.Contains(*kept, "://") {
		return nil, nil
	}
	key, _, _ := strings.Cut(*kept, "/")
	f, err := a.Store.FileByKey(ctx, key)
	if domain.KindOf(err) == domain.NotFound {
		return nil, nil
	}
	return &f, err
}
