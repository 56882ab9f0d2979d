package blobs

import (
	"context"
	"slices"
	"strings"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// ClaimBlob returns the blob with a hash, or creates it with the name `object`. SweepBlobs keeps
// it for some time from now on.
func (w Writes) ClaimBlob(ctx context.Context, hash, object string, size int64, now time.Time) (b domain.Blob, err error) {
	err = w.db.QueryRow(ctx, `INSERT INTO blobs (hash, object, size, used_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at
		RETURNING id, hash, object, size, stored_at IS NOT NULL`, hash, object, size, sqlx.Micros(now)).
		Scan(&b.ID, &b.Hash, &b.Object, &b.Size, &b.Stored)
	return b, err
}

// BlobStored records that the bytes of a blob are in the storage.
func (w Writes) BlobStored(ctx context.Context, id domain.BlobID, now time.Time) error {
	return w.db.ExecOne(ctx, `UPDATE blobs SET stored_at = COALESCE(stored_at, $2) WHERE id = $1`, id, sqlx.Micros(now))
}

func (r Reads) Blob(ctx context.Context, id domain.BlobID) (b domain.Blob, err error) {
	err = r.db.QueryRow(ctx, `SELECT id, hash, object, size, stored_at IS NOT NULL FROM blobs WHERE id = $1`, id).
		Scan(&b.ID, &b.Hash, &b.Object, &b.Size, &b.Stored)
	return b, sqlx.Found(err)
}

// SweepBlobs deletes at most `limit` blobs that nothing refers to and that were not used since a
// time, dooms their objects, and returns their number.
func (w Writes) SweepBlobs(ctx context.Context, since, now time.Time, limit int) (int, error) {
	rows, err := w.db.Query(ctx, `DELETE FROM blobs WHERE used_at < $1 AND id IN (
			SELECT b.id FROM blobs b WHERE b.used_at < $1
				AND NOT EXISTS (SELECT 1 FROM files f WHERE f.blob_id = b.id)
				AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.blob_id = b.id)
				AND NOT EXISTS (SELECT 1 FROM snapshots s WHERE s.blob_id = b.id)
			ORDER BY b.id`+sqlx.Limit("$2")+`) RETURNING object`, sqlx.Micros(since), limit)
	doomed, err := sqlx.Collect(ctx, rows, err, sqlx.ScanString)
	if err != nil {
		return 0, err
	}
	for _, object := range doomed {
		if err := w.DoomObject(ctx, object, now); err != nil {
			return 0, err
		}
	}
	return len(doomed), nil
}

// DoomObject schedules the removal of an object from the storage.
func (w Writes) DoomObject(ctx context.Context, object string, now time.Time) error {
	return w.db.Exec(ctx, `INSERT INTO doomed_objects (object, created_at) VALUES ($1, $2)
		ON CONFLICT (object) DO NOTHING`, object, sqlx.Micros(now))
}

// DoomedObject is an object to remove from the storage.
type DoomedObject struct {
	Name     string
	Attempts int64 // failed ones
}

// DoomedObjects lists objects to remove from the storage, except those whose next attempt is
// later. It lists none while a backup is being made, which may be about to copy them.
func (r Reads) DoomedObjects(ctx context.Context, now time.Time, limit int) ([]DoomedObject, error) {
	rows, err := r.db.Query(ctx, `SELECT object, attempts FROM doomed_objects WHERE next_at <= $1 AND `+notHeldByBackup("$1")+`
		ORDER BY next_at, object`+sqlx.Limit("$2"), sqlx.Micros(now), limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (o DoomedObject, err error) {
		err = row.Scan(&o.Name, &o.Attempts)
		return o, err
	})
}

// ObjectStays records that a doomed object could not be removed, and when to try again.
func (w Writes) ObjectStays(ctx context.Context, object string, again time.Time) error {
	return w.db.Exec(ctx, `UPDATE doomed_objects SET attempts = attempts + 1, next_at = $2 WHERE object = $1`, object, sqlx.Micros(again))
}

// ObjectRemoved records that a doomed object was removed.
func (w Writes) ObjectRemoved(ctx context.Context, object string) error {
	return w.db.Exec(ctx, `DELETE FROM doomed_objects WHERE object = $1`, object)
}

// StoredBlob is a blob whose bytes should be in the storage.
type StoredBlob struct {
	ID     domain.BlobID
	Object string
	Hash   string // SHA-256, hexadecimal
	Size   int64
}

// StoredBlobs lists stored blobs with ids above the given one, by id.
func (r Reads) StoredBlobs(ctx context.Context, above domain.BlobID, limit int) ([]StoredBlob, error) {
	rows, err := r.db.Query(ctx, `SELECT id, object, hash, size FROM blobs WHERE id > $1 AND stored_at IS NOT NULL
		ORDER BY id`+sqlx.Limit("$2"), above, limit)
	return sqlx.Collect(ctx, rows, err, scanStored)
}

func scanStored(row sqlx.Row) (b StoredBlob, err error) {
	return b, row.Scan(&b.ID, &b.Object, &b.Hash, &b.Size)
}

// UnknownObjects returns the names of objects that the database does not contain: not as objects
// of blobs or exports, not of uploads (as prefix and key), and not as doomed.
func (r Reads) UnknownObjects(ctx context.Context, uploads string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var args sqlx.Args
	var marks, keys []string
	for _, name := range names {
		marks = append(marks, args.Add(name))
		if key, ok := strings.CutPrefix(name, uploads); ok {
			keys = append(keys, key)
		}
	}
	in := "(" + strings.Join(marks, ", ") + ")"
	query := `SELECT object FROM blobs WHERE object IN ` + in + ` UNION ALL SELECT object FROM doomed_objects WHERE object IN ` + in +
		` UNION ALL SELECT object FROM exports WHERE object IN ` + in
	marks = nil
	for _, key := range keys {
		marks = append(marks, args.Add(key))
	}
	if marks != nil {
		query += ` UNION ALL SELECT '` + uploads + `' || u.key FROM uploads u WHERE u.key IN (` + strings.Join(marks, ", ") + `)`
	}
	rows, err := r.db.Query(ctx, query, args...)
	known, err := sqlx.Collect(ctx, rows, err, sqlx.ScanString)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) }), nil
}

// EachStoredBlob calls visit for each blob whose bytes should be in the storage, in the order of
// their hashes.
func (r Reads) EachStoredBlob(ctx context.Context, visit func(hash, object string, size int64) error) error {
	rows, err := r.db.Query(ctx, `SELECT hash, object, size FROM blobs WHERE stored_at IS NOT NULL ORDER BY hash`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var hash, object string
		var size int64
		if err := rows.Scan(&hash, &object, &size); err != nil {
			return database.Classify(ctx, err)
		}
		if err := visit(hash, object, size); err != nil {
			return err
		}
	}
	return database.Classify(ctx, rows.Err())
}

// ObjectOf returns the object with the bytes of a hash, its size, and the content type of its
// first file.
func (r Reads) ObjectOf(ctx context.Context, hash string) (object, contentType string, size int64, err error) {
	err = r.db.QueryRow(ctx, `SELECT bl.object, bl.size, COALESCE((SELECT f.content_type FROM files f WHERE f.blob_id = bl.id
			ORDER BY f.id LIMIT 1), 'application/octet-stream')
		FROM blobs bl WHERE bl.hash = $1 AND bl.stored_at IS NOT NULL`, hash).Scan(&object, &size, &contentType)
	return object, contentType, size, sqlx.Found(err)
}

// BlobHashes returns the SHA-256 of blobs in hexadecimal.
func (r Reads) BlobHashes(ctx context.Context, ids []domain.BlobID) (map[domain.BlobID]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	hashes := make(map[domain.BlobID]string, len(ids))
	rows, err := r.db.Query(ctx, `SELECT id, hash FROM blobs WHERE `+r.db.In("id", "$1"), sqlx.IDs(r.db.Dialect, ids))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.BlobID, err error) {
		var hash string
		err = row.Scan(&id, &hash)
		hashes[id] = hash
		return id, err
	})
	return hashes, err
}

// BlobByHash reads a blob by its SHA-256.
func (r Reads) BlobByHash(ctx context.Context, hash string) (b domain.Blob, err error) {
	err = r.db.QueryRow(ctx, `SELECT id, hash, object, size, stored_at IS NOT NULL FROM blobs WHERE hash = $1`, hash).
		Scan(&b.ID, &b.Hash, &b.Object, &b.Size, &b.Stored)
	return b, sqlx.Found(err)
}
