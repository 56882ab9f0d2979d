package present

import (
	"net/url"
	"strconv"

	"vitrine/internal/domain"
)

// FeedFormat is a format of feeds: the ending of their addresses.
type FeedFormat string

// The formats of feeds.
const (
	Atom     FeedFormat = "atom"
	JSONFeed FeedFormat = "json"
)

// FeedFormats are all, the most common first.
func FeedFormats() []FeedFormat { return []FeedFormat{Atom, JSONFeed} }

// ContentType is the media type of a feed.
func (f FeedFormat) ContentType() string {
	if f == Atom {
		return "application/atom+xml"
	}
	return "application/feed+json"
}

// feed is the path of the feed of what has a page.
func feed(page string, f FeedFormat) string { return page + "/feed." + string(f) }

// FeedPath is the path of the feed of what is connected to the channel.
func (c Channel) FeedPath(f FeedFormat) string { return feed(c.Path(), f) }

// FeedURL is the address of the feed of what is connected to the channel.
func (c Channel) FeedURL(f FeedFormat) string { return c.at.Site + c.FeedPath(f) }

// FeedPath is the path of the feed of what the user makes.
func (u User) FeedPath(f FeedFormat) string { return feed(u.Path(), f) }

// FeedURL is the address of the feed of what the user makes.
func (u User) FeedURL(f FeedFormat) string { return u.at.Site + u.FeedPath(f) }

// FeedPath is the path of the feed of the group's channels and what is in them.
func (g Group) FeedPath(f FeedFormat) string { return feed(g.Path(), f) }

// FeedURL is the address of the feed of the group's channels and what is in them.
func (g Group) FeedURL(f FeedFormat) string { return g.at.Site + g.FeedPath(f) }

// ExploreFeedPath is the path of the feed of what is new and open.
func ExploreFeedPath(f FeedFormat) string { return feed("/explore", f) }

// ExploreFeed is the address of the feed of what is new and open.
func (a *Addresses) ExploreFeed(f FeedFormat) string { return a.Site + ExploreFeedPath(f) }

// SecretFeeds are the addresses of feeds that show what one user may see to whoever knows
// them. They are secrets: pages show them to their user alone.
type SecretFeeds struct {
	at   *Addresses
	root string
}

// SecretFeeds are the feeds of a user by the secret that the user has for them.
func (a *Addresses) SecretFeeds(user domain.UserID, secret string) SecretFeeds {
	return SecretFeeds{a, "/feeds/" + strconv.FormatInt(int64(user), 10) + "-" + secret}
}

// Home is the address of the user's own feed: what those do whom the user follows.
func (s SecretFeeds) Home(f FeedFormat) string { return s.of("/feed", f) }

// Channel is the address of the feed of a channel.
func (s SecretFeeds) Channel(c *domain.Channel, f FeedFormat) string {
	return s.of(s.at.Channel(c).Path(), f)
}

// User is the address of the feed of what a user makes.
func (s SecretFeeds) User(u *domain.User, f FeedFormat) string { return s.of(userPath(u.Slug), f) }

// Group is the address of the feed of a group.
func (s SecretFeeds) Group(g *domain.Group, f FeedFormat) string { return s.of(groupPath(g.Slug), f) }

func (s SecretFeeds) of(path string, f FeedFormat) string {
	return s.at.Site + s.root + path + "." + string(f)
}

// ExportURL is where the API has the channel in a format.
func (c Channel) ExportURL(format string) string {
	return c.at.API + "/ext/v1/channels/" + strconv.FormatInt(int64(c.ID), 10) + "/export?format=" + format
}

// Export is the address of a channel in a format that e-readers take, who send no tokens.
func (s SecretFeeds) Export(c *domain.Channel, format string) string {
	return s.at.Site + s.root + s.at.Channel(c).Path() + "." + format
}

// EmbedPath is the path of the page that other sites show a channel by.
func (c Channel) EmbedPath() string { return c.Path() + "/embed" }

// EmbedURL is the address of the page that other sites show a channel by.
func (c Channel) EmbedURL() string { return c.at.Site + c.EmbedPath() }

// OEmbed is the address at which other sites learn how to show a page, in the format
// "json" or "xml". Pages name it in <link rel="alternate" type="application/json+oembed">,
// for XML "text/xml+oembed".
func (a *Addresses) OEmbed(page, format string) string {
	return a.Site + "/oembed?" + url.Values{"url": {page}, "format": {format}}.Encode()
}

// Size of the cards that are drawn.
const (
	CardWidth  = 1200
	CardHeight = 630
)

// Card is the picture that other sites show beside a link to a page (og:image). Width and
// height are 0 if unknown.
type Card struct {
	URL           string
	Width, Height int64
	Alt           string
}

// card is a drawn card. Its address changes with the version of what it shows, since
// those who show cards keep them for long.
func (a *Addresses) card(kind string, id, version int64, alt string) Card {
	return Card{URL: a.Site + "/cards/" + kind + "/" + strconv.FormatInt(id, 10) + ".png?v=" + strconv.FormatInt(version, 10),
		Width: CardWidth, Height: CardHeight, Alt: alt}
}

// Card is the picture of a link to the channel.
func (c Channel) Card() Card {
	return c.at.card("channel", int64(c.ID), c.Version+c.Channel.Owner.Version, c.Title)
}

// Card is the picture of a link to the user.
func (u User) Card() Card { return u.at.card("user", int64(u.ID), u.Version, u.Name) }

// Card is the picture of a link to the group.
func (g Group) Card() Card { return g.at.card("group", int64(g.ID), g.Version, g.Name) }

// Card is the picture of a link to the block: its image, or else a drawn one.
func (b Block) Card() Card {
	if b.HasImage() && b.Block.Image.Resized != "" {
		large := b.Image().Large()
		alt := b.Heading()
		if b.AltText != nil && *b.AltText != "" {
			alt = *b.AltText
		}
		return Card{URL: large.Src, Width: large.Width, Height: large.Height, Alt: alt}
	}
	return b.at.card("block", int64(b.ID), b.Version+b.Block.Author.Version, b.Heading())
}
