package v2

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// status returns the name of a visibility and its flags (behaviour-v2.md section 3).
func status(v domain.Visibility) (name string, published, open bool) {
	return string(v), v != domain.Private, v == domain.Public
}

// creator returns the id of a channel's creator.
func creator(ch *domain.Channel) int64 {
	if ch.UserID == 0 { // deleted account
		return ch.Owner.ID
	}
	return int64(ch.UserID)
}

// length returns the number of items of a channel that the viewer sees.
func (c *related) length(ch *domain.Channel) int64 {
	return ch.Contents() - ch.PrivateItems + c.channels[ch.ID].Private
}

// briefFields writes the fields that all forms of a channel have.
func (c *related) briefFields(p jsonWriter, ch *domain.Channel) {
	name, published, open := status(ch.Visibility)
	p.int("id", int64(ch.ID))
	p.text("title", ch.Title)
	p.time("created_at", ch.CreatedAt)
	p.time("updated_at", ch.UpdatedAt)
	if at := c.channels[ch.ID].AddedAt; at.IsZero() {
		p.time("added_to_at", ch.CreatedAt)
	} else {
		p.time("added_to_at", at)
	}
	p.bool("published", published)
	p.bool("open", open)
	p.bool("collaboration", ch.Collaborators > 0)
	p.text("slug", ch.Slug)
	p.text("kind", "default")
	p.text("status", name)
	p.int("user_id", creator(ch))
	p.null("share_link")
	p.text("base_class", "Channel")
}

// brief writes a channel of a block.
func (c *related) brief(p jsonWriter, ch *domain.Channel) {
	p.object(func() {
		c.briefFields(p, ch)
		p.int("length", c.length(ch))
		p.under("metadata", func() { described(p, ch.Description) })
	})
}

// related writes a channel that shares items with another.
func (c *related) related(p jsonWriter, ch *domain.Channel) {
	p.object(func() {
		c.briefFields(p, ch)
		p.int("length", c.length(ch))
		p.time("contents_updated_at", ch.UpdatedAt)
		p.text("visibility", string(ch.Visibility))
		p.text("class", "Channel")
	})
}

// fullFields writes the fields of a channel as a resource and in lists.
func (c *related) fullFields(p jsonWriter, ch *domain.Channel, length int64) {
	c.briefFields(p, ch)
	p.int("length", length)
	p.int("collaborator_count", ch.Collaborators)
	p.int("follower_count", c.channels[ch.ID].Followers)
	p.bool("can_index", c.app.Exposure.Indexes(ch.Visibility))
	p.bool("nsfw?", false)
	p.under("metadata", func() { described(p, ch.Description) })
	p.field("user")
	c.embedded(p, c.maker(ch))
}

// maker returns the creator of a channel.
func (c *related) maker(ch *domain.Channel) domain.Principal {
	id := creator(ch)
	if ch.Owner.Type == domain.TypeUser && ch.Owner.ID == id {
		return ch.Owner
	}
	maker := domain.Principal{PrincipalRef: domain.UserRef(domain.UserID(id))}
	if u, ok := c.users[domain.UserID(id)]; ok {
		maker.Name, maker.Slug, maker.Avatar = u.Name, u.Slug, u.Avatar
	}
	return maker
}

// listed writes a channel of a list. preview contains some of its items, or nil for null.
func (c *related) listed(p jsonWriter, ch *domain.Channel, preview []collections.Content, connected *domain.Connection) {
	p.object(func() {
		c.fullFields(p, ch, c.length(ch))
		if preview == nil {
			p.null("contents")
		} else {
			c.items(p, "contents", preview)
		}
		p.text("class", "Channel")
		p.text("state", "available")
		p.text("owner_type", string(ch.Owner.Type))
		p.int("owner_id", ch.Owner.ID)
		p.text("owner_slug", ch.Owner.Slug)
		if ch.Owner.Type == domain.TypeGroup {
			p.field("group")
			c.groupOwner(p, ch.Owner)
		} else {
			p.null("group")
		}
		connection(p, connected)
	})
}

// single writes a channel as a resource, with a page of its contents.
func (c *related) single(p jsonWriter, ch *domain.Channel, collaborators []domain.Principal, l domain.List[collections.Content], at domain.Page) {
	p.object(func() {
		c.fullFields(p, ch, l.Total)
		c.items(p, "contents", l.Items)
		p.int("page", at.Number)
		p.int("per", at.Per)
		p.list("collaborators", len(collaborators), func(i int) { c.embedded(p, collaborators[i]) })
		p.text("class", "Channel")
		p.text("class_name", "Channel")
		p.field("owner")
		c.embedded(p, ch.Owner)
	})
}

// items writes a field with blocks and channels and their connections.
func (c *related) items(p jsonWriter, name string, all []collections.Content) {
	p.list(name, len(all), func(i int) { c.item(p, all[i]) })
}

// item writes a block or a channel with its connection.
func (c *related) item(p jsonWriter, content collections.Content) {
	if content.Channel != nil {
		c.listed(p, content.Channel, nil, &content.Connection)
		return
	}
	c.block(p, content.Block, func() { connection(p, &content.Connection) })
}

// connection writes the fields of an item's connection, or nothing for nil.
func connection(p jsonWriter, of *domain.Connection) {
	if of == nil {
		return
	}
	p.int("position", of.Position)
	p.bool("selected", of.Pinned)
	p.int("connection_id", int64(of.ID))
	p.time("connected_at", of.CreatedAt)
	p.int("connected_by_user_id", of.Maker.ID)
	p.text("connected_by_username", of.Maker.Name)
	p.text("connected_by_user_slug", of.Maker.Slug)
}
