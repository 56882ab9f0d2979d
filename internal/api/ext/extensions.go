package ext

import (
	"context"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// DeleteBlock implements deleteBlock.
func (h *handler) DeleteBlock(ctx context.Context, p ext.DeleteBlockParams) error {
	return h.app.Collections.DeleteBlock(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
}

// DisconnectBlock implements disconnectBlock.
func (h *handler) DisconnectBlock(ctx context.Context, p ext.DisconnectBlockParams) error {
	return h.app.Collections.DisconnectBlock(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), domain.BlockID(p.BlockID))
}

// GetBlockProcessing implements getBlockProcessing.
func (h *handler) GetBlockProcessing(ctx context.Context, p ext.GetBlockProcessingParams) (*ext.BlockProcessing, error) {
	status, err := h.app.Content.Processing(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return nil, err
	}
	return blockProcessing(status), nil
}

// ReprocessBlock implements reprocessBlock.
func (h *handler) ReprocessBlock(ctx context.Context, p ext.ReprocessBlockParams) (*ext.BlockProcessing, error) {
	status, err := h.app.Content.Reprocess(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return nil, err
	}
	return blockProcessing(status), nil
}

func blockProcessing(p domain.ProcessingStatus) *ext.BlockProcessing {
	return &ext.BlockProcessing{State: ext.BlockProcessingState(p.State), Attempts: p.Attempts,
		Reason: nilString(p.Reason), UpdatedAt: wire.Time{Time: p.UpdatedAt}}
}

// GetBlockFileMetadata implements getBlockFileMetadata.
func (h *handler) GetBlockFileMetadata(ctx context.Context, p ext.GetBlockFileMetadataParams) (*ext.FileMetadata, error) {
	b, err := h.app.Content.FileMetadata(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return nil, err
	}
	return h.fileMetadata(b), nil
}

// SetBlockFileMetadata implements setBlockFileMetadata.
func (h *handler) SetBlockFileMetadata(ctx context.Context, req *ext.SetBlockFileMetadataReq, p ext.SetBlockFileMetadataParams) (*ext.FileMetadata, error) {
	b, err := h.app.Collections.UpdateBlock(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID), collections.UpdateBlockInput{KeepFileMetadata: &req.Keep})
	if err != nil {
		return nil, err
	}
	return h.fileMetadata(b), nil
}

func (h *handler) fileMetadata(b domain.Block) *ext.FileMetadata {
	return &ext.FileMetadata{Keep: b.KeepsMetadata(), State: ext.FileMetadataState(h.app.Content.MetadataState(b))}
}

// GetMyUsage implements getMyUsage.
func (h *handler) GetMyUsage(ctx context.Context) (*ext.Usage, error) {
	u, q, err := h.app.Content.ByteUsage(ctx, httpedge.Actor(ctx))
	if err != nil {
		return nil, err
	}
	copies, most, err := h.app.Content.SnapshotUsage(ctx, httpedge.Actor(ctx))
	if err != nil {
		return nil, err
	}
	return &ext.Usage{Snapshots: byteUsage(copies, most), Unused: byteUsage(u.Unused, q.Unused), Total: byteUsage(u.Total, q.Total), Files: u.Files(), Texts: u.Texts, Uploads: ext.UsageUploads{
		Open: u.Uploads, Limit: content.MaxOpenUploads, AtOnce: content.UploadsAtOnce, MaxBytes: h.app.Content.UploadLimit()}}, nil
}

func byteUsage(bytes, limit int64) ext.ByteUsage {
	return ext.ByteUsage{Bytes: bytes, Limit: ext.NilInt64{Value: limit, Null: limit == 0}}
}

// UpdateMe implements updateMe.
func (h *handler) UpdateMe(ctx context.Context, r *ext.UpdateMeReq) (*ext.Profile, error) {
	u, err := h.app.People.UpdateMe(ctx, httpedge.Actor(ctx), people.UpdateMeInput{
		Name: httpedge.Given(r.Name), Bio: httpedge.Patch(r.Bio),
		Avatar: httpedge.Patch(r.AvatarURL)})
	if err != nil {
		return nil, err
	}
	shown := h.at.User(&u)
	return &ext.Profile{ID: int64(u.ID), Type: ext.ProfileTypeUser, Name: u.Name, Slug: u.Slug, Bio: markdown(u.Bio),
		Avatar: nonEmpty(shown.Avatar()), WebURL: shown.URL(),
		UpdatedAt: wire.Time{Time: u.UpdatedAt}, Links: h.links(shown.Links())}, nil
}
