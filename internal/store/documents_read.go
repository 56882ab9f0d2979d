package store

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/words"
)

// documents makes the documents of things of a kind from their rows. where is about
// the thing's own row.
func (q Queries) documents(ctx context.Context, kind domain.SubjectType, where string, args ...any) ([]document, error) {
	var query string
	var scan func(row scanner) (document, error)
	switch kind {
	case domain.SubjectBlock:
		query, scan = `SELECT id, type, user_id, open_count, title, description_plain, content_plain, alt_text,
			source_title, source_url, value_url, created_at, updated_at,
			COALESCE((SELECT f.name FROM files f WHERE f.id = blocks.image_id), ''),
			COALESCE((SELECT f.extension FROM files f WHERE f.id = blocks.image_id), ''),
			COALESCE((SELECT f.name FROM files f WHERE f.id = blocks.file_id), ''),
			COALESCE((SELECT f.extension FROM files f WHERE f.id = blocks.file_id), '') FROM blocks`, scanBlockDocument
	case domain.SubjectChannel:
		query, scan = `SELECT id, title, description_plain, visibility <> 'private', user_id, created_at, updated_at
			FROM channels`, scanChannelDocument
		where += " AND state = 'available'"
	case domain.SubjectUser:
		query, scan = `SELECT id, id, name, slug, created_at, updated_at FROM users`, scanNamed(kind)
		where += " AND deleted_at IS NULL"
	case domain.SubjectGroup:
		query, scan = `SELECT id, owner_id, name, slug, created_at, updated_at FROM groups`, scanNamed(kind)
	}
	rows, err := q.q.Query(ctx, query+" WHERE "+where, args...)
	return collect(ctx, rows, err, scan)
}

func scanBlockDocument(row scanner) (document, error) {
	d := document{kind: domain.SubjectBlock}
	var title, description, content, alt, sourceTitle, source, value *string
	var image, imageExt, file, fileExt string
	err := row.Scan(&d.id, &d.typ, &d.author, &d.links, &title, &description, &content, &alt, &sourceTitle, &source, &value,
		&d.created, &d.updated, &image, &imageExt, &file, &fileExt)
	d.open = d.links > 0
	d.title, d.source, d.value = deref(title), deref(source), deref(value)
	d.body = []string{deref(description), deref(content), deref(alt), file, words.Place(d.source), deref(sourceTitle)}
	switch domain.BlockType(d.typ) {
	case domain.ImageBlock:
		d.body = append(d.body, image)
		d.extension = imageExt
	case domain.AttachmentBlock:
		d.extension = fileExt
	}
	return d, err
}

func scanChannelDocument(row scanner) (document, error) {
	d := document{kind: domain.SubjectChannel, typ: string(domain.SubjectChannel)}
	var description *string
	err := row.Scan(&d.id, &d.title, &description, &d.open, &d.author, &d.created, &d.updated)
	d.body = []string{deref(description)}
	return d, err
}

func scanNamed(kind domain.SubjectType) func(row scanner) (document, error) {
	return func(row scanner) (document, error) {
		d := document{kind: kind, typ: string(kind), open: true}
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
