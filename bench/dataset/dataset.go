// Package dataset fills an empty, migrated database with data like that of a real service. The same seed creates the
// same rows. Texts consist of a fixed vocabulary, rendered like those of the service. Connections follow skewed
// distributions. There is one very large channel, and a similar small one.
package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Size is the amount of data.
type Size struct {
	Users       int
	Channels    int // besides the large and the small one
	Blocks      int // besides those of the large and the small channel
	Connections int // besides those of the large and the small channel
	Large       int // items of the large channel, each a separate block
	Small       int // items of the small channel, each a separate block
	Seed        uint64
}

// ReadMade reads what bench/gen printed with --json.
func ReadMade(file string) (made Made, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	if err != nil {
		return made, fmt.Errorf("%s: %w", file, err)
	}
	return made, nil
}

// Made describes the created data for benchmarks.
type Made struct {
	Users       int    `json:"users"`
	Channels    int    `json:"channels"`
	Blocks      int    `json:"blocks"`
	Connections int    `json:"connections"`
	User        string `json:"user"`  // slug of the owner of the large and the small channel
	Token       string `json:"token"` // of that user, with scope write
	Large       Place  `json:"large"`
	Small       Place  `json:"small"`
	Middle      Place  `json:"middle"` // an open channel of medium size
	Reader      int64  `json:"reader"` // a user who follows hundreds of users and channels, except the large one and its owner
	FirstBlock  int64  `json:"first_block"`
	LastBlock   int64  `json:"last_block"` // of those outside the large and the small channel
}

// Place is a channel with its number of items.
type Place struct {
	ID    int64  `json:"id"`
	Slug  string `json:"slug"`
	Items int    `json:"items"`
}

// start is when the simulated service began; span is how long it has been in use.
const span = 2 * 365 * 24 * time.Hour

var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Fill creates data in an empty database that nobody else uses, including the words for searches.
func Fill(ctx context.Context, s *store.Store, size Size) (Made, error) {
	if size.Users < 2 || size.Channels < 1 || size.Blocks < 1 || size.Large < 1 || size.Small < 1 || size.Connections < 0 {
		return Made{}, errors.New("dataset: want at least 2 users and 1 of everything else")
	}
	if found, err := s.Users().Users(ctx, 0, 1); err != nil || len(found) > 0 {
		return Made{}, errors.Join(err, errors.New("dataset: the database is not empty"))
	}
	f := &filler{size: size, rng: rand.New(rand.NewPCG(size.Seed, 1))}
	f.words = newWords(f.rng, size.Blocks)
	f.people()
	f.createChannels()
	f.seen = make(map[uint64]struct{}, size.Connections)
	f.ordinary()
	f.extremes()
	f.follow()
	if err := f.load(ctx, s); err != nil {
		return Made{}, err
	}
	return f.report(ctx, s)
}

// filler contains the generated data. Everything, including derived values, is generated in memory and then written
// table by table.
type filler struct {
	size  Size
	rng   *rand.Rand
	words *words

	users    []person
	groups   []group
	channels []channelRow // the channels; large and small are the first two
	blocks   []block
	conns    []connecting // ordered by time, those of large and small last
	follows  []followed

	weights []float64           // cumulative weights of the channels from the third on
	seen    map[uint64]struct{} // existing connections
}

// at returns the time at a fraction (0..1) of the service's life.
func at(share float64) time.Time {
	return start.Add(time.Duration(share * float64(span))).Truncate(time.Millisecond)
}

// report describes the created data, with a new token.
func (f *filler) report(ctx context.Context, s *store.Store) (Made, error) {
	m := Made{Users: len(f.users), Channels: len(f.channels), Blocks: len(f.blocks), Connections: len(f.conns),
		User: slugOf(f.users[0].name), Large: f.channels[0].place(), Small: f.channels[1].place(), Middle: f.middling().place(),
		Reader: int64(f.reader()), FirstBlock: 1, LastBlock: int64(f.size.Blocks)}
	var err error
	m.Token, _, err = app.New(app.Options{Store: s}).Accounts.CreateToken(ctx, 1, accounts.TokenInput{Name: "benchmark", Scope: domain.ScopeWrite})
	if err != nil {
		return m, fmt.Errorf("dataset: token: %w", err)
	}
	return m, nil
}

func (r *channelRow) place() Place { return Place{ID: int64(r.id), Slug: r.slug, Items: r.items} }

// middling returns the open channel whose size is nearest to 100 items.
func (f *filler) middling() *channelRow {
	best, least := &f.channels[1], math.MaxInt
	for i := range f.channels[2:] {
		r := &f.channels[i+2]
		off := max(r.items-100, 100-r.items)
		if !r.private() && off < least {
			best, least = r, off
		}
	}
	return best
}
