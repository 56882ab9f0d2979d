package present

import (
	"net/url"
	"strconv"

	"vitrine/internal/domain"
)

// FeedFormat is a format of feeds: the extension of their addresses.
type FeedFormat string

// The formats of feeds.
const (
	Atom     FeedFormat = "atom"
	JSONFeed FeedFormat = "json"
)

// FeedFormats returns all formats, the most common first.
func FeedFormats() []FeedFormat { return []FeedFormat{Atom, JSONFeed} }

// ContentType returns the media type of a feed.
func (f FeedFormat) ContentType() string {
	if f == Atom {
		return "application/atom+xml"
	}
	return "application/feed+json"
}

// feed returns the path of the feed for a page.
func feed(page string, f FeedFormat) string { return page + "/feed." + string(f) }

// FeedPath returns the path of the feed of the channel's connections.
func (c Channel) FeedPath(f FeedFormat) string { return feed(c.Path(), f) }

// FeedURL returns the address of the feed of the channel's connections.
func (c Channel) FeedURL(f FeedFormat) string { return c.at.Site + c.FeedPath(f) }

// FeedPath returns the path of the feed of the user's blocks and channels.
func (u User) FeedPath(f FeedFormat) string { return feed(u.Path(), f) }

// FeedURL returns the address of the feed of the user's blocks and channels.
func (u User) FeedURL(f FeedFormat) string { return u.at.Site + u.FeedPath(f) }

// FeedPath returns the path of the feed of the group's channels and their contents.
func (g Group) FeedPath(f FeedFormat) string { return feed(g.Path(), f) }

// FeedURL returns the address of the feed of the group's channels and their contents.
func (g Group) FeedURL(f FeedFormat) string { return g.at.Site + g.FeedPath(f) }

// ExploreFeedPath returns the path of the feed of everything that is new and public.
func ExploreFeedPath(f FeedFormat) string { return feed("/explore", f) }

// ExploreFeed returns the address of the feed of everything that is new and public.
func (a *Addresses) ExploreFeed(f FeedFormat) string { return a.Site + ExploreFeedPath(f) }

// SearchFeed returns the address of the feed with the newest public results of a query.
func (a *Addresses) SearchFeed(query string, f FeedFormat) string {
	return a.Site + feed("/search", f) + "?" + url.Values{"q": {query}}.Encode()
}

// SecretFeeds contains the addresses of feeds that show what one user may see. Anybody who knows
// them can read them, so pages show them only to that user.
type SecretFeeds struct {
	at   *Addresses
	root string
}

// SecretFeeds returns the feeds of a user with the user's secret for feeds.
func (a *Addresses) SecretFeeds(user domain.UserID, secret string) SecretFeeds {
	return SecretFeeds{a, "/feeds/" + strconv.FormatInt(int64(user), 10) + "-" + secret}
}

// Home returns the address of the user's own feed, which shows the activities of everything that
// they follow.
func (s SecretFeeds) Home(f FeedFormat) string { return s.of("/feed", f) }

// Channel returns the address of the feed of a channel.
func (s SecretFeeds) Channel(c *domain.Channel, f FeedFormat) string {
	return s.of(s.at.Channel(c).Path(), f)
}

// User returns the address of the feed of a user.
func (s SecretFeeds) User(u *domain.User, f FeedFormat) string { return s.of(userPath(u.Slug), f) }

// Group returns the address of the feed of a group.
func (s SecretFeeds) Group(g *domain.Group, f FeedFormat) string { return s.of(groupPath(g.Slug), f) }

// Highlights returns the address of the feed of the user's highlights, below the path of their page.
func (s SecretFeeds) Highlights(f FeedFormat) string { return s.of("/settings/highlights", f) }

// Search returns the address of the feed with the newest results of a saved search.
func (s SecretFeeds) Search(id domain.SavedSearchID, f FeedFormat) string {
	return s.of("/search/"+strconv.FormatInt(int64(id), 10), f)
}

func (s SecretFeeds) of(path string, f FeedFormat) string {
	return s.at.Site + s.root + path + "." + string(f)
}

// ExportURL returns the address of the channel in a format, in the API.
func (c Channel) ExportURL(format string) string {
	return c.at.API + "/ext/v1/channels/" + strconv.FormatInt(int64(c.ID), 10) + "/export?format=" + format
}

// Export returns the address of a channel in a format for e-readers, which send no tokens.
func (s SecretFeeds) Export(c *domain.Channel, format string) string {
	return s.at.Site + s.root + s.at.Channel(c).Path() + "." + format
}

// EmbedPath returns the path of the page that other sites embed to show a channel.
func (c Channel) EmbedPath() string { return c.Path() + "/embed" }

// EmbedURL returns the address of the page that other sites embed to show a channel.
func (c Channel) EmbedURL() string { return c.at.Site + c.EmbedPath() }

// OEmbed returns the address from which other sites learn how to embed a page, in the format
// "json" or "xml". Pages link to it with <link rel="alternate" type="application/json+oembed">,
// for XML with "text/xml+oembed".
func (a *Addresses) OEmbed(page, format string) string {
	return a.Site + "/oembed?" + url.Values{"url": {page}, "format": {format}}.Encode()
}

// The size of generated cards.
const (
	CardWidth  = 1200
	CardHeight = 630
)

// Card is the picture that other sites show next to a link to a page (og:image). Width and height
// are 0 if unknown.
type Card struct {
	URL           string
	Width, Height int64
	Alt           string
}

// card returns a generated card. Its address changes with the version of the item, since other
// sites cache cards for a long time.
func (a *Addresses) card(kind string, id, version int64, alt string) Card {
	return Card{URL: a.Site + "/cards/" + kind + "/" + strconv.FormatInt(id, 10) + ".png?v=" + strconv.FormatInt(version, 10),
		Width: CardWidth, Height: CardHeight, Alt: alt}
}

// Card returns the picture for a link to the channel.
func (c Channel) Card() Card {
	return c.at.card("channel", int64(c.ID), c.Version+c.Channel.Owner.Version, c.Title)
}

// Card returns the picture for a link to the user.
func (u User) Card() Card { return u.at.card("user", int64(u.ID), u.Version, u.Name) }

// Card returns the picture for a link to the group.
func (g Group) Card() Card { return g.at.card("group", int64(g.ID), g.Version, g.Name) }

// Card returns the picture for a link to the block: its image, or else a generated one.
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
