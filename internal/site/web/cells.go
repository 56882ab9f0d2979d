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

// Cells is a list of things as the template "cells" shows it: in a grid of squares, or as
// rows. The zero Cells has the id "cells".
type Cells struct {
	Items    []Cell
	Rows     bool
	Sortable bool   // its items may be moved
	ID       string // "" for "cells", of which a page has one; "none" for none
}

// Cell is one thing as lists show it. Of its fields those are set that its kind has.
type Cell struct {
	Kind  string // text, image, link, file, embed, pending, channel, user or group
	Path  string // of its page
	Title string
	Text  string // the beginning of what it says
	Thumb *Thumb
	Host  string // of the site that a link or an embed is from
	Note  string // what a file or an embed is, in words

	Visibility domain.Visibility // of a channel
	Count      int64             // of what a channel has in it, or the channels that a person or group has
	By         present.Principal // who made or owns it; its Principal is nil for nobody
	Avatar     string            // of a user or group
	Initials   string
	Retry      string // path of the form with which the author has a failed link fetched again; "" for others

	When time.Time // it was made or, of a channel, changed
	Age  string    // how long ago that was

	Connection domain.ConnectionID // 0 outside a channel
	Position   int64
	Removable  bool // the viewer may take it out of its channel
	Away       bool // its page opens in another window

	tag string
}

// Thumb is the picture of a cell.
type Thumb struct {
	Src, Srcset   string
	Width, Height int64
	Alt           string
	Ground        string // colour until it is there, "" if not known
}

// Faces says how long the beginning of a text is that a cell shows, in characters.
const faceLength = 320

// Cell is a thing as lists show it; a zero Thing is a cell of the kind "gone".
func (v *Visit) Cell(t domain.Thing) Cell {
	var c Cell
	switch {
	case t.Block != nil:
		c = v.blockCell(t.Block)
	case t.Channel != nil:
		c = v.channelCell(t.Channel)
	case t.User != nil:
		u := v.Addresses().User(t.User)
		c = Cell{Kind: "user", Path: u.Path(), Title: u.Name, Avatar: u.Avatar(), Initials: u.Initials(),
			Count: u.ChannelsFor(v.Actor()), When: u.CreatedAt, tag: tags.User(v.Actor(), *t.User)}
	case t.Group != nil:
		g := v.Addresses().Group(t.Group)
		c = Cell{Kind: "group", Path: g.Path(), Title: g.Name, Avatar: g.Avatar(), Initials: g.Initials(),
			Count: g.Channels(), When: g.CreatedAt, tag: tags.Group(v.Actor(), *t.Group)}
	case t.Principal != nil:
		c = v.principalCell(t.Principal)
	default:
		c = Cell{Kind: "gone"}
	}
	if !c.When.IsZero() {
		c.Age = v.Ago(c.When)
	}
	return c
}

// Ago says how long ago an instant was. Pages that say so and ask Fresh name it among what
// they are made from.
func (v *Visit) Ago(t time.Time) string { return ago(v.Lang, v.Now().Sub(t)) }

// Cells are the cells of things.
func (v *Visit) Cells(things []domain.Thing) Cells {
	var c Cells
	for _, t := range things {
		c.Items = append(c.Items, v.Cell(t))
	}
	return c
}

// Tags says from what the cells are made, for Fresh.
func (c Cells) Tags() (all []string) {
	for _, item := range c.Items {
		all = append(all, item.Tag())
	}
	return all
}

// Tag says from what the cell is made, for Fresh: the thing, its place, and how old it says
// that it is.
func (c Cell) Tag() string {
	return fmt.Sprint(c.tag, c.Path, c.Age, c.Connection, c.Position, c.Removable)
}

// tags are of things; the tags of pages hold what else they depend on.
var tags = present.NewTags(nil)

// In is the cell as it stands in a channel: its page leads to those beside it.
func (c Cell) In(viewer domain.Actor, in domain.Channel, at domain.Connection) Cell {
	c.Connection, c.Position, c.Removable = at.ID, at.Position, domain.CanRemove(viewer, in, at)
	if c.Visibility == "" {
		c.Path += "?in=" + strconv.FormatInt(int64(in.ID), 10)
	}
	return c
}

// Mark names the sign of a channel's visibility.
func (c Cell) Mark() string { return "cell.mark." + string(c.Visibility) }

func (v *Visit) principalCell(p *domain.Principal) Cell {
	shown := v.Addresses().Principal(p)
	kind := "user"
	if p.Type == domain.TypeGroup {
		kind = "group"
	}
	return Cell{Kind: kind, Path: shown.Path(), Title: p.Name, Avatar: shown.Avatar(), Initials: shown.Initials(), Count: -1,
		tag: fmt.Sprint(kind, p.ID, p.Version)}
}

func (v *Visit) channelCell(ch *domain.Channel) Cell {
	shown := v.Addresses().Channel(ch)
	c := Cell{Kind: "channel", Path: shown.Path(), Title: ch.Title, Visibility: ch.Visibility, By: shown.Owner(),
		Count: ch.Contents(), When: ch.UpdatedAt, tag: tags.Channel(v.Actor(), *ch, nil)}
	if ch.Description != nil {
		c.Text = beginning(ch.Description.Plain, faceLength/2)
	}
	return c
}

func (v *Visit) blockCell(b *domain.Block) Cell {
	shown := v.Addresses().Block(b)
	c := Cell{Path: shown.Path(), By: shown.Author(), When: b.CreatedAt, tag: tags.Block(v.Actor(), *b)}
	if b.Title != nil {
		c.Title = *b.Title
	}
	c.Text = beginning(shown.ShownText(), faceLength)
	if b.HasImage() {
		c.Thumb = v.thumb(shown.Image())
	}
	source := shown.Source()
	switch b.Type {
	case domain.TextBlock:
		c.Kind = "text"
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
	if b.State == domain.Failed && shown.Can(v.Actor()).Manage {
		c.Retry = shown.Path() + "/retry"
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

// embedKind is the text that says what an embed is.
func embedKind(e *domain.Embed) string {
	if e != nil && (e.Type == "video" || e.Type == "audio") {
		return "cell.embed." + e.Type
	}
	return "cell.embed.rich"
}

// thumb is the middle of an image. Images that have no such version come as they are.
func (v *Visit) thumb(i present.Image) *Thumb {
	square := i.Square()
	t := &Thumb{Src: square.Src, Width: square.Width, Height: square.Height, Ground: i.Ground()}
	if wide, _ := i.VersionSize(domain.SquareImage.At2x()); square.Src2x != square.Src && wide > square.Width {
		t.Srcset = fmt.Sprintf("%s %dw, %s %dw", square.Src, square.Width, square.Src2x, wide)
	}
	if t.Width == 0 { // of a drawing without a size: it fills its square
		t.Width, t.Height = 400, 400
	}
	if i.AltText != nil {
		t.Alt = *i.AltText
	}
	return t
}

// beginning is a text of at most so many characters, with its lines; an ellipsis stands
// for the rest, and words are whole where they are not very long.
func beginning(text string, most int) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	n := 0
	for i := range text {
		if n == most {
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

// Pager leads to the pages beside one of a list.
type Pager struct {
	present.Page
	path  string
	query url.Values
	name  string // of the parameter that has the number
}

// Pager leads on from the page that is shown, with the rest of its query kept.
func (v *Visit) Pager(page domain.Page, total int64) Pager {
	return v.PagerOf("page", page, total)
}

// PagerOf is Pager for a second list on a page, whose number is in a parameter of its own.
func (v *Visit) PagerOf(name string, page domain.Page, total int64) Pager {
	return Pager{present.Page{Page: page, Total: total}, v.R.URL.EscapedPath(), v.R.URL.Query(), name}
}

// To is the address of a page of the list by its number, "" for 0. The first has no number.
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

// NextPath and PrevPath are the addresses of the pages beside this one, "" for none.
func (p Pager) NextPath() string { return p.To(p.Next()) }

// PrevPath is the address of the page before.
func (p Pager) PrevPath() string { return p.To(p.Prev()) }

// PageNumber is the page that the address asks for, the first where it says none; anything
// that is no page of a list is NotFound.
func (v *Visit) PageNumber() (int64, error) { return v.PageNumberOf("page") }

// PageNumberOf is PageNumber for a parameter of another name.
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
