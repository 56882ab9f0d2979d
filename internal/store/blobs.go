package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// ClaimBlob gives the blob of a content, which it makes if there is none, under the
// name object. SweepBlobs leaves it for some time from now on.
func (tx *Tx) ClaimBlob(ctx context.Context, hash, object string, size int64, now time.Time) (b domain.Blob, err error) {
	err = tx.q.QueryRow(ctx, `INSERT INTO blobs (hash, object, size, used_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at
		RETURNING id, hash, object, size, stored_at IS NOT NULL`, hash, object, size, micros(now)).
		Scan(&b.ID, &b.Hash, &b.Object, &b.Size, &b.Stored)
	return b, err
}

// BlobStored notes that the bytes of a blob are in the storage.
func (tx *Tx) BlobStored(ctx context.Context, id domain.BlobID, now time.Time) error {
	return tx.execOne(ctx, `UPDATE blobs SET stored_at = COALESCE(stored_at, $2) WHERE id = $1`, id, micros(now))
}

// Blob reads a blob.
func (q Queries) Blob(ctx context.Context, id domain.BlobID) (b domain.Blob, err error) {
	err = q.q.QueryRow(ctx, `SELECT id, hash, object, size, stored_at IS NOT NULL FROM blobs WHERE id = $1`, id).
		Scan(&b.ID, &b.Hash, &b.Object, &b.Size, &b.Stored)
	return b, found(err)
}

// SweepBlobs dooms the objects of blobs that nothing refers to and nothing has used
// since the given time, at most `most` of them, and tells how many they were.
func (tx *Tx) SweepBlobs(ctx context.Context, since, now time.Time, most int) (int, error) {
	rows, err := tx.q.Query(ctx, `DELETE FROM blobs WHERE used_at < $1 AND id IN (
			SELECT b.id FROM blobs b WHERE b.used_at < $1
				AND NOT EXISTS (SELECT 1 FROM files f WHERE f.blob_id = b.id)
				AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.blob_id = b.id)
			ORDER BY b.id`+limit("$2")+`) RETURNING object`, micros(since), most)
	doomed, err := collect(ctx, rows, err, scanString)
	if err != nil {
		return 0, err
	}
	for _, object := range doomed {
		if err := tx.DoomObject(ctx, object, now); err != nil {
			return 0, err
		}
	}
	return len(doomed), nil
}

// DoomObject notes an object that is to be removed from the storage.
func (tx *Tx) DoomObject(ctx context.Context, object string, now time.Time) error {
	return tx.exec(ctx, `INSERT INTO doomed_objects (object, created_at) VALUES ($1, $2)
		ON CONFLICT (object) DO NOTHING`, object, micros(now))
}

// DoomedObject is an object to remove from the storage.
type DoomedObject struct {
	Name     string
	Attempts int64 // that failed
}

// DoomedObjects are objects to remove from the storage, without those that could not be
// removed a while ago.
func (q Queries) DoomedObjects(ctx context.Context, now time.Time, most int) ([]DoomedObject, error) {
	rows, err := q.q.Query(ctx, `SELECT object, attempts FROM doomed_objects WHERE next_at <= $1
		ORDER BY next_at, object`+limit("$2"), micros(now), most)
	return collect(ctx, rows, err, func(row scanner) (o DoomedObject, err error) {
		err = row.Scan(&o.Name, &o.Attempts)
		return o, err
	})
}

// ObjectStays notes that a doomed object could not be removed, and when to try again.
func (tx *Tx) ObjectStays(ctx context.Context, object string, again time.Time) error {
	return tx.exec(ctx, `UPDATE doomed_objects SET attempts = attempts + 1, next_at = $2 WHERE object = $1`, object, micros(again))
}

// ObjectRemoved notes that a doomed object is gone.
func (tx *Tx) ObjectRemoved(ctx context.Context, object string) error {
	return tx.exec(ctx, `DELETE FROM doomed_objects WHERE object = $1`, object)
}
