package content

import (
	"context"
	"strings"

	"vitrine/internal/domain"
)

// Hashes returns the hexadecimal SHA-256 of the bytes of files. It needs no actor, because the caller has already been
// allowed to read the files.
func (a *Content) Hashes(ctx context.Context, files []*domain.File) (map[domain.BlobID]string, error) {
	ids := make([]domain.BlobID, len(files))
	for i, f := range files {
		ids[i] = f.BlobID
	}
	return a.Store.Blobs().BlobHashes(ctx, ids)
}

// Picture returns the stored file of the picture of a user or group, or nil if this server stores none.
func (a *Content) Picture(ctx context.Context, kept *string) (*domain.File, error) {
	if kept == nil || strings.Contains(*kept, "://") {
		return nil, nil
	}
	key, _, _ := strings.Cut(*kept, "/")
	f, err := a.Store.Blobs().FileByKey(ctx, key)
	if domain.KindOf(err) == domain.NotFound {
		return nil, nil
	}
	return &f, err
}
