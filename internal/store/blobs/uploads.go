package blobs

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// UploadFolder is where clients put files in a storage that they reach themselves.
const UploadFolder = "uploads/"

const uploadColumns = `up.id, up.key, up.user_id, up.name, up.content_type, COALESCE(up.blob_id, 0), COALESCE(up.size, 0), up.used_at IS NOT NULL,
	up.expires_at, up.created_at`

func scanUpload(row sqlx.Row) (u domain.Upload, err error) {
	var expires, created int64
	err = row.Scan(&u.ID, &u.Key, &u.UserID, &u.Name, &u.ContentType, &u.BlobID, &u.Size, &u.Used, &expires, &created)
	u.ExpiresAt, u.CreatedAt = sqlx.Time(expires), sqlx.Time(created)
	return u, err
}

// AddUpload notes what a user may send. Its key must be fresh.
func (w Writes) AddUpload(ctx context.Context, u domain.Upload) error {
	return w.db.Exec(ctx, `INSERT INTO uploads (key, user_id, name, content_type, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, u.Key, u.UserID, u.Name, u.ContentType, sqlx.Micros(u.ExpiresAt), sqlx.Micros(u.CreatedAt))
}

// Upload reads an upload by its key.
func (r Reads) Upload(ctx context.Context, key string) (domain.Upload, error) {
	u, err := scanUpload(r.db.QueryRow(ctx, "SELECT "+uploadColumns+" FROM uploads up WHERE up.key = $1", key))
	return u, sqlx.Found(err)
}

// UploadByID reads an upload.
func (r Reads) UploadByID(ctx context.Context, id domain.UploadID) (domain.Upload, error) {
	u, err := scanUpload(r.db.QueryRow(ctx, "SELECT "+uploadColumns+" FROM uploads up WHERE up.id = $1", id))
	return u, sqlx.Found(err)
}

// FillUpload gives an upload its bytes, unless it has some: then it tells which.
func (w Writes) FillUpload(ctx context.Context, id domain.UploadID, blob domain.Blob) (domain.BlobID, error) {
	err := w.sizeUpload(ctx, blob.Size, `UPDATE uploads SET size = $2, blob_id = $3 WHERE id = $1 AND blob_id IS NULL`,
		id, blob.Size, blob.ID)
	if err != nil {
		return 0, err
	}
	has, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT blob_id FROM uploads WHERE id = $1`, id))
	return domain.BlobID(has), sqlx.Found(err)
}

// MeasureUpload notes the size of what a client put into the storage, unless it is known.
func (w Writes) MeasureUpload(ctx context.Context, id domain.UploadID, size int64) error {
	return w.sizeUpload(ctx, size, `UPDATE uploads SET size = $2 WHERE id = $1 AND size IS NULL`, id, size)
}

// sizeUpload counts the bytes of the upload that a statement changes, if nothing was made
// of it yet.
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

// UseUpload notes that something has been made of an upload: its bytes are unused no
// more. Again, for none (0), or for one that is gone, it does nothing.
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

// KeepUpload keeps an upload from SweepUploads until the transaction ends; NotFound if
// it was faster.
func (w Writes) KeepUpload(ctx context.Context, id domain.UploadID) error {
	_, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT up.id FROM uploads up WHERE up.id = $1`+w.db.ForShare("up"), id))
	return sqlx.Found(err)
}

// SweepUploads forgets uploads made before a time that nothing waits for, at most
// `most` of them, and tells how many they were. A picture that was wished for before that time is
// not waited for any more.
//
// The rows are locked before it is asked again, by a statement of its own, who waits for
// them: that is how whoever called KeepUpload first is seen.
func (w Writes) SweepUploads(ctx context.Context, before, now time.Time, most int) (int, error) {
	const unused = `up.created_at < $1 AND NOT EXISTS (
			SELECT 1 FROM processings p WHERE p.upload_id = up.id AND p.state = 'waiting')
		AND NOT EXISTS (SELECT 1 FROM avatar_wishes w WHERE w.upload_id = up.id AND w.created_at >= $1)
		AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.upload_id = up.id)`
	rows, err := w.db.Query(ctx, `SELECT up.id FROM uploads up WHERE `+unused+` ORDER BY up.created_at, up.id`+
		sqlx.Limit("$2")+w.db.ForUpdate("up"), sqlx.Micros(before), most)
	locked, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil || len(locked) == 0 {
		return 0, err
	}
	return w.deleteUploads(ctx, unused, now, sqlx.Micros(before), locked)
}

// deleteUploads deletes those of the locked uploads, $2, for which a condition on `up`
// with the parameter $1 holds, and tells how many they were. What a client may have put
// into the storage itself is doomed.
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

// DropUpload forgets an upload of which nothing is made, or waits to be, any more. It
// locks as SweepUploads does.
func (w Writes) DropUpload(ctx context.Context, id domain.UploadID, now time.Time) error {
	locked, err := sqlx.ScanInt64(w.db.QueryRow(ctx, `SELECT up.id FROM uploads up WHERE up.id = $1`+w.db.ForUpdate("up"), id))
	if domain.KindOf(sqlx.Found(err)) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = w.deleteUploads(ctx, `up.id = $1 AND NOT EXISTS (SELECT 1 FROM processings p WHERE p.upload_id = up.id)
		AND NOT EXISTS (SELECT 1 FROM avatar_wishes w WHERE w.upload_id = up.id)
		AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.upload_id = up.id)`, now, id, []int64{locked})
	return err
}

// UnmeasuredUploads lists uploads above an id to which nothing can be sent any more, whose
// size is not known and of which nothing has been made.
func (r Reads) UnmeasuredUploads(ctx context.Context, above domain.UploadID, now time.Time, most int) ([]domain.Upload, error) {
	rows, err := r.db.Query(ctx, "SELECT "+uploadColumns+` FROM uploads up WHERE up.used_at IS NULL AND up.size IS NULL
		AND up.expires_at <= $1 AND up.id > $2 ORDER BY up.id`+sqlx.Limit("$3"), sqlx.Micros(now), above, most)
	return sqlx.Collect(ctx, rows, err, scanUpload)
}
