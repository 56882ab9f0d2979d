package api

import (
	"context"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// DeleteBlock implements deleteBlock.
func (h *handler) DeleteBlock(ctx context.Context, p ext.DeleteBlockParams) error {
	return h.app.DeleteBlock(ctx, actor(ctx), domain.BlockID(p.ID))
}

// DisconnectBlock implements disconnectBlock.
func (h *handler) DisconnectBlock(ctx context.Context, p ext.DisconnectBlockParams) error {
	return h.app.DisconnectBlock(ctx, actor(ctx), domain.ParseRef(p.ID), domain.BlockID(p.BlockID))
}

// UpdateMe implements updateMe.
func (h *handler) UpdateMe(ctx context.Context, r *ext.UpdateMeReq) (*ext.Profile, error) {
	u, err := h.app.UpdateMe(ctx, actor(ctx), app.UpdateMeInput{
		Name: given(v3.OptString(r.Name)), Bio: patch(v3.OptNilString(r.Bio))})
	if err != nil {
		return nil, err
	}
	w := &ext.Profile{ID: int64(u.ID), Type: ext.ProfileTypeUser, Name: u.Name, Slug: u.Slug, Bio: ext.NilMarkdown{Null: true},
		UpdatedAt: wire.Time{Time: u.UpdatedAt}, Links: h.links(path("users", int64(u.ID)))}
	if u.Bio != nil {
		w.Bio = ext.NewNilMarkdown(ext.Markdown{Markdown: u.Bio.Markdown, HTML: u.Bio.HTML, Plain: u.Bio.Plain})
	}
	return w, nil
}
