package content

import (
	"context"
	"strings"

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
