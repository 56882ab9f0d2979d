package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// newUser creates a user with a slug derived from the name.
func newUser(ctx context.Context, tx *store.Tx, name, email string) (domain.UserID, error) {
	slug, err := tx.Slugs().SlugFor(ctx, store.UserSlug, name, storetest.Now)
	if err != nil {
		return 0, err
	}
	id, err := tx.Users().CreateUser(ctx, store.NewUser{Slug: slug, Name: name, Email: email, Tier: domain.TierFree, Now: storetest.Now})
	if err != nil {
		return 0, err
	}
	return id, tx.Slugs().BindSlug(ctx, store.UserSlug, slug, int64(id))
}

func TestUsers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		var id domain.UserID
		storetest.In(t, s, func(tx *store.Tx) (err error) {
			id, err = newUser(ctx, tx, "Ada Lovelace", "ada@example.org")
			return err
		})
		u, err := s.Users().User(ctx, domain.Ref{ID: int64(id)})
		want := domain.User{ID: id, Slug: "ada-lovelace", Name: "Ada Lovelace", Email: "ada@example.org",
			Tier: domain.TierFree, Office: domain.OfficeMember, Version: 1, CreatedAt: storetest.Now, UpdatedAt: storetest.Now}
		if err != nil || u != want {
			t.Fatalf("got %+v, %v\nwant %+v", u, err, want)
		}
		if got, err := s.Users().User(ctx, domain.Ref{Slug: "ada-lovelace"}); err != nil || got != want {
			t.Errorf("by slug: %+v, %v", got, err)
		}
		if got, err := s.Users().UserByEmail(ctx, "ada@example.org"); err != nil || got != want {
			t.Errorf("by address: %+v, %v", got, err)
		}
		p, err := s.Principals().Principal(ctx, domain.UserRef(id))
		if err != nil || p != (domain.Principal{PrincipalRef: domain.UserRef(id), Name: "Ada Lovelace", Slug: "ada-lovelace", Version: 1}) {
			t.Errorf("principal: %+v, %v", p, err)
		}
		for name, ref := range map[string]domain.Ref{"no id": {ID: int64(id) + 1}, "no slug": {Slug: "ada"}, "nothing": {}} {
			_, err := s.Users().User(ctx, ref)
			wantKind(t, name, err, domain.NotFound)
		}
		_, err = s.Users().UserByEmail(ctx, "bob@example.org")
		wantKind(t, "no address", err, domain.NotFound)
		_, err = s.Principals().Principal(ctx, domain.GroupRef(domain.GroupID(id)))
		wantKind(t, "no group", err, domain.NotFound)
	})
}

// An address is used once, and a refused account leaves its slug free.
func TestUsersWithOneAddress(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		make := func(name string) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := newUser(t.Context(), tx, name, "ada@example.org")
				return err
			})
		}
		if err := make("Ada"); err != nil {
			t.Fatal(err)
		}
		wantKind(t, "second account", make("Bob"), domain.Conflict)
		bob, err := s.Users().User(t.Context(), domain.Ref{ID: int64(storetest.User(t, s, "Bob"))})
		if err != nil || bob.Slug != "bob" {
			t.Errorf("the slug is %q, %v", bob.Slug, err)
		}
	})
}

func TestChangesOfUsers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := storetest.User(t, s, "Ada")
		later := storetest.Now.Add(time.Hour)
		version := int64(1)
		change := func(what string, fn func(tx *store.Tx) error, right func(u domain.User) bool) {
			t.Helper()
			storetest.In(t, s, fn)
			version++
			u, err := s.Users().User(t.Context(), domain.Ref{ID: int64(id)})
			if err != nil || u.Version != version || !right(u) {
				t.Errorf("%s: %+v, %v", what, u, err)
			}
		}
		change("tier", func(tx *store.Tx) error { return tx.Users().SetTier(t.Context(), id, domain.TierPremium, later) },
			func(u domain.User) bool { return u.Tier == domain.TierPremium && u.UpdatedAt.Equal(later) })
		change("suspended", func(tx *store.Tx) error { return tx.Moderation().SetSuspended(t.Context(), id, &later) },
			func(u domain.User) bool { return u.SuspendedAt != nil && u.SuspendedAt.Equal(later) })
		change("no longer suspended", func(tx *store.Tx) error { return tx.Moderation().SetSuspended(t.Context(), id, nil) },
			func(u domain.User) bool { return u.SuspendedAt == nil })
		if err := s.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.Users().SetTier(t.Context(), id+1, domain.TierFree, later)
		}); err == nil {
			t.Error("the tier of nobody was set")
		}
	})
}

func TestListOfUsers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var want, got []domain.UserID
		for i := range 5 {
			want = append(want, storetest.User(t, s, fmt.Sprint("User ", i)))
		}
		for after := domain.UserID(0); ; after = got[len(got)-1] {
			page, err := s.Users().Users(t.Context(), after, 2)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			for _, u := range page {
				got = append(got, u.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
