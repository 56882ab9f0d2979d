package feeds

import (
	"context"
	"strconv"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

var newest = domain.Page{Number: 1, Per: maxEntries}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// channelFeed reads the newest connections of a channel. An existing block that is connected again
// is a new entry.
func (h *Handler) channelFeed(name string) source {
	return func(ctx context.Context, actor domain.Actor) (x feed, err error) {
		ref := domain.ParseRef(name)
		full, err := h.o.App.Collections.Channel(ctx, actor, ref)
		if err != nil {
			return x, err
		}
		items, err := h.o.App.Collections.Contents(ctx, actor, domain.Ref{ID: int64(full.ID)}, collections.ContentsInput{
			Sort: domain.ContentSort{Key: domain.ByConnected, Desc: true}, Page: newest})
		if err != nil {
			return x, err
		}
		c := h.o.Addresses.Channel(&full.Channel)
		owner := c.Owner()
		x = feed{id: h.tag(c.CreatedAt, "channel", int64(c.ID)), title: c.Title + " · " + owner.Name, subtitle: plain(c.Description),
			page: c.URL(), address: c.FeedURL, icon: owner.Avatar(), authors: []person{personOf(owner)}}
		for _, item := range items.Items {
			e, ok := h.entity(item.Entity)
			if !ok {
				continue
			}
			made := h.o.Addresses.Connection(&item.Connection)
			e.id, e.published = h.tag(made.CreatedAt, "connection", int64(made.ID)), made.CreatedAt
			if by := personOf(made.Maker()); by.page != e.author.page {
				e.by = &by
			}
			x.entries = append(x.entries, e)
		}
		x.finish(c.UpdatedAt)
		return x, nil
	}
}

// made sorts created items, newest first.
var made = collections.MadeInput{Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, Page: newest}

// userFeed reads the blocks and channels of a user.
func (h *Handler) userFeed(name string) source {
	return func(ctx context.Context, actor domain.Actor) (x feed, err error) {
		found, err := h.o.App.People.User(ctx, domain.ParseRef(name))
		if err != nil {
			return x, err
		}
		u := h.o.Addresses.User(&found)
		things, err := h.o.App.Finder.UserContents(ctx, actor, domain.Ref{ID: int64(u.ID)}, made)
		if err != nil {
			return x, err
		}
		x = feed{id: h.tag(u.CreatedAt, "user", int64(u.ID)), title: u.Name, subtitle: plain(u.Bio), page: u.URL(),
			address: u.FeedURL, icon: u.Avatar(), authors: []person{{u.Name, u.URL(), u.Avatar()}}}
		x.add(h, things.Items)
		x.finish(u.CreatedAt)
		return x, nil
	}
}

// groupFeed reads the channels of a group and the blocks in them.
func (h *Handler) groupFeed(name string) source {
	return func(ctx context.Context, actor domain.Actor) (x feed, err error) {
		found, err := h.o.App.People.Group(ctx, actor, domain.ParseRef(name))
		if err != nil {
			return x, err
		}
		g := h.o.Addresses.Group(&found)
		things, err := h.o.App.Finder.GroupContents(ctx, actor, domain.Ref{ID: int64(g.ID)}, made)
		if err != nil {
			return x, err
		}
		x = feed{id: h.tag(g.CreatedAt, "group", int64(g.ID)), title: g.Name, subtitle: plain(g.Description), page: g.URL(),
			address: g.FeedURL, icon: g.Avatar(), authors: []person{{g.Name, g.URL(), g.Avatar()}}}
		x.add(h, things.Items)
		x.finish(g.CreatedAt)
		return x, nil
	}
}

// epoch is the date in the IDs of feeds without their own creation date.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// exploreFeed reads the newest public items.
func (h *Handler) exploreFeed(ctx context.Context, actor domain.Actor) (x feed, err error) {
	site, err := h.o.App.Operating.SiteSettings(ctx)
	if err != nil {
		return x, err
	}
	things, err := h.o.App.Finder.Finished(domain.Actor{}).Explore(ctx, actor, domain.Search{Types: append([]string{string(domain.SubjectChannel)}, domain.BlockTypes...),
		Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, Page: newest}, nil)
	if err != nil {
		return x, err
	}
	x = feed{id: h.tag(epoch, "explore", 0), title: site.Name, subtitle: plain(site.About), page: h.o.Addresses.Site + "/explore",
		address: h.o.Addresses.ExploreFeed}
	if site.Picture != nil {
		x.icon = h.o.Addresses.Image(site.Picture).Small().Src
	}
	x.add(h, things.Items)
	x.finish(epoch)
	return x, nil
}

// add appends the entries of blocks and channels.
func (x *feed) add(h *Handler, things []domain.Entity) {
	for _, t := range things {
		if e, ok := h.entity(t); ok {
			x.entries = append(x.entries, e)
		}
	}
}

// maxSubtitle limits the characters of a feed's subtitle.
const maxSubtitle = 500

func plain(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return present.Excerpt(t.Plain, maxSubtitle)
}
