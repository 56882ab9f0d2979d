package v2

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// related contains the nested users, groups and channels of a page, which version 2 shows in full: users and groups with
// their counts, and channels with their last addition and number of followers. It reads all of them at once.
type related struct {
	*handler
	who      domain.Actor
	users    map[domain.UserID]domain.User
	groups   map[domain.GroupID]domain.Group
	channels map[domain.ChannelID]collections.ChannelDetails
}

// newRelated creates an empty set.
func (h *handler) newRelated(who domain.Actor) *related {
	return &related{handler: h, who: who, users: map[domain.UserID]domain.User{}, groups: map[domain.GroupID]domain.Group{},
		channels: map[domain.ChannelID]collections.ChannelDetails{}}
}

func (c *related) user(id domain.UserID) {
	if id != 0 {
		c.users[id] = domain.User{}
	}
}

func (c *related) principal(p domain.Principal) {
	if p.Type == domain.TypeGroup {
		c.groups[domain.GroupID(p.ID)] = domain.Group{}
		return
	}
	c.user(domain.UserID(p.ID))
}

func (c *related) channel(ch *domain.Channel) {
	c.channels[ch.ID] = collections.ChannelDetails{}
	c.user(ch.UserID)
	c.principal(ch.Owner)
}

func (c *related) entity(t domain.Entity) {
	switch {
	case t.Block != nil:
		c.principal(t.Block.Author)
	case t.Channel != nil:
		c.channel(t.Channel)
	case t.Comment != nil:
		c.principal(t.Comment.Author)
	case t.Principal != nil:
		c.principal(*t.Principal)
	}
}

func (c *related) contents(all []collections.Content) {
	for i := range all {
		c.entity(all[i].Entity)
	}
}

// load reads everything that was added, with one statement per kind.
func (c *related) load(ctx context.Context) (err error) {
	if c.users, err = c.app.People.UsersByID(ctx, slices.Collect(maps.Keys(c.users))); err != nil {
		return err
	}
	if c.groups, err = c.app.People.GroupsByID(ctx, c.who, slices.Collect(maps.Keys(c.groups))); err != nil {
		return err
	}
	c.channels, err = c.app.Collections.ChannelDetails(ctx, c.who, slices.Collect(maps.Keys(c.channels)))
	return err
}
