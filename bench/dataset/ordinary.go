package dataset

import (
	"math"
	"slices"
	"sort"
	"time"

	"vitrine/internal/domain"
)

// block is a Text or a Link block. Its id is its index, counted from 1.
type block struct {
	author        domain.UserID
	title, url    *string // url: of a Link
	note, text    *domain.Text
	made, updated int64 // in microseconds
	open, private int32 // channels that contain it
}

// connecting is a connection to create. Its indexes count from 0. item is the index of a channel if
// channel is true, and of a block otherwise.
type connecting struct {
	room, item int32
	channel    bool
	by         int32 // an id
	at         int64 // in microseconds
}

// event is an event in the life of the service.
type event byte

const (
	orphan event = iota // a block is created without a connection
	birth               // a block is created in a channel
	again               // a block or channel is connected to another channel
)

// ordinary generates the blocks and connections of all channels except the large and the small one, over the second half
// of the service's life.
func (f *filler) ordinary() {
	total := 0.0
	for _, rank := range f.rng.Perm(len(f.channels) - 2) {
		total += math.Pow(float64(rank+3), -0.9)
		f.weights = append(f.weights, total)
	}
	events := f.events()
	for k, e := range events {
		f.happen(e, at(0.5+0.5*float64(k)/float64(len(events))))
	}
	f.seen = nil // no longer needed
}

// events returns the events for the size in random order. One block in twenty is an orphan.
func (f *filler) events() []event {
	size := f.size
	births := min(size.Blocks-size.Blocks/20, size.Connections)
	all := slices.Concat(slices.Repeat([]event{orphan}, size.Blocks-births), slices.Repeat([]event{birth}, births),
		slices.Repeat([]event{again}, size.Connections-births))
	f.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func (f *filler) happen(e event, when time.Time) {
	c := connecting{room: f.room(), at: when.UnixMicro()}
	c.by = f.adder(c.room)
	if e != again {
		c.item = int32(len(f.blocks))
		f.blocks = append(f.blocks, f.block(domain.UserID(c.by), when))
		if e == birth {
			f.connect(c)
		}
		return
	}
	for range 100 { // in a small set everything may already be connected
		if f.choose(&c); f.fits(c) {
			f.connect(c)
			return
		}
	}
}

// room returns a random channel, weighted by size.
func (f *filler) room() int32 {
	x := f.rng.Float64() * f.weights[len(f.weights)-1]
	return int32(2 + sort.SearchFloat64s(f.weights, x))
}

// adder returns a user who may add to a channel. In a public one, anybody may.
func (f *filler) adder(room int32) int32 {
	r := &f.channels[room]
	if r.visibility == domain.Public && f.rng.IntN(2) == 0 {
		return int32(f.someone())
	}
	return int32(r.adders[f.rng.IntN(len(r.adders))])
}

// choose picks an item to connect: one in ten is a channel; early ones are more frequent.
func (f *filler) choose(c *connecting) {
	c.channel = f.rng.IntN(10) == 0
	n := len(f.blocks)
	if c.channel {
		n = len(f.channels)
	}
	x := f.rng.Float64()
	c.item = int32(x * x * x * float64(n))
}

// fits reports whether a connection is new and its creator sees the item.
func (f *filler) fits(c connecting) bool {
	if _, there := f.seen[c.key()]; there || !c.channel && len(f.blocks) == 0 || c.channel && c.item == c.room {
		return false
	}
	if c.channel {
		r := &f.channels[c.item]
		return !r.private() || slices.Contains(r.adders, domain.UserID(c.by))
	}
	b := &f.blocks[c.item]
	return b.open > 0 || b.author == domain.UserID(c.by)
}

// key identifies a pair of item and channel.
func (c connecting) key() uint64 {
	kind := uint64(0)
	if c.channel {
		kind = 1
	}
	return uint64(c.room)<<32 | uint64(c.item)<<1 | kind
}

func (f *filler) connect(c connecting) {
	f.seen[c.key()] = struct{}{}
	f.add(c)
}

func (f *filler) add(c connecting) {
	f.conns = append(f.conns, c)
	f.channels[c.room].items++
	switch {
	case c.channel:
	case f.channels[c.room].private():
		f.blocks[c.item].private++
	default:
		f.blocks[c.item].open++
	}
}

// extremes fills the large and the small channel with similar notes, one block each, so that their pages have the same
// size.
func (f *filler) extremes() {
	for room, n := range []int{f.size.Large, f.size.Small} {
		for i := range n {
			when := at(float64(i) / float64(n)).UnixMicro()
			f.blocks = append(f.blocks, block{author: 1, text: f.words.note(), made: when, updated: when})
			f.add(connecting{room: int32(room), item: int32(len(f.blocks) - 1), by: 1, at: when})
		}
	}
}

// block generates a Text or a Link block without channels. One in ten has been changed since its creation.
func (f *filler) block(author domain.UserID, made time.Time) block {
	b := block{author: author, made: made.UnixMicro(), updated: made.UnixMicro()}
	if f.rng.IntN(10) == 0 {
		b.updated = made.Add(time.Duration(f.rng.IntN(30*24*60)+1) * time.Minute).UnixMicro()
	}
	if f.rng.IntN(5) < 3 {
		b.text = f.words.text()
		return b
	}
	address := f.words.address()
	b.url = &address
	if f.rng.IntN(2) == 0 {
		title := numbered(f.rng.IntN(4000))
		b.title, b.note = &title, f.words.note()
	}
	return b
}

// entity converts the block with an id.
func (b *block) entity(id int64) domain.Block {
	e := domain.Block{ID: domain.BlockID(id), Type: domain.TextBlock, State: domain.Available, Author: maker(b.author), Title: b.title,
		Description: b.note, Content: b.text, ValueURL: b.url, SourceURL: b.url, OpenCount: int64(b.open), PrivateCount: int64(b.private),
		CreatedAt: time.UnixMicro(b.made).UTC(), UpdatedAt: time.UnixMicro(b.updated).UTC()}
	if b.url != nil {
		e.Type = domain.LinkBlock
	}
	return e
}

func maker(user domain.UserID) domain.Principal {
	return domain.Principal{PrincipalRef: domain.UserRef(user)}
}
