package present_test

import (
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

func TestFeedAddresses(t *testing.T) {
	t.Parallel()
	engines := domain.Group{ID: 7, Name: "Engines", Slug: "engines"}
	ada := domain.User{ID: 1815, Slug: "ada"}
	notes := domain.Channel{ID: 31, Slug: "notes", Owner: engines.Principal()}
	same(t, "channel", at.Channel(&notes).FeedURL(present.Atom), "https://site.test/engines/notes/feed.atom")
	same(t, "path", at.Channel(&notes).FeedPath(present.JSONFeed), "/engines/notes/feed.json")
	same(t, "user", at.User(&ada).FeedURL(present.Atom), "https://site.test/ada/feed.atom")
	same(t, "group", at.Group(&engines).FeedURL(present.JSONFeed), "https://site.test/group/engines/feed.json")
	same(t, "explore", at.ExploreFeed(present.Atom), "https://site.test/explore/feed.atom")
	same(t, "embed", at.Channel(&notes).EmbedURL(), "https://site.test/engines/notes/embed")

	secret := at.SecretFeeds(1815, "s3cret")
	same(t, "home", secret.Home(present.Atom), "https://site.test/feeds/1815-s3cret/feed.atom")
	same(t, "secret channel", secret.Channel(&notes, present.JSONFeed), "https://site.test/feeds/1815-s3cret/engines/notes.json")
	same(t, "secret user", secret.User(&ada, present.Atom), "https://site.test/feeds/1815-s3cret/ada.atom")
	same(t, "secret group", secret.Group(&engines, present.Atom), "https://site.test/feeds/1815-s3cret/group/engines.atom")

	types := ""
	for _, f := range present.FeedFormats() {
		types += f.ContentType() + " "
	}
	same(t, "types", types, "application/atom+xml application/feed+json ")
}

func TestOEmbedAddress(t *testing.T) {
	t.Parallel()
	same(t, "address", at.OEmbed("https://site.test/ada/a?b=c&d", "json"),
		"https://site.test/oembed?format=json&url=https%3A%2F%2Fsite.test%2Fada%2Fa%3Fb%3Dc%26d")
}

func TestCard(t *testing.T) {
	t.Parallel()
	ada := user(1, "Ada", "ada")
	ada.Version = 5
	drawn := func(name, alt string) present.Card {
		return present.Card{URL: "https://site.test/cards/" + name, Width: 1200, Height: 630, Alt: alt}
	}
	same(t, "channel", at.Channel(&domain.Channel{ID: 31, Title: "Moss", Version: 4, Owner: ada}).Card(), drawn("channel/31.png?v=9", "Moss"))
	same(t, "user", at.User(&domain.User{ID: 1, Name: "Ada", Version: 3}).Card(), drawn("user/1.png?v=3", "Ada"))
	same(t, "group", at.Group(&domain.Group{ID: 2, Name: "Engines", Version: 3}).Card(), drawn("group/2.png?v=3", "Engines"))
	same(t, "text", at.Block(&domain.Block{ID: 6, Version: 1, Author: ada}).Card(), drawn("block/6.png?v=6", "Untitled"))

	b := domain.Block{ID: 6, Title: ptr("Fern"), Image: &domain.File{Key: "key", Extension: "png", Resized: "jpg", Width: 2400, Height: 1200}}
	picture := present.Card{URL: "https://files.test/files/key/large.jpg", Width: 1200, Height: 600, Alt: "Fern"}
	same(t, "image", at.Block(&b).Card(), picture)
	b.AltText = ptr("A fern")
	same(t, "alternative text", at.Block(&b).Card().Alt, "A fern")
	b.Image.Resized = "" // such as a drawing, which other sites do not show
	same(t, "image of one size", at.Block(&b).Card().URL, "https://site.test/cards/block/6.png?v=0")
}
