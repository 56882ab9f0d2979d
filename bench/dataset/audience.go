package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/bulk"
)

// AudienceSize is the size of a set of people: 1 is a million users and ten million activities. Everything except the small
// counterparts for comparison is proportional to it.
type AudienceSize struct {
	Scale float64
	Seed  uint64
}

// of scales a number, with a minimum.
func (s AudienceSize) of(full, least int64) int64 { return max(int64(float64(full)*s.Scale), least) }

// Audience describes the result of FillAudience for benchmarks. Everybody in People has a token.
type Audience struct {
	Users      int64             `json:"users"`
	Activities int64             `json:"activities"`
	People     map[string]Person `json:"people"`
	FirstBlock int64             `json:"first_block"` // all visible to everybody
	Blocks     int64             `json:"blocks"`
	Productive int64             `json:"productive"` // a user with thousands of activities and one follower
	// Channels of Star: those with many followers, and as many with 10.
	Crowded []int64 `json:"crowded"`
	Quiet   []int64 `json:"quiet"`
}

// Person is a user to act as.
type Person struct {
	ID            int64  `json:"id"`
	Slug          string `json:"slug"`
	Token         string `json:"token"` // with scope write
	Followers     int64  `json:"followers"`
	Following     int64  `json:"following"`
	Notifications int64  `json:"notifications"`
}

// The names of the generated people.
const (
	Star        = "star"         // 1,000,000 followers
	Twin        = "twin"         // 10 followers
	Reader      = "reader"       // follows 10,000 users and 1,000 channels, almost all inactive
	SmallReader = "small-reader" // follows 10 users, two of them active
	Silent      = "silent"       // follows as many as Reader, all of them inactive
	Inbox       = "inbox"        // 1,000,000 notifications
	SmallInbox  = "small-inbox"  // 100 notifications
)

// Numbers of followers of the followed people, and of follows of the readers.
var (
	Followed  = []int64{100, 500, 5_000, 50_000}
	Following = []int64{100, 1_000}
)

// FollowedBy and ReaderOf return their names.
func FollowedBy(n int64) string { return "followed-by-" + strconv.FormatInt(n, 10) }
func ReaderOf(n int64) string   { return "reader-of-" + strconv.FormatInt(n, 10) }

// audience is the state of FillAudience while it creates the rows.
type audience struct {
	s    *store.Store
	size AudienceSize
	rng  *rand.Rand

	people                            map[string]domain.UserID
	users, channels, blocks, activity bulk.Span
	silent                            bulk.Span // users with one old activity
	crowded, quiet                    bulk.Span // channels
}

// FillAudience creates users, follows, activities and notifications in an empty database that nobody else uses.
func FillAudience(ctx context.Context, s *store.Store, size AudienceSize) (Audience, error) {
	if size.Scale <= 0 || size.Scale > 1 {
		return Audience{}, errors.New("dataset: want a scale above 0, at most 1")
	}
	if found, err := s.Users().Users(ctx, 0, 1); err != nil || len(found) > 0 {
		return Audience{}, errors.Join(err, errors.New("dataset: the database is not empty"))
	}
	c := &audience{s: s, size: size, rng: rand.New(rand.NewPCG(size.Seed, 2)), people: map[string]domain.UserID{}}
	for _, step := range []func(context.Context) error{c.settle, c.open, c.fillChannels, c.act, c.follow, c.notify, c.finish, s.Analyze} {
		if err := step(ctx); err != nil {
			return Audience{}, err
		}
	}
	return c.report(ctx)
}

// names returns the names of everybody who is created individually.
func names() []string {
	all := []string{Star, Twin, Reader, SmallReader, Silent, Inbox, SmallInbox}
	for _, n := range Followed {
		all = append(all, FollowedBy(n))
	}
	for _, n := range Following {
		all = append(all, ReaderOf(n))
	}
	return all
}

// one returns the span of one person.
func (c *audience) one(name string) bulk.Span { return bulk.Span{First: int64(c.people[name]), N: 1} }

// settle creates the users.
func (c *audience) settle(ctx context.Context) error {
	err := c.s.InTx(ctx, func(tx *store.Tx) error {
		for _, name := range names() {
			n := store.NewUser{Name: capital(name), Email: name + "@example.org", Tier: domain.TierSupporter, Now: at(0)}
			var err error
			if n.Slug, err = tx.Slugs().SlugFor(ctx, store.UserSlug, name, n.Now); err != nil {
				return err
			}
			if c.people[name], err = tx.Users().CreateUser(ctx, n); err != nil {
				return err
			}
			if err := tx.Slugs().BindSlug(ctx, store.UserSlug, n.Slug, int64(c.people[name])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.users, err = c.inParts(ctx, c.size.of(1_000_000, 1_000), func(tx *store.Tx, from, to int64) (bulk.Span, error) {
		return tx.Bulk().LoadUsers(ctx, from, to, at(0))
	})
	return err
}

// inParts loads rows 0..n, with one transaction per part.
func (c *audience) inParts(ctx context.Context, n int64, load func(tx *store.Tx, from, to int64) (bulk.Span, error)) (all bulk.Span, err error) {
	const part = 250_000
	for from := int64(0); from < n; from += part {
		var made bulk.Span
		err := c.s.InTx(ctx, func(tx *store.Tx) (err error) {
			made, err = load(tx, from, min(from+part, n))
			return err
		})
		if err != nil {
			return all, err
		}
		if from == 0 {
			all = made
		}
		all.N = min(from+part, n)
	}
	return all, nil
}

// report describes the result, with new tokens.
func (c *audience) report(ctx context.Context) (Audience, error) {
	m := Audience{Users: c.users.N, Activities: c.activity.N, People: map[string]Person{}, FirstBlock: c.blocks.First, Blocks: c.blocks.N,
		Productive: c.productive().First, Crowded: ids(c.crowded), Quiet: ids(c.quiet)}
	a := app.New(app.Options{Store: c.s})
	for name, id := range c.people {
		u, err := c.s.Users().User(ctx, domain.Ref{ID: int64(id)})
		if err != nil {
			return m, err
		}
		token, _, err := a.Accounts.CreateToken(ctx, id, accounts.TokenInput{Name: "benchmark", Scope: domain.ScopeWrite})
		if err != nil {
			return m, fmt.Errorf("dataset: token: %w", err)
		}
		m.People[name] = Person{int64(id), u.Slug, token, u.Followers, u.Following, u.Unread}
	}
	return m, nil
}

func ids(s bulk.Span) (all []int64) {
	for i := range s.N {
		all = append(all, s.First+i)
	}
	return slices.Clip(all)
}

// step returns the time between two activities.
func (c *audience) step(n int64) time.Duration { return span / 2 / time.Duration(n) }
