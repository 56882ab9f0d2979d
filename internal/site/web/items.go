package web

import (
	"encoding/binary"
	"html/template"
	"strconv"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/fragments"
	"vitrine/internal/site/catalog"
)

// Cells is a list of items for the template "cells". The id of the
// list is "cells" by default.
type Cells struct {
	Items    []Item
	Layout   domain.Layout // "" is a grid
	Size     int           // of items in a grid or masonry, 0 for the default
	Sortable bool          // its items may be moved
	View     bool          // its blocks open over the page
	Tiles    string        // path of the form that changes several items, "" if the viewer may not use it
	Removes  bool          // the viewer may remove the items
	Acts     bool          // the viewer may connect its items, which are from anywhere
	Away     bool          // its pages open in a new window
	ID       string        // "" means "cells", which must be unique on a page; "none" means no id

	visit *Visit
}

// Item is an item of a list. Its face, the HTML that is the same for all viewers and in all places,
// is drawn once for each state of the item and then cached. If the face is cached, the item itself
// need not be read: a block may be known only by its revision.
type Item struct {
	thing domain.Entity // zero for a block that was not read
	key   fragments.Key // Kind is 0 if the item has no state
	state fragments.State
	face  face                // nil until it is found or drawn
	cover []domain.CoverBlock // of a channel

	when       time.Time // created or, for a channel, changed
	joined     time.Time // connected; zero outside of a channel
	changed    time.Time
	manages    bool // the viewer is its author
	connection domain.ConnectionID
	position   int64
	in         domain.ChannelID // whose neighbours its page links to, 0 for none
}

// Cells prepares a list of items.
func (v *Visit) Cells(things []domain.Entity) Cells {
	c := Cells{visit: v, Items: make([]Item, 0, len(things))}
	for _, t := range things {
		c.Items = append(c.Items, v.item(t))
	}
	return c
}

// Contents prepares items of a channel, whose pages link to their neighbours there. Blocks that were
// not read need a revision.
func (v *Visit) Contents(in domain.ChannelID, all []collections.Content) Cells {
	c := Cells{visit: v, Items: make([]Item, len(all))}
	for n := range all {
		at := &all[n].Connection
		i := v.item(all[n].Entity)
		if all[n].Entity == (domain.Entity{}) && at.Block != nil {
			i = v.blockItem(*at.Block)
		}
		i.connection, i.position, i.joined = at.ID, at.Position, at.CreatedAt
		if i.key.Kind == blockFace {
			i.in = in
		}
		c.Items[n] = i
	}
	return c
}

// The kinds of items in keys of faces.
const (
	blockFace = 1 + iota
	channelFace
	userFace
	groupFace
	memberFace      // a user who is only known by name
	memberGroupFace // a group that is only known by name
	coverFace       // a block on the cover of a channel
)

// faceKind returns the kind of faces in keys. The cache is shared with the API, whose kinds are below a byte.
func faceKind(kind int64, lang *catalog.Language) int64 { return kind<<16 | int64(lang.Number)<<9 }

// item returns an item with its state.
func (v *Visit) item(t domain.Entity) (i Item) {
	switch {
	case t.Block != nil:
		i = v.blockItem(t.Block.Revision())
	case t.Revision != nil:
		i = v.blockItem(*t.Revision)
	case t.Channel != nil:
		c := t.Channel
		i.key, i.when, i.changed = fragments.Key{Kind: channelFace, ID: int64(c.ID)}, c.UpdatedAt, c.UpdatedAt
		i.state = fragments.State{c.Version, c.Owner.Version, c.Contents(), c.UpdatedAt.UnixMicro()}
	case t.User != nil:
		u := t.User
		i.key, i.when = fragments.Key{Kind: userFace, ID: int64(u.ID)}, u.CreatedAt
		i.state = fragments.State{u.Version, u.ChannelsFor(v.Actor()), u.CreatedAt.UnixMicro()}
	case t.Group != nil:
		g := t.Group
		i.key, i.when = fragments.Key{Kind: groupFace, ID: int64(g.ID)}, g.CreatedAt
		i.state = fragments.State{g.Version, g.Owner.Version, g.Channels(), g.CreatedAt.UnixMicro()}
	case t.Principal != nil:
		i.key, i.state = fragments.Key{Kind: memberFace, ID: t.Principal.ID}, fragments.State{t.Principal.Version}
		if t.Principal.Type == domain.TypeGroup {
			i.key.Kind = memberGroupFace
		}
	}
	i.thing = t
	return i
}

// blockItem returns a block with its state.
func (v *Visit) blockItem(r domain.BlockRevision) Item {
	return Item{key: fragments.Key{Kind: blockFace, ID: int64(r.ID)}, state: fragments.State(r.State()), when: r.CreatedAt, changed: r.UpdatedAt,
		manages: r.Abilities(v.Actor()).Manage}
}

// Unread finds the cached faces of blocks that were not read, and returns the blocks without one. The caller may read
// these in the same snapshot and pass them to Read. Draw reads the others.
func (c *Cells) Unread() (ids []domain.BlockID) {
	for n := range c.Items {
		i := &c.Items[n]
		if i.key.Kind == blockFace && i.thing.Block == nil && i.face == nil {
			if i.face = c.cached(i); i.face == nil {
				ids = append(ids, domain.BlockID(i.key.ID))
			}
		}
	}
	return ids
}

// Read adds the blocks that Unread returned, and removes items that still lack one.
func (c *Cells) Read(blocks map[domain.BlockID]*domain.Block) {
	kept := c.Items[:0]
	for _, i := range c.Items {
		if i.key.Kind == blockFace && i.thing.Block == nil && i.face == nil {
			b := blocks[domain.BlockID(i.key.ID)]
			if b == nil {
				continue // deleted
			}
			i.thing.Block, i.state = b, fragments.State(b.Revision().State()) // it may have changed since its revision was read
		}
		kept = append(kept, i)
	}
	c.Items = kept
}

// Tag returns what the list depends on, for ETags.
func (c Cells) Tag() string {
	tag := make([]byte, 0, 64*len(c.Items))
	for n := range c.Items {
		i := &c.Items[n]
		tag = c.visit.appendTag(tag, i)
		if c.Rows() {
			tag = c.visit.appendAge(c.visit.appendAge(tag, i.joined), i.changed)
		}
	}
	return string(tag)
}

// appendTag appends everything that an item depends on.
func (v *Visit) appendTag(tag []byte, i *Item) []byte {
	number := func(n int64) { tag = binary.AppendVarint(tag, n) }
	number(i.key.Kind)
	number(i.key.ID)
	for _, n := range i.state {
		number(n)
	}
	number(int64(i.connection))
	number(i.position)
	number(int64(i.in))
	if i.manages {
		number(1)
	}
	for _, b := range i.cover {
		number(int64(b.ID))
		number(b.Version)
		number(b.UpdatedAt.UnixMicro())
	}
	return append(v.appendAge(tag, i.when), 0)
}

// appendAge appends the age of an item as pages show it.
func (v *Visit) appendAge(tag []byte, at time.Time) []byte {
	if at.IsZero() {
		return tag
	}
	n, unit := inUnit(v.Now().Sub(at))
	return binary.AppendVarint(binary.AppendVarint(tag, int64(n)), int64(unit))
}

// age formats the age of an item, "" if it has none. A list of the contents of a channel shows when each was connected.
func (c Cells) age(i *Item) string {
	at := i.when
	if c.Rows() && !i.joined.IsZero() {
		at = i.joined
	}
	if at.IsZero() {
		return ""
	}
	return c.visit.Ago(at)
}

// Draw returns the HTML of all items. Only templates call it.
func (c Cells) Draw() (template.HTML, error) {
	html := make([]byte, 0, 640*len(c.Items))
	if ids := c.Unread(); len(ids) > 0 {
		blocks, err := c.visit.readBlocks(ids)
		if err != nil {
			return "", err
		}
		c.Read(blocks)
	}
	var err error
	for n := range c.Items {
		if html, err = c.draw(html, &c.Items[n], n < firstItems && c.ID == ""); err != nil {
			return "", err
		}
	}
	return template.HTML(html), nil
}

// firstItems is the number of items of a page's main list that every screen shows at first: two rows on a phone, and one on
// a wide screen.
const firstItems = 4

// draw appends the HTML of an item.
func (c Cells) draw(html []byte, i *Item, first bool) ([]byte, error) {
	if i.face == nil {
		i.face = c.cached(i)
	}
	if i.face == nil {
		var err error
		if i.face, err = c.visit.s.drawFace(c.visit.Lang, c.template(), c.visit.cell(i.thing)); err != nil {
			return nil, err
		}
		if i.key.Kind != 0 {
			c.visit.s.o.Fragments.Put(c.key(i), i.state, i.face)
		}
	}
	return i.face.fill(html, func(html []byte, s slot) ([]byte, error) {
		switch s {
		case placeSlot:
			if i.connection != 0 {
				html = appendNumber(append(html, ` id="c`...), int64(i.connection))
				html = appendNumber(append(html, `" data-connection="`...), int64(i.connection))
				if i.position != 0 {
					html = appendNumber(append(html, `" data-position="`...), i.position)
				}
				html = append(html, '"')
			} else if c.Acts && i.key.Kind == blockFace {
				html = append(appendNumber(append(html, ` data-item="block/`...), i.key.ID), '"')
			} else if c.Acts && i.key.Kind == channelFace {
				html = append(appendNumber(append(html, ` data-item="channel/`...), i.key.ID), '"')
			}
		case querySlot:
			html = append(html, inQuery(i.in)...)
		case awaySlot:
			if c.Away {
				html = append(html, ` target="_blank" rel="noopener"`...)
			}
		case ageSlot:
			html = append(html, template.HTMLEscapeString(c.age(i))...)
		case changedSlot:
			if !i.joined.IsZero() && !i.changed.IsZero() {
				html = append(html, `<span class="age changed">`...)
				html = append(append(html, template.HTMLEscapeString(c.visit.Ago(i.changed))...), "</span>"...)
			}
		case retrySlot:
			if i.manages {
				return c.visit.s.appendRetry(html, c.visit.Lang, domain.BlockID(i.key.ID))
			}
		case coverSlot:
			return c.visit.appendCover(html, i.cover, first)
		case loadingSlot:
			return appendLoading(html, first), nil
		}
		return html, nil
	})
}

func appendNumber(to []byte, n int64) []byte { return strconv.AppendInt(to, n, 10) }

// inQuery returns the query of a block's page that names the channel from which the reader comes.
func inQuery(in domain.ChannelID) string {
	if in == 0 {
		return ""
	}
	return "?in=" + strconv.FormatInt(int64(in), 10)
}

// BlockPath returns the path of a block's page for a reader who comes from a channel.
func BlockPath(id domain.BlockID, in domain.ChannelID) string {
	return "/block/" + strconv.FormatInt(int64(id), 10) + inQuery(in)
}

// Rows reports whether each item is a row.
func (c Cells) Rows() bool { return c.Layout == domain.ListLayout }

// template returns the name of the template that draws the faces.
func (c Cells) template() string {
	switch {
	case c.Rows():
		return "row"
	case c.Layout == domain.ReadingLayout:
		return "passage"
	}
	return "cell"
}

// Class returns the classes of the list.
func (c Cells) Class() string {
	class := "cells"
	switch {
	case c.Rows():
		return class + " rowed"
	case c.Layout == domain.ReadingLayout:
		return class + " passages"
	case c.Layout == domain.MasonryLayout:
		class += " masonry"
	}
	if c.Size != 0 {
		class += " sized s" + strconv.Itoa(c.Size)
	}
	return class
}

// cached returns the cached face of an item, or nil.
func (c Cells) cached(i *Item) face {
	if i.key.Kind == 0 {
		return nil
	}
	data, _ := c.visit.s.o.Fragments.Get(c.key(i), i.state)
	return data
}

// key returns the key of an item's face.
func (c Cells) key(i *Item) fragments.Key {
	k := i.key
	k.Kind = faceKind(k.Kind, c.visit.Lang)
	switch c.template() {
	case "row":
		k.Kind |= 1 << 8
	case "passage":
		k.Kind |= 1 << 7
	}
	return k
}
