package store

import (
	"context"

	"vitrine/internal/domain"
)

const commentColumns = `cm.id, cm.block_id, cm.body_markdown, cm.body_html, cm.body_plain, cm.version, cm.created_at,
	cm.updated_at, cu.id, cu.name, cu.slug, cu.avatar, cu.face_version`

const commentFrom = ` FROM comments cm JOIN users cu ON cu.id = cm.user_id `

func scanComment(row scanner) (c domain.Comment, err error) {
	var created, updated int64
	c.Author.Type = domain.TypeUser
	err = row.Scan(&c.ID, &c.BlockID, &c.Body.Markdown, &c.Body.HTML, &c.Body.Plain, &c.Version, &created, &updated,
		&c.Author.ID, &c.Author.Name, &c.Author.Slug, &c.Author.Avatar, &c.Author.Version)
	c.CreatedAt, c.UpdatedAt = instant(created), instant(updated)
	return c, err
}

// CommentsByID reads comments whose visibility is already known.
func (q Queries) CommentsByID(ctx context.Context, ids []domain.CommentID) (map[domain.CommentID]domain.Comment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.q.Query(ctx, "SELECT "+commentColumns+commentFrom+"WHERE "+q.d.in("cm.id", "$1"), list(q.d, ids))
	all, err := collect(ctx, rows, err, scanComment)
	byID := make(map[domain.CommentID]domain.Comment, len(all))
	for _, c := range all {
		byID[c.ID] = c
	}
	return byID, err
}
