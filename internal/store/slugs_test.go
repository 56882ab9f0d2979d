package store_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// wantKind fails the test unless err is of a kind. Internal matches any other error.
func wantKind(t *testing.T, what string, err error, kind domain.Kind) {
	t.Helper()
	if err == nil || domain.KindOf(err) != kind {
		t.Errorf("%s: got %v, want kind %d", what, err, kind)
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		claim := func(kind store.SlugKind, slug string) (free bool) {
			t.Helper()
			undo := errors.New("undo")
			err := s.InTx(t.Context(), func(tx *store.Tx) (err error) {
				if free, err = tx.Slugs().ClaimSlug(t.Context(), kind, slug, storetest.Now); err != nil {
					return err
				}
				return undo
			})
			if !errors.Is(err, undo) {
				t.Fatal(err)
			}
			return free
		}
		for _, c := range []struct {
			kind store.SlugKind
			slug string
			free bool
		}{
			{store.UserSlug, "ada", false},
			{store.ChannelSlug, "ada", true}, // unique only within its kind
			{store.GroupSlug, "ada", true},
			{store.UserSlug, "bob", true},
			{store.UserSlug, "bob", true}, // a claim that was rolled back does not count
		} {
			if free := claim(c.kind, c.slug); free != c.free {
				t.Errorf("%s %q: free is %v", c.kind, c.slug, free)
			}
		}
		for _, c := range []struct {
			slug string
			id   domain.UserID
			want bool
		}{{"ada", ada, true}, {"ada", ada + 1, false}, {"bob", ada, false}} {
			if got, err := s.Slugs().SlugBelongs(t.Context(), store.UserSlug, c.slug, int64(c.id)); err != nil || got != c.want {
				t.Errorf("%q belongs to %d: %v, %v", c.slug, c.id, got, err)
			}
		}
	})
}

func TestSlugsFromNames(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for _, c := range []struct{ name, want string }{
			{"Ada Lovelace", `^ada-lovelace$`},
			{"Ada  Lovelace!", `^ada-lovelace-[0-9a-z]{11}$`},
			{"Zoë Ångström", `^zoe-angstrom$`},
			{"1984", `^1984-[0-9a-z]{11}$`},
			{"🎈", `^user-[0-9a-z]{11}$`},
			{"Settings", `^settings-[0-9a-z]{11}$`}, // reserved for the website
		} {
			u, err := s.Users().User(t.Context(), domain.Ref{ID: int64(storetest.User(t, s, c.name))})
			if err != nil || !regexp.MustCompile(c.want).MatchString(u.Slug) {
				t.Errorf("%q gets %q (%v), want %s", c.name, u.Slug, err, c.want)
			}
			if again, err := s.Users().User(t.Context(), domain.Ref{Slug: u.Slug}); err != nil || again.ID != u.ID {
				t.Errorf("%q leads to %d, %v", u.Slug, again.ID, err)
			}
		}
		id := storetest.Channel(t, s, 1, "Settings", domain.Closed)
		if c, err := s.Channels().Channel(t.Context(), 0, domain.Ref{ID: int64(id)}); err != nil || c.Slug != "settings" {
			t.Errorf("a channel gets %q, %v", c.Slug, err)
		}
	})
}

// Concurrent requests for one name all get a slug, and one of them gets the plain one.
func TestClaimsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ids := make([]domain.UserID, 12)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				err := s.InTx(t.Context(), func(tx *store.Tx) (err error) {
					ids[i], err = newUser(t.Context(), tx, "Same Name", fmt.Sprintf("same%d@example.org", i))
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		var slugs []string
		for _, id := range ids {
			u, err := s.Users().User(t.Context(), domain.Ref{ID: int64(id)})
			if err != nil {
				t.Fatal(err)
			}
			slugs = append(slugs, u.Slug)
		}
		slices.Sort(slugs)
		if slugs[0] != "same-name" || len(slices.Compact(slugs)) != len(ids) {
			t.Errorf("the slugs are %q", slugs)
		}
	})
}

// Every past slug of a channel leads to it, and to no other.
func TestOldSlugsOfChannels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		id := storetest.Channel(t, s, ada, "First", domain.Closed)
		rename := func(slug string, had bool) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				was, err := tx.Channels().Channel(t.Context(), ada, domain.Ref{ID: int64(id)})
				if err != nil {
					return err
				}
				if free, err := tx.Slugs().ClaimSlug(t.Context(), store.ChannelSlug, slug, storetest.Now); err != nil || free == had {
					return fmt.Errorf("claim of %s: %v, %w", slug, free, err)
				}
				if err := tx.Slugs().BindSlug(t.Context(), store.ChannelSlug, slug, int64(id)); err != nil {
					return err
				}
				c := was
				c.Slug = slug
				return tx.Channels().UpdateChannel(t.Context(), was, c, storetest.Now)
			})
		}
		rename("second", false)
		rename("third", false)
		rename("first", true)
		for _, slug := range []string{"first", "second", "third"} {
			c, err := s.Channels().Channel(t.Context(), 0, domain.Ref{Slug: slug})
			if err != nil || c.ID != id || c.Slug != "first" {
				t.Errorf("%s: %d %q, %v", slug, c.ID, c.Slug, err)
			}
		}
		other := storetest.Channel(t, s, ada, "Second", domain.Closed)
		if c, err := s.Channels().Channel(t.Context(), 0, domain.Ref{ID: int64(other)}); err != nil || c.Slug == "second" {
			t.Errorf("another channel got %q, %v", c.Slug, err)
		}
		for _, slug := range []string{"fourth", "FIRST", "a\x00b", "a\xffb", "é", " "} {
			_, err := s.Channels().Channel(t.Context(), ada, domain.Ref{Slug: slug})
			wantKind(t, fmt.Sprintf("channel %q", slug), err, domain.NotFound)
			_, err = s.Users().User(t.Context(), domain.Ref{Slug: slug})
			wantKind(t, fmt.Sprintf("user %q", slug), err, domain.NotFound)
		}
	})
}
