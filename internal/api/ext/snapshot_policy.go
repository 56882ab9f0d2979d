package ext

import (
	"context"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// GetSnapshotRequest implements getSnapshotRequest.
func (h *handler) GetSnapshotRequest(ctx context.Context, p ext.GetSnapshotRequestParams) (*ext.SnapshotRequest, error) {
	return h.snapshotRequest(ctx, domain.BlockID(p.ID))
}

// RequestSnapshot implements requestSnapshot.
func (h *handler) RequestSnapshot(ctx context.Context, p ext.RequestSnapshotParams) (*ext.SnapshotRequest, error) {
	q, err := h.app.Content.RequestedSnapshot(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return nil, err
	}
	return snapshotRequest(q), nil
}

// GetBlockSnapshotPolicy implements getBlockSnapshotPolicy.
func (h *handler) GetBlockSnapshotPolicy(ctx context.Context, p ext.GetBlockSnapshotPolicyParams) (*ext.SnapshotPolicy, error) {
	b, err := h.app.Collections.Block(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return nil, err
	}
	return snapshotPolicy(h.app.Content.BlockSnapshotPolicy(ctx, httpedge.Actor(ctx), b))
}

// SetBlockSnapshotPolicy implements setBlockSnapshotPolicy.
func (h *handler) SetBlockSnapshotPolicy(ctx context.Context, r *ext.SetBlockSnapshotPolicyReq, p ext.SetBlockSnapshotPolicyParams) (*ext.SnapshotPolicy, error) {
	return snapshotPolicy(h.app.Content.SetBlockSnapshotPolicy(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID), domain.SnapshotPolicy(r.Policy)))
}

// GetChannelSnapshotPolicy implements getChannelSnapshotPolicy.
func (h *handler) GetChannelSnapshotPolicy(ctx context.Context, p ext.GetChannelSnapshotPolicyParams) (*ext.SnapshotPolicy, error) {
	c, err := h.app.Collections.Channel(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	return snapshotPolicy(h.app.Content.ChannelSnapshotPolicy(c.Channel))
}

// SetChannelSnapshotPolicy implements setChannelSnapshotPolicy.
func (h *handler) SetChannelSnapshotPolicy(ctx context.Context, r *ext.SetChannelSnapshotPolicyReq, p ext.SetChannelSnapshotPolicyParams) (*ext.SnapshotPolicy, error) {
	c, err := h.app.Collections.UpdateChannel(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID),
		collections.UpdateChannelInput{Snapshots: new(domain.SnapshotPolicy(r.Policy))})
	if err != nil {
		return nil, err
	}
	return snapshotPolicy(h.app.Content.ChannelSnapshotPolicy(c.Channel))
}

func snapshotPolicy(p content.SnapshotPolicies, err error) (*ext.SnapshotPolicy, error) {
	if err != nil {
		return nil, err
	}
	return &ext.SnapshotPolicy{Type: ext.SnapshotPolicyTypeSnapshotPolicy, Policy: ext.SnapshotPolicyPolicy(p.Own.Shown()),
		Effective: ext.SnapshotPolicyEffective(p.Effective)}, nil
}

func (h *handler) snapshotRequest(ctx context.Context, id domain.BlockID) (*ext.SnapshotRequest, error) {
	b, err := h.app.Collections.Block(ctx, httpedge.Actor(ctx), id)
	if err != nil {
		return nil, err
	}
	q, err := h.app.Content.SnapshotRequest(ctx, httpedge.Actor(ctx), b)
	if err != nil {
		return nil, err
	}
	return snapshotRequest(q), nil
}

func snapshotRequest(q domain.SnapshotRequest) *ext.SnapshotRequest {
	state := ext.SnapshotRequestStateWaiting
	if q.Failed {
		state = ext.SnapshotRequestStateFailed
	}
	return &ext.SnapshotRequest{State: state, Attempts: q.Attempts, Reason: ext.NilString{Value: q.Reason, Null: q.Reason == ""},
		UpdatedAt: wire.Time{Time: q.UpdatedAt}}
}
