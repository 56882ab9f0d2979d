package ext

import (
	"context"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// ListChannelFeeds implements listChannelFeeds.
func (h *handler) ListChannelFeeds(ctx context.Context, p ext.ListChannelFeedsParams) (*ext.ChannelFeedList, error) {
	_, all, err := h.app.Collections.ChannelFeeds(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	out := &ext.ChannelFeedList{Data: make([]ext.ChannelFeed, len(all))}
	for i := range all {
		out.Data[i] = h.channelFeed(&all[i])
	}
	return out, nil
}

// AddChannelFeed implements addChannelFeed.
func (h *handler) AddChannelFeed(ctx context.Context, r *ext.AddChannelFeedReq, p ext.AddChannelFeedParams) (*ext.ChannelFeed, error) {
	f, err := h.app.Collections.AddFeed(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), collections.FeedInput{Address: r.URL, Title: r.Title.Or("")})
	if err != nil {
		return nil, err
	}
	return new(h.channelFeed(&f)), nil
}

// RemoveChannelFeed implements removeChannelFeed.
func (h *handler) RemoveChannelFeed(ctx context.Context, p ext.RemoveChannelFeedParams) error {
	return h.app.Collections.RemoveFeed(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), domain.ChannelFeedID(p.FeedID))
}

func (h *handler) channelFeed(f *collections.SubscribedFeed) ext.ChannelFeed {
	out := ext.ChannelFeed{ID: int64(f.ID), URL: f.Address, Title: nonEmpty(f.Title), State: ext.ChannelFeedStateOk, Problem: nilString(f.Problem), Failures: f.Failures,
		User: embeddedUser(h.at.Principal(&f.By)), CreatedAt: wire.Time{Time: f.CreatedAt}, CheckedAt: instant(f.CheckedAt),
		SucceededAt: instant(f.SucceededAt), NextCheckAt: instant(f.NextAt)}
	switch {
	case f.Stopped():
		out.State = ext.ChannelFeedStateStopped
	case f.Problem != nil:
		out.State = ext.ChannelFeedStateFailing
	case f.CheckedAt == nil:
		out.State = ext.ChannelFeedStateWaiting
	}
	return out
}
