package search

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// read returns the documents of the items of a kind whose own row matches `where`.
func read(ctx context.Context, db sqlx.Conn, kind domain.SubjectType, where string, args ...any) ([]Document, error) {
	var query string
	var scan func(row sqlx.Row) (Document, error)
	switch kind {
	case domain.SubjectBlock:
		query, scan = `SELECT id, type, user_id, open_count, title, description_plain, content_plain, alt_text,
			source_title, source_url, value_url, metadata, CASE WHEN type = 'Link' THEN embed END, created_at, updated_at, dead_at,
			COALESCE((SELECT f.name FROM files f WHERE f.id = blocks.image_id), ''),
			COALESCE((SELECT f.extension FROM files f WHERE f.id = blocks.image_id), ''),
			COALESCE((SELECT f.palette FROM files f WHERE f.id = blocks.image_id), ''),
			COALESCE((SELECT f.name FROM files f WHERE f.id = blocks.file_id), ''),
			COALESCE((SELECT f.extension FROM files f WHERE f.id = blocks.file_id), '') FROM blocks`, scanBlockDocument
	case domain.SubjectChannel:
		query, scan = `SELECT id, title, description_plain, metadata, visibility <> 'private', user_id, created_at, updated_at
			FROM channels`, scanChannelDocument
		where += " AND state = 'available'"
	case domain.SubjectUser:
		query, scan = `SELECT id, id, name, slug, created_at, updated_at FROM users`, scanNamed(kind)
		where += " AND deleted_at IS NULL"
	case domain.SubjectGroup:
		query, scan = `SELECT id, owner_id, name, slug, created_at, updated_at FROM groups`, scanNamed(kind)
	}
	rows, err := db.Query(ctx, query+" WHERE "+where, args...)
	return sqlx.Collect(ctx, rows, err, scan)
}

// scanBlockDocument reads the parts of a block that its document needs.
func scanBlockDocument(row sqlx.Row) (Document, error) {
	var b domain.Block
	var description, content, page, metadata *string
	var created, updated int64
	var dead *int64
	b.Image, b.File = &domain.File{}, &domain.File{}
	err := row.Scan(&b.ID, &b.Type, &b.Author.ID, &b.OpenCount, &b.Title, &description, &content, &b.AltText, &b.SourceTitle, &b.SourceURL, &b.ValueURL, &metadata, &page,
		&created, &updated, &dead, &b.Image.Name, &b.Image.Extension, &b.Image.Palette, &b.File.Name, &b.File.Extension)
	b.Description, b.Content = &domain.Text{Plain: deref(description)}, &domain.Text{Plain: deref(content)}
	b.CreatedAt, b.UpdatedAt, b.DeadAt, b.Metadata = sqlx.Time(created), sqlx.Time(updated), sqlx.TimePtr(dead), sqlx.MetadataValue(metadata)
	if err == nil {
		b.Page, err = rowmap.PageValue(page)
	}
	return DocumentOfBlock(b), err
}

// DocumentOfBlock returns the document of a block.
func DocumentOfBlock(b domain.Block) Document {
	d := Document{kind: domain.SubjectBlock, id: int64(b.ID), typ: string(b.Type), author: domain.UserID(b.Author.ID),
		open: b.OpenCount > 0, links: b.OpenCount, title: deref(b.Title), source: deref(rowmap.Canonical(b.SourceURL)), value: deref(rowmap.Canonical(b.ValueURL)),
		created: sqlx.Micros(b.CreatedAt), updated: sqlx.Micros(b.UpdatedAt)}
	image, file := fileOf(b.Image), fileOf(b.File)
	d.body = []string{plain(b.Description), plain(b.Content), deref(b.AltText), file.Name, words.Place(d.source), deref(b.SourceTitle)}
	d.marks = append(words.Sites(d.source), words.MetadataMarks(b.Metadata.Values())...)
	if b.Page != nil {
		d.body = append(d.body, b.Page.AuthorName)
		if link := deref(rowmap.Canonical(&b.Page.Canonical)); link != "" && d.source == d.value { // the author named no other source
			d.source = link
		}
	}
	switch b.Type {
	case domain.LinkBlock:
		if b.DeadAt != nil {
			d.marks = append(d.marks, words.DeadMark)
		}
	case domain.ImageBlock:
		d.body = append(d.body, image.Name)
		d.extension = image.Extension
		d.marks = append(d.marks, words.Colours(image.Palette)...)
	case domain.AttachmentBlock:
		d.extension = file.Extension
	}
	return d
}

func plain(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return t.Plain
}

func fileOf(f *domain.File) domain.File {
	if f == nil {
		return domain.File{}
	}
	return *f
}

func scanChannelDocument(row sqlx.Row) (Document, error) {
	d := Document{kind: domain.SubjectChannel, typ: string(domain.SubjectChannel)}
	var description, metadata *string
	err := row.Scan(&d.id, &d.title, &description, &metadata, &d.open, &d.author, &d.created, &d.updated)
	d.body, d.marks = []string{deref(description)}, words.MetadataMarks(sqlx.MetadataValue(metadata).Values())
	return d, err
}

// DocumentOfChannel returns the document of a new channel.
func DocumentOfChannel(c domain.Channel) Document {
	return Document{kind: domain.SubjectChannel, id: int64(c.ID), typ: string(domain.SubjectChannel), author: c.UserID,
		open: c.Visibility != domain.Private, title: c.Title, body: []string{plain(c.Description)}, marks: words.MetadataMarks(c.Metadata.Values()),
		created: sqlx.Micros(c.CreatedAt), updated: sqlx.Micros(c.UpdatedAt)}
}

// DocumentOf returns the document of a user or a new group.
func DocumentOf(kind domain.SubjectType, id int64, author domain.UserID, name, slug string, created int64) Document {
	return Document{kind: kind, id: id, typ: string(kind), author: author, open: true, title: name, body: []string{slug},
		created: created, updated: created}
}

func scanNamed(kind domain.SubjectType) func(row sqlx.Row) (Document, error) {
	return func(row sqlx.Row) (Document, error) {
		d := Document{kind: kind, typ: string(kind), open: true}
		var slug string
		err := row.Scan(&d.id, &d.author, &d.title, &slug, &d.created, &d.updated)
		d.body = []string{slug}
		return d, err
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
