package store

import (
	"context"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

const blockColumns = `b.id, b.type, b.state, b.title, b.description_markdown, b.description_html, b.description_plain,
	b.content_markdown, b.content_html, b.content_plain, b.value_url, b.source_url, b.source_title, b.alt_text,
	b.image_id, b.file_id, b.embed, b.metadata, ` + openCount + `, ` + privateCount + `, b.comment_count, b.version, b.created_at, b.updated_at,
	bu.id, bu.name, bu.slug, bu.avatar, bu.face_version`

const blockFrom = ` FROM blocks b JOIN users bu ON bu.id = b.user_id `

// blockFields are scan targets that become parts of a block.
type blockFields struct {
	description, content text
	image, file          *domain.FileID
	embed, metadata      *string
	created, updated     int64
}

// readBlock reads a block whose files are known by their ids alone.
func readBlock(row scanner, b *domain.Block) (err error) {
	var f blockFields
	b.Author.Type = domain.TypeUser
	err = row.Scan(&b.ID, &b.Type, &b.State, &b.Title, &f.description.markdown, &f.description.html, &f.description.plain,
		&f.content.markdown, &f.content.html, &f.content.plain, &b.ValueURL, &b.SourceURL, &b.SourceTitle, &b.AltText,
		&f.image, &f.file, &f.embed, &f.metadata, &b.OpenCount, &b.PrivateCount, &b.Comments, &b.Version, &f.created, &f.updated,
		&b.Author.ID, &b.Author.Name, &b.Author.Slug, &b.Author.Avatar, &b.Author.Version)
	if err != nil {
		return err
	}
	b.Description, b.Content, b.Metadata = f.description.value(), f.content.value(), metadataValue(f.metadata)
	b.CreatedAt, b.UpdatedAt = instant(f.created), instant(f.updated)
	b.Image, b.File = unread(f.image), unread(f.file)
	b.Embed, err = embedValue(f.embed)
	return err
}

const blockByID = "SELECT " + blockColumns + blockFrom + "WHERE b.id = $2 AND "

// Block reads a block that the viewer may see.
func (q Queries) Block(ctx context.Context, viewer domain.UserID, id domain.BlockID) (domain.Block, error) {
	return q.oneBlock(ctx, q.q.QueryRow(database.Uninterruptible(ctx), to(viewer, blockByID+visibleBlock, blockByID+guestBlock), viewer, id))
}

// Block reads a block that the viewer may see, in one state although its files take a
// second statement: the row of a file never changes, so that one which is still there is
// as it was. When one has gone meanwhile, all is read again in a snapshot.
func (s *Store) Block(ctx context.Context, viewer domain.UserID, id domain.BlockID) (domain.Block, error) {
	b, err := s.Queries.Block(ctx, viewer, id)
	if err != nil || !lacksFile(b) {
		return b, err
	}
	err = s.InSnapshot(ctx, func(v *Snapshot) error {
		b, err = v.Block(ctx, viewer, id)
		return err
	})
	return b, err
}

// lacksFile reports whether a file of the block was gone when its row was read.
func lacksFile(b domain.Block) bool {
	return b.Image != nil && b.Image.ID == 0 || b.File != nil && b.File.ID == 0
}

// AnyBlock reads a block, whoever may see it.
func (q Queries) AnyBlock(ctx context.Context, id domain.BlockID) (domain.Block, error) {
	return q.oneBlock(ctx, q.q.QueryRow(database.Uninterruptible(ctx), "SELECT "+blockColumns+blockFrom+"WHERE b.id = $1", id))
}

func (q Queries) oneBlock(ctx context.Context, row scanner) (b domain.Block, err error) {
	if err := readBlock(&weighed{row, ctx}, &b); err != nil {
		return b, found(err)
	}
	return b, q.readFiles(ctx, &b)
}

// BlocksByID reads blocks whose visibility is already known.
func (q Queries) BlocksByID(ctx context.Context, ids []domain.BlockID) (map[domain.BlockID]*domain.Block, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.q.Query(database.Uninterruptible(ctx), "SELECT "+blockColumns+blockFrom+"WHERE "+q.d.in("b.id", "$1"), list(q.d, ids))
	all, err := gather(ctx, rows, err, len(ids), readBlock)
	if err != nil {
		return nil, err
	}
	with := make([]*domain.Block, len(all))
	for i := range all {
		with[i] = &all[i]
	}
	err = q.readFiles(ctx, with...)
	return byID(with, func(b *domain.Block) domain.BlockID { return b.ID }), err
}

// LockBlock locks a block against changes until the transaction ends.
func (tx *Tx) LockBlock(ctx context.Context, id domain.BlockID) error {
	if !tx.d.locks() {
		return nil
	}
	_, err := scanInt64(tx.q.QueryRow(ctx, "SELECT b.id FROM blocks b WHERE b.id = $1"+tx.d.lock("b"), id))
	return found(err)
}

// CreateBlock makes a block by b.Author from its type, state, texts, source and metadata.
func (tx *Tx) CreateBlock(ctx context.Context, b domain.Block, now time.Time) (domain.BlockID, error) {
	d, c := textColumns(b.Description), textColumns(b.Content)
	var id domain.BlockID
	err := tx.q.QueryRow(ctx, `INSERT INTO blocks (user_id, type, state, title,
			description_markdown, description_html, description_plain, content_markdown, content_html, content_plain,
			value_url, source_url, source_title, alt_text, metadata, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16) RETURNING id`,
		b.Author.ID, b.Type, b.State, b.Title, d.markdown, d.html, d.plain, c.markdown, c.html, c.plain,
		b.ValueURL, b.SourceURL, b.SourceTitle, b.AltText, metadataColumn(b.Metadata), micros(now)).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, tx.index(ctx, domain.SubjectBlock, int64(id))
}

// UpdateBlock writes title, texts, alternative text and metadata of a locked block.
func (tx *Tx) UpdateBlock(ctx context.Context, b domain.Block, now time.Time) error {
	d, c := textColumns(b.Description), textColumns(b.Content)
	err := tx.execOne(ctx, `UPDATE blocks SET title = $2, description_markdown = $3, description_html = $4,
			description_plain = $5, content_markdown = $6, content_html = $7, content_plain = $8, alt_text = $9,
			metadata = $10, version = version + 1, updated_at = $11 WHERE id = $1`,
		b.ID, b.Title, d.markdown, d.html, d.plain, c.markdown, c.html, c.plain, b.AltText,
		metadataColumn(b.Metadata), micros(now))
	if err != nil {
		return err
	}
	if err := tx.index(ctx, domain.SubjectBlock, int64(b.ID)); err != nil {
		return err
	}
	return tx.touchBlock(ctx, b.ID, now)
}
