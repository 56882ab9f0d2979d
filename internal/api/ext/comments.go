package ext

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// UpdateComment implements updateComment.
func (h *handler) UpdateComment(ctx context.Context, r *ext.UpdateCommentReq, p ext.UpdateCommentParams) (*ext.Comment, error) {
	c, err := h.app.Collections.UpdateComment(ctx, httpedge.Actor(ctx), domain.CommentID(p.ID), r.Body)
	if err != nil {
		return nil, err
	}
	shown := h.at.Comment(&c)
	return &ext.Comment{ID: int64(c.ID), Type: ext.CommentTypeComment,
		Body:      ext.Markdown{Markdown: c.Body.Markdown, HTML: c.Body.HTML, Plain: c.Body.Plain},
		CreatedAt: wire.Time{Time: c.CreatedAt}, UpdatedAt: wire.Time{Time: c.UpdatedAt}, User: embeddedUser(shown.Author()),
		WebURL: h.at.Entity(domain.Entity{Comment: &c}).URL(), Links: h.links(shown.Links())}, nil
}
