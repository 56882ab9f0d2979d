package present

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"vitrine/internal/domain"
	"vitrine/internal/weburl"
)

// Block is a view of a block. Visibility, texts, dates and embed are those of the value.
type Block struct {
	*domain.Block
	at *Addresses
}

// Block returns a view of a block.
func (a *Addresses) Block(b *domain.Block) Block { return Block{b, a} }

// Author returns a view of the block's author.
func (b Block) Author() Principal { return b.at.Principal(&b.Block.Author) }

// Path returns the path of the block's page.
func (b Block) Path() string { return blockPath(b.ID) }

// URL returns the address of the block's page.
func (b Block) URL() string { return b.at.Site + b.Path() }

// Links returns the block's relations, self first.
func (b Block) Links() []Rel {
	self := apiPath("blocks", int64(b.ID))
	return []Rel{{"self", self}, {"connections", self + "/connections"}}
}

// Can returns what the viewer's next request would be allowed to do.
func (b Block) Can(viewer domain.Actor) domain.BlockAbilities {
	return domain.AbilitiesOnBlock(viewer, *b.Block)
}

// Heading returns the block's title. If it has none, it returns the beginning of its text, the title of
// its source, the host and path of a link, or "Untitled".
func (b Block) Heading() string {
	if b.Title != nil && *b.Title != "" {
		return *b.Title
	}
	if text := Excerpt(b.ShownText(), headingLength); text != "" {
		return text
	}
	if b.SourceTitle != nil && *b.SourceTitle != "" {
		return *b.SourceTitle
	}
	if b.Type == domain.LinkBlock || b.Type == domain.PendingBlock {
		if place := b.Source().Place(); place != "" {
			return place
		}
	}
	return "Untitled"
}

// ShownText returns the content of the block as plain text, or "" if it is not shown.
func (b Block) ShownText() string {
	if !b.Content.Shown() {
		return ""
	}
	return b.Content.Plain
}

// headingLength is how many characters of a text replace a missing title.
const headingLength = 80

// Excerpt returns the beginning of a plain text on one line: whole words with at most the given
// number of characters. An ellipsis, which is not counted, replaces the rest.
func Excerpt(text string, limit int) string {
	var b strings.Builder
	left := limit
	for word := range strings.FieldsSeq(text) {
		if b.Len() > 0 {
			left--
		}
		n := utf8.RuneCountInString(word)
		if n > left {
			if b.Len() == 0 { // a single word that is too long
				b.WriteString(string([]rune(word)[:limit]))
			}
			return b.String() + "…"
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		left -= n
	}
	return b.String()
}

// Source is the source of a block's content. It is zero if the block has no source.
type Source struct {
	URL      string
	Title    *string
	Provider Provider
}

// Provider is the site of a source (behaviour.md section 13). The zero Provider is unknown.
type Provider struct{ Name, URL string }

// Source returns the source of the block's content.
func (b Block) Source() Source {
	if b.SourceURL == nil {
		return Source{}
	}
	return Source{URL: *b.SourceURL, Title: b.SourceTitle, Provider: provider(*b.SourceURL)}
}

func provider(source string) Provider {
	u, err := weburl.Parse(source)
	if err != nil {
		return Provider{}
	}
	return Provider{Name: strings.TrimPrefix(u.Hostname(), "www."), URL: u.Scheme + "://" + u.Host}
}

// Shown returns the name of the provider for display.
func (p Provider) Shown() string { return weburl.ReadableHost(p.Name) }

// Shown returns the text of a link to the source: its title, or its URL for display.
func (s Source) Shown() string {
	if s.Title != nil && strings.TrimSpace(*s.Title) != "" {
		return *s.Title
	}
	return weburl.Readable(s.URL)
}

// Place returns the URL of the source without the scheme, as a title for a page whose own is not known. It
// returns "" for the zero Source.
func (s Source) Place() string {
	_, place, _ := strings.Cut(weburl.Readable(s.URL), "://")
	return Excerpt(strings.TrimSuffix(strings.TrimPrefix(place, "www."), "/"), headingLength)
}

// Player is the player for the embed of a block. It is zero if the block has no player.
type Player struct {
	URL           string // of the frame, https
	Width, Height int64  // 0 if unknown
	Title         string
}

// frameAddress matches the address of the frame in a stored embed (page.SafeHTML).
var frameAddress = regexp.MustCompile(`^<iframe src="(https://[^"]+)"`)

// Player returns the player for the block's embed. It uses only the address in the stored HTML.
func (b Block) Player() Player {
	if b.Embed == nil {
		return Player{}
	}
	m := frameAddress.FindStringSubmatch(b.Embed.HTML)
	if m == nil {
		return Player{}
	}
	return Player{URL: html.UnescapeString(m[1]), Width: b.Embed.Width, Height: b.Embed.Height, Title: b.Embed.Title}
}

// Snapshots returns the path of the list of the saved copies of a block.
func (b Block) Snapshots() string { return b.Path() + "/copies" }

// SnapshotPath returns the path of a saved copy on the website.
func SnapshotPath(s domain.Snapshot) string {
	return fmt.Sprintf("/block/%d/copies/%d", s.Block, s.ID)
}
