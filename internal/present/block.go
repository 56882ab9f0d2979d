package present

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"vitrine/internal/domain"
	"vitrine/internal/weburl"
)

// Block is a view of a block. Its visibility, texts, dates and embed are the value's own.
type Block struct {
	*domain.Block
	at *Addresses
}

// Block makes a view of a block.
func (a *Addresses) Block(b *domain.Block) Block { return Block{b, a} }

// Author is a view of who made the block.
func (b Block) Author() Principal { return b.at.Principal(&b.Block.Author) }

// Path is the path of the block's page.
func (b Block) Path() string { return blockPath(b.ID) }

// URL is the address of the block's page.
func (b Block) URL() string { return b.at.Site + b.Path() }

// Links are the block's relations, itself first.
func (b Block) Links() []Rel {
	self := apiPath("blocks", int64(b.ID))
	return []Rel{{"self", self}, {"connections", self + "/connections"}}
}

// Can is what the viewer's next request would be allowed.
func (b Block) Can(viewer domain.Actor) domain.BlockAbilities {
	return domain.AbilitiesOnBlock(viewer, *b.Block)
}

// Heading returns the block's title. If it has none, it returns the beginning of its text, the title of
// its source, the host and path of a link, or "Untitled".
func (b Block) Heading() string {
	if b.Title != nil && *b.Title != "" {
		return *b.Title
	}
	if b.Content != nil {
		if text := Excerpt(b.Content.Plain, headingLength); text != "" {
			return text
		}
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

// headingLength is how many characters of a text stand for a title.
const headingLength = 80

// Excerpt is the beginning of a plain text on one line: whole words, and of characters no
// more than given. An ellipsis, which is not counted, stands for the rest.
func Excerpt(text string, most int) string {
	var b strings.Builder
	left := most
	for word := range strings.FieldsSeq(text) {
		if b.Len() > 0 {
			left--
		}
		n := utf8.RuneCountInString(word)
		if n > left {
			if b.Len() == 0 { // a word that is longer than all there may be
				b.WriteString(string([]rune(word)[:most]))
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

// Source is where a block's content comes from. The zero Source is nowhere.
type Source struct {
	URL      string
	Title    *string
	Provider Provider
}

// Provider is the site behind a source (behaviour.md section 13). The zero Provider is
// one that is not known.
type Provider struct{ Name, URL string }

// Source is where the block's content comes from.
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

// Player is what plays the embed of a block. The zero Player is none.
type Player struct {
	URL           string // of the frame, https
	Width, Height int64  // 0 if unknown
	Title         string
}

// frameAddress is the address in the frame that an embed was stored with (page.SafeHTML).
var frameAddress = regexp.MustCompile(`^<iframe src="(https://[^"]+)"`)

// Player is what plays the block's embed. Of the stored HTML only the address is used.
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
