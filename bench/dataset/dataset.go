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

// Fill makes data in an empty database. It must have the database for itself.
func Fill(ctx context.Context, s *store.Store, size Size) (Made, error) {
	if size.Users < 2 || size.Channels < 1 || size.Blocks < 1 || size.Large < 1 || size.Small < 1 || size.Connections < 0 {
		return Made{}, errors.New("dataset: want at least 2 users and 1 of everything else")
	}
	if found, err := s.Users(ctx, 0, 1); err != nil || len(found) > 0 {
		return Made{}, errors.Join(err, errors.New("dataset: the database is not empty"))
	}
	f := &filler{s: s, size: size, rng: rand.New(rand.NewPCG(size.Seed, 1))}
	f.words = newWords(f.rng, size.Blocks)
	for _, step := range []func(context.Context) error{f.people, f.channels, f.ordinary, f.extremes, f.document, f.follow, s.Analyze} {
		if err := step(ctx); err != nil {
			return Made{}, err
		}
	}
	return f.report(ctx)
}

// filler carries what has been made so far.
type filler struct {
	s     *store.Store
	size  Size
	rng   *rand.Rand
	words *words

	users  []domain.UserID
	groups []group
	rooms  []room // the channels; large and small are the first two
	made   Made
}

type group struct {
	id      domain.GroupID
	members []domain.UserID
}

// room is a channel as the generator sees it.
type room struct {
	id         domain.ChannelID
	slug       string
	visibility domain.Visibility
	made       time.Time
	adders     []domain.UserID // who may add: owner, members, collaborators
	items      int
}

// at is the instant a share (0..1) into the life of the service.
func at(share float64) time.Time {
	return start.Add(time.Duration(share * float64(span))).Truncate(time.Millisecond)
}

// report prints what was made, with a new token.
func (f *filler) report(ctx context.Context) (Made, error) {
	m := f.made
	m.Users, m.Channels = len(f.users), len(f.rooms)
	m.Large, m.Small = place(f.rooms[0]), place(f.rooms[1])
	m.Middle = place(f.middling())
	m.Reader = int64(f.reader())
	owner, err := f.s.User(ctx, domain.Ref{ID: int64(f.users[0])})
	if err != nil {
		return m, err
	}
	m.User = owner.Slug
	m.Token, _, err = app.New(app.Options{Store: f.s}).CreateToken(ctx, owner.ID, "benchmark", domain.ScopeWrite)
	if err != nil {
		return m, fmt.Errorf("dataset: token: %w", err)
	}
	return m, nil
}

func place(r room) Place { return Place{ID: int64(r.id), Slug: r.slug, Items: r.items} }

// middling finds the open channel nearest to 100 items.
func (f *filler) middling() room {
	best, least := f.rooms[1], math.MaxInt
	for _, r := range f.rooms[2:] {
		off := max(r.items-100, 100-r.items)
		if r.visibility != domain.Private && off < least {
			best, least = r, off
		}
	}
	return best
}
