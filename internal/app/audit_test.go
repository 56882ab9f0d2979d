package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
)

// acts returns the entries of the log that match a filter, oldest first.
func (w *accountsRig) acts(op domain.Actor, f domain.AuditFilter) (all []string) {
	w.t.Helper()
	found, err := w.a.Operating.AuditLog(w.ctx(), op, f, domain.AuditPlace{}, 1000)
	w.must(err)
	for _, e := range slices.Backward(found) {
		all = append(all, e.Actor+" "+string(e.Act)+" "+e.About.Label)
	}
	return all
}

// The log records changes of accounts and how people get access to them, with their actors.
func TestAuditOfAccounts(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op, ada := w.first("op"), w.member("ada")
		session := w.signIn("ada")
		_, err := w.a.Accounts.SignIn(w.ctx(), elsewhere, "ada@example.org", "wrong")
		w.want(domain.Unauthenticated, err)
		_, err = w.a.Accounts.SignIn(w.ctx(), elsewhere, "nobody@example.org", "my own password")
		w.want(domain.Unauthenticated, err)
		_, token, err := w.a.Accounts.CreateOwnToken(w.ctx(), ada, accounts.TokenInput{Name: "cli", Scope: domain.ScopeRead})
		w.must(err)
		w.must(w.a.Accounts.RevokeOwnToken(w.ctx(), ada, token.ID))
		w.want(domain.NotFound, w.a.Accounts.RevokeOwnToken(w.ctx(), ada, token.ID))
		for range 2 { // the second ends nothing
			w.must(w.a.Accounts.SignOut(w.ctx(), session))
		}
		w.must2(w.a.Accounts.ChangePassword(w.ctx(), ada, w.Proved(ada.UserID), "another battery", true))
		console := scope.With(w.ctx(), &scope.Scope{Origin: domain.Origin{Console: true}})
		for range 2 { // the second grants nothing
			_, err = w.a.Operating.SetOffice(console, domain.Ref{Slug: "ada"}, domain.OfficeOperator)
			w.must(err)
		}
		_, err = w.a.Operating.SetAccount(w.ctx(), op, ada.UserID, suspend(true))
		w.must(err)
		_, err = w.a.Accounts.SignIn(w.ctx(), elsewhere, "ada@example.org", "another battery")
		w.want(domain.Unauthenticated, err)
		_, err = w.a.Operating.SetAccount(w.ctx(), op, ada.UserID, suspend(false))
		w.must(err)
		w.must(w.a.Operating.SetSignUpMode(w.ctx(), op, domain.SignUpClosed))
		_, err = w.a.Operating.SetAccount(w.ctx(), op, ada.UserID, office(domain.OfficeMember))
		w.must(err)
		w.must(w.a.Accounts.DeleteAccount(w.ctx(), ada, w.Proved(ada.UserID), "ada"))
		want := []string{"the server account.created op", "op session.created ", "the server account.created ada", "ada session.created ",
			"not signed in session.refused ada", "not signed in session.refused ", "ada token.created cli", "ada token.revoked ",
			"ada session.ended ", "ada account.password ada", "ada session.ended-all ada", "command line operator.given ada", "op account.suspended ada",
			"not signed in session.refused ada", "op account.restored ada", "op site.sign-up ", "op operator.taken ada", "ada account.deleted ada"}
		if got := w.acts(op, domain.AuditFilter{}); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for i, tt := range []struct {
			f    domain.AuditFilter
			want int
		}{{domain.AuditFilter{Actor: "ada"}, 7}, {domain.AuditFilter{ActorID: op.UserID}, 5}, {domain.AuditFilter{Act: domain.ActSignInRefused}, 3},
			{domain.AuditFilter{About: domain.AuditTarget{Kind: "User", ID: int64(ada.UserID)}}, 10},
			{domain.AuditFilter{About: domain.AuditTarget{Label: "cli"}}, 1}, {domain.AuditFilter{Actor: "nobody"}, 0},
			{domain.AuditFilter{From: w.Clock.Now().Add(time.Hour)}, 0}, {domain.AuditFilter{To: w.Clock.Now().Add(time.Hour)}, len(want)}} {
			if got := w.acts(op, tt.f); len(got) != tt.want {
				t.Errorf("filter %d: %d entries, want %d: %q", i, len(got), tt.want, got)
			}
		}
		var all bytes.Buffer
		w.must(w.a.Operating.AuditDownload(w.ctx(), op, domain.AuditFilter{}, func() io.Writer { return &all }))
		if s := all.String(); strings.Count(s, "\n") != len(want) || strings.Contains(s, "my own password") || strings.Contains(s, "vitrine_") ||
			!strings.Contains(s, `"address":"198.51.100.7"`) {
			t.Error(s)
		}
		for line := range strings.Lines(all.String()) {
			if !json.Valid([]byte(line)) {
				t.Error(line)
			}
		}
	})
}

// A transaction that is rolled back leaves no entry in the log.
func TestAuditIsOfTheTransaction(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op, ada := w.first("op"), w.member("ada")
		for i := range domain.MaxOwnTokens {
			_, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), ada, accounts.TokenInput{Name: fmt.Sprint(i), Scope: domain.ScopeRead})
			w.must(err)
		}
		var g sync.WaitGroup
		for range 4 {
			g.Go(func() {
				_, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), ada, accounts.TokenInput{Name: "too many", Scope: domain.ScopeRead})
				if domain.KindOf(err) != domain.Unprocessable {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if n := len(w.acts(op, domain.AuditFilter{Act: domain.ActTokenCreated})); n != domain.MaxOwnTokens {
			t.Error(n)
		}
	})
}

// Repeated failures to sign in do not fill the log.
func TestAuditOfRefusedSignInsIsBounded(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op := w.first("op")
		refused := func() []string { return w.acts(op, domain.AuditFilter{Act: domain.ActSignInRefused}) }
		fail := func(i int) {
			from := elsewhere
			from.Address = from.Address.Next()
			_, err := w.a.Accounts.SignIn(w.ctx(), from, fmt.Sprintf("nobody%d@example.org", i), "wrong")
			w.want(domain.Unauthenticated, err)
		}
		fail(0)
		if n := len(refused()); n != 1 {
			t.Fatal(n)
		}
		key := core.Counters([]core.Limit{{Window: time.Hour}}, true, "noted refusals")[0].Key
		w.Exec("UPDATE attempts SET count = $1 WHERE key = $2", domain.MaxRefusedNoted-1, key)
		fail(1)
		fail(2)
		found, err := w.a.Operating.AuditLog(w.ctx(), op, domain.AuditFilter{Act: domain.ActSignInRefused}, domain.AuditPlace{}, 10)
		if w.must(err); len(found) != 2 || found[0].Details["further"] == nil {
			t.Errorf("%+v", found)
		}
		w.Clock.Advance(2 * time.Hour)
		fail(3)
		if n := len(refused()); n != 3 {
			t.Error(n)
		}
	})
}

func TestAuditIsForOperators(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op, ada := w.first("op"), w.member("ada")
		for _, actor := range []domain.Actor{{}, ada} {
			_, err := w.a.Operating.AuditLog(w.ctx(), actor, domain.AuditFilter{}, domain.AuditPlace{}, 10)
			w.want(domain.Forbidden, err)
			w.want(domain.Forbidden, w.a.Operating.AuditDownload(w.ctx(), actor, domain.AuditFilter{}, func() io.Writer {
				t.Error("begun")
				return io.Discard
			}))
		}
		for _, f := range []domain.AuditFilter{{Act: "dance"}, {Actor: "a\x00"}, {About: domain.AuditTarget{Label: "\xff"}},
			{From: w.Clock.Now(), To: w.Clock.Now().Add(-time.Hour)}} {
			_, err := w.a.Operating.AuditLog(w.ctx(), op, f, domain.AuditPlace{}, 10)
			w.want(domain.Invalid, err)
		}
	})
}

// Pages of the log continue where the previous one ended even if entries were added since, and entries are kept as long
// as a setting says.
func TestAuditPagesAndSweep(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op := w.first("op")
		w.Clock.Advance(time.Since(w.Clock.Now()) - 100*24*time.Hour) // the database uses its own clock
		for range 7 {
			w.must(w.a.Operating.SetSignUpMode(w.ctx(), op, domain.SignUpOpen)) // all at the same time
		}
		seen := map[domain.AuditID]bool{}
		var at domain.AuditPlace
		f := domain.AuditFilter{Act: domain.ActSignUpMode}
		for {
			found, err := w.a.Operating.AuditLog(w.ctx(), op, f, at, 3)
			w.must(err)
			for _, e := range found {
				if seen[e.ID] {
					t.Errorf("%d twice", e.ID)
				}
				seen[e.ID], at = true, domain.AuditPlace{At: e.At, ID: e.ID}
			}
			if len(found) < 3 {
				break
			}
			w.Clock.Advance(time.Minute)
			w.must(w.a.Operating.SetSignUpMode(w.ctx(), op, domain.SignUpOpen))
		}
		if len(seen) != 7 {
			t.Errorf("%d entries", len(seen))
		}
		w.must(w.a.Operating.SweepAuditLog(w.ctx()))
		w.Clock.Advance(60*24*time.Hour + time.Hour)
		w.must(w.a.Operating.SetSignUpMode(w.ctx(), op, domain.SignUpOpen))
		if n := len(w.acts(op, f)); n != 10 {
			t.Fatalf("%d entries before", n)
		}
		for range 2 {
			w.must(w.a.Operating.SweepAuditLog(w.ctx()))
			if n := len(w.acts(op, f)); n != 1 {
				t.Fatalf("%d entries left", n)
			}
		}
	}, func(cfg *config.Config) { cfg.AuditKeep = 60 * 24 * time.Hour })
}
