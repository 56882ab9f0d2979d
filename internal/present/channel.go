package present

import "vitrine/internal/domain"

// Channel is a view of a channel.
type Channel struct {
	*domain.Channel
	at *Addresses
}

// Channel makes a view of a channel.
func (a *Addresses) Channel(c *domain.Channel) Channel { return Channel{c, a} }

// Owner is a view of who the channel belongs to.
func (c Channel) Owner() Principal { return c.at.Principal(&c.Channel.Owner) }

// Path is the path of the channel's page.
func (c Channel) Path() string { return channelPath(c.Channel.Owner.Slug, c.Slug) }

// URL is the address of the channel's page.
func (c Channel) URL() string { return c.at.Site + c.Path() }

// Links are the channel's relations, itself first.
func (c Channel) Links() []Rel {
	self := apiPath("channels", int64(c.ID))
	return []Rel{{"self", self}, {"contents", self + "/contents"}, {"connections", self + "/connections"}}
}

// Can is what the viewer's next request would be allowed.
func (c Channel) Can(viewer domain.Actor) domain.ChannelAbilities {
	return domain.AbilitiesOnChannel(viewer, *c.Channel)
}

// Connection is a view of a connection.
type Connection struct {
	*domain.Connection
	at *Addresses
}

// Connection makes a view of a connection.
func (a *Addresses) Connection(c *domain.Connection) Connection { return Connection{c, a} }

// Maker is a view of who connected the item.
func (c Connection) Maker() Principal { return c.at.Principal(&c.Connection.Maker) }

// Links are the connection's relations, itself first.
func (c Connection) Links() []Rel {
	items := "blocks"
	if c.Item.Type == domain.ItemChannel {
		items = "channels"
	}
	return []Rel{{"self", apiPath("connections", int64(c.ID))}, {"channel", apiPath("channels", int64(c.ChannelID))},
		{"item", apiPath(items, c.Item.ID)}}
}
