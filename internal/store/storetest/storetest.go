// Package storetest provides tests with migrated databases of both kinds, and with functions that
// create test data.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// Migrated is a template of a database with only the schema.
var Migrated = dbtest.NewTemplate(func(o database.Options) error {
	db, err := database.Open(context.Background(), o)
	if err != nil {
		return err
	}
	_, err = db.Migrate(context.Background(), store.Migrations(db.Dialect()))
	if err == nil {
		_, err = jobs.Migrate(context.Background(), db)
	}
	return errors.Join(err, db.Close())
})

// Each runs f on an empty store of each database and then checks every derived value.
func Each(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	EachDB(t, func(t *testing.T, s *store.Store, _ *database.DB) { f(t, s) })
}

// EachDB is Each for tests that bypass the store.
func EachDB(t *testing.T, f func(t *testing.T, s *store.Store, db *database.DB)) {
	t.Helper()
	Migrated.Each(t, func(t *testing.T, o database.Options) {
		s, db := OpenDB(t, o)
		f(t, s, db)
		Check(t, s)
	})
}

// Open opens a store that is closed when the test ends.
func Open(t testing.TB, o database.Options) *store.Store {
	t.Helper()
	s, _ := OpenDB(t, o)
	return s
}

// OpenDB is Open, and also returns the database of the store.
func OpenDB(t testing.TB, o database.Options) (*store.Store, *database.DB) {
	t.Helper()
	db, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return store.New(db), db
}

// Exec runs a statement in a transaction of its own, bypassing the store.
func Exec(t testing.TB, db *database.DB, query string, args ...any) {
	t.Helper()
	err := db.Transact(t.Context(), func(tx *database.Tx) error {
		_, err := tx.Exec(t.Context(), query, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%v in %s", err, query)
	}
}

// Check fails the test if a stored value differs from the facts.
func Check(t testing.TB, s *store.Store) {
	t.Helper()
	differences, err := s.Check(context.WithoutCancel(t.Context()), 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		t.Errorf("check: %s", d)
	}
}

// Now is the creation time of all test data.
var Now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

var serial atomic.Int64

// In runs fn in a transaction and fails the test on an error.
func In(t testing.TB, s *store.Store, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.InTx(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// User creates a user with a name, a slug derived from it, and the tier supporter.
func User(t testing.TB, s *store.Store, name string) (id domain.UserID) {
	t.Helper()
	In(t, s, func(tx *store.Tx) (err error) {
		slug, err := tx.Slugs().SlugFor(t.Context(), store.UserSlug, name, Now)
		if err != nil {
			return err
		}
		id, err = tx.Users().CreateUser(t.Context(), store.NewUser{Slug: slug, Name: name, Tier: domain.TierSupporter, Now: Now,
			Email: fmt.Sprintf("user%d@example.org", serial.Add(1))})
		if err != nil {
			return err
		}
		return tx.Slugs().BindSlug(t.Context(), store.UserSlug, slug, int64(id))
	})
	return id
}

// Group creates a group with its owner and further members.
func Group(t testing.TB, s *store.Store, name string, owner domain.UserID, members ...domain.UserID) (id domain.GroupID) {
	t.Helper()
	In(t, s, func(tx *store.Tx) (err error) {
		slug, err := tx.Slugs().SlugFor(t.Context(), store.GroupSlug, name, Now)
		if err != nil {
			return err
		}
		if id, err = tx.Groups().CreateGroup(t.Context(), store.NewGroup{Slug: slug, Name: name, Owner: owner, Now: Now}); err != nil {
			return err
		}
		for _, m := range members {
			if _, err := tx.Membership().AddMember(t.Context(), id, m, Now); err != nil {
				return err
			}
		}
		return nil
	})
	return id
}

// Channel creates a channel of a user.
func Channel(t testing.TB, s *store.Store, owner domain.UserID, title string, v domain.Visibility) (id domain.ChannelID) {
	t.Helper()
	return OwnedChannel(t, s, domain.UserRef(owner), owner, title, v)
}

// OwnedChannel creates a channel of a user or group, as a user.
func OwnedChannel(t testing.TB, s *store.Store, owner domain.PrincipalRef, by domain.UserID, title string, v domain.Visibility) (id domain.ChannelID) {
	t.Helper()
	In(t, s, func(tx *store.Tx) (err error) {
		slug, err := tx.Slugs().SlugFor(t.Context(), store.ChannelSlug, title, Now)
		if err != nil {
			return err
		}
		id, err = tx.Channels().CreateChannel(t.Context(), store.NewChannel{Slug: slug, Title: title, Visibility: v,
			Owner: owner, UserID: by, Now: Now})
		return err
	})
	return id
}

// Block creates a Text block that is in no channel.
func Block(t testing.TB, s *store.Store, author domain.UserID, content string) (id domain.BlockID) {
	t.Helper()
	In(t, s, func(tx *store.Tx) (err error) {
		id, err = NewBlock(t.Context(), tx, author, content)
		return err
	})
	return id
}

// NewBlock creates a Text block in a transaction.
func NewBlock(ctx context.Context, tx *store.Tx, author domain.UserID, content string) (domain.BlockID, error) {
	return tx.Blocks().CreateBlock(ctx, domain.Block{Type: domain.TextBlock, State: domain.Available,
		Author:  domain.Principal{PrincipalRef: domain.UserRef(author)},
		Content: &domain.Text{Markdown: content, HTML: "<p>" + content + "</p>", Plain: content}}, Now)
}

// Connect adds an item to a channel, at the top if position is 0.
func Connect(t testing.TB, s *store.Store, by domain.UserID, channel domain.ChannelID, item domain.ItemRef, position int64) (id domain.ConnectionID) {
	t.Helper()
	In(t, s, func(tx *store.Tx) (err error) {
		id, err = ConnectIn(t.Context(), tx, by, channel, item, position)
		return err
	})
	return id
}

// ConnectIn adds an item to a channel in a transaction. It reads the channel as its owner.
func ConnectIn(ctx context.Context, tx *store.Tx, by domain.UserID, channel domain.ChannelID, item domain.ItemRef, position int64) (domain.ConnectionID, error) {
	lock := []domain.ChannelID{channel}
	if item.Type == domain.ItemChannel {
		lock = append(lock, domain.ChannelID(item.ID))
	}
	if err := tx.Channels().LockChannels(ctx, lock...); err != nil {
		return 0, err
	}
	c, err := tx.Channels().Channel(ctx, by, domain.Ref{ID: int64(channel)})
	if err != nil {
		return 0, err
	}
	made, _, err := tx.Connections().Connect(ctx, store.NewConnection{Channel: c, Item: item, UserID: by, Position: position, Now: Now})
	return made.ID, err
}
