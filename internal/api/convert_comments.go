package api

import (
	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// comment is a comment on a block. There is no address that reads one comment; its self
// is where it is deleted.
func (h *handler) comment(c domain.Comment) *v3.Comment {
	return &v3.Comment{ID: int64(c.ID), Type: v3.CommentTypeComment, Body: markdown(&c.Body),
		CreatedAt: wire.Time{Time: c.CreatedAt}, UpdatedAt: wire.Time{Time: c.UpdatedAt}, User: h.embeddedUser(c.Author),
		Links: h.links(path("comments", int64(c.ID)),
			wire.Rel{Name: "user", Path: path("users", c.Author.ID)},
			wire.Rel{Name: "block", Path: path("blocks", int64(c.BlockID))})}
}
