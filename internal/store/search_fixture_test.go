package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// fixture models what the store contains. The functions of the domain determine who may see what.
type fixture struct {
	t        *testing.T
	s        *store.Store
	limits   store.SearchLimits
	rng      *rand.Rand
	users    []domain.UserID
	groups   map[domain.GroupID][]domain.UserID // members
	channels map[domain.ChannelID]*fixtureChannel
	blocks   map[domain.BlockID]*fixtureBlock
	follows  map[domain.UserID][]domain.Subject
	clock    time.Time
}

type fixtureChannel struct {
	owner   domain.PrincipalRef
	maker   domain.UserID
	v       domain.Visibility
	helpers []domain.PrincipalRef
	items   map[domain.ItemRef]domain.ConnectionID
	word    string
	created time.Time
}

type fixtureBlock struct {
	author  domain.UserID
	word    string
	typ     string
	created time.Time
	comment bool
}

// fixtureWords are the words of blocks and channels. Two of them are forms of one word.
var fixtureWords = []string{"moss", "fern", "city", "cities"}

func sameWord(a, b string) bool {
	return a == b || strings.HasPrefix(a, "cit") && strings.HasPrefix(b, "cit")
}

// fixtureQueries maps queries to whether a document with a word matches: a channel, which is titled, or a block. same
// compares words that must be there.
var fixtureQueries = map[string]func(word string, titled bool, same func(a, b string) bool) bool{
	"":            func(string, bool, func(a, b string) bool) bool { return true },
	"moss":        func(word string, _ bool, same func(a, b string) bool) bool { return same("moss", word) },
	"fern":        func(word string, _ bool, same func(a, b string) bool) bool { return same("fern", word) },
	"city":        func(word string, _ bool, same func(a, b string) bool) bool { return same("city", word) },
	"cities":      func(word string, _ bool, same func(a, b string) bool) bool { return same("cities", word) },
	"-moss":       func(word string, _ bool, _ func(a, b string) bool) bool { return word != "moss" },
	"-city -fern": func(word string, _ bool, _ func(a, b string) bool) bool { return word == "moss" },
	"some -cities": func(word string, titled bool, _ func(a, b string) bool) bool {
		return !titled && !sameWord(word, "city")
	},
	"moss OR city": func(word string, _ bool, same func(a, b string) bool) bool {
		return word == "moss" || same(word, "city")
	},
	"title:city":         func(word string, titled bool, same func(a, b string) bool) bool { return titled && same(word, "city") },
	"city -title:city":   func(word string, titled bool, same func(a, b string) bool) bool { return !titled && same(word, "city") },
	`"city"`:             func(word string, _ bool, _ func(a, b string) bool) bool { return word == "city" },
	"title:moss OR some": func(word string, titled bool, _ func(a, b string) bool) bool { return !titled || word == "moss" },
}

func newFixture(t *testing.T, s *store.Store, seed uint64) *fixture {
	w := &fixture{t: t, s: s, rng: rand.New(rand.NewPCG(seed, 1)), groups: map[domain.GroupID][]domain.UserID{},
		channels: map[domain.ChannelID]*fixtureChannel{}, blocks: map[domain.BlockID]*fixtureBlock{},
		follows: map[domain.UserID][]domain.Subject{}, clock: storetest.Now}
	for _, name := range []string{"Ada", "Bob", "Cem", "Dan"} {
		w.users = append(w.users, storetest.User(t, s, name))
	}
	for i, members := range [][]domain.UserID{{w.users[0], w.users[1]}, {w.users[2]}} {
		w.groups[storetest.Group(t, s, fmt.Sprint("Group", i), members[0], members[1:]...)] = members
	}
	return w
}

func anyOf[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

func keys[K ~int64, V any](m map[K]V) []K {
	all := make([]K, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// step makes one random change.
func (w *fixture) step() {
	w.clock = w.clock.Add(time.Second)
	switch n := w.rng.IntN(20); {
	case n < 4 || len(w.channels) < 3:
		w.build()
	case n < 9 || len(w.blocks) < 3:
		w.write()
	case n < 15:
		w.connect()
	case n < 16:
		w.help()
	case n < 17:
		w.turn()
	case n < 18:
		w.drop()
	case n < 19:
		w.follow()
	default:
		w.close()
	}
}

func (w *fixture) build() {
	by := anyOf(w.rng, w.users)
	c := &fixtureChannel{owner: domain.UserRef(by), maker: by, word: anyOf(w.rng, fixtureWords), items: map[domain.ItemRef]domain.ConnectionID{},
		v: anyOf(w.rng, []domain.Visibility{domain.Public, domain.Closed, domain.Private, domain.Private}), created: w.clock}
	if g := anyOf(w.rng, keys(w.groups)); w.rng.IntN(3) == 0 {
		c.owner, c.maker = domain.GroupRef(g), w.groups[g][0]
	}
	storetest.In(w.t, w.s, func(tx *store.Tx) error {
		slug, err := tx.Slugs().SlugFor(w.t.Context(), store.ChannelSlug, c.word, w.clock)
		if err != nil {
			return err
		}
		id, err := tx.Channels().CreateChannel(w.t.Context(), store.NewChannel{Slug: slug, Title: "On " + c.word, Visibility: c.v, Owner: c.owner,
			UserID: c.maker, Now: w.clock})
		w.channels[id] = c
		return err
	})
}

func (w *fixture) write() {
	var made domain.BlockID
	b := &fixtureBlock{author: anyOf(w.rng, w.users), comment: w.rng.IntN(3) == 0, word: anyOf(w.rng, fixtureWords), typ: anyOf(w.rng, []string{"Text", "Link"}), created: w.clock}
	storetest.In(w.t, w.s, func(tx *store.Tx) error {
		id, err := tx.Blocks().CreateBlock(w.t.Context(), domain.Block{Type: domain.BlockType(b.typ), State: domain.Available,
			Author:  domain.Principal{PrincipalRef: domain.UserRef(b.author)},
			Content: &domain.Text{Markdown: b.word, HTML: b.word, Plain: "some " + b.word}}, w.clock)
		w.blocks[id], made = b, id
		return err
	})
	if b.comment {
		storetest.Comment(w.t, w.s, b.author, made, "see here")
	}
}

func (w *fixture) connect() {
	in := anyOf(w.rng, keys(w.channels))
	item := domain.BlockRef(anyOf(w.rng, keys(w.blocks)))
	if w.rng.IntN(4) == 0 {
		item = domain.ChannelRef(anyOf(w.rng, keys(w.channels)))
	}
	c := w.channels[in]
	if _, there := c.items[item]; there || item == domain.ChannelRef(in) {
		return
	}
	c.items[item] = storetest.Connect(w.t, w.s, w.anOwner(c), in, item, 0)
}

// anOwner returns a user who owns a channel.
func (w *fixture) anOwner(c *fixtureChannel) domain.UserID {
	if c.owner.Type == domain.TypeUser {
		return domain.UserID(c.owner.ID)
	}
	return w.groups[domain.GroupID(c.owner.ID)][0]
}

func (w *fixture) help() {
	in := anyOf(w.rng, keys(w.channels))
	who := domain.UserRef(anyOf(w.rng, w.users))
	if w.rng.IntN(3) == 0 {
		who = domain.GroupRef(anyOf(w.rng, keys(w.groups)))
	}
	if c := w.channels[in]; who != c.owner && !slices.Contains(c.helpers, who) {
		storetest.Collaborate(w.t, w.s, in, who)
		c.helpers = append(c.helpers, who)
	}
}

func (w *fixture) turn() {
	id := anyOf(w.rng, keys(w.channels))
	c := w.channels[id]
	c.v = anyOf(w.rng, []domain.Visibility{domain.Public, domain.Private})
	storetest.SetVisibility(w.t, w.s, w.anOwner(c), id, c.v)
}

func (w *fixture) drop() {
	c := w.channels[anyOf(w.rng, keys(w.channels))]
	for item, conn := range c.items {
		storetest.Disconnect(w.t, w.s, conn)
		delete(c.items, item)
		return
	}
}

func (w *fixture) follow() {
	by := anyOf(w.rng, w.users)
	what := storetest.UserSubject(anyOf(w.rng, w.users))
	if w.rng.IntN(2) == 0 {
		what = storetest.ChannelSubject(anyOf(w.rng, keys(w.channels)))
	}
	if what != storetest.UserSubject(by) && !slices.Contains(w.follows[by], what) {
		storetest.Follow(w.t, w.s, by, what)
		w.follows[by] = append(w.follows[by], what)
	}
}

// close deletes a channel, which is then in no other channel.
func (w *fixture) close() {
	id := anyOf(w.rng, keys(w.channels))
	storetest.Delete(w.t, w.s, w.anOwner(w.channels[id]), id)
	delete(w.channels, id)
	for _, c := range w.channels {
		delete(c.items, domain.ChannelRef(id))
	}
}
