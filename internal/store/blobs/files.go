package blobs

import (
	"context"
	"slices"
	"strings"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// TrashedKey begins the key of a file whose block is in Trash. Nobody gets such a file.
const TrashedKey = "~"

func isTrashed(key string) bool { return strings.HasPrefix(key, TrashedKey) }

// FilesByID reads files, except those of blocks in Trash: a reader of a block may find them when the block has just moved there.
func (r Reads) FilesByID(ctx context.Context, ids []domain.FileID) (map[domain.FileID]domain.File, error) {
	rows, err := r.db.Query(database.Uninterruptible(ctx), rowmap.SelectFiles+"WHERE "+r.db.In("f.id", "$1"), sqlx.IDs(r.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, rowmap.ScanFile)
	all = slices.DeleteFunc(all, func(f domain.File) bool { return isTrashed(f.Key) })
	return sqlx.ByID(all, func(f domain.File) domain.FileID { return f.ID }), err
}

// FileByKey reads a file by its address.
func (r Reads) FileByKey(ctx context.Context, key string) (domain.File, error) {
	if isTrashed(key) {
		return domain.File{}, domain.NewNotFound()
	}
	f, err := rowmap.ScanFile(r.db.QueryRow(database.Uninterruptible(ctx), rowmap.SelectFiles+"WHERE f.key = $1", key))
	return f, sqlx.Found(err)
}

// ShownFile reads a file by its address. It returns NotFound if the block of the file is hidden,
// or the block's author. Each block has a file of its own, so other blocks with the same bytes are
// not affected. The inner queries return single values, which PostgreSQL looks up one by one.
// Without current statistics it would otherwise join all hidden things.
func (r Reads) ShownFile(ctx context.Context, key string) (domain.File, error) {
	if isTrashed(key) {
		return domain.File{}, domain.NewNotFound()
	}
	f, err := rowmap.ScanFile(r.db.QueryRow(database.Uninterruptible(ctx), rowmap.SelectFiles+`WHERE f.key = $1
		AND (SELECT count(*) FROM blocks b WHERE (b.image_id = f.id OR b.file_id = f.id) AND (
			(SELECT h.id FROM hidden_things h WHERE h.kind = 'Block' AND h.target_id = b.id AND h.state <> 'showing') IS NOT NULL
			OR (SELECT h.id FROM hidden_things h WHERE h.kind = 'User' AND h.target_id = b.user_id AND h.state <> 'showing') IS NOT NULL)) = 0`, key))
	return f, sqlx.Found(err)
}

var insertFile = rowmap.Files.Insert() + " RETURNING id"

// AddFile creates a file with a new key for a blob and counts it as its owner's.
func (w Writes) AddFile(ctx context.Context, f domain.File, now time.Time) (id domain.FileID, err error) {
	if err := w.db.Exec(ctx, `UPDATE blobs SET used_at = $2 WHERE id = $1`, f.BlobID, sqlx.Micros(now)); err != nil {
		return 0, err
	}
	f.CreatedAt = now
	id, err = sqlx.ScanID[domain.FileID](w.db.QueryRow(ctx, insertFile, rowmap.InsertFile(&f)...))
	if err == nil {
		w.deltas.File(f.Owner, f.Size, 1)
	}
	return id, err
}

// DeleteFiles deletes files that nothing refers to any more. Their blobs remain until SweepBlobs
// deletes them.
func DeleteFiles(ctx context.Context, w Writes, ids ...domain.FileID) error {
	if len(ids) == 0 {
		return nil
	}
	return w.deleteFiles(ctx, w.db.In("id", "$1"), sqlx.IDs(w.db.Dialect, ids))
}

// DeleteFile is DeleteFiles for the file with an address, if there is one.
func DeleteFile(ctx context.Context, w Writes, key string) error {
	return w.deleteFiles(ctx, `key = $1`, key)
}

func (w Writes) deleteFiles(ctx context.Context, which string, arg any) error {
	rows, err := w.db.Query(ctx, "DELETE FROM files WHERE "+which+" RETURNING user_id, size", arg)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (owner domain.UserID, err error) {
		var size int64
		err = row.Scan(&owner, &size)
		w.deltas.File(owner, size, -1)
		return owner, err
	})
	return err
}
