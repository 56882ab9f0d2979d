package dataset

import (
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/bulk"
	"vitrine/internal/store/ranked"
)

// draft is the ordinary part before it is written: blocks, whose ids are not known
// yet, and connections in the order of time.
type draft struct {
	f       *filler
	blocks  []domain.Block
	conns   []connecting
	weights []float64           // of the rooms from the third on, cumulated
	seen    map[[3]int]struct{} // what is connected: room, item, 1 for a channel
}

// connecting is a connection to be. item counts from 0 among the blocks or rooms.
type connecting struct {
	room, item int
	channel    bool
	by         domain.UserID
	at         time.Time
}

// event is something that happens in the life of the service.
type event byte

const (
	orphan event = iota // a block is made and connected nowhere
	birth               // a block is made in a channel
	again               // a block or channel is connected to a further channel
)

// ordinary makes the blocks and connections of all channels but the large and the
// small one, over the second half of the service's life.
func (f *filler) ordinary(ctx context.Context) error {
	d := &draft{f: f, seen: map[[3]int]struct{}{}}
	total := 0.0
	for _, rank := range f.rng.Perm(len(f.rooms) - 2) {
		total += math.Pow(float64(rank+3), -0.9)
		d.weights = append(d.weights, total)
	}
	events := d.events()
	for k, e := range events {
		d.happen(e, at(0.5+0.5*float64(k)/float64(len(events))))
	}
	return d.write(ctx)
}

// events are as many as the size asks for, in random order. One block in twenty is
// an orphan.
func (d *draft) events() []event {
	size := d.f.size
	births := min(size.Blocks-size.Blocks/20, size.Connections)
	all := slices.Concat(slices.Repeat([]event{orphan}, size.Blocks-births), slices.Repeat([]event{birth}, births),
		slices.Repeat([]event{again}, size.Connections-births))
	d.f.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func (d *draft) happen(e event, when time.Time) {
	c := connecting{room: d.room(), at: when}
	c.by = d.adder(c.room)
	if e != again {
		c.item = len(d.blocks)
		d.blocks = append(d.blocks, d.f.block(c.by, when))
		if e == birth {
			d.connect(c)
		}
		return
	}
	for range 100 { // in a small set everything may be connected already
		if d.choose(&c); d.fits(c) {
			d.connect(c)
			return
		}
	}
}

// room is a channel, large ones more often.
func (d *draft) room() int {
	x := d.f.rng.Float64() * d.weights[len(d.weights)-1]
	return 2 + sort.SearchFloat64s(d.weights, x)
}

// adder is who adds to a room: to a public one anybody may.
func (d *draft) adder(room int) domain.UserID {
	r := d.f.rooms[room]
	if r.visibility == domain.Public && d.f.rng.IntN(2) == 0 {
		return d.f.someone()
	}
	return r.adders[d.f.rng.IntN(len(r.adders))]
}

// choose picks what to connect: one in ten is a channel, early ones more often.
func (d *draft) choose(c *connecting) {
	c.channel = d.f.rng.IntN(10) == 0
	n := len(d.blocks)
	if c.channel {
		n = len(d.f.rooms)
	}
	x := d.f.rng.Float64()
	c.item = int(x * x * x * float64(n))
}

// fits reports whether a connection is new and its maker sees the item.
func (d *draft) fits(c connecting) bool {
	if _, there := d.seen[key(c)]; there || !c.channel && len(d.blocks) == 0 || c.channel && c.item == c.room {
		return false
	}
	if c.channel {
		r := d.f.rooms[c.item]
		return r.visibility != domain.Private || slices.Contains(r.adders, c.by)
	}
	b := d.blocks[c.item]
	return b.OpenCount > 0 || b.Author.ID == int64(c.by)
}

func key(c connecting) [3]int {
	kind := 0
	if c.channel {
		kind = 1
	}
	return [3]int{c.room, c.item, kind}
}

func (d *draft) connect(c connecting) {
	d.seen[key(c)] = struct{}{}
	d.conns = append(d.conns, c)
	switch {
	case c.channel:
	case d.f.rooms[c.room].visibility == domain.Private:
		d.blocks[c.item].PrivateCount++
	default:
		d.blocks[c.item].OpenCount++
	}
}

// write stores the draft.
func (d *draft) write(ctx context.Context) error {
	first, err := d.f.store(ctx, d.blocks)
	if err != nil {
		return err
	}
	d.f.made.FirstBlock, d.f.made.LastBlock = int64(first), int64(first)+int64(len(d.blocks))-1
	loaded := make([]bulk.LoadedConnection, len(d.conns))
	for i, c := range d.conns {
		r := &d.f.rooms[c.room]
		l := bulk.LoadedConnection{Connection: domain.Connection{ChannelID: r.id, CreatedAt: c.at,
			Maker: maker(c.by), PositionKey: ranked.InitialKey(int64(r.items))}}
		if c.channel {
			other := d.f.rooms[c.item]
			l.Item, l.ItemPrivate, l.ItemUpdatedAt = domain.ChannelRef(other.id), other.visibility == domain.Private, other.made
		} else {
			l.Item, l.ItemUpdatedAt = domain.BlockRef(first+domain.BlockID(c.item)), d.blocks[c.item].UpdatedAt
		}
		loaded[i] = l
		r.items++
	}
	return d.f.connect(ctx, loaded, d.f.rooms[2:])
}
