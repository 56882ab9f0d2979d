package present

import "vitrine/internal/domain"

// Channel is a view of a channel.
type Channel struct {
	*domain.Channel
	at *Addresses
}

// Channel returns a view of a channel.
func (a *Addresses) Channel(c *domain.Channel) Channel { return Channel{c, a} }

// Owner returns a view of the channel's owner.
func (c Channel) Owner() Principal { return c.at.Principal(&c.Channel.Owner) }

// Path returns the path of the channel's page.
func (c Channel) Path() string { return channelPath(c.Channel.Owner.Slug, c.Slug) }

// URL returns the address of the channel's page.
func (c Channel) URL() string { return c.at.Site + c.Path() }

// Links returns the channel's relations, self first.
func (c Channel) Links() []Rel {
	self := apiPath("channels", int64(c.ID))
	return []Rel{{"self", self}, {"contents", self + "/contents"}, {"connections", self + "/connections"}}
}

// Can returns what the viewer's next request would be allowed to do.
func (c Channel) Can(viewer domain.Actor) domain.ChannelAbilities {
	return domain.AbilitiesOnChannel(viewer, *c.Channel)
}

// Connection is a view of a connection.
type Connection struct {
	*domain.Connection
	at *Addresses
}

// Connection returns a view of a connection.
func (a *Addresses) Connection(c *domain.Connection) Connection { return Connection{c, a} }

// Maker returns a view of the user who connected the item.
func (c Connection) Maker() Principal { return c.at.Principal(&c.Connection.Maker) }

// Links returns the connection's relations, self first.
func (c Connection) Links() []Rel {
	items := "blocks"
	if c.Item.Type == domain.ItemChannel {
		items = "channels"
	}
	return []Rel{{"self", apiPath("connections", int64(c.ID))}, {"channel", apiPath("channels", int64(c.ChannelID))},
		{"item", apiPath(items, c.Item.ID)}}
}
