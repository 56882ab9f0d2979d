package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// An application that acts for itself can read what a guest can (behaviour.md section 8).
func TestOwnToken(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		token := w.own(w.web)
		open, hidden := w.Channel("grace", "Open", "public"), w.Channel("grace", "Hidden", "private")
		block := w.Block("grace", "Text", open)
		reads := []string{"/v3/ping", "/v3/channels/open", fmt.Sprintf("/v3/channels/%d/contents", open), fmt.Sprintf("/v3/blocks/%d", block),
			"/v3/users/grace", "/v3/users/grace/contents", fmt.Sprintf("/v3/channels/%d", hidden), "/v3/me", "/v3/me/feed", "/v3/me/notifications",
			"/v3/openapi.json", "/v3/nothing", fmt.Sprintf("/ext/v1/channels/%d/contents?query=text", open)}
		for _, path := range reads {
			guest, own := w.Do("", "GET", path, nil), w.as(token, "GET", path, nil)
			if guest.Status != own.Status || guest.Status == http.StatusOK && string(guest.Body) != string(own.Body) {
				t.Errorf("%s: %d %s\nas a guest %d %s", path, own.Status, own.Body, guest.Status, guest.Body)
			}
		}
		w.as(token, "GET", "/v3/me", nil).Want(http.StatusUnauthorized)
		w.as(token, "GET", "/v3/search?query=text", nil).Want(http.StatusForbidden)
		before := w.Dump()
		for _, doc := range w.Descriptions() {
			for _, op := range doc.Operations() {
				if op.TokenRequired && op.Scope == "write" {
					path := strings.NewReplacer("{id}", "1", "{user_id}", "1", "{batch_id}", "x").Replace(op.Path)
					if res := w.as(token, op.Method, path, map[string]any{}); res.Status != http.StatusForbidden {
						t.Errorf("%s %s: %d %s", op.Method, path, res.Status, res.Body)
					}
				}
			}
		}
		if diff := before.Diff(w.Dump()); len(diff) > 0 {
			t.Errorf("changed %v", diff)
		}
	})
}

func TestClientCredentials(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		form := url.Values{"grant_type": {"client_credentials"}, "client_id": {w.web.ClientID}, "client_secret": {w.web.secret}}
		for _, scope := range []string{"", "read", "write", "read write", "admin"} {
			if got := w.post(tokenPath, with(form, "scope", scope)).Want(http.StatusOK).Str("scope"); got != "read" {
				t.Errorf("%q gives %s", scope, got)
			}
		}
		public := url.Values{"grant_type": {"client_credentials"}, "client_id": {w.native.ClientID}}
		refused(t, "public", w.post(tokenPath, public), 400, "unauthorized_client")
		token := w.own(w.web)
		w.Operator("op")
		if _, err := w.S.App.Operating.Suspend(t.Context(), domain.Ref{Slug: "grace"}, true); err != nil {
			t.Fatal(err)
		}
		w.as(token, "GET", "/v3/ping", nil).Want(http.StatusUnauthorized)
		refused(t, "suspended", w.post(tokenPath, form), 400, "unauthorized_client")
	})
}

// Requests of an application for itself count against the application, in the free tier. Requests for a
// user count against the user.
func TestCountedBy(t *testing.T) {
	t.Parallel()
	limits := func(c *config.Config) { c.RateLimits = map[string]int{"guest": 100, "free": 3, "supporter": 50} }
	w := newWorld(apptest.New(t, limits))
	one, two, other := w.own(w.web), w.own(w.web), w.own(w.other)
	left := func(token string) string {
		res := w.as(token, "GET", "/v3/ping", nil)
		return res.Header.Get("X-RateLimit-Tier") + " " + res.Header.Get("X-RateLimit-Remaining") + " " + fmt.Sprint(res.Status)
	}
	for i, token := range []string{one, two, one, two, one} {
		if got, want := left(token), []string{"free 2 200", "free 1 200", "free 0 200", "free 0 429", "free 0 429"}[i]; got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
	if got := left(other); got != "free 2 200" {
		t.Errorf("another application: %s", got)
	}
	if got := left(w.token("ada", w.web)); got != "supporter 49 200" {
		t.Errorf("for a user: %s", got)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		token, foreign, own := w.token("ada", w.web), w.token("ada", w.other), w.own(w.web)
		native := w.token("ada", w.native)
		form := url.Values{"client_id": {w.web.ClientID}, "client_secret": {w.web.secret}}
		for _, none := range []string{foreign, w.Person("ada").Token, "x", w.web.secret, native} {
			w.post(revokePath, with(form, "token", none)).Want(http.StatusOK)
		}
		if !w.works(token) || !w.works(foreign) || !w.works(native) || !w.works(w.Person("ada").Token) {
			t.Error("tokens of others have ended")
		}
		refused(t, "no token", w.post(revokePath, form), 400, "invalid_request")
		refused(t, "no client", w.post(revokePath, url.Values{"token": {token}}), 401, "invalid_client")
		refused(t, "wrong secret", w.post(revokePath, url.Values{"token": {token}, "client_id": {w.web.ClientID}, "client_secret": {"x"}}), 401, "invalid_client")
		for range 2 {
			res := w.post(revokePath, with(with(form, "token", token), "token_type_hint", "refresh_token")).Want(http.StatusOK)
			if len(res.Body) > 0 {
				t.Errorf("%s", res.Body)
			}
		}
		w.post(revokePath, with(form, "token", own)).Want(http.StatusOK)
		w.post(revokePath, url.Values{"client_id": {w.native.ClientID}, "token": {native}}).Want(http.StatusOK)
		for _, gone := range []string{token, own, native} {
			w.as(gone, "GET", "/v3/ping", nil).Want(http.StatusUnauthorized)
		}
	})
}

func TestIntrospect(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		token, foreign, own := w.token("ada", w.web), w.token("ada", w.other), w.own(w.web)
		form := url.Values{"client_id": {w.web.ClientID}, "client_secret": {w.web.secret}}
		ask := func(token string) *apptest.Response {
			return w.post(introspectPath, with(form, "token", token)).Want(http.StatusOK)
		}
		res := ask(token)
		if !res.Bool("active") || res.Str("scope") != "write" || res.Str("client_id") != w.web.ClientID || res.Str("username") != "ada" ||
			res.Str("sub") != fmt.Sprint(w.Person("ada").ID) || res.Str("token_type") != "Bearer" || res.Int("iat") == 0 || res.Str("iss") != apptest.Base {
			t.Errorf("%s", res.Body)
		}
		if res := ask(own); !res.Bool("active") || res.Str("sub") != w.web.ClientID || res.Str("scope") != "read" {
			t.Errorf("%s", res.Body)
		}
		silent := func(name, token string) {
			if res := ask(token); string(res.Body) != "{\"active\":false}\n" {
				t.Errorf("%s: %s", name, res.Body)
			}
		}
		silent("another client's", foreign)
		silent("a user's own", w.Person("ada").Token)
		silent("none", "x")
		w.post(revokePath, with(form, "token", own)).Want(http.StatusOK)
		silent("revoked", own)
		if _, err := w.S.App.Operating.Suspend(t.Context(), domain.Ref{Slug: "ada"}, true); err != nil {
			t.Fatal(err)
		}
		silent("of a suspended user", token)
		refused(t, "public", w.post(introspectPath, url.Values{"client_id": {w.native.ClientID}, "token": {token}}), 401, "invalid_client")
		refused(t, "nobody", w.post(introspectPath, url.Values{"token": {token}}), 401, "invalid_client")
		refused(t, "no token", w.post(introspectPath, form), 400, "invalid_request")
	})
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	apart := func(c *config.Config) { c.BaseURL, c.SiteURL = "https://api.vitrine.test", "https://www.vitrine.test" }
	w := newWorld(apptest.New(t, apart, registering))
	res := w.Get("", metadataPath)
	for field, want := range map[string]string{"issuer": "https://api.vitrine.test", "authorization_endpoint": "https://www.vitrine.test/oauth/authorize",
		"token_endpoint": "https://api.vitrine.test" + tokenPath, "revocation_endpoint": "https://api.vitrine.test" + revokePath,
		"introspection_endpoint": "https://api.vitrine.test" + introspectPath, "registration_endpoint": "https://api.vitrine.test" + registerPath,
		"code_challenge_methods_supported.0": "S256", "response_types_supported.0": "code", "scopes_supported.1": "write"} {
		if got := res.Str(field); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	if res.Header.Get("Access-Control-Allow-Origin") != "*" || res.Header.Get("Cache-Control") != "max-age=300, public" || res.Header.Get("Pragma") != "" {
		t.Errorf("%v", res.Header)
	}
	head := w.Do("", "HEAD", metadataPath, nil).Want(http.StatusOK)
	if len(head.Body) != 0 {
		t.Errorf("HEAD has %s", head.Body)
	}
	if _, there := newWorld(apptest.New(t)).Get("", metadataPath).Lookup("registration_endpoint"); there {
		t.Error("registration is announced where there is none")
	}
	r := asks(w.web)
	if denied, _ := w.S.App.Accounts.Deny(t.Context(), w.actor("ada"), r); !strings.Contains(denied, "iss=https%3A%2F%2Fapi.vitrine.test") {
		t.Errorf("%s names another issuer", denied)
	}
	if _, _, err := w.S.App.Accounts.RegisterApplication(t.Context(), domain.Visitor{}, accounts.ApplicationInput{}); domain.KindOf(err) != domain.Invalid {
		t.Errorf("%v", err)
	}
}
