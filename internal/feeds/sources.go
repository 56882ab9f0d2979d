package feeds

import (
	"context"
	"strconv"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/search"
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

var newest = domain.Page{Number: 1, Per: maxEntries}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// channelFeed reads what was connected to a channel. Its entries are the connections: what
// was there before and comes again is news.
func (d *Door) channelFeed(name string) source {
	return func(ctx context.Context, actor domain.Actor) (x feed, err error) {
		ref := domain.ParseRef(name)
		full, err := d.o.App.Channel(ctx, actor, ref)
		if err != nil {
			return x, err
		}
		items, err := d.o.App.Contents(ctx, actor, domain.Ref{ID: int64(full.ID)}, collections.ContentsInput{
			Sort: domain.ContentSort{Key: domain.ByConnected, Desc: true}, Page: newest})
		if err != nil {
			return x, err
		}
		c := d.o.Addresses.Channel(&full.Channel)
		owner := c.Owner()
		x = feed{id: d.tag(c.CreatedAt, "channel", int64(c.ID)), title: c.Title + " · " + owner.Name, subtitle: plain(c.Description),
			page: c.URL(), address: c.FeedURL, icon: owner.Avatar(), authors: []person{personOf(owner)}}
		for _, item := range items.Items {
			e, ok := d.thing(item.Thing)
			if !ok {
				continue
			}
			made := d.o.Addresses.Connection(&item.Connection)
			e.id, e.published = d.tag(made.CreatedAt, "connection", int64(made.ID)), made.CreatedAt
			if by := personOf(made.Maker()); by.page != e.author.page {
				e.by = &by
			}
			x.entries = append(x.entries, e)
		}
		x.finish(c.UpdatedAt)
		return x, nil
	}
}

// made is the order of what somebody made: newest first.
var made = search.MadeInput{Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, Page: newest}

// userFeed reads the blocks and channels that a user made.
func (d *Door) userFeed(name string) source {
	return func(ctx context.Context, actor domain.Actor) (x feed, err error) {
		found, err := d.o.App.User(ctx, domain.ParseRef(name))
		if err != nil {
			return x, err
		}
		u := d.o.Addresses.User(&found)
		things, err := d.o.App.UserContents(ctx, actor, domain.Ref{ID: int64(u.ID)}, made)
		if err != nil {
			return x, err
		}
		x = feed{id: d.tag(u.CreatedAt, "user", int64(u.ID)), title: u.Name, subtitle: plain(u.Bio), page: u.URL(),
			address: u.FeedURL, icon: u.Avatar(), authors: []person{{u.Name, u.URL(), u.Avatar()}}}
		x.add(d, things.Items)
		x.finish(u.CreatedAt)
		return x, nil
	}
}

// groupFeed reads the channels of a group and the blocks in them.
func (d *Door) groupFeed(name string) source {
	return func(ctx context.Context, actor domain.Actor) (x feed, err error) {
		found, err := d.o.App.Group(ctx, actor, domain.ParseRef(name))
		if err != nil {
			return x, err
		}
		g := d.o.Addresses.Group(&found)
		things, err := d.o.App.GroupContents(ctx, actor, domain.Ref{ID: int64(g.ID)}, made)
		if err != nil {
			return x, err
		}
		x = feed{id: d.tag(g.CreatedAt, "group", int64(g.ID)), title: g.Name, subtitle: plain(g.Description), page: g.URL(),
			address: g.FeedURL, icon: g.Avatar(), authors: []person{{g.Name, g.URL(), g.Avatar()}}}
		x.add(d, things.Items)
		x.finish(g.CreatedAt)
		return x, nil
	}
}

// begun is from when the ids of what has no date of its own count.
var begun = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// exploreFeed reads what is new among all that is open.
func (d *Door) exploreFeed(ctx context.Context, actor domain.Actor) (x feed, err error) {
	site, err := d.o.App.SiteSettings(ctx)
	if err != nil {
		return x, err
	}
	things, err := d.o.App.Explore(ctx, actor, domain.Search{Types: append([]string{string(domain.SubjectChannel)}, domain.BlockTypes...),
		Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, Page: newest}, nil)
	if err != nil {
		return x, err
	}
	x = feed{id: d.tag(begun, "explore", 0), title: site.Name, subtitle: plain(site.About), page: d.o.Addresses.Site + "/explore",
		address: d.o.Addresses.ExploreFeed}
	if site.Picture != nil {
		x.icon = d.o.Addresses.Image(site.Picture).Small().Src
	}
	x.add(d, things.Items)
	x.finish(begun)
	return x, nil
}

// add makes entries of things.
func (x *feed) add(d *Door, things []domain.Thing) {
	for _, t := range things {
		if e, ok := d.thing(t); ok {
			x.entries = append(x.entries, e)
		}
	}
}

// maxSubtitle is how many characters of a description a feed has for itself.
const maxSubtitle = 500

func plain(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return present.Excerpt(t.Plain, maxSubtitle)
}
