package v2

import (
	"strconv"

	"vitrine/internal/app/people"
)

// feedPer is the default number of activities on a page of a feed.
const feedPer = 50

func (h *handler) getFeed(c call) (answer, error) {
	return h.feed(c, people.ActivitySource{Kind: people.OwnFeed})
}

func (h *handler) getGlobalFeed(c call) (answer, error) {
	return h.feed(c, people.ActivitySource{Kind: people.GlobalFeed})
}

func (h *handler) getChannelFeed(c call) (answer, error) {
	return h.feed(c, people.ActivitySource{Kind: people.ChannelFeed, Ref: c.ref(0)})
}

func (h *handler) getUserFeed(c call) (answer, error) {
	return h.feed(c, people.ActivitySource{Kind: people.UserFeed, Ref: c.ref(0)})
}

func (h *handler) getUserNetwork(c call) (answer, error) {
	return h.feed(c, people.ActivitySource{Kind: people.NetworkFeed, Ref: c.ref(0)})
}

// part returns the requested part of a feed, by page number or by offset.
func (c call) part() people.Part {
	at := c.pageOf(feedPer)
	part := people.Part{Offset: at.Offset(), Limit: at.Per}
	if n, err := strconv.ParseInt(c.r.URL.Query().Get("offset"), 10, 64); err == nil && n > 0 && at.Number == 1 {
		part.Offset = n
	}
	return part
}

// feed returns a page of activities (behaviour-v2.md section 7).
func (h *handler) feed(c call, of people.ActivitySource) (answer, error) {
	part := c.part()
	found, err := h.app.People.Activities(c.ctx, c.who, of, part)
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	for _, s := range found {
		cast.story(s)
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			feedEnvelope(p, part)
			p.list("items", len(found), func(i int) { p.object(func() { cast.storyFields(p, found[i]) }) })
		})
	}, nil
}

// feedEnvelope writes the fields next to the items of a feed. Version 2 has never counted the total.
func feedEnvelope(p jsonWriter, part people.Part) {
	p.null("id", "type")
	p.int("limit", part.Limit)
	p.int("total", 0)
	p.int("offset", part.Offset)
	p.text("range_start", "+inf")
	p.text("range_end", "-inf")
	p.text("base_class", "User")
	p.text("class", "User")
}

// getNotifications returns a page of the actor's notifications.
func (h *handler) getNotifications(c call) (answer, error) {
	part := c.part()
	found, err := h.app.People.NotificationsAt(c.ctx, c.who, part)
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	for _, n := range found {
		cast.story(n.Story)
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			feedEnvelope(p, part)
			p.list("items", len(found), func(i int) {
				p.object(func() {
					cast.storyFields(p, found[i].Story)
					p.bool("is_read", found[i].Read)
				})
			})
		})
	}, nil
}

func (h *handler) getUnreadCount(c call) (answer, error) {
	u, err := h.app.People.Me(c.ctx, c.who)
	if err != nil {
		return nil, err
	}
	return func(p jsonWriter) { p.object(func() { p.int("unread_count", u.Unread) }) }, nil
}

func (h *handler) clearNotifications(c call) (answer, error) {
	_, err := h.app.People.ReadAllNotifications(c.ctx, c.who)
	return empty, err
}
