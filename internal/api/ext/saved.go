package ext

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// ListChannelChoices implements listChannelChoices.
func (h *handler) ListChannelChoices(ctx context.Context, p ext.ListChannelChoicesParams) (*ext.ChannelChoiceList, error) {
	all, err := h.app.Finder.ConnectChoices(ctx, httpedge.Actor(ctx), p.Query.Or(""), domain.ItemRef{}, int(p.Per.Or(24)))
	if err != nil {
		return nil, err
	}
	out := &ext.ChannelChoiceList{Data: make([]ext.ChannelChoice, len(all))}
	for i := range all {
		out.Data[i] = h.channelChoice(&all[i].Channel)
	}
	return out, nil
}

// ListSaved implements listSaved.
func (h *handler) ListSaved(ctx context.Context, p ext.ListSavedParams) (*ext.SavedList, error) {
	all, err := h.app.Finder.Saved(ctx, httpedge.Actor(ctx), p.URL)
	if err != nil {
		return nil, err
	}
	out := &ext.SavedList{Data: make([]ext.SavedBlock, len(all))}
	for i, b := range all {
		in := make([]ext.SavedChannel, len(b.Channels))
		for i := range b.Channels {
			in[i] = ext.SavedChannel{Channel: h.channelChoice(&b.Channels[i].Channel), Removable: b.Channels[i].Removable}
		}
		out.Data[i] = ext.SavedBlock{ID: int64(b.ID), Type: ext.SavedBlockType(b.Type), Title: nilString(b.Title), Own: b.Own,
			CreatedAt: wire.Time{Time: b.CreatedAt}, WebURL: h.at.Block(&b.Block).URL(), Channels: in}
	}
	return out, nil
}

func (h *handler) channelChoice(c *domain.Channel) ext.ChannelChoice {
	shown := h.at.Channel(c)
	return ext.ChannelChoice{ID: int64(c.ID), Type: ext.ChannelChoiceTypeChannel, Slug: c.Slug, Title: c.Title,
		Visibility: ext.ChannelChoiceVisibility(c.Visibility), Owner: c.Owner.Name, WebURL: shown.URL()}
}
