package store_test

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// before gives the migrations up to the one with a name, without it.
func before(t *testing.T, d database.Dialect, name string) fs.FS {
	t.Helper()
	all := store.Migrations(d)
	names, err := fs.Glob(all, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	some := fstest.MapFS{}
	for _, n := range names {
		text, err := fs.ReadFile(all, n)
		if err != nil {
			t.Fatal(err)
		}
		if n < name {
			some[n] = &fstest.MapFile{Data: text}
		}
	}
	return some
}

// Accounts and tokens from before there were sessions and applications stay as they are.
func TestUpgradeToAccounts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		s, db := storetest.OpenDB(t, o)
		if _, err := db.Migrate(t.Context(), before(t, db.Dialect(), "0006")); err != nil {
			t.Fatal(err)
		}
		live, revoked := []byte("the hash of a live token"), []byte("the hash of a revoked token")
		storetest.Exec(t, db, `INSERT INTO users (id, slug, name, email, password_hash, tier, created_at, updated_at)
			VALUES (7, 'ada', 'Ada', 'ada@example.org', '', 'premium', 1, 1)`)
		storetest.Exec(t, db, `INSERT INTO tokens (user_id, name, hash, hint, scope, last_used_at, revoked_at, created_at)
			VALUES (7, 'cli', $1, 'vitrine_pat_abcd', 'write', 2, NULL, 1), (7, 'old', $2, 'vitrine_pat_efgh', 'read', NULL, 5, 1)`,
			live, revoked)
		if _, err := db.Migrate(t.Context(), store.Migrations(db.Dialect())); err != nil {
			t.Fatal(err)
		}
		h, err := s.TokenHolder(t.Context(), live)
		want := domain.Actor{UserID: 7, Tier: domain.TierPremium, Scope: domain.ScopeWrite}
		if err != nil || h.TokenID != 1 || h.Actor != want || h.Suspended {
			t.Errorf("%+v, %v", h, err)
		}
		if _, err := s.TokenHolder(t.Context(), revoked); domain.KindOf(err) != domain.NotFound {
			t.Errorf("the revoked token: %v", err)
		}
		u, err := s.User(t.Context(), domain.Ref{ID: 7})
		if err != nil || u.Office != domain.OfficeMember {
			t.Errorf("%+v, %v", u, err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			first, err := tx.ClaimFirstAccount(t.Context()) // nobody takes over a server that has people
			if first {
				err = errors.Join(err, errors.New("a first account on an old server"))
			}
			id, more := tx.CreateToken(t.Context(), domain.Token{UserID: 7, Name: "new", Scope: domain.ScopeRead}, []byte("new"))
			if id <= 2 {
				t.Errorf("the id %d was given again", id)
			}
			return errors.Join(err, more)
		})
	})
}

// A database from before there were applications has the command line's after the upgrade.
func TestUpgradeToApplications(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		s, db := storetest.OpenDB(t, o)
		for _, some := range []fs.FS{before(t, db.Dialect(), "0006"), store.Migrations(db.Dialect())} {
			if _, err := db.Migrate(t.Context(), some); err != nil {
				t.Fatal(err)
			}
		}
		a, err := s.ApplicationByClientID(t.Context(), domain.CommandLineClient)
		if err != nil || a.UserID != 0 || !a.Public || len(a.RedirectURIs) != 3 {
			t.Errorf("%+v, %v", a, err)
		}
		for _, uri := range a.RedirectURIs {
			if why := domain.BadRedirectURI(uri); why != "" {
				t.Errorf("%s %s", uri, why)
			}
		}
	})
}

// Applications from before version 2 was served ask to read where they name no scope.
func TestUpgradeToVersion2(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		s, db := storetest.OpenDB(t, o)
		if _, err := db.Migrate(t.Context(), before(t, db.Dialect(), "0020")); err != nil {
			t.Fatal(err)
		}
		storetest.Exec(t, db, `INSERT INTO applications (client_id, name, redirect_uris, secret_hash, secret_hint, created_at, updated_at)
			VALUES ('old', 'Moss counter', '["https://example.org/back"]', 'a', 'vitrine_a', 5, 6)`)
		if _, err := db.Migrate(t.Context(), store.Migrations(db.Dialect())); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"old", domain.CommandLineClient} {
			a, err := s.ApplicationByClientID(t.Context(), id)
			if scope, ok := a.Asked(""); err != nil || a.ForV2 || scope != domain.ScopeRead || !ok {
				t.Errorf("%+v asks for %s, %v", a, scope, err)
			}
		}
	})
}
