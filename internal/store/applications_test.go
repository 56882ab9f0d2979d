package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
	"vitrine/internal/store/storetest"
)

// oddTexts are texts that a mapping to columns may damage.
var oddTexts = map[string]string{"plain": "words", "quotes": `'"` + "`", "percent": "100%_", "backslash": `C:\n`, "lines": "a\r\nb\tc", "wide": "Ünïcödé 漢字",
	"beyond the basic plane": "🪴", "joined": "👩‍👩‍👧", "right to left": "שלום", "control": "\x01\x7f", "JSON": `{"a":null}`, "number": "0123", "spaces": "  a  ", "empty": "", "long": strings.Repeat("x", 5000)}

// app registers an application.
func app(t *testing.T, s *store.Store, a domain.Application, secret []byte) (id domain.ApplicationID) {
	t.Helper()
	if a.RedirectURIs == nil {
		a.RedirectURIs = []string{}
	}
	a.CreatedAt = minutes(0)
	storetest.In(t, s, func(tx *store.Tx) (err error) {
		id, err = tx.Account().CreateApplication(t.Context(), a, secret)
		return err
	})
	return id
}

// An application is read as it was registered and changed, until it is deleted.
func TestLivesOfApplications(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		for name, text := range oddTexts {
			in := domain.Application{ClientID: "client " + name, UserID: ada, Name: text, RedirectURIs: []string{text, "https://example.org/" + text}, ForV2: name == "wide", SecretHint: text}
			id := app(t, s, in, hash(1))
			got, err := s.Account().Application(ctx, id)
			if err != nil || got.Name != text || !slices.Equal(got.RedirectURIs, in.RedirectURIs) || got.Owner != "ada" || got.Public || got.ForV2 != in.ForV2 ||
				got.SecretHint != text || !got.CreatedAt.Equal(minutes(0)) || !got.UpdatedAt.Equal(minutes(0)) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			if by, err := s.Account().ApplicationByClientID(ctx, in.ClientID); err != nil || by.ID != id {
				t.Errorf("%s: by its client id %+v, %v", name, by, err)
			}
		}
		storetest.Exec(t, db, "DELETE FROM applications")

		bob := storetest.User(t, s, "Bob")
		public := app(t, s, domain.Application{ClientID: "public", UserID: ada, Name: "Public"}, nil)
		secret := app(t, s, domain.Application{ClientID: "secret", UserID: ada, Name: "Secret", SecretHint: "abc"}, hash(1))
		own := app(t, s, domain.Application{ClientID: "own", Name: "Of nobody"}, nil)
		for _, row := range []struct {
			name string
			do   func(tx *store.Tx) error
			err  domain.Kind
			fine bool
		}{
			{"the secret of a confidential one", func(tx *store.Tx) error {
				return tx.Account().SetApplicationSecret(ctx, secret, hash(2), "def", minutes(1))
			}, 0, true},
			{"the secret of a public one", func(tx *store.Tx) error {
				return tx.Account().SetApplicationSecret(ctx, public, hash(2), "def", minutes(1))
			}, domain.NotFound, false},
			{"the secret of an unknown one", func(tx *store.Tx) error {
				return tx.Account().SetApplicationSecret(ctx, 1<<40, hash(2), "def", minutes(1))
			}, domain.NotFound, false},
			{"its name and addresses", func(tx *store.Tx) error {
				return tx.Account().UpdateApplication(ctx, domain.Application{ID: public, Name: "New", RedirectURIs: []string{"app://x"}, ForV2: true}, minutes(2))
			}, 0, true},
			{"an unknown one", func(tx *store.Tx) error {
				return tx.Account().UpdateApplication(ctx, domain.Application{ID: 1 << 40, RedirectURIs: []string{}}, minutes(2))
			}, domain.NotFound, false},
		} {
			if err := s.InTx(ctx, row.do); (err == nil) != row.fine || err != nil && domain.KindOf(err) != row.err {
				t.Errorf("%s: %v", row.name, err)
			}
		}
		if a, err := s.Account().Application(ctx, public); err != nil || a.Name != "New" || !a.ForV2 || !a.Public || !a.UpdatedAt.Equal(minutes(2)) || !slices.Equal(a.RedirectURIs, []string{"app://x"}) {
			t.Errorf("%+v, %v", a, err)
		}
		if got, err := s.Account().ApplicationSecret(ctx, secret); err != nil || !slices.Equal(got, hash(2)) {
			t.Errorf("%s, %v", got, err)
		}
		if got, err := s.Account().ApplicationSecret(ctx, public); err != nil || got != nil {
			t.Errorf("of a public one: %s, %v", got, err)
		}
		ids := func(all []domain.Application, err error) (ids []domain.ApplicationID) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range all {
				ids = append(ids, a.ID)
			}
			return ids
		}
		counted := func(user domain.UserID) (n int, err error) {
			err = s.InTx(ctx, func(tx *store.Tx) error { n, err = tx.Account().CountApplications(ctx, user); return err })
			return n, err
		}
		for range 2 {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().DeleteApplication(ctx, public, minutes(3)) })
		}
		for name, row := range map[string]struct{ got, want []domain.ApplicationID }{
			"of ada":         {ids(s.Account().ApplicationsOf(ctx, ada)), []domain.ApplicationID{secret}},
			"of bob":         {ids(s.Account().ApplicationsOf(ctx, bob)), nil},
			"all":            {ids(s.Account().Applications(ctx, 0, 10)), []domain.ApplicationID{secret, own}},
			"the first":      {ids(s.Account().Applications(ctx, 0, 1)), []domain.ApplicationID{secret}},
			"after it":       {ids(s.Account().Applications(ctx, secret, 10)), []domain.ApplicationID{own}},
			"after the last": {ids(s.Account().Applications(ctx, own, 10)), nil},
		} {
			if !slices.Equal(row.got, row.want) {
				t.Errorf("%s: %v, want %v", name, row.got, row.want)
			}
		}
		if n, err := counted(ada); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		for state, column := range map[string]string{"suspended": "suspended_at", "deleted": "deleted_at"} {
			storetest.Exec(t, db, "UPDATE users SET "+column+" = 1 WHERE id = $1", bob)
			_, err := counted(bob)
			want(t, state, domain.NotFound, err)
			err = s.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Account().MayAct(ctx, bob); return err })
			want(t, state+", acting", domain.NotFound, err)
			storetest.Exec(t, db, "UPDATE users SET "+column+" = NULL WHERE id = $1", bob)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			slug, err := tx.Account().MayAct(ctx, bob)
			if slug != "bob" {
				t.Errorf("%q may act", slug)
			}
			return err
		})
		for name, read := range map[string]func() error{
			"read":       func() error { _, err := s.Account().Application(ctx, public); return err },
			"by its id":  func() error { _, err := s.Account().ApplicationByClientID(ctx, "public"); return err },
			"its secret": func() error { _, err := s.Account().ApplicationSecret(ctx, public); return err },
			"shared": func() error {
				return s.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Account().ShareApplication(ctx, public); return err })
			},
			"its change": func() error {
				return s.InTx(ctx, func(tx *store.Tx) error {
					return tx.Account().UpdateApplication(ctx, domain.Application{ID: public, RedirectURIs: []string{}}, minutes(4))
				})
			},
			"its next secret": func() error {
				return s.InTx(ctx, func(tx *store.Tx) error {
					return tx.Account().SetApplicationSecret(ctx, public, hash(3), "", minutes(4))
				})
			},
		} {
			want(t, "a deleted application, "+name, domain.NotFound, read())
		}
	})
}

// A grant only grows, and revoking it takes its codes and tokens, but only those of this user and application.
func TestGrantsOfApplications(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		first, second := app(t, s, domain.Application{ClientID: "first", UserID: ada, Name: "First"}, hash(1)), app(t, s, domain.Application{ClientID: "second", Name: "Second"}, nil)
		n := 100
		grant := func(of domain.ApplicationID, user domain.UserID, scope domain.Scope) {
			t.Helper()
			n++
			storetest.In(t, s, func(tx *store.Tx) error {
				return errors.Join(tx.Account().Grant(ctx, account.Code{ApplicationID: of, UserID: user, Scope: scope, CreatedAt: minutes(n)}),
					tx.Account().CreateCode(ctx, account.Code{Hash: hash(n), ApplicationID: of, UserID: user, Scope: scope, CreatedAt: minutes(n), ExpiresAt: minutes(n + 1)}),
					tx.Account().CreateApplicationToken(ctx, domain.Token{UserID: user, ApplicationID: of, Name: "t", Hint: "h", Scope: scope, CreatedAt: minutes(n)}, hash(n), hash(n), 10))
			})
		}
		for _, row := range []struct {
			name  string
			scope domain.Scope
			want  domain.Scope
		}{{"to read", domain.ScopeRead, domain.ScopeRead}, {"to write", domain.ScopeWrite, domain.ScopeWrite}, {"to read again", domain.ScopeRead, domain.ScopeWrite}} {
			grant(first, bob, row.scope)
			got, _, err := s.Account().Granted(ctx, first, bob)
			shared := domain.ScopeNone
			storetest.In(t, s, func(tx *store.Tx) (err error) { shared, err = tx.Account().ShareGrant(ctx, first, bob); return err })
			if err != nil || got != row.want || shared != row.want {
				t.Errorf("%s: %v, %v, %v", row.name, got, shared, err)
			}
		}
		grant(second, bob, domain.ScopeRead)
		grant(first, ada, domain.ScopeRead)
		_, _, err := s.Account().Granted(ctx, second, ada)
		want(t, "no grant", domain.NotFound, err)
		all, err := s.Account().Grants(ctx, bob)
		if err != nil || len(all) != 2 || all[0].Application.ID != second || all[1].Application.ID != first || all[1].Scope != domain.ScopeWrite ||
			!all[1].CreatedAt.Equal(minutes(101)) || all[1].LastUsedAt != nil || all[1].Application.Owner != "ada" {
			t.Errorf("%+v, %v", all, err)
		}
		for _, at := range []int{300, 200} { // an earlier use changes nothing
			token, err := s.Account().ApplicationToken(ctx, hash(101))
			if err != nil || token.UserID != bob || token.ApplicationID != first {
				t.Fatalf("%+v, %v", token, err)
			}
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().TokenUsed(ctx, token.ID, minutes(at)) })
		}
		if again, err := s.Account().Grants(ctx, bob); err != nil || again[1].LastUsedAt == nil || !again[1].LastUsedAt.Equal(minutes(300)) {
			t.Errorf("%+v, %v", again, err)
		}
		live := func() (tokens, codes string) {
			for n := 101; n <= 105; n++ {
				if _, err := s.Account().ApplicationToken(ctx, hash(n)); err == nil {
					tokens += fmt.Sprint(n-100, " ")
				}
				if _, err := s.Account().Code(ctx, hash(n)); err == nil {
					codes += fmt.Sprint(n-100, " ")
				}
			}
			return tokens, codes
		}
		revoke := func(id domain.GrantID, user domain.UserID) error {
			return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().DeleteGrant(ctx, id, user) })
		}
		for _, row := range []struct {
			name   string
			do     func() error
			fine   bool
			tokens string
		}{
			{"of somebody else", func() error { return revoke(all[1].ID, ada) }, false, "1 2 3 4 5 "},
			{"a suspended user", func() error {
				storetest.Exec(t, db, "UPDATE users SET suspended_at = 1 WHERE id = $1", ada)
				return nil
			}, true, "1 2 3 4 "},
			{"the user may act again", func() error { storetest.Exec(t, db, "UPDATE users SET suspended_at = NULL"); return nil }, true, "1 2 3 4 5 "},
			{"by its owner", func() error { return revoke(all[1].ID, bob) }, true, "4 5 "},
			{"again", func() error { return revoke(all[1].ID, bob) }, false, "4 5 "},
			{"all of a user", func() error {
				return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().DeleteGrantsOf(ctx, bob) })
			}, true, "5 "},
			{"with the application", func() error {
				return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().DeleteApplication(ctx, first, minutes(500)) })
			}, true, ""},
		} {
			err := row.do()
			tokens, codes := live()
			if (err == nil) != row.fine || tokens != row.tokens || row.name != "a suspended user" && codes != row.tokens {
				t.Errorf("%s: %v, tokens %s, codes %s, want %s", row.name, err, tokens, codes, row.tokens)
			}
		}
	})
}

// A code works once, also for requests at once, and its tokens can be revoked with it.
func TestCodes(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		client := app(t, s, domain.Application{ClientID: "client", Name: "Client"}, nil)
		in := account.Code{Hash: hash(1), ApplicationID: client, UserID: ada, RedirectURI: "app://x?a=b", Challenge: "c", Scope: domain.ScopeWrite, CreatedAt: minutes(0), ExpiresAt: minutes(10)}
		storetest.In(t, s, func(tx *store.Tx) error {
			for n := 1; n <= 4; n++ {
				c := in
				c.Hash, c.ExpiresAt = hash(n), minutes(9+n)
				if err := tx.Account().CreateCode(ctx, c); err != nil {
					return err
				}
			}
			return nil
		})
		if got, err := s.Account().Code(ctx, hash(1)); err != nil || !slices.Equal(got.Hash, in.Hash) || got.RedirectURI != in.RedirectURI || got.Challenge != "c" || got.Scope != in.Scope ||
			got.UserID != ada || !got.ExpiresAt.Equal(minutes(10)) || !got.CreatedAt.Equal(minutes(0)) {
			t.Errorf("%+v, %v", got, err)
		}
		var mu sync.Mutex
		firsts := 0
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				var first bool
				if err := s.InTx(ctx, func(tx *store.Tx) (err error) {
					first, err = tx.Account().UseCode(ctx, hash(1), minutes(1))
					return err
				}); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if first {
					firsts++
				}
			})
		}
		all.Wait()
		if firsts != 1 {
			t.Errorf("%d used it first", firsts)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			first, err := tx.Account().UseCode(ctx, hash(99), minutes(1))
			if first {
				t.Error("an unknown code was used")
			}
			for n := 11; n <= 12; n++ {
				err = errors.Join(err, tx.Account().CreateApplicationToken(ctx, domain.Token{UserID: ada, ApplicationID: client, Name: "t", Hint: "h", Scope: domain.ScopeRead, CreatedAt: minutes(n)}, hash(n), hash(1), 10))
			}
			return err
		})
		for _, row := range []struct {
			code int
			live bool
			left int64
		}{{2, false, 2}, {1, true, 0}, {1, false, 0}} {
			storetest.In(t, s, func(tx *store.Tx) error {
				live, err := tx.Account().RevokeCode(ctx, hash(row.code))
				if live != row.live {
					t.Errorf("%+v: %v", row, live)
				}
				return err
			})
			if n := count(t, db, "tokens"); n != row.left {
				t.Errorf("%+v: %d tokens", row, n)
			}
		}
		for _, row := range []struct{ at, limit, want int }{{9, 10, 0}, {12, 2, 2}, {12, 2, 1}, {13, 10, 1}, {13, 10, 0}} {
			storetest.In(t, s, func(tx *store.Tx) error {
				n, err := tx.Account().SweepCodes(ctx, minutes(row.at), row.limit)
				if n != row.want {
					t.Errorf("%+v: swept %d", row, n)
				}
				return err
			})
		}
		_, err := s.Account().Code(ctx, hash(1))
		want(t, "a swept code", domain.NotFound, err)
	})
}

// The tokens that a person created are listed and revoked by that person.
func TestOwnTokensOfUsers(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, _ *database.DB) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		client := app(t, s, domain.Application{ClientID: "client", Name: "Client"}, nil)
		first, second := newToken(t, s, ada, "first", string(hash(1)), domain.ScopeRead), newToken(t, s, ada, "second", string(hash(2)), domain.ScopeWrite)
		bobs := newToken(t, s, bob, "bob's", string(hash(3)), domain.ScopeRead)
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Account().CreateApplicationToken(ctx, domain.Token{UserID: ada, ApplicationID: client, Name: "app", Hint: "h", Scope: domain.ScopeRead, CreatedAt: minutes(0)}, hash(4), nil, 10)
		})
		of, err := s.Account().ApplicationToken(ctx, hash(4))
		if err != nil {
			t.Fatal(err)
		}
		names := func(user domain.UserID) (all []string) {
			t.Helper()
			tokens, err := s.Account().OwnTokens(ctx, user)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range tokens {
				all = append(all, k.Name)
			}
			return all
		}
		for _, row := range []struct {
			name string
			do   func(tx *store.Tx) error
			fine bool
			ada  []string
		}{
			{"nothing", func(*store.Tx) error { return nil }, true, []string{"second", "first"}},
			{"of somebody else", func(tx *store.Tx) error { return tx.Account().RevokeOwnToken(ctx, ada, bobs, minutes(1)) }, false, []string{"second", "first"}},
			{"of an application", func(tx *store.Tx) error { return tx.Account().RevokeOwnToken(ctx, ada, of.ID, minutes(1)) }, false, []string{"second", "first"}},
			{"by its owner", func(tx *store.Tx) error { return tx.Account().RevokeOwnToken(ctx, ada, first, minutes(1)) }, true, []string{"second"}},
			{"it again", func(tx *store.Tx) error { return tx.Account().RevokeOwnToken(ctx, ada, first, minutes(1)) }, false, []string{"second"}},
			{"all", func(tx *store.Tx) error { return tx.Account().RevokeTokensOf(ctx, ada, minutes(1)) }, true, nil},
			{"one that is revoked", func(tx *store.Tx) error { return tx.Account().RevokeOwnToken(ctx, ada, second, minutes(1)) }, false, nil},
		} {
			if err := s.InTx(ctx, row.do); (err == nil) != row.fine || err != nil && domain.KindOf(err) != domain.NotFound {
				t.Errorf("%s: %v", row.name, err)
			}
			if got := names(ada); !slices.Equal(got, row.ada) || !slices.Equal(names(bob), []string{"bob's"}) {
				t.Errorf("%s: %q, %q", row.name, got, names(bob))
			}
		}
		if _, err := s.Account().ApplicationToken(ctx, hash(4)); err != nil {
			t.Errorf("the token of the application: %v", err)
		}
		for _, row := range []struct {
			name string
			app  domain.ApplicationID
			n    int
			fine bool
		}{{"of another application", client + 1, 4, false}, {"an unknown one", client, 5, false}, {"its own", client, 4, true}, {"again", client, 4, false}} {
			err := s.InTx(ctx, func(tx *store.Tx) error {
				of, err := tx.Account().DeleteApplicationToken(ctx, row.app, hash(row.n))
				if err == nil && of != ada {
					err = fmt.Errorf("of user %d", of)
				}
				return err
			})
			if (err == nil) != row.fine || err != nil && domain.KindOf(err) != domain.NotFound {
				t.Errorf("%s: %v", row.name, err)
			}
		}
	})
}

// The site's texts and legal pages are read as they were written, with versions that grow.
func TestTextsOfTheSite(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		version, _, err := s.Account().SiteVersion(ctx)
		if err != nil {
			t.Fatal(err)
		}
		put := func(at int, change func(site *domain.Site)) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				if err := tx.Account().LockSite(ctx, minutes(at)); err != nil {
					return err
				}
				was, err := tx.Account().Site(ctx)
				if err != nil {
					return err
				}
				is := was
				change(&is)
				return tx.UpdateSite(ctx, was, is)
			})
		}
		text := func(s string) *domain.Text {
			return &domain.Text{Markdown: s, HTML: "<p>" + s + "</p>", Plain: s + "."}
		}
		for name, odd := range oddTexts {
			put(1, func(site *domain.Site) { site.Name, site.About, site.Announcement = odd, text(odd), text(odd) })
			version++
			got, err := s.Account().Site(ctx)
			if err != nil || got.Name != odd || *got.About != *text(odd) || *got.Announcement != *text(odd) || got.Version != version || !got.UpdatedAt.Equal(minutes(1)) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Account().PutLegalPage(ctx, domain.LegalPage{Slug: "imprint", Title: odd, Body: text(odd)}, minutes(2))
			})
			if p, err := s.Account().LegalPage(ctx, "imprint"); err != nil || p.Title != odd || *p.Body != *text(odd) {
				t.Errorf("%s: %+v, %v", name, p, err)
			}
		}
		put(3, func(site *domain.Site) { site.About, site.Announcement = nil, nil })
		if got, err := s.Account().Site(ctx); err != nil || got.About != nil || got.Announcement != nil || len(got.Legal) != 1 || got.Legal[0].Version != int64(len(oddTexts)) || got.Legal[0].Body != nil {
			t.Errorf("%+v, %v", got, err)
		}
		// A picture is dropped when another one replaces it.
		picture := func(key string) (f domain.File) {
			storetest.In(t, s, func(tx *store.Tx) error {
				f = addedFile(t, tx, key, ada, storedBlob(t, tx, "same", minutes(0)))
				return nil
			})
			return f
		}
		for _, row := range []struct {
			name  string
			to    string // "" for none
			files int64
		}{{"the first", "a", 1}, {"another", "b", 1}, {"the same", "same", 1}, {"none", "", 0}, {"none again", "", 0}} {
			var f *domain.File
			if row.to != "" && row.to != "same" {
				f = new(domain.File)
				*f = picture(row.to)
			}
			put(4, func(site *domain.Site) {
				if row.to != "same" {
					site.Picture = f
				}
			})
			got, err := s.Account().Site(ctx)
			if n := count(t, db, "files"); err != nil || n != row.files || (got.Picture != nil) != (row.files == 1) || f != nil && got.Picture.ID != f.ID {
				t.Errorf("%s: %d files, %+v, %v", row.name, n, got.Picture, err)
			}
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Account().PutLegalPage(ctx, domain.LegalPage{Slug: "privacy", Title: "Privacy", Body: text("x")}, minutes(2))
		})
		if n, err := s.Account().CountLegalPages(ctx); err != nil || n != 2 {
			t.Errorf("%d, %v", n, err)
		}
		for _, row := range []struct {
			slug string
			fine bool
		}{{"unknown", false}, {"imprint", true}, {"imprint", false}, {"privacy", true}} {
			err := s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().DeleteLegalPage(ctx, row.slug) })
			if (err == nil) != row.fine || err != nil && domain.KindOf(err) != domain.NotFound {
				t.Errorf("%+v: %v", row, err)
			}
		}
		_, err = s.Account().LegalPage(ctx, "imprint")
		want(t, "a deleted page", domain.NotFound, err)
	})
}
