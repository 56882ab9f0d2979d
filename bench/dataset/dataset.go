// Package dataset fills an empty, migrated database with data as a service in use
// would hold it: the same seed makes the same rows. Texts are made of a fixed
// vocabulary, rendered as the service renders them; who connects what, and where,
// follows skewed distributions. One channel is very large, and one like it small.
package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Size says how much to make.
type Size struct {
	Users       int
	Channels    int // beside the large and the small one
	Blocks      int // beside those of the large and the small channel
	Connections int // beside those of the large and the small channel
	Large       int // items of the large channel, each a block of its own
	Small       int // items of the small channel, each a block of its own
	Seed        uint64
}

// Made is what was made, and what a benchmark needs to know of it.
type Made struct {
	Users       int    `json:"users"`
	Channels    int    `json:"channels"`
	Blocks      int    `json:"blocks"`
	Connections int    `json:"connections"`
	User        string `json:"user"`  // slug of the owner of the large and the small channel
	Token       string `json:"token"` // of that user, with scope write
	Large       Place  `json:"large"`
	Small       Place  `json:"small"`
	Middle      Place  `json:"middle"` // an open channel of middling size
	Reader      int64  `json:"reader"` // a user who follows hundreds of users and channels, all but the large one and its owner
	FirstBlock  int64  `json:"first_block"`
	LastBlock   int64  `json:"last_block"` // of those beside the large and the small channel
}

// Place is a channel and how many items it has.
type Place struct {
	ID    int64  `json:"id"`
	Slug  string `json:"slug"`
	Items int    `json:"items"`
}

// start is when the made-up service began; span how long it has been in use.
const span = 2 * 365 * 24 * time.Hour

var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Fill makes data in an empty database, words of search included. It must have the
// database for itself.
func Fill(ctx context.Context, s *store.Store, size Size) (Made, error) {
	if size.Users < 2 || size.Channels < 1 || size.Blocks < 1 || size.Large < 1 || size.Small < 1 || size.Connections < 0 {
		return Made{}, errors.New("dataset: want at least 2 users and 1 of everything else")
	}
	if found, err := s.Users(ctx, 0, 1); err != nil || len(found) > 0 {
		return Made{}, errors.Join(err, errors.New("dataset: the database is not empty"))
	}
	f := &filler{size: size, rng: rand.New(rand.NewPCG(size.Seed, 1))}
	f.words = newWords(f.rng, size.Blocks)
	f.people()
	f.channels()
	f.seen = make(map[uint64]struct{}, size.Connections)
	f.ordinary()
	f.extremes()
	f.follow()
	if err := f.load(ctx, s); err != nil {
		return Made{}, err
	}
	return f.report(ctx, s)
}

// filler carries what has been made up so far. All of it is made up in memory, with what is
// derived from it, and then written table by table.
type filler struct {
	size  Size
	rng   *rand.Rand
	words *words

	users   []person
	groups  []group
	rooms   []room // the channels; large and small are the first two
	blocks  []block
	conns   []connecting // in the order of time, those of large and small last
	follows []followed

	weights []float64           // of the rooms from the third on, cumulated
	seen    map[uint64]struct{} // what is connected
}

// at is the instant a share (0..1) into the life of the service.
func at(share float64) time.Time {
	return start.Add(time.Duration(share * float64(span))).Truncate(time.Millisecond)
}

// report tells what was made, with a new token.
func (f *filler) report(ctx context.Context, s *store.Store) (Made, error) {
	m := Made{Users: len(f.users), Channels: len(f.rooms), Blocks: len(f.blocks), Connections: len(f.conns),
		User: slugOf(f.users[0].name), Large: f.rooms[0].place(), Small: f.rooms[1].place(), Middle: f.middling().place(),
		Reader: int64(f.reader()), FirstBlock: 1, LastBlock: int64(f.size.Blocks)}
	var err error
	m.Token, _, err = app.New(app.Options{Store: s}).CreateToken(ctx, 1, "benchmark", domain.ScopeWrite)
	if err != nil {
		return m, fmt.Errorf("dataset: token: %w", err)
	}
	return m, nil
}

func (r *room) place() Place { return Place{ID: int64(r.id), Slug: r.slug, Items: r.items} }

// middling finds the open channel nearest to 100 items.
func (f *filler) middling() *room {
	best, least := &f.rooms[1], math.MaxInt
	for i := range f.rooms[2:] {
		r := &f.rooms[i+2]
		off := max(r.items-100, 100-r.items)
		if !r.private() && off < least {
			best, least = r, off
		}
	}
	return best
}
