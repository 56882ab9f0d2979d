package store_test

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"vitrine/internal/auth"
	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// A database from before there were applications has the command line's after the
// upgrade, and its tokens work on.
func TestUpgradeToApplications(t *testing.T) {
	t.Parallel()
	empty := dbtest.NewTemplate(func(o database.Options) error {
		db, err := database.Open(t.Context(), o)
		return errors.Join(err, db.Ping(t.Context()), db.Close())
	})
	empty.Each(t, func(t *testing.T, o database.Options) {
		s, db := storetest.OpenDB(t, o)
		migrate(t, db, before(t, store.Migrations(db.Dialect()), "0006"))
		storetest.Exec(t, db, `INSERT INTO users (id, slug, name, email, password_hash, tier, created_at, updated_at)
			VALUES (7, 'ada', 'Ada', 'ada@example.org', '', 'free', 1, 1)`)
		storetest.Exec(t, db, `INSERT INTO tokens (user_id, name, hash, hint, scope, created_at) VALUES (7, 'old', $1, 'x', 'write', 1)`,
			auth.HashToken("old"))
		migrate(t, db, store.Migrations(db.Dialect()))
		h, err := s.TokenHolder(t.Context(), auth.HashToken("old"))
		if want := (domain.Actor{UserID: 7, Tier: domain.TierFree, Scope: domain.ScopeWrite}); err != nil || h.Actor != want {
			t.Errorf("%+v, %v", h, err)
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

func migrate(t *testing.T, db *database.DB, migrations fs.FS) {
	t.Helper()
	if _, err := db.Migrate(t.Context(), migrations); err != nil {
		t.Fatal(err)
	}
}

// before gives the migrations with a lower number.
func before(t *testing.T, all fs.FS, number string) fs.FS {
	t.Helper()
	names, err := fs.Glob(all, "*.sql")
	some := fstest.MapFS{}
	for _, name := range names {
		text, bad := fs.ReadFile(all, name)
		if err = errors.Join(err, bad); name < number {
			some[name] = &fstest.MapFile{Data: text}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return some
}
