package blobs

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// UploadFolder is the prefix of uploads in a storage that clients write to directly.
const UploadFolder = "uploads/"

const uploadColumns = `up.id, up.key, up.user_id, up.name, up.content_type, COALESCE(up.blob_id, 0), COALESCE(up.size, 0), up.used_at IS NOT NULL,
	up.expires_at, up.created_at`

func scanUpload(row sqlx.Row) (u domain.Upload, err error) {
	var expires, created int64
	err = row.Scan(&u.ID, &u.Key, &u.UserID, &u.Name, &u.ContentType, &u.BlobID, &u.Size, &u.Used, &expires, &created)
	u.ExpiresAt, u.CreatedAt = sqlx.Time(expires), sqlx.Time(created)
	return u, err
}

// AddUpload creates an upload with a new key.
func (w Writes) AddUpload(ctx context.Context, u domain.Upload) error {
	return w.db.Exec(ctx, `INSERT INTO uploads (key, user_id, name, content_type, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, u.Key, u.UserID, u.Name, u.ContentType, sqlx.Micros(u.ExpiresAt), sqlx.Micros(u.CreatedAt))
}

func (r Reads) Upload(ctx context.Context, key string) (domain.Upload, error) {
	u, err := scanUpload(r.db.QueryRow(ctx, "SELECT "+uploadColumns+" FROM uploads up WHERE up.key = $1", key))
	return u, sqlx.Found(err)
}

func (r Reads) UploadByID(ctx context.Context, id domain.UploadID) (domain.Upload, error) {
	u, err := scanUpload(r.db.QueryRow(ctx, "SELECT "+uploadColumns+" FROM uploads up WHERE up.id = $1", id))
	return u, sqlx.Found(err)
}

// FillUpload stores the blob of an upload unless it has one, and returns the blob that it has.
func (w Writes) FillUpload(ctx context.Context, id domain.UploadID, blob domain.Blob) (domain.BlobID, error) {
	err := w.sizeUpload(ctx, blob.Size, `UPDATE uploads SET size = $2, blob_id = $3 WHERE id = $1 AND blob_id IS NULL`,
		id, blob.Size, blob.ID)
	if err != nil {
		return 0, err
	}
	has, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT blob_id FROM uploads WHERE id = $1`, id))
	return domain.BlobID(has), sqlx.Found(err)
}

// MeasureUpload stores the size of the object that a client wrote to the storage, unless it is
// known.
func (w Writes) MeasureUpload(ctx context.Context, id domain.UploadID, size int64) error {
	return w.sizeUpload(ctx, size, `UPDATE uploads SET size = $2 WHERE id = $1 AND size IS NULL`, id, size)
}

// sizeUpload runs an update of an upload and counts its bytes if it is unused.
func (w Writes) sizeUpload(ctx context.Context, size int64, update string, args ...any) error {
	rows, err := w.db.Query(ctx, update+` RETURNING user_id, used_at IS NOT NULL`, args...)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (user domain.UserID, err error) {
		var used bool
		if err = row.Scan(&user, &used); err == nil && !used {
			w.deltas.Unused(user, size, 1)
		}
		return user, err
	})
	return err
}

// UseUpload marks an upload as used, so that its bytes do not count as unused any more. It does
// nothing if the upload is 0, deleted or already used.
func (w Writes) UseUpload(ctx context.Context, id domain.UploadID, now time.Time) error {
	if id == 0 {
		return nil
	}
	rows, err := w.db.Query(ctx, `UPDATE uploads SET used_at = $2 WHERE id = $1 AND used_at IS NULL
		RETURNING user_id, COALESCE(size, 0)`, id, sqlx.Micros(now))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (user domain.UserID, err error) {
		var size int64
		err = row.Scan(&user, &size)
		w.deltas.Unused(user, size, -1)
		return user, err
	})
	return err
}

// KeepUpload protects an upload from SweepUploads until the transaction ends. It returns NotFound
// if the upload was deleted already.
func (w Writes) KeepUpload(ctx context.Context, id domain.UploadID) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT up.id FROM uploads up WHERE up.id = $1`+w.db.ForShare("up"), id))
	return sqlx.Found(err)
}

// SweepUploads deletes at most `limit` uploads created before a time that nothing waits for, and
// returns their number. Requests for avatars that are older than that time do not count as
// waiting.
//
// It locks the rows first and repeats the condition in a second statement, which sees the changes
// of transactions that called KeepUpload before.
func (w Writes) SweepUploads(ctx context.Context, before, now time.Time, limit int) (int, error) {
	const unused = `up.created_at < $1 AND NOT EXISTS (
			SELECT 1 FROM processings p WHERE p.upload_id = up.id AND p.state = 'waiting')
		AND NOT EXISTS (SELECT 1 FROM processings p WHERE p.poster_upload_id = up.id AND p.state = 'waiting')
		AND NOT EXISTS (SELECT 1 FROM avatar_wishes w WHERE w.upload_id = up.id AND w.created_at >= $1)
		AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.upload_id = up.id)`
	rows, err := w.db.Query(ctx, `SELECT up.id FROM uploads up WHERE `+unused+` ORDER BY up.created_at, up.id`+
		sqlx.Limit("$2")+w.db.ForUpdate("up"), sqlx.Micros(before), limit)
	locked, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil || len(locked) == 0 {
		return 0, err
	}
	return w.deleteUploads(ctx, unused, now, sqlx.Micros(before), locked)
}

// deleteUploads deletes the locked uploads $2 that match a condition on `up` with the parameter
// $1, and returns their number. It dooms objects that clients may have written to the storage
// directly.
func (w Writes) deleteUploads(ctx context.Context, condition string, now time.Time, arg any, locked []int64) (int, error) {
	rows, err := w.db.Query(ctx, `DELETE FROM uploads AS up WHERE `+w.db.In("up.id", "$2")+` AND `+condition+`
		RETURNING CASE WHEN blob_id IS NULL THEN key ELSE '' END, user_id,
			CASE WHEN used_at IS NULL THEN COALESCE(size, 0) ELSE 0 END`, arg, sqlx.IDs(w.db.Dialect, locked))
	keys, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (key string, err error) {
		var user domain.UserID
		var unused int64
		err = row.Scan(&key, &user, &unused)
		w.deltas.Unused(user, unused, -1)
		return key, err
	})
	if err != nil {
		return 0, err
	}
	for _, key := range keys {
		if key == "" {
			continue
		}
		if err := w.DoomObject(ctx, UploadFolder+key, now); err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}

// DropUpload deletes an upload unless something uses it or waits for it. It locks as SweepUploads
// does.
func (w Writes) DropUpload(ctx context.Context, id domain.UploadID, now time.Time) error {
	locked, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT up.id FROM uploads up WHERE up.id = $1`+w.db.ForUpdate("up"), id))
	if domain.KindOf(sqlx.Found(err)) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = w.deleteUploads(ctx, `up.id = $1 AND NOT EXISTS (SELECT 1 FROM processings p WHERE p.upload_id = up.id)
		AND NOT EXISTS (SELECT 1 FROM processings p WHERE p.poster_upload_id = up.id)
		AND NOT EXISTS (SELECT 1 FROM avatar_wishes w WHERE w.upload_id = up.id)
		AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.upload_id = up.id)`, now, id, []int64{locked})
	return err
}

// UnmeasuredUploads lists unused uploads above an id that accept no more bytes and whose size is
// unknown.
func (r Reads) UnmeasuredUploads(ctx context.Context, above domain.UploadID, now time.Time, limit int) ([]domain.Upload, error) {
	rows, err := r.db.Query(ctx, "SELECT "+uploadColumns+` FROM uploads up WHERE up.used_at IS NULL AND up.size IS NULL
		AND up.expires_at <= $1 AND up.id > $2 ORDER BY up.id`+sqlx.Limit("$3"), sqlx.Micros(now), above, limit)
	return sqlx.Collect(ctx, rows, err, scanUpload)
}
