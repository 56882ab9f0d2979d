package app_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// clientsRig is a server with a confidential and a public application of ada.
type clientsRig struct {
	*accountsRig
	ada, bob    domain.Actor
	web, native client
}

// client is an application with its secret.
type client struct {
	domain.Application
	secret string
}

func (c client) credentials() accounts.ClientCredentials {
	return accounts.ClientCredentials{ID: c.ClientID, Secret: c.secret}
}

func newClients(w *accountsRig) *clientsRig {
	w.first("op")
	r := &clientsRig{accountsRig: w, ada: w.member("ada"), bob: w.member("bob")}
	r.web = r.registered(r.ada, accounts.ApplicationInput{Name: "Web", RedirectURIs: []string{"https://app.test/back", "https://app.test/else"}})
	r.native = r.registered(r.ada, accounts.ApplicationInput{Name: "Native", Public: true, RedirectURIs: []string{"http://127.0.0.1/back"}})
	return r
}

func (r *clientsRig) registered(by domain.Actor, in accounts.ApplicationInput) client {
	r.t.Helper()
	secret, app, err := r.a.Accounts.CreateApplication(r.ctx(), by, in)
	r.must(err)
	return client{app, secret}
}

const codeVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// asks returns a valid authorization request of an application.
func (c client) asks() accounts.AuthorizationRequest {
	r := accounts.AuthorizationRequest{ClientID: c.ClientID, RedirectURI: c.RedirectURIs[0], ResponseType: "code", Scope: "write", State: "s t"}
	if c.Public {
		r.RedirectURI, r.CodeChallenge, r.CodeChallengeMethod = "http://127.0.0.1:4711/back", challengeOf(codeVerifier), "S256"
	}
	return r
}

// allowed returns the valid request for a token after a user allowed a request.
func (r *clientsRig) allowed(as domain.Actor, c client, ask accounts.AuthorizationRequest) accounts.TokenRequest {
	r.t.Helper()
	address, err := r.a.Accounts.Allow(r.ctx(), as, ask)
	r.must(err)
	to, err := url.Parse(address)
	r.must(err)
	give := accounts.TokenRequest{Client: c.credentials(), GrantType: "authorization_code", Code: to.Query().Get("code"), RedirectURI: ask.RedirectURI}
	if ask.CodeChallenge != "" {
		give.CodeVerifier = codeVerifier
	}
	return give
}

// issued returns a token of an application for a user.
func (r *clientsRig) issued(as domain.Actor, c client) string {
	r.t.Helper()
	t, err := r.a.Accounts.IssueToken(r.ctx(), home, r.allowed(as, c, c.asks()))
	r.must(err)
	return t.Secret
}

// oauthCode returns the code of an OAuth error, "" without an error, and the text of any other error.
func oauthCode(err error) string {
	if e, ok := errors.AsType[*accounts.OAuthError](err); ok {
		return e.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func eachClients(t *testing.T, f func(t *testing.T, r *clientsRig), options ...apptest.Option) {
	t.Helper()
	eachAccounts(t, func(t *testing.T, w *accountsRig) { f(t, newClients(w)) }, options...)
}

func TestWhoManagesApplications(t *testing.T) {
	eachClients(t, func(t *testing.T, r *clientsRig) {
		a, ctx := r.a.Accounts, r.ctx()
		changed := accounts.ApplicationInput{Name: "Changed", RedirectURIs: []string{"https://app.test/changed"}}
		deeds := []struct {
			name string
			do   func(as domain.Actor, id domain.ApplicationID) error
			act  domain.Act
		}{
			{"read", func(as domain.Actor, id domain.ApplicationID) error { _, err := a.Application(ctx, as, id); return err }, ""},
			{"change", func(as domain.Actor, id domain.ApplicationID) error {
				_, err := a.UpdateApplication(ctx, as, id, changed)
				return err
			}, domain.ActAppChanged},
			{"new secret", func(as domain.Actor, id domain.ApplicationID) error {
				_, err := a.RotateSecret(ctx, as, id)
				return err
			}, domain.ActAppSecret},
			{"delete", func(as domain.Actor, id domain.ApplicationID) error { return a.DeleteApplication(ctx, as, id) }, domain.ActAppDeleted},
		}
		before := r.Dump()
		for _, d := range deeds {
			for name, as := range map[string]domain.Actor{"a guest": {}, "another user": r.bob} {
				if err := d.do(as, r.web.ID); outcome(err) != 'n' {
					t.Errorf("%s, as %s: %v", d.name, name, err)
				}
			}
			if err := d.do(r.ada, 1<<40); outcome(err) != 'n' {
				t.Errorf("%s, an unknown one: %v", d.name, err)
			}
		}
		_, err := a.RotateSecret(ctx, r.ada, r.native.ID)
		r.want(domain.Unprocessable, err)
		_, err = a.UpdateApplication(ctx, r.ada, r.native.ID, accounts.ApplicationInput{Name: "No address"})
		r.want(domain.Invalid, err)
		if d := before.Diff(r.Dump()); len(d) > 0 {
			t.Errorf("refused calls changed %v", d)
		}
		for _, d := range deeds {
			r.must(d.do(r.ada, r.web.ID))
			if e := r.latest(d.act); d.act != "" && (e.ActorID != r.ada.UserID || e.About.ID != int64(r.web.ID)) {
				t.Errorf("%s: noted %+v", d.name, e)
			}
		}
		if all, err := a.Applications(ctx, r.ada); err != nil || len(all) != 1 || all[0].ID != r.native.ID {
			t.Errorf("%+v, %v", all, err)
		}
		if all, err := a.Applications(ctx, r.bob); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
		r.want(domain.NotFound, a.DeleteApplication(ctx, r.ada, r.web.ID))
	})
}

// Deleting an application or rotating its secret takes effect at once, on everything that was issued with it.
func TestEndsOfApplications(t *testing.T) {
	eachClients(t, func(t *testing.T, r *clientsRig) {
		a, ctx := r.a.Accounts, r.ctx()
		for _, row := range []struct {
			name  string
			end   func(c client)
			token bool   // the token of a user still works
			code  string // the error of exchanging a code that was allowed before
		}{
			{"nothing", func(client) {}, true, ""},
			{"a new secret", func(c client) { _, err := a.RotateSecret(ctx, r.ada, c.ID); r.must(err) }, true, "invalid_client"},
			{"deleted by its owner", func(c client) { r.must(a.DeleteApplication(ctx, r.ada, c.ID)) }, false, "invalid_client"},
			{"deleted by the operator", func(c client) { r.must(a.EndApplication(ctx, domain.Actor{}, c.ClientID)) }, false, "invalid_client"},
			{"the user takes the access", func(client) {
				all, err := a.Grants(ctx, r.bob)
				r.must(err)
				r.must(a.RevokeGrant(ctx, r.bob, all[0].ID))
			}, false, "invalid_grant"},
			{"the user is suspended", func(client) {
				_, err := r.a.Operating.Suspend(ctx, domain.Ref{Slug: "bob"}, true)
				r.must(err)
			}, false, "invalid_grant"},
		} {
			c := r.registered(r.ada, accounts.ApplicationInput{Name: row.name, RedirectURIs: []string{"https://app.test/back"}})
			token := r.issued(r.bob, c)
			waiting := r.allowed(r.bob, c, c.asks())
			row.end(c)
			if _, err := a.Authenticate(ctx, token); (err == nil) != row.token {
				t.Errorf("%s: the token: %v", row.name, err)
			}
			if _, err := a.IssueToken(ctx, home, waiting); oauthCode(err) != row.code {
				t.Errorf("%s: the code: %v, want %s", row.name, err, row.code)
			}
		}
	})
}

func TestLimitOfApplications(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada := w.member("ada")
		create := func() (domain.Application, error) {
			_, app, err := w.a.Accounts.CreateApplication(w.ctx(), ada, accounts.ApplicationInput{Name: "App", RedirectURIs: []string{"https://app.test/back"}})
			return app, err
		}
		storetest.In(t, w.S.Store, func(tx *store.Tx) error {
			for i := range domain.MaxApplications - 2 {
				_, err := tx.Account().CreateApplication(w.ctx(), domain.Application{ClientID: fmt.Sprint("c", i), UserID: ada.UserID, Name: "App",
					RedirectURIs: []string{}, Public: true, CreatedAt: storetest.Now}, nil)
				if err != nil {
					return err
				}
			}
			return nil
		})
		_, err := create() // limit - 1
		w.must(err)
		var made atomic.Int64
		var g sync.WaitGroup
		for range 4 { // limit, by one of several at once
			g.Go(func() {
				if _, err := create(); err == nil {
					made.Add(1)
				} else if domain.KindOf(err) != domain.Unprocessable {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if made.Load() != 1 {
			t.Errorf("%d above the limit", made.Load()-1)
		}
		_, err = create()
		w.want(domain.Unprocessable, err)
		all, err := w.a.Accounts.Applications(w.ctx(), ada)
		if w.must(err); len(all) != domain.MaxApplications {
			t.Errorf("%d applications", len(all))
		}
		w.must(w.a.Accounts.DeleteApplication(w.ctx(), ada, all[0].ID))
		_, err = create()
		w.must(err)
		// Others have their own limit, but nobody who is suspended or unknown registers one.
		_, _, err = w.a.Accounts.CreateApplication(w.ctx(), w.member("bob"), accounts.ApplicationInput{Name: "App"})
		w.must(err)
		_, err = w.a.Operating.Suspend(w.ctx(), domain.Ref{Slug: "bob"}, true)
		w.must(err)
		u, err := w.a.People.User(w.ctx(), domain.Ref{Slug: "bob"})
		w.must(err)
		for _, nobody := range []domain.Actor{{UserID: u.ID, Scope: domain.ScopeWrite}, {}, {UserID: 1 << 40}} {
			_, _, err = w.a.Accounts.CreateApplication(w.ctx(), nobody, accounts.ApplicationInput{Name: "App"})
			w.want(domain.NotFound, err)
		}
	})
}

func TestFaultsOfAuthorizations(t *testing.T) {
	eachClients(t, func(t *testing.T, r *clientsRig) {
		a, ctx := r.a.Accounts, r.ctx()
		single := r.registered(r.ada, accounts.ApplicationInput{Name: "Single", RedirectURIs: []string{"https://app.test/?a=b"}})
		oob := r.registered(r.ada, accounts.ApplicationInput{Name: "Out of band", RedirectURIs: []string{domain.OutOfBand}})
		before := r.Dump()
		for _, row := range []struct {
			name   string
			client client
			change func(q *accounts.AuthorizationRequest)
			code   string // "" for success
			back   bool   // the client gets an answer
			state  string // that the client gets back
		}{
			{"a confidential client", r.web, func(*accounts.AuthorizationRequest) {}, "", true, "s t"},
			{"a public client", r.native, func(*accounts.AuthorizationRequest) {}, "", true, "s t"},
			{"the only address", single, func(q *accounts.AuthorizationRequest) { q.RedirectURI = "" }, "", true, "s t"},
			{"no state", r.web, func(q *accounts.AuthorizationRequest) { q.State = "" }, "", true, ""},
			{"the longest state", r.web, func(q *accounts.AuthorizationRequest) { q.State = strings.Repeat("x", domain.MaxState) }, "", true, strings.Repeat("x", domain.MaxState)},
			{"a proof that was not needed", r.web, func(q *accounts.AuthorizationRequest) {
				q.CodeChallenge, q.CodeChallengeMethod = challengeOf(codeVerifier), "S256"
			}, "", true, "s t"},
			{"the response mode query", r.web, func(q *accounts.AuthorizationRequest) { q.ResponseMode = "query" }, "", true, "s t"},

			{"no client", r.web, func(q *accounts.AuthorizationRequest) { q.ClientID = "" }, "invalid_client", false, ""},
			{"an unknown client", r.web, func(q *accounts.AuthorizationRequest) { q.ClientID += "x" }, "invalid_client", false, ""},
			{"a client that cannot be", r.web, func(q *accounts.AuthorizationRequest) { q.ClientID = "a\x00b" }, "invalid_client", false, ""},
			{"a long client", r.web, func(q *accounts.AuthorizationRequest) { q.ClientID = strings.Repeat("x", domain.MaxClientID+1) }, "invalid_client", false, ""},
			{"none of several addresses", r.web, func(q *accounts.AuthorizationRequest) { q.RedirectURI = "" }, "invalid_request", false, ""},
			{"an address of somebody else", r.web, func(q *accounts.AuthorizationRequest) { q.RedirectURI = "https://evil.test/back" }, "invalid_request", false, ""},
			{"a longer address", r.web, func(q *accounts.AuthorizationRequest) { q.RedirectURI += "/more" }, "invalid_request", false, ""},
			{"two clients", r.web, func(q *accounts.AuthorizationRequest) { q.Repeated = []string{"client_id"} }, "invalid_request", false, ""},
			{"two addresses", r.web, func(q *accounts.AuthorizationRequest) { q.Repeated = []string{"redirect_uri"} }, "invalid_request", false, ""},

			{"two states", r.web, func(q *accounts.AuthorizationRequest) { q.Repeated = []string{"state"} }, "invalid_request", true, ""},
			{"a long state", r.web, func(q *accounts.AuthorizationRequest) { q.State = strings.Repeat("x", domain.MaxState+1) }, "invalid_request", true, ""},
			{"a state with a line break", r.web, func(q *accounts.AuthorizationRequest) { q.State = "a\nb" }, "invalid_request", true, ""},
			{"two scopes", r.web, func(q *accounts.AuthorizationRequest) { q.Repeated = []string{"scope"} }, "invalid_request", true, "s t"},
			{"no response type", r.web, func(q *accounts.AuthorizationRequest) { q.ResponseType = "" }, "invalid_request", true, "s t"},
			{"another response type", r.web, func(q *accounts.AuthorizationRequest) { q.ResponseType = "token" }, "unsupported_response_type", true, "s t"},
			{"another response mode", r.web, func(q *accounts.AuthorizationRequest) { q.ResponseMode = "fragment" }, "invalid_request", true, "s t"},
			{"no proof of a public client", r.native, func(q *accounts.AuthorizationRequest) { q.CodeChallenge, q.CodeChallengeMethod = "", "" }, "invalid_request", true, "s t"},
			{"a method without a proof", r.web, func(q *accounts.AuthorizationRequest) { q.CodeChallengeMethod = "S256" }, "invalid_request", true, "s t"},
			{"a plain proof", r.native, func(q *accounts.AuthorizationRequest) { q.CodeChallengeMethod = "plain" }, "invalid_request", true, "s t"},
			{"a short proof", r.native, func(q *accounts.AuthorizationRequest) { q.CodeChallenge = q.CodeChallenge[1:] }, "invalid_request", true, "s t"},
			{"a fault without an address", oob, func(q *accounts.AuthorizationRequest) { q.ResponseType = "" }, "invalid_request", false, ""},
		} {
			q := row.client.asks()
			row.change(&q)
			consent, err := a.Authorization(ctx, r.bob, q)
			if oauthCode(err) != row.code {
				t.Errorf("%s: %v, want %q", row.name, err, row.code)
				continue
			}
			to := consent.RedirectURI
			if e, ok := errors.AsType[*accounts.OAuthError](err); ok {
				to = e.Redirect
				for name, do := range map[string]func() (string, error){
					"allow": func() (string, error) { return a.Allow(ctx, r.bob, q) },
					"deny":  func() (string, error) { return a.Deny(ctx, r.bob, q) },
				} {
					if _, err := do(); oauthCode(err) != row.code {
						t.Errorf("%s, %s: %v", row.name, name, err)
					}
				}
			} else if consent.State != row.state || consent.Granted || consent.Scope != domain.ScopeWrite || consent.Application.ID != row.client.ID {
				t.Errorf("%s: %+v", row.name, consent)
			}
			if err == nil {
				to, err = a.Deny(ctx, r.bob, q)
				r.must(err)
			}
			if (to != "") != row.back {
				t.Errorf("%s: answered at %q", row.name, to)
			}
			if !row.back {
				continue
			}
			u, err := url.Parse(to)
			r.must(err)
			v := u.Query()
			code := row.code
			if code == "" {
				code = "access_denied"
			}
			if v.Get("error") != code || v.Get("state") != row.state || v.Has("state") != (row.state != "") || v.Get("iss") == "" || v.Has("code") {
				t.Errorf("%s: answered %s", row.name, to)
			}
			if row.client.ID == single.ID && v.Get("a") != "b" {
				t.Errorf("%s: lost the query: %s", row.name, to)
			}
		}
		if d := before.Diff(r.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
		// Only a person allows something: neither a guest, nor an application, nor somebody who is suspended.
		for name, as := range map[string]domain.Actor{"a guest": {}, "an application": {UserID: r.bob.UserID, ApplicationID: r.web.ID, Scope: domain.ScopeWrite}} {
			if _, err := a.Allow(ctx, as, r.web.asks()); outcome(err) != 'a' {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := r.a.Operating.Suspend(ctx, domain.Ref{Slug: "bob"}, true)
		r.must(err)
		if _, err = a.Allow(ctx, r.bob, r.web.asks()); oauthCode(err) != "access_denied" {
			t.Errorf("suspended: %v", err)
		}
		if to, err := a.Deny(ctx, r.bob, oob.asks()); err != nil || to != "" {
			t.Errorf("%q, %v", to, err)
		}
	})
}

// A grant only grows, and the next request of the same or less needs no question.
func TestGrants(t *testing.T) {
	eachClients(t, func(t *testing.T, r *clientsRig) {
		a, ctx := r.a.Accounts, r.ctx()
		for i, row := range []struct {
			asks    string
			granted bool         // before it is allowed
			scope   domain.Scope // of the grant afterwards
			token   domain.Scope
		}{
			{"read", false, domain.ScopeRead, domain.ScopeRead},
			{"read", true, domain.ScopeRead, domain.ScopeRead},
			{"write", false, domain.ScopeWrite, domain.ScopeWrite},
			{"read", true, domain.ScopeWrite, domain.ScopeRead},
			{"openid", true, domain.ScopeWrite, domain.ScopeRead},
			{"", true, domain.ScopeWrite, domain.ScopeRead},
			{"read write", true, domain.ScopeWrite, domain.ScopeWrite},
		} {
			q := r.web.asks()
			q.Scope = row.asks
			c, err := a.Authorization(ctx, r.bob, q)
			if r.must(err); c.Granted != row.granted {
				t.Errorf("%d: granted %v", i, c.Granted)
			}
			if guest, err := a.Authorization(ctx, domain.Actor{}, q); err != nil || guest.Granted {
				t.Errorf("%d: granted to a guest, %v", i, err)
			}
			token, err := a.IssueToken(ctx, home, r.allowed(r.bob, r.web, q))
			if r.must(err); token.Scope != row.token {
				t.Errorf("%d: a token to %s, want %s", i, token.Scope, row.token)
			}
			actor, err := a.Authenticate(ctx, token.Secret)
			if r.must(err); actor.Scope != row.token || actor.UserID != r.bob.UserID || actor.ApplicationID != r.web.ID {
				t.Errorf("%d: %+v", i, actor)
			}
			all, err := a.Grants(ctx, r.bob)
			if r.must(err); len(all) != 1 || all[0].Scope != row.scope || all[0].Application.ID != r.web.ID {
				t.Errorf("%d: %+v, want %s", i, all, row.scope)
			}
			r.want(domain.NotFound, a.RevokeGrant(ctx, r.ada, all[0].ID))
			if e := r.latest(domain.ActAccessGiven); e.ActorID != r.bob.UserID || e.Details["scope"] != string(row.token) {
				t.Errorf("%d: noted %+v", i, e)
			}
		}
		all, err := a.Grants(ctx, r.bob)
		r.must(err)
		r.must(a.RevokeGrant(ctx, r.bob, all[0].ID))
		r.want(domain.NotFound, a.RevokeGrant(ctx, r.bob, all[0].ID))
		if n := r.rows("grants", "authorization_codes", "tokens"); !slices.Equal(n, []int64{0, 0, 0}) {
			t.Errorf("%v are left", n)
		}
		if e := r.latest(domain.ActAccessTaken); e.ActorID != r.bob.UserID {
			t.Errorf("noted %+v", e)
		}
	})
}

// A code is exchanged once, by its client, with the address and the proof of its request. Faulty requests leave it
// valid.
func TestExchangeOfCodes(t *testing.T) {
	eachClients(t, func(t *testing.T, r *clientsRig) {
		a, ctx := r.a.Accounts, r.ctx()
		other := r.registered(r.bob, accounts.ApplicationInput{Name: "Other", RedirectURIs: []string{"https://app.test/back"}})
		proof := func(c client) accounts.AuthorizationRequest {
			q := c.asks()
			q.CodeChallenge, q.CodeChallengeMethod = challengeOf(codeVerifier), "S256"
			return q
		}
		for _, row := range []struct {
			name   string
			client client
			asks   accounts.AuthorizationRequest
			change func(q *accounts.TokenRequest)
			want   string
		}{
			{"no grant type", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.GrantType = "" }, "invalid_request"},
			{"another grant type", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.GrantType = "password" }, "unsupported_grant_type"},
			{"no code", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.Code = "" }, "invalid_request"},
			{"another code", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.Code += "x" }, "invalid_grant"},
			{"no client", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.Client = accounts.ClientCredentials{} }, "invalid_client"},
			{"no secret", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.Client.Secret = "" }, "invalid_client"},
			{"a wrong secret", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.Client.Secret = other.secret }, "invalid_client"},
			{"a secret of a client without one", r.native, r.native.asks(), func(q *accounts.TokenRequest) { q.Client.Secret = r.web.secret }, "invalid_client"},
			{"another client", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.Client = other.credentials() }, "invalid_grant"},
			{"another address", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.RedirectURI = "https://app.test/else" }, "invalid_grant"},
			{"no address", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.RedirectURI = "" }, "invalid_grant"},
			{"no proof", r.native, r.native.asks(), func(q *accounts.TokenRequest) { q.CodeVerifier = "" }, "invalid_grant"},
			{"a wrong proof", r.native, r.native.asks(), func(q *accounts.TokenRequest) { q.CodeVerifier = "x" + q.CodeVerifier[1:] }, "invalid_grant"},
			{"the challenge as proof", r.native, r.native.asks(), func(q *accounts.TokenRequest) { q.CodeVerifier = challengeOf(codeVerifier) }, "invalid_grant"},
			{"no proof of a confidential client", r.web, proof(r.web), func(q *accounts.TokenRequest) { q.CodeVerifier = "" }, "invalid_grant"},
			{"a proof without a challenge", r.web, r.web.asks(), func(q *accounts.TokenRequest) { q.CodeVerifier = codeVerifier }, "invalid_grant"},
		} {
			right := r.allowed(r.bob, row.client, row.asks)
			wrong := right
			row.change(&wrong)
			was := r.rows("tokens")
			if got, err := a.IssueToken(ctx, elsewhere, wrong); oauthCode(err) != row.want || got.Secret != "" && err == nil {
				t.Errorf("%s: %v, want %s", row.name, err, row.want)
			}
			if r.rows("tokens")[0] != was[0] {
				t.Errorf("%s: issued a token", row.name)
			}
			if _, err := a.IssueToken(ctx, home, right); err != nil {
				t.Errorf("%s: the code does not work any more: %v", row.name, err)
			}
		}
		// Sent again, a code revokes its token: one of the two senders has stolen it. Others' tokens stay.
		keeps := r.issued(r.bob, r.web)
		right := r.allowed(r.bob, r.web, r.web.asks())
		token, err := a.IssueToken(ctx, home, right)
		r.must(err)
		for range 2 {
			if _, err := a.IssueToken(ctx, home, right); oauthCode(err) != "invalid_grant" {
				t.Errorf("again: %v", err)
			}
		}
		_, err = a.Authenticate(ctx, token.Secret)
		r.want(domain.Unauthenticated, err)
		_, err = a.Authenticate(ctx, keeps)
		r.must(err)
		// In time, and too late.
		early, late := r.allowed(r.bob, r.web, r.web.asks()), r.allowed(r.bob, r.native, r.native.asks())
		r.Clock.Advance(10*time.Minute - time.Second)
		_, err = a.IssueToken(ctx, home, early)
		r.must(err)
		r.Clock.Advance(time.Second)
		if _, err := a.IssueToken(ctx, home, late); oauthCode(err) != "invalid_grant" {
			t.Errorf("too late: %v", err)
		}
		// At once, nobody keeps a token of a code that was sent several times.
		many := r.allowed(r.bob, r.native, r.native.asks())
		was := r.rows("tokens")
		var got atomic.Int64
		var g sync.WaitGroup
		for range 4 {
			g.Go(func() {
				_, err := a.IssueToken(ctx, home, many)
				if err == nil {
					got.Add(1)
				} else if oauthCode(err) != "invalid_grant" {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if now := r.rows("tokens"); got.Load() != 1 || now[0] != was[0] {
			t.Errorf("%d tokens, %d are left", got.Load(), now[0]-was[0])
		}
	})
}

// Guessing a client's secret is limited, without locking out the client itself.
func TestGuessedSecrets(t *testing.T) {
	eachClients(t, func(t *testing.T, r *clientsRig) {
		a, ctx := r.a.Accounts, r.ctx()
		right := r.allowed(r.bob, r.web, r.web.asks())
		wrong := right
		wrong.Client.Secret = r.web.secret + "x"
		for n := range 30 {
			if _, err := a.IssueToken(ctx, elsewhere, wrong); oauthCode(err) != "invalid_client" {
				t.Fatalf("%d: %v", n, err)
			}
		}
		_, err := a.IssueToken(ctx, elsewhere, wrong)
		r.want(domain.TooMany, err)
		_, err = a.IssueToken(ctx, elsewhere, right)
		r.must(err)
		r.Clock.Advance(15 * time.Minute)
		if _, err := a.IssueToken(ctx, elsewhere, wrong); oauthCode(err) != "invalid_client" {
			t.Errorf("later: %v", err)
		}
	})
}

// A confidential application of a user gets a token of its own, which may only read.
func TestTokensOfApplicationsThemselves(t *testing.T) {
	eachClients(t, func(t *testing.T, r *clientsRig) {
		a, ctx := r.a.Accounts, r.ctx()
		ask := func(c client) (accounts.AccessToken, error) {
			return a.IssueToken(ctx, home, accounts.TokenRequest{Client: c.credentials(), GrantType: "client_credentials"})
		}
		if _, err := ask(r.native); oauthCode(err) != "unauthorized_client" {
			t.Errorf("a public client: %v", err)
		}
		// An application that registered itself has no owner.
		secret, app, err := a.RegisterApplication(ctx, home, accounts.ApplicationInput{Name: "Self"})
		r.must(err)
		if _, err := ask(client{app, secret}); oauthCode(err) != "unauthorized_client" {
			t.Errorf("without an owner: %v", err)
		}
		first, err := ask(r.web)
		r.must(err)
		if actor, err := a.Authenticate(ctx, first.Secret); err != nil || actor.UserID != 0 || actor.ApplicationID != r.web.ID || actor.Scope != domain.ScopeRead || actor.MayWrite() {
			t.Errorf("%+v, %v", actor, err)
		}
		// There are at most a hundred; the oldest goes.
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			for i := range 99 {
				_, hash, hint := auth.NewToken(auth.OAuth)
				err := tx.Account().CreateApplicationToken(ctx, domain.Token{ApplicationID: r.web.ID, Name: fmt.Sprint(i), Hint: hint, Scope: domain.ScopeRead,
					CreatedAt: r.Clock.Now()}, hash, nil, 100)
				if err != nil {
					return err
				}
			}
			return nil
		})
		_, err = a.Authenticate(ctx, first.Secret)
		r.must(err)
		newest, err := ask(r.web)
		r.must(err)
		_, err = a.Authenticate(ctx, first.Secret)
		r.want(domain.Unauthenticated, err)
		_, err = a.Authenticate(ctx, newest.Secret)
		r.must(err)
		if n := r.rows("tokens"); n[0] != 100 {
			t.Errorf("%d tokens", n[0])
		}
		// While its owner is suspended, it gets none, and its tokens do not work.
		_, err = r.a.Operating.Suspend(ctx, domain.Ref{Slug: "ada"}, true)
		r.must(err)
		if _, err := ask(r.web); oauthCode(err) != "unauthorized_client" {
			t.Errorf("suspended: %v", err)
		}
		_, err = a.Authenticate(ctx, newest.Secret)
		r.want(domain.Unauthenticated, err)
	}, func(c *config.Config) { c.OAuthRegistration = true })
}

// A client learns about its own tokens and may revoke them. About any other it learns nothing.
func TestIntrospectAndRevoke(t *testing.T) {
	eachClients(t, func(t *testing.T, r *clientsRig) {
		a, ctx := r.a.Accounts, r.ctx()
		other := r.registered(r.bob, accounts.ApplicationInput{Name: "Other"})
		personal, _, err := a.CreateOwnToken(ctx, r.bob, accounts.TokenInput{Name: "mine", Scope: domain.ScopeWrite})
		r.must(err)
		own, err := a.IssueToken(ctx, home, accounts.TokenRequest{Client: r.web.credentials(), GrantType: "client_credentials"})
		r.must(err)
		ofBob, ofNative := r.issued(r.bob, r.web), r.issued(r.bob, r.native)
		for _, row := range []struct {
			name   string
			by     accounts.ClientCredentials
			token  string
			code   string
			active bool
			user   string
		}{
			{"its own token for a user", r.web.credentials(), ofBob, "", true, "bob"},
			{"its own token", r.web.credentials(), own.Secret, "", true, ""},
			{"a token of another client", other.credentials(), ofBob, "", false, ""},
			{"a token of a public client", r.web.credentials(), ofNative, "", false, ""},
			{"a personal token", r.web.credentials(), personal, "", false, ""},
			{"a text", r.web.credentials(), "x", "", false, ""},
			{"nothing", r.web.credentials(), "", "", false, ""},
			{"a public client", r.native.credentials(), ofNative, "invalid_client", false, ""},
			{"a wrong secret", accounts.ClientCredentials{ID: r.web.ClientID, Secret: other.secret}, ofBob, "invalid_client", false, ""},
			{"an unknown client", accounts.ClientCredentials{ID: "x", Secret: "y"}, ofBob, "invalid_client", false, ""},
		} {
			i, err := a.Introspect(ctx, home, row.by, row.token)
			if oauthCode(err) != row.code || i.Active != row.active || i.User != row.user || !row.active && (i.Token.ID != 0 || i.Client.ID != 0) {
				t.Errorf("%s: %+v, %v", row.name, i, err)
			}
		}
		for _, row := range []struct {
			name  string
			by    accounts.ClientCredentials
			token string
			code  string
			ended bool
		}{
			{"a wrong secret", accounts.ClientCredentials{ID: r.web.ClientID, Secret: other.secret}, ofBob, "invalid_client", false},
			{"a token of another client", other.credentials(), ofBob, "", false},
			{"a personal token", r.web.credentials(), personal, "", false},
			{"its own token for a user", r.web.credentials(), ofBob, "", true},
			{"the same again", r.web.credentials(), ofBob, "", true},
			{"its own token", r.web.credentials(), own.Secret, "", true},
			{"of a public client", r.native.credentials(), ofNative, "", true},
		} {
			was := r.rows("audit_entries")
			err := a.RevokeApplicationToken(ctx, home, row.by, row.token)
			if oauthCode(err) != row.code {
				t.Errorf("revoke, %s: %v", row.name, err)
			}
			if _, err := a.Authenticate(ctx, row.token); (err != nil) != row.ended {
				t.Errorf("revoke, %s: afterwards %v", row.name, err)
			}
			if noted := r.rows("audit_entries")[0] > was[0]; noted != (row.ended && row.name != "the same again") {
				t.Errorf("revoke, %s: noted %v", row.name, noted)
			}
		}
	})
}

// The operator lists all applications by page, and ends any but that of the command line.
func TestApplicationsForTheOperator(t *testing.T) {
	eachClients(t, func(t *testing.T, r *clientsRig) {
		a, ctx := r.a.Accounts, r.ctx()
		for range 5 {
			r.registered(r.bob, accounts.ApplicationInput{Name: "More"})
		}
		var all []domain.ApplicationID
		for last := domain.ApplicationID(0); ; {
			page, err := a.AllApplications(ctx, last, 3)
			r.must(err)
			for _, app := range page {
				last = app.ID
				all = append(all, app.ID)
			}
			if len(page) < 3 {
				break
			}
		}
		if !slices.IsSorted(all) || !slices.Contains(all, r.web.ID) || len(slices.Compact(all)) != len(all) || int64(len(all)) != r.rows("applications")[0] {
			t.Errorf("%v", all)
		}
		r.want(domain.Forbidden, a.EndApplication(ctx, domain.Actor{}, domain.CommandLineClient))
		for _, id := range []string{"", "x", "a\x00b"} {
			r.want(domain.NotFound, a.EndApplication(ctx, domain.Actor{}, id))
		}
		r.must(a.EndApplication(ctx, domain.Actor{}, r.web.ClientID))
		r.want(domain.NotFound, a.EndApplication(ctx, domain.Actor{}, r.web.ClientID))
		if e := r.latest(domain.ActAppDeleted); e.About.ID != int64(r.web.ID) || e.ActorID != 0 {
			t.Errorf("noted %+v", e)
		}
	})
}

// Applications that register themselves are limited by address, and only where the operator permits it.
func TestRegistration(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Accounts, w.ctx()
		for _, bad := range []accounts.ApplicationInput{{}, {Name: "x", Public: true}, {Name: "x", RedirectURIs: []string{"ftp://x"}},
			{Name: "x", RedirectURIs: []string{"https://a.test/", "https://a.test/"}}, {Name: "x", RedirectURIs: make([]string, domain.MaxRedirectURIs+1)}} {
			_, _, err := a.RegisterApplication(ctx, home, bad)
			w.want(domain.Invalid, err) // and it is not counted
		}
		var err error
		n := 0
		for ; err == nil && n < 30; n++ {
			_, _, err = a.RegisterApplication(ctx, home, accounts.ApplicationInput{Name: "Self"})
		}
		if w.want(domain.TooMany, err); n != 21 {
			t.Errorf("%d registrations", n-1)
		}
		_, _, err = a.RegisterApplication(ctx, elsewhere, accounts.ApplicationInput{Name: "Self"})
		w.must(err)
		w.Clock.Advance(time.Hour)
		secret, app, err := a.RegisterApplication(ctx, home, accounts.ApplicationInput{Name: " Self made ", RedirectURIs: []string{"https://a.test/"}})
		if w.must(err); app.Name != "Self made" || app.UserID != 0 || app.Public || secret == "" {
			t.Errorf("%+v", app)
		}
		_, err = a.Application(ctx, domain.Actor{}, app.ID) // nobody's, and so not a guest's either
		w.want(domain.NotFound, err)
	}, func(c *config.Config) { c.OAuthRegistration = true })
}

func TestRegistrationIsOff(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		_, _, err := w.a.Accounts.RegisterApplication(w.ctx(), home, accounts.ApplicationInput{Name: "Self"})
		w.want(domain.NotFound, err)
	})
}

func TestPersonalTokens(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Accounts, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		before := w.Dump()
		for _, bad := range []struct {
			name  string
			scope domain.Scope
		}{{"", domain.ScopeRead}, {"x", domain.ScopeNone}, {"x", "admin"}, {strings.Repeat("x", domain.MaxTitle+1), domain.ScopeRead}} {
			secret, tok, err := a.CreateOwnToken(ctx, ada, accounts.TokenInput{Name: bad.name, Scope: bad.scope})
			if w.want(domain.Invalid, err); secret != "" || tok.ID != 0 {
				t.Errorf("%+v", tok)
			}
		}
		if _, _, err := a.CreateOwnToken(ctx, domain.Actor{}, accounts.TokenInput{Name: "x", Scope: domain.ScopeRead}); outcome(err) != 'n' {
			t.Errorf("a guest: %v", err)
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
		secret, mine, err := a.CreateOwnToken(ctx, ada, accounts.TokenInput{Name: "first", Scope: domain.ScopeRead})
		w.must(err)
		if actor, err := a.Authenticate(ctx, secret); err != nil || actor.UserID != ada.UserID || actor.Scope != domain.ScopeRead || actor.ApplicationID != 0 {
			t.Errorf("%+v, %v", actor, err)
		}
		w.want(domain.NotFound, a.RevokeOwnToken(ctx, bob, mine.ID))
		w.want(domain.NotFound, a.RevokeOwnToken(ctx, domain.Actor{}, mine.ID))
		w.want(domain.NotFound, a.RevokeOwnToken(ctx, ada, 1<<40))
		w.must(a.RevokeOwnToken(ctx, ada, mine.ID))
		_, err = a.Authenticate(ctx, secret)
		w.want(domain.Unauthenticated, err)
		// Revoked ones do not count towards the limit.
		storetest.In(t, w.S.Store, func(tx *store.Tx) error {
			for i := range domain.MaxOwnTokens - 1 {
				_, hash, hint := auth.NewToken(auth.Personal)
				if _, err := tx.Account().CreateToken(ctx, domain.Token{UserID: ada.UserID, Name: fmt.Sprint(i), Hint: hint, Scope: domain.ScopeRead,
					CreatedAt: storetest.Now}, hash); err != nil {
					return err
				}
			}
			return nil
		})
		var made atomic.Int64
		var g sync.WaitGroup
		for range 4 {
			g.Go(func() {
				if _, _, err := a.CreateOwnToken(ctx, ada, accounts.TokenInput{Name: "last", Scope: domain.ScopeWrite}); err == nil {
					made.Add(1)
				} else if domain.KindOf(err) != domain.Unprocessable {
					t.Error(err)
				}
			})
		}
		g.Wait()
		all, err := a.OwnTokens(ctx, ada)
		if w.must(err); made.Load() != 1 || len(all) != domain.MaxOwnTokens || all[0].Name != "last" {
			t.Errorf("%d made, %d tokens", made.Load(), len(all))
		}
		if every, err := a.Tokens(ctx, ada.UserID); err != nil || len(every) != domain.MaxOwnTokens+1 || every[len(every)-1].RevokedAt == nil {
			t.Errorf("%d tokens, %v", len(every), err)
		}
		if others, err := a.OwnTokens(ctx, bob); err != nil || len(others) != 0 {
			t.Errorf("%+v, %v", others, err)
		}
		// The command line is not limited, and revokes any token once.
		_, more, err := a.CreateToken(ctx, ada.UserID, accounts.TokenInput{Name: " by the shell ", Scope: domain.ScopeWrite})
		if w.must(err); more.Name != "by the shell" {
			t.Errorf("%+v", more)
		}
		was := w.rows("audit_entries")
		for range 2 {
			w.must(a.RevokeToken(ctx, domain.Actor{}, more.ID))
		}
		if n := w.rows("audit_entries"); n[0] != was[0]+1 {
			t.Errorf("%d entries", n[0]-was[0])
		}
		w.want(domain.NotFound, a.RevokeToken(ctx, domain.Actor{}, 1<<40))
	})
}

// All faulty tokens are refused in the same way.
func TestAuthenticate(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Accounts, w.ctx()
		w.first("op")
		ada := w.member("ada")
		secret, tok, err := a.CreateOwnToken(ctx, ada, accounts.TokenInput{Name: "x", Scope: domain.ScopeWrite})
		w.must(err)
		_, err = a.Authenticate(ctx, secret)
		w.must(err)
		unknown, _, _ := auth.NewToken(auth.Personal)
		session := w.signIn("ada")
		for name, bad := range map[string]string{"nothing": "", "a text": "x", "unknown": unknown, "cut": secret[:len(secret)-1], "changed": secret[:len(secret)-1] + "!",
			"a session": session, "with a zero byte": secret + "\x00"} {
			if actor, err := a.Authenticate(ctx, bad); outcome(err) != 'a' || actor != (domain.Actor{}) || err.Error() != "The token is not valid" {
				t.Errorf("%s: %+v, %v", name, actor, err)
			}
		}
		// The last use is written in intervals and never goes back.
		used := func() time.Time {
			t.Helper()
			all, err := a.OwnTokens(ctx, ada)
			if w.must(err); all[0].LastUsedAt == nil {
				return time.Time{}
			}
			return *all[0].LastUsedAt
		}
		if !used().IsZero() {
			t.Error("written at once")
		}
		w.must(a.FlushUsage(ctx))
		first := used()
		if first.IsZero() {
			t.Error("not written")
		}
		w.Clock.Advance(time.Hour)
		_, err = a.Authenticate(ctx, secret)
		w.must(err)
		w.must(a.FlushUsage(ctx))
		if d := used().Sub(first); d < time.Hour {
			t.Errorf("used %v later", d)
		}
		storetest.In(t, w.S.Store, func(tx *store.Tx) error { return tx.Account().TokenUsed(ctx, tok.ID, first) })
		if d := used().Sub(first); d < time.Hour {
			t.Error("the last use went back")
		}
		if n := len(w.Statements(func() { w.must(a.FlushUsage(ctx)) })); n != 0 {
			t.Errorf("%d statements without a use", n)
		}
	})
}
