package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

const fileColumns = `f.id, f.key, f.user_id, f.blob_id, bl.object, f.name, f.content_type, f.extension, f.size,
	COALESCE(f.width, 0), COALESCE(f.height, 0), f.blurhash, f.resized, f.created_at`

const fileFrom = ` FROM files f JOIN blobs bl ON bl.id = f.blob_id `

func scanFile(row scanner) (f domain.File, err error) {
	var created int64
	err = row.Scan(&f.ID, &f.Key, &f.Owner, &f.BlobID, &f.Object, &f.Name, &f.ContentType, &f.Extension, &f.Size,
		&f.Width, &f.Height, &f.Blurhash, &f.Resized, &created)
	f.CreatedAt = instant(created)
	return f, err
}

// unread is a file of which only the id is known.
func unread(id *domain.FileID) *domain.File {
	if id == nil {
		return nil
	}
	return &domain.File{ID: *id}
}

// readFiles reads the files of blocks.
func (q Queries) readFiles(ctx context.Context, blocks ...*domain.Block) error {
	var ids []domain.FileID
	for _, b := range blocks {
		for _, f := range []*domain.File{b.Image, b.File} {
			if f != nil {
				ids = append(ids, f.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := q.q.Query(database.Uninterruptible(ctx), "SELECT "+fileColumns+fileFrom+"WHERE "+q.d.in("f.id", "$1"), list(q.d, ids))
	all, err := collect(ctx, rows, err, scanFile)
	if err != nil {
		return err
	}
	files := byID(all, func(f domain.File) domain.FileID { return f.ID })
	for _, b := range blocks {
		for _, at := range []*domain.File{b.Image, b.File} {
			if at != nil {
				*at = files[at.ID]
			}
		}
	}
	return nil
}

// FileByKey reads the file at an address.
func (q Queries) FileByKey(ctx context.Context, key string) (domain.File, error) {
	f, err := scanFile(q.q.QueryRow(database.Uninterruptible(ctx), "SELECT "+fileColumns+fileFrom+"WHERE f.key = $1", key))
	return f, found(err)
}

// AddFile gives a blob an address, and counts it as its owner's. Its key must be fresh.
func (tx *Tx) AddFile(ctx context.Context, f domain.File, now time.Time) (id domain.FileID, err error) {
	if err := tx.exec(ctx, `UPDATE blobs SET used_at = $2 WHERE id = $1`, f.BlobID, micros(now)); err != nil {
		return 0, err
	}
	err = tx.q.QueryRow(ctx, `INSERT INTO files (key, user_id, blob_id, name, content_type, extension, size, width, height,
			blurhash, resized, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, NULLIF($8, 0), NULLIF($9, 0), $10, $11, $12) RETURNING id`,
		f.Key, f.Owner, f.BlobID, f.Name, f.ContentType, f.Extension, f.Size, f.Width, f.Height,
		f.Blurhash, f.Resized, micros(now)).Scan(&id)
	if err == nil {
		tx.countFile(f.Owner, f.Size, 1)
	}
	return id, err
}

// ids are those that there are.
func ids(all ...*domain.FileID) (some []domain.FileID) {
	for _, id := range all {
		if id != nil {
			some = append(some, *id)
		}
	}
	return some
}

// dropFiles removes files that nothing refers to any more. Their blobs stay until
// SweepBlobs finds them.
func (tx *Tx) dropFiles(ctx context.Context, ids ...domain.FileID) error {
	if len(ids) == 0 {
		return nil
	}
	return tx.deleteFiles(ctx, tx.d.in("id", "$1"), list(tx.d, ids))
}

func (tx *Tx) deleteFiles(ctx context.Context, which string, arg any) error {
	rows, err := tx.q.Query(ctx, "DELETE FROM files WHERE "+which+" RETURNING user_id, size", arg)
	_, err = collect(ctx, rows, err, func(row scanner) (owner domain.UserID, err error) {
		var size int64
		err = row.Scan(&owner, &size)
		tx.countFile(owner, size, -1)
		return owner, err
	})
	return err
}

// embedded is how an Embed is kept.
type embedded struct {
	URL          string `json:"url,omitempty"`
	Type         string `json:"type,omitempty"`
	Title        string `json:"title,omitempty"`
	AuthorName   string `json:"author_name,omitempty"`
	AuthorURL    string `json:"author_url,omitempty"`
	SourceURL    string `json:"source_url,omitempty"`
	Width        int64  `json:"width,omitempty"`
	Height       int64  `json:"height,omitempty"`
	HTML         string `json:"html,omitempty"`
	ThumbnailURL string `json:"thumbnail_url,omitempty"`
}

func embedValue(column *string) (*domain.Embed, error) {
	if column == nil {
		return nil, nil
	}
	var e embedded
	if err := json.Unmarshal([]byte(*column), &e); err != nil {
		return nil, fmt.Errorf("store: blocks.embed: %w", err)
	}
	out := domain.Embed(e)
	return &out, nil
}

func embedColumn(e *domain.Embed) *string {
	if e == nil {
		return nil
	}
	text, _ := json.Marshal(embedded(*e)) // strings and numbers always encode
	s := string(text)
	return &s
}
