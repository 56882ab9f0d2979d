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

// GetBlockProcessing implements getBlockProcessing.
func (h *handler) GetBlockProcessing(ctx context.Context, p ext.GetBlockProcessingParams) (*ext.BlockProcessing, error) {
	status, err := h.app.Processing(ctx, actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return nil, err
	}
	return blockProcessing(status), nil
}

// ReprocessBlock implements reprocessBlock.
func (h *handler) ReprocessBlock(ctx context.Context, p ext.ReprocessBlockParams) (*ext.BlockProcessing, error) {
	status, err := h.app.Reprocess(ctx, actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return nil, err
	}
	return blockProcessing(status), nil
}

func blockProcessing(p domain.ProcessingStatus) *ext.BlockProcessing {
	return &ext.BlockProcessing{State: ext.BlockProcessingState(p.State), Attempts: p.Attempts,
		Reason: ext.NilString(nilString(p.Reason)), UpdatedAt: wire.Time{Time: p.UpdatedAt}}
}

// GetMyUsage implements getMyUsage.
func (h *handler) GetMyUsage(ctx context.Context) (*ext.Usage, error) {
	u, q, err := h.app.ByteUsage(ctx, actor(ctx))
	if err != nil {
		return nil, err
	}
	return &ext.Usage{Unused: byteUsage(u.Unused, q.Unused), Total: byteUsage(u.Total, q.Total), Uploads: ext.UsageUploads{
		Open: u.Uploads, Limit: app.MaxOpenUploads, AtOnce: app.UploadsAtOnce, MaxBytes: h.app.UploadLimit()}}, nil
}

func byteUsage(bytes, limit int64) ext.ByteUsage {
	return ext.ByteUsage{Bytes: bytes, Limit: ext.NilInt64{Value: limit, Null: limit == 0}}
}

// UpdateMe implements updateMe.
func (h *handler) UpdateMe(ctx context.Context, r *ext.UpdateMeReq) (*ext.Profile, error) {
	u, err := h.app.UpdateMe(ctx, actor(ctx), app.UpdateMeInput{
		Name: given(v3.OptString(r.Name)), Bio: patch(v3.OptNilString(r.Bio)),
		Avatar: patch(v3.OptNilString(r.AvatarURL))})
	if err != nil {
		return nil, err
	}
	w := &ext.Profile{ID: int64(u.ID), Type: ext.ProfileTypeUser, Name: u.Name, Slug: u.Slug, Bio: ext.NilMarkdown{Null: true},
		Avatar:    ext.NilString(h.avatar(u.Avatar)),
		UpdatedAt: wire.Time{Time: u.UpdatedAt}, Links: h.links(path("users", int64(u.ID)))}
	if u.Bio != nil {
		w.Bio = ext.NewNilMarkdown(ext.Markdown{Markdown: u.Bio.Markdown, HTML: u.Bio.HTML, Plain: u.Bio.Plain})
	}
	return w, nil
}
