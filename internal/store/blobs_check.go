package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/domain"
)

// StoredBlob is a blob whose bytes should be in the storage.
type StoredBlob struct {
	ID     domain.BlobID
	Object string
	Hash   string // SHA-256, hexadecimal
	Size   int64
}

// StoredBlobs gives stored blobs with ids above one, in the order of their ids.
func (q Queries) StoredBlobs(ctx context.Context, above domain.BlobID, most int) ([]StoredBlob, error) {
	rows, err := q.q.Query(ctx, `SELECT id, object, hash, size FROM blobs WHERE id > $1 AND stored_at IS NOT NULL
		ORDER BY id`+limit("$2"), above, most)
	return collect(ctx, rows, err, func(row scanner) (b StoredBlob, err error) {
		return b, row.Scan(&b.ID, &b.Object, &b.Hash, &b.Size)
	})
}

// UnknownObjects gives those names of objects that the database does not know: neither as
// those of blobs, nor of uploads (as prefix and key), nor as to be removed.
func (q Queries) UnknownObjects(ctx context.Context, uploads string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var args []any
	var marks, keys []string
	for i, name := range names {
		args = append(args, name)
		marks = append(marks, fmt.Sprintf("$%d", i+1))
		if key, ok := strings.CutPrefix(name, uploads); ok {
			keys = append(keys, key)
		}
	}
	in := "(" + strings.Join(marks, ", ") + ")"
	query := `SELECT object FROM blobs WHERE object IN ` + in + ` UNION ALL SELECT object FROM doomed_objects WHERE object IN ` + in
	marks = nil
	for _, key := range keys {
		args = append(args, key)
		marks = append(marks, fmt.Sprintf("$%d", len(args)))
	}
	if marks != nil {
		query += ` UNION ALL SELECT '` + uploads + `' || u.key FROM uploads u WHERE u.key IN (` + strings.Join(marks, ", ") + `)`
	}
	rows, err := q.q.Query(ctx, query, args...)
	known, err := collect(ctx, rows, err, scanString)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) }), nil
}
