package ext

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// ListBlockVersions implements listBlockVersions.
func (h *handler) ListBlockVersions(ctx context.Context, p ext.ListBlockVersionsParams) (*ext.TextVersionList, error) {
	history, err := h.app.Collections.BlockHistory(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
	return h.versions(history, err)
}

// ListChannelVersions implements listChannelVersions.
func (h *handler) ListChannelVersions(ctx context.Context, p ext.ListChannelVersionsParams) (*ext.TextVersionList, error) {
	history, err := h.app.Collections.ChannelHistory(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	return h.versions(history, err)
}

// ListMyVersions implements listMyVersions.
func (h *handler) ListMyVersions(ctx context.Context) (*ext.TextVersionList, error) {
	history, err := h.app.People.ProfileHistory(ctx, httpedge.Actor(ctx))
	return h.versions(history, err)
}

// ListGroupVersions implements listGroupVersions.
func (h *handler) ListGroupVersions(ctx context.Context, p ext.ListGroupVersionsParams) (*ext.TextVersionList, error) {
	history, err := h.app.People.GroupHistory(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	return h.versions(history, err)
}

func (h *handler) versions(history core.History, err error) (*ext.TextVersionList, error) {
	if err != nil {
		return nil, err
	}
	out := &ext.TextVersionList{Data: make([]ext.ListedTextVersion, len(history.Versions))}
	for i := range history.Versions {
		v := &history.Versions[i]
		out.Data[i] = ext.ListedTextVersion{Number: v.Number, Current: i == 0, User: embeddedUser(h.at.Principal(&v.By)), At: wire.Time{Time: v.At}}
	}
	return out, nil
}

// GetBlockVersion implements getBlockVersion.
func (h *handler) GetBlockVersion(ctx context.Context, p ext.GetBlockVersionParams) (*ext.TextVersion, error) {
	history, v, _, err := h.app.Collections.BlockVersion(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID), p.Number)
	return h.version(history, v, err)
}

// GetChannelVersion implements getChannelVersion.
func (h *handler) GetChannelVersion(ctx context.Context, p ext.GetChannelVersionParams) (*ext.TextVersion, error) {
	history, v, _, err := h.app.Collections.ChannelVersion(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), p.Number)
	return h.version(history, v, err)
}

// GetMyVersion implements getMyVersion.
func (h *handler) GetMyVersion(ctx context.Context, p ext.GetMyVersionParams) (*ext.TextVersion, error) {
	history, v, _, err := h.app.People.ProfileVersion(ctx, httpedge.Actor(ctx), p.Number)
	return h.version(history, v, err)
}

// GetGroupVersion implements getGroupVersion.
func (h *handler) GetGroupVersion(ctx context.Context, p ext.GetGroupVersionParams) (*ext.TextVersion, error) {
	history, v, _, err := h.app.People.GroupVersion(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), p.Number)
	return h.version(history, v, err)
}

func (h *handler) version(history core.History, v domain.TextVersion, err error) (*ext.TextVersion, error) {
	if err != nil {
		return nil, err
	}
	t := v.Texts
	return &ext.TextVersion{Number: v.Number, Current: v.Number == history.Versions[0].Number, User: embeddedUser(h.at.Principal(&v.By)), At: wire.Time{Time: v.At},
		Title: nilString(t.Title), Description: nilString(t.Description), Content: nilString(t.Content), AltText: nilString(t.AltText)}, nil
}
