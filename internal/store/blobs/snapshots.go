package blobs

import (
	"context"
	"encoding/json"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

const (
	listedSnapshot = `SELECT s.id, s.block_id, s.user_id, s.source, s.kind, s.shared, s.blob_id, bl.object, s.content_type, s.size, s.address,
		s.title, s.article, s.taken_at, s.created_at, s.missing, s.omitted, `
	snapshotFrom = ` FROM snapshots s JOIN blobs bl ON bl.id = s.blob_id WHERE `

	selectSnapshot = listedSnapshot + "s.text" + snapshotFrom
	listSnapshots  = listedSnapshot + "''" + snapshotFrom
)

func scanSnapshot(row sqlx.Row) (s domain.Snapshot, err error) {
	var taken, created int64
	var missing string
	err = row.Scan(&s.ID, &s.Block, &s.Owner, &s.Source, &s.Kind, &s.Shared, &s.BlobID, &s.Object, &s.ContentType, &s.Size, &s.Address,
		&s.Title, &s.Article, &taken, &created, &missing, &s.Omitted, &s.Text)
	if err == nil && missing != "[]" {
		err = json.Unmarshal([]byte(missing), &s.Missing)
	}
	s.TakenAt, s.CreatedAt = sqlx.Time(taken), sqlx.Time(created)
	return s, sqlx.Found(err)
}

// Snapshot reads a saved copy without checking access. Those of a block in Trash are not found.
func (r Reads) Snapshot(ctx context.Context, id domain.SnapshotID) (domain.Snapshot, error) {
	return scanSnapshot(r.db.QueryRow(ctx, selectSnapshot+"s.id = $1 AND s.block_id IS NOT NULL", id))
}

// SnapshotsOf lists saved copies of a block without their texts, the newest first; only the shared ones unless all is set.
func (r Reads) SnapshotsOf(ctx context.Context, block domain.BlockID, all bool, limit int) ([]domain.Snapshot, error) {
	rows, err := r.db.Query(ctx, listSnapshots+`s.block_id = $1 AND (s.shared OR CAST($2 AS BOOLEAN))
		ORDER BY s.taken_at DESC, s.id DESC`+sqlx.Limit("$3"), block, all, limit)
	return sqlx.Collect(ctx, rows, err, scanSnapshot)
}

// SnapshotsIn lists saved copies of the pages in a channel without their texts, by block and time: those that are shared,
// and the user's own.
func (r Reads) SnapshotsIn(ctx context.Context, channel domain.ChannelID, user domain.UserID, limit int) ([]domain.Snapshot, error) {
	rows, err := r.db.Query(ctx, listSnapshots+`s.block_id IN (SELECT item_id FROM connections WHERE channel_id = $1 AND item_type = 'Block')
		AND s.kind = 'page' AND (s.shared OR s.user_id = $2) ORDER BY s.block_id, s.taken_at, s.id`+sqlx.Limit("$3"), channel, user, limit)
	return sqlx.Collect(ctx, rows, err, scanSnapshot)
}

// OwnSnapshots lists some of a user's saved copies above an id, in the order of their ids and without their texts.
func (r Reads) OwnSnapshots(ctx context.Context, user domain.UserID, above domain.SnapshotID, limit int) ([]domain.Snapshot, error) {
	rows, err := r.db.Query(ctx, listSnapshots+"s.user_id = $1 AND s.id > $2 ORDER BY s.id"+sqlx.Limit("$3"), user, above, limit)
	return sqlx.Collect(ctx, rows, err, scanSnapshot)
}

// SnapshotWith reads the saved copy of a block with the bytes of a blob, or returns NotFound.
func (r Reads) SnapshotWith(ctx context.Context, block domain.BlockID, blob domain.BlobID) (domain.Snapshot, error) {
	return scanSnapshot(r.db.QueryRow(ctx, selectSnapshot+"s.block_id = $1 AND s.blob_id = $2 ORDER BY s.id"+sqlx.Limit("$3"), block, blob, 1))
}

// accompanies selects the pictures and PDFs that this server took together with a copy of a page.
const accompanies = "source = 'server' AND kind <> 'page'"

// CountSnapshots counts the saved copies of a block. Pictures and PDFs that belong to a copy do not count.
func (r Reads) CountSnapshots(ctx context.Context, block domain.BlockID) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM snapshots WHERE block_id = $1 AND NOT ("+accompanies+")", block))
}

// SnapshotBytes sums the sizes of a user's saved copies. The index snapshots_user contains them.
func (r Reads) SnapshotBytes(ctx context.Context, user domain.UserID) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT COALESCE(CAST(sum(size) AS BIGINT), 0) FROM snapshots WHERE user_id = $1", user))
}

// SharedArticle reads the article of the newest shared copy of a block that has one, or "".
func (r Reads) SharedArticle(ctx context.Context, block domain.BlockID) (string, error) {
	rows, err := r.db.Query(ctx, `SELECT text FROM snapshots WHERE block_id = $1 AND shared AND article
		ORDER BY taken_at DESC, id DESC`+sqlx.Limit("$2"), block, 1)
	all, err := sqlx.Collect(ctx, rows, err, sqlx.ScanString)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[0], nil
}

// AddSnapshot stores a saved copy of a locked block.
func (w Writes) AddSnapshot(ctx context.Context, s domain.Snapshot) (domain.SnapshotID, error) {
	if err := w.db.Exec(ctx, `UPDATE blobs SET used_at = $2 WHERE id = $1`, s.BlobID, sqlx.Micros(s.CreatedAt)); err != nil {
		return 0, err
	}
	missing := []byte("[]")
	if len(s.Missing) > 0 {
		var err error
		if missing, err = json.Marshal(s.Missing); err != nil {
			return 0, err
		}
	}
	return sqlx.ScanID[domain.SnapshotID](w.db.QueryRow(ctx, `INSERT INTO snapshots (block_id, user_id, source, kind, shared, blob_id, content_type,
			size, address, title, text, article, taken_at, created_at, missing, omitted)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) RETURNING id`,
		s.Block, s.Owner, s.Source, s.Kind, s.Shared, s.BlobID, s.ContentType, s.Size, s.Address, s.Title, s.Text, s.Article,
		sqlx.Micros(s.TakenAt), sqlx.Micros(s.CreatedAt), string(missing), s.Omitted))
}

// ShareSnapshot sets who sees a saved copy of a locked block.
func (w Writes) ShareSnapshot(ctx context.Context, id domain.SnapshotID, shared bool) error {
	return w.db.ExecOne(ctx, `UPDATE snapshots SET shared = $2 WHERE id = $1`, id, shared)
}

// SharePictures sets who sees the pictures and PDFs that were taken with a copy of a page by this server.
func (w Writes) SharePictures(ctx context.Context, of domain.Snapshot, shared bool) error {
	return w.db.Exec(ctx, `UPDATE snapshots SET shared = $3 WHERE block_id = $1 AND taken_at = $2 AND `+accompanies, of.Block, sqlx.Micros(of.TakenAt), shared)
}

// DeleteSnapshot deletes a saved copy, if it still exists. SweepBlobs deletes its bytes.
func (w Writes) DeleteSnapshot(ctx context.Context, id domain.SnapshotID) error {
	return w.db.Exec(ctx, `DELETE FROM snapshots WHERE id = $1`, id)
}

// DeletePictures deletes the pictures and PDFs that were taken with a copy of a page by this server.
func (w Writes) DeletePictures(ctx context.Context, of domain.Snapshot) error {
	return w.db.Exec(ctx, `DELETE FROM snapshots WHERE block_id = $1 AND taken_at = $2 AND `+accompanies, of.Block, sqlx.Micros(of.TakenAt))
}

// MoveSnapshots moves the saved copies of a locked block to another one, and its policy if the other one has none.
func (w Writes) MoveSnapshots(ctx context.Context, from, to domain.BlockID) error {
	if err := w.db.Exec(ctx, `UPDATE snapshots SET block_id = $2 WHERE block_id = $1`, from, to); err != nil {
		return err
	}
	return w.db.Exec(ctx, `UPDATE blocks SET snapshots = (SELECT f.snapshots FROM blocks f WHERE f.id = $1)
		WHERE id = $2 AND snapshots = '' AND EXISTS (SELECT 1 FROM blocks f WHERE f.id = $1)`, from, to)
}
