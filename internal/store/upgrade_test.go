package store_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// before returns the migrations before the one with a name.
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

// Accounts and tokens from before sessions and applications existed remain unchanged.
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
		h, err := s.Account().TokenHolder(t.Context(), live)
		want := domain.Actor{UserID: 7, Tier: domain.TierPremium, Scope: domain.ScopeWrite}
		if err != nil || h.TokenID != 1 || h.Actor != want || h.Suspended {
			t.Errorf("%+v, %v", h, err)
		}
		if _, err := s.Account().TokenHolder(t.Context(), revoked); domain.KindOf(err) != domain.NotFound {
			t.Errorf("the revoked token: %v", err)
		}
		u, err := s.Users().User(t.Context(), domain.Ref{ID: 7})
		if err != nil || u.Office != domain.OfficeMember {
			t.Errorf("%+v, %v", u, err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			first, err := tx.Account().ClaimFirstAccount(t.Context()) // nobody can take over a server that has users
			if first {
				err = errors.Join(err, errors.New("a first account on an old server"))
			}
			id, more := tx.Account().CreateToken(t.Context(), domain.Token{UserID: 7, Name: "new", Scope: domain.ScopeRead}, []byte("new"))
			if id <= 2 {
				t.Errorf("the id %d was given again", id)
			}
			return errors.Join(err, more)
		})
	})
}

// After the upgrade, a database from before applications existed has the application of the
// command line.
func TestUpgradeToApplications(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		s, db := storetest.OpenDB(t, o)
		for _, some := range []fs.FS{before(t, db.Dialect(), "0006"), store.Migrations(db.Dialect())} {
			if _, err := db.Migrate(t.Context(), some); err != nil {
				t.Fatal(err)
			}
		}
		a, err := s.Account().ApplicationByClientID(t.Context(), domain.CommandLineClient)
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

// Applications from before version 2 was served request read access if they name no scope.
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
			a, err := s.Account().ApplicationByClientID(t.Context(), id)
			if scope := a.Asked(""); err != nil || a.ForV2 || scope != domain.ScopeRead {
				t.Errorf("%+v asks for %s, %v", a, scope, err)
			}
		}
	})
}

// After the upgrade, copied feeds are read from activities. This also works for a node of the
// previous version, which copies nothing more and finds nothing copied.
func TestUpgradeToFeedsOfActivities(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		s, db := storetest.OpenDB(t, o)
		if _, err := db.Migrate(t.Context(), before(t, db.Dialect(), "0039")); err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{
			`INSERT INTO users (id, slug, name, email, tier, password_hash, created_at, updated_at) VALUES
				(1, 'ada', 'Ada', 'ada@example.org', 'free', '', 1, 1), (2, 'bob', 'Bob', 'bob@example.org', 'free', '', 1, 1), (3, 'eve', 'Eve', 'eve@example.org', 'free', '', 1, 1)`,
			`INSERT INTO activities (id, kind, actor_id, item_type, item_id, created_at) VALUES
				(1, 'created_channel', 1, 'Channel', 1, 1), (2, 'created_channel', 3, 'Channel', 2, 2), (3, 'created_channel', 1, 'Channel', 3, 3)`,
			`INSERT INTO follows (follower_id, followed_type, followed_id, copied_from, created_at) VALUES
				(2, 'User', 1, 2, 1), (2, 'User', 3, 9223372036854775807, 1)`,
			`INSERT INTO feed_sources (source_type, source_id, followers, pulled) VALUES ('User', 1, 1, FALSE), ('User', 3, 1, TRUE)`,
			`INSERT INTO follower_ranks (followed_type, followed_id, first_follow, followings) VALUES ('User', 1, 1, 1), ('User', 3, 2, 1)`,
			`INSERT INTO feed_entries (user_id, activity_id, follow_id) VALUES (2, 3, 1), (2, 2, 77)`, // the second entry is of a following that has ended
			`UPDATE users SET followers_count = CASE id WHEN 2 THEN 0 ELSE 1 END, following_count = CASE id WHEN 2 THEN 2 ELSE 0 END`,
		} {
			storetest.Exec(t, db, statement)
		}
		if _, err := db.Migrate(t.Context(), store.Migrations(db.Dialect())); err != nil {
			t.Fatal(err)
		}
		if got := leafed(t, s, 2, 2); !slices.Equal(got, []domain.ActivityID{3, 2, 1}) {
			t.Errorf("the feed is %v", got)
		}
		// The statement with which the previous version reads or creates sources when it records and
		// follows.
		for _, source := range []int64{1, 2, 3} {
			var followers int64
			var pulled bool
			err := db.Transact(t.Context(), func(tx *database.Tx) error {
				return tx.QueryRow(t.Context(), `INSERT INTO feed_sources (source_type, source_id) VALUES ($1, $2)
					ON CONFLICT (source_type, source_id) DO UPDATE SET pulled = feed_sources.pulled
					RETURNING followers, pulled`, "User", source).Scan(&followers, &pulled)
			})
			if err != nil || !pulled {
				t.Errorf("user %d is pulled: %v, %v", source, pulled, err)
			}
		}
		storetest.Follow(t, s, 3, storetest.UserSubject(1))
		storetest.Exec(t, db, `INSERT INTO follows (follower_id, followed_type, followed_id, created_at) VALUES (1, 'User', 2, 1)`)
		var rows, fetched, entries int
		err := db.Reader().QueryRow(t.Context(), `SELECT count(*), count(CASE WHEN copied_from = 9223372036854775807 THEN 1 END),
			(SELECT count(*) FROM feed_entries) FROM follows`).Scan(&rows, &fetched, &entries)
		if err != nil || rows != 4 || fetched != rows || entries != 0 {
			t.Errorf("of %d follows %d are fetched, and %d entries are left, %v", rows, fetched, entries, err)
		}
	})
}
