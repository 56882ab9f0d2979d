package web

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// Cell is an item as templates show it. Only the fields that its kind has are set.
type Cell struct {
	Kind  string // text, image, link, file, embed, pending, channel, user, group or gone
	Path  string // of its page
	Title string
	Text  string // the beginning of its text
	Thumb *Thumb
	Host  string // of the source of a link or an embed
	Note  string // describes a file or an embed

	Visibility domain.Visibility // of a channel
	Count      int64             // items in a channel, or channels of a user or group
	By         present.Principal // author or owner; its Principal is nil if the item has neither
	Avatar     string            // of a user or group
	Initials   string
	Failed     bool   // its content could not be fetched
	Retry      string // path for fetching it again, for its author; otherwise ""

	Dated bool // it has an age

	Body  *domain.Text // of a text, for the layout for reading
	About *domain.Text // the description of a block

	tag string
}

// Thumb is the picture of a cell.
type Thumb struct {
	Src, Srcset   string
	Width, Height int64
	Alt           string
	Ground        string // colour until it is loaded, "" if unknown
	Tiny          bool   // it is smaller than its place
}

// Limits of cells.
const (
	faceLength    = 320  // characters of a text
	passageLength = 6000 // bytes of a text as HTML in the layout for reading, which shows the beginning of longer ones
	tinyThumb     = 200  // pixels; smaller images are not enlarged
)

// Cell prepares an item. A zero Entity becomes a cell of the kind "gone".
func (v *Visit) Cell(t domain.Entity) Cell {
	i := v.item(t)
	c := v.cell(t)
	c.tag = string(v.appendTag(nil, &i))
	if c.Failed && i.manages {
		c.Retry = c.Path + "/retry"
	}
	return c
}

// Tag returns what the cell depends on, for ETags.
func (c Cell) Tag() string { return c.tag }

// cell prepares the parts of an item that are the same for all viewers and in all places.
func (v *Visit) cell(t domain.Entity) Cell {
	switch {
	case t.Block != nil:
		return v.blockCell(t.Block)
	case t.Channel != nil:
		return v.channelCell(t.Channel)
	case t.User != nil:
		u := v.Addresses().User(t.User)
		return Cell{Kind: "user", Path: u.Path(), Title: u.Name, Avatar: u.Avatar(), Initials: u.Initials(), Count: u.ChannelsFor(v.Actor()), Dated: true}
	case t.Group != nil:
		g := v.Addresses().Group(t.Group)
		return Cell{Kind: "group", Path: g.Path(), Title: g.Name, Avatar: g.Avatar(), Initials: g.Initials(), Count: g.Channels(), Dated: true}
	case t.Principal != nil:
		return v.principalCell(t.Principal)
	}
	return Cell{Kind: "gone"}
}

// Ago formats the time since an instant. Pages that use it and Fresh must pass the result to Fresh.
func (v *Visit) Ago(t time.Time) string { return ago(v.Lang, v.Now().Sub(t)) }

// Mark returns the id of the symbol for a channel's visibility.
func (c Cell) Mark() string { return "cell.mark." + string(c.Visibility) }

func (v *Visit) principalCell(p *domain.Principal) Cell {
	shown := v.Addresses().Principal(p)
	kind := "user"
	if p.Type == domain.TypeGroup {
		kind = "group"
	}
	return Cell{Kind: kind, Path: shown.Path(), Title: p.Name, Avatar: shown.Avatar(), Initials: shown.Initials(), Count: -1}
}

func (v *Visit) channelCell(ch *domain.Channel) Cell {
	shown := v.Addresses().Channel(ch)
	c := Cell{Kind: "channel", Path: shown.Path(), Title: ch.Title, Visibility: ch.Visibility, By: shown.Owner(),
		Count: ch.Contents(), Dated: true}
	if ch.Description != nil {
		c.Text = beginning(ch.Description.Plain, faceLength/2)
	}
	return c
}

func (v *Visit) blockCell(b *domain.Block) Cell {
	shown := v.Addresses().Block(b)
	c := Cell{Path: shown.Path(), By: shown.Author(), Failed: b.State == domain.Failed, Dated: true}
	if b.Title != nil {
		c.Title = *b.Title
	}
	c.Text, c.About = beginning(shown.ShownText(), faceLength), b.Description
	if b.HasImage() {
		c.Thumb = thumb(shown.Image())
	}
	source := shown.Source()
	switch b.Type {
	case domain.TextBlock:
		c.Kind = "text"
		if b.Content.Shown() && len(b.Content.HTML) <= passageLength {
			c.Body = b.Content
		}
	case domain.ImageBlock:
		c.Kind = "image"
	case domain.LinkBlock:
		c.Kind = "link"
	case domain.EmbedBlock:
		c.Kind, c.Note = "embed", v.T(embedKind(b.Embed))
	case domain.AttachmentBlock:
		c.Kind = "file"
		if b.File != nil {
			c.Note = strings.ToUpper(b.File.Extension)
			c.Text = domain.FormatBytes(shown.Attachment().ServedSize())
			if c.Title == "" {
				c.Title = b.File.Name
			}
		}
	default:
		c.Kind = "pending"
	}
	if c.Kind != "text" && c.Kind != "image" && c.Kind != "file" {
		c.Host = source.Provider.Shown()
		if c.Title == "" && source.Title != nil {
			c.Title = *source.Title
		}
		if c.Title == "" {
			c.Title = source.Place()
		}
	}
	return c
}

// embedKind returns the id of the text that describes an embed.
func embedKind(e *domain.Embed) string {
	if e != nil && (e.Type == "video" || e.Type == "audio") {
		return "cell.embed." + e.Type
	}
	return "cell.embed.rich"
}

// thumb returns the small and medium versions of an image in its own proportions, or the original if it has no other
// versions.
func thumb(i present.Image) *Thumb {
	small, medium := i.Small(), i.Medium()
	t := &Thumb{Src: small.Src, Width: small.Width, Height: small.Height, Ground: i.Ground()}
	if medium.Src != small.Src && medium.Width > small.Width {
		t.Srcset = fmt.Sprintf("%s %dw, %s %dw", small.Src, small.Width, medium.Src, medium.Width)
	}
	if t.Width == 0 || t.Height == 0 { // a drawing without a size fills its square
		t.Width, t.Height = 400, 400
	}
	t.Tiny = max(t.Width, t.Height) < tinyThumb
	if i.AltText != nil {
		t.Alt = *i.AltText
	}
	return t
}

// beginning truncates a text to a number of characters and adds an ellipsis. It keeps line breaks,
// and cuts between words unless they are very long.
func beginning(text string, limit int) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	n := 0
	for i := range text {
		if n == limit {
			text = text[:i]
			break
		}
		n++
	}
	if i := strings.LastIndexAny(text, " \n"); i > len(text)*3/4 {
		text = text[:i]
	}
	return strings.TrimRight(text, " \n") + "…"
}

// Pager links to other pages of a list.
type Pager struct {
	present.Page
	path  string
	query url.Values
	name  string // of the parameter with the page number
}

// Pager returns the pager of a list. Its links keep the rest of the query.
func (v *Visit) Pager(page domain.Page, total int64) Pager {
	return v.PagerOf("page", page, total)
}

// PagerOf is Pager for a second list on a page, whose number has its own parameter.
func (v *Visit) PagerOf(name string, page domain.Page, total int64) Pager {
	return Pager{present.Page{Page: page, Total: total}, v.R.URL.EscapedPath(), v.R.URL.Query(), name}
}

// To returns the address of a page by its number, "" for 0. The first page has no number in its
// address.
func (p Pager) To(number int64) string {
	if number == 0 {
		return ""
	}
	q := maps.Clone(p.query)
	q.Del(p.name)
	if number > 1 {
		q.Set(p.name, strconv.FormatInt(number, 10))
	}
	if len(q) == 0 {
		return p.path
	}
	return p.path + "?" + q.Encode()
}

// NextPath returns the address of the next page, "" at the end.
func (p Pager) NextPath() string { return p.To(p.Next()) }

// PrevPath returns the address of the previous page, "" at the beginning.
func (p Pager) PrevPath() string { return p.To(p.Prev()) }

// PageNumber returns the requested page, the first by default. An invalid number is NotFound.
func (v *Visit) PageNumber() (int64, error) { return v.PageNumberOf("page") }

// PageNumberOf is PageNumber for another parameter.
func (v *Visit) PageNumberOf(name string) (int64, error) {
	asked := v.Query(name)
	if asked == "" {
		return 1, nil
	}
	n, err := strconv.ParseInt(asked, 10, 64)
	if err != nil || n < 1 {
		return 0, domain.NewNotFound()
	}
	return n, nil
}
