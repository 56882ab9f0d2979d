package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// ways are the ways in which version 2 clients send parameters to the token endpoint.
var ways = map[string]func(w *world, v url.Values) *apptest.Response{
	"query": func(w *world, v url.Values) *apptest.Response { return w.send(tokenPathV2+"?"+v.Encode(), "", "") },
	"query, of JSON": func(w *world, v url.Values) *apptest.Response {
		return w.send(tokenPathV2+"?t=1699&"+v.Encode(), "application/json", "")
	},
	"form": func(w *world, v url.Values) *apptest.Response { return w.post(tokenPathV2, v) },
	"JSON": func(w *world, v url.Values) *apptest.Response {
		object := map[string]string{}
		for name := range v {
			object[name] = v.Get(name)
		}
		text, err := json.Marshal(object)
		if err != nil {
			w.T.Fatal(err)
		}
		return w.send(tokenPathV2, "application/json", string(text))
	},
	"query and form": func(w *world, v url.Values) *apptest.Response {
		query, form := url.Values{}, url.Values{"unknown": {"x"}}
		for name := range v {
			if query.Set(name, v.Get(name)); strings.HasPrefix(name, "c") {
				form.Set(name, v.Get(name)) // the same value again
			}
		}
		query.Del("code")
		return w.post(tokenPathV2+"?"+query.Encode(), form)
	},
	"query and Basic": func(w *world, v url.Values) *apptest.Response {
		if v.Get("client_secret") == "" {
			return w.post(tokenPathV2, v)
		}
		query := with(with(v, "client_id", ""), "client_secret", "")
		return w.send(tokenPathV2+"?"+query.Encode(), "", "", "Authorization", basic(v.Get("client_id"), v.Get("client_secret")))
	},
}

// Without a scope, a version 2 application gets write access, and others do not.
func TestScopeOfVersion2(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		old := w.register("grace", accounts.ApplicationInput{Name: "Old", RedirectURIs: []string{back}, ForV2: true})
		native := w.register("grace", accounts.ApplicationInput{Name: "Old native", Public: true, RedirectURIs: []string{"http://127.0.0.1/back"}, ForV2: true})
		for name, send := range ways {
			for _, c := range []client{old, native, w.web, w.native} {
				for asked, scope := range map[string]string{"": "", " ": "", "openid": "", "openid read": "read", "read": "read", "write": "write", "read write": "write"} {
					if scope == "" {
						scope = map[bool]string{true: "write", false: "read"}[c.ForV2]
					}
					r := asks(c)
					r.Scope = asked
					res := send(w, exchanges(c, r, w.code("ada", r))).Want(http.StatusOK)
					if res.Str("token_type") != "bearer" || res.Str("scope") != scope || res.Int("created_at") != w.Clock.Now().Unix() {
						t.Errorf("%s: %s asks for %q: %s", name, c.Name, asked, res.Body)
					}
					if all, _ := res.Get("").(map[string]any); len(all) != 4 {
						t.Errorf("%s", res.Body)
					}
					want := map[string]int{"read": http.StatusForbidden, "write": http.StatusCreated}[scope]
					w.as(res.Str("access_token"), "POST", "/v3/channels", map[string]any{"title": "By " + c.Name}).Want(want)
				}
			}
		}
		w.onlyHashes()
		if own := w.own(old); w.as(own, "POST", "/v3/channels", map[string]any{"title": "Own"}).Status != http.StatusForbidden {
			t.Error("a token of the application's own writes")
		}
	})
}

// The version of an application can be changed. Existing codes and tokens stay the same.
func TestVersion2IsChosen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		r := asks(w.web)
		r.Scope = ""
		in := accounts.ApplicationInput{Name: "Web", RedirectURIs: []string{back}}
		if c, err := w.S.App.Accounts.Authorization(t.Context(), w.actor("ada"), r); err != nil || c.Scope != domain.ScopeRead {
			t.Errorf("%+v, %v", c, err)
		}
		early := exchanges(w.web, r, w.code("ada", r))
		for _, forV2 := range []bool{true, false, true} {
			in.ForV2 = forV2
			changed, err := w.S.App.Accounts.UpdateApplication(t.Context(), w.actor("grace"), w.web.ID, in)
			if err != nil || changed.ForV2 != forV2 || changed.Name != "Web" || len(changed.RedirectURIs) != 1 {
				t.Fatalf("%+v, %v", changed, err)
			}
			want := map[bool]domain.Scope{true: domain.ScopeWrite, false: domain.ScopeRead}[forV2]
			if c, err := w.S.App.Accounts.Authorization(t.Context(), w.actor("bob"), r); err != nil || c.Scope != want {
				t.Errorf("%+v, %v", c, err)
			}
		}
		if got := w.post(tokenPathV2, early).Want(http.StatusOK).Str("scope"); got != "read" {
			t.Errorf("a code for reading gives %s", got)
		}
		if _, err := w.S.App.Accounts.UpdateApplication(t.Context(), w.actor("ada"), w.web.ID, accounts.ApplicationInput{Name: "x"}); domain.KindOf(err) != domain.NotFound {
			t.Errorf("changed by another: %v", err)
		}
		if a, err := w.S.App.Accounts.Application(t.Context(), w.actor("grace"), w.web.ID); err != nil || !a.ForV2 {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

// The rules are the same as for the other endpoint, however the request is sent.
func TestTokenOfVersion2Misused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		web, native := asks(w.web), asks(w.native)
		for how, send := range ways {
			right, proven := exchanges(w.web, web, w.code("ada", web)), exchanges(w.native, native, w.code("ada", native))
			for _, c := range []struct {
				right       url.Values
				name, value string
				status      int
				code        string
			}{
				{right, "client_id", "nobody", 401, "invalid_client"},
				{right, "client_id", w.other.ClientID, 401, "invalid_client"},
				{right, "client_secret", w.other.secret, 401, "invalid_client"},
				{right, "client_secret", "", 401, "invalid_client"},
				{right, "redirect_uri", "https://app.test/else", 400, "invalid_grant"},
				{right, "redirect_uri", "", 400, "invalid_grant"},
				{right, "code", "vitrine_cod_x", 400, "invalid_grant"},
				{right, "grant_type", "", 400, "invalid_request"},
				{right, "grant_type", "password", 400, "unsupported_grant_type"},
				{proven, "code_verifier", "", 400, "invalid_grant"},
				{proven, "code_verifier", strings.Repeat("v", 43), 400, "invalid_grant"},
			} {
				refused(t, how+", "+c.name+" "+c.value, send(w, with(c.right, c.name, c.value)), c.status, c.code)
			}
			send(w, proven).Want(http.StatusOK)
			token := send(w, right).Want(http.StatusOK).Str("access_token")
			refused(t, how+", a used code", send(w, right), 400, "invalid_grant")
			if w.works(token) {
				t.Errorf("%s: a code that was sent twice gives a token that works", how)
			}
			w.Clock.Advance(time.Hour) // failures are limited
		}
	})
}

// Parameters in the URL and in the body must agree, and empty ones count as missing.
func TestTokenParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	const form, object = "application/x-www-form-urlencoded", "application/json"
	right := url.Values{"grant_type": {"client_credentials"}, "client_id": {w.web.ClientID}, "client_secret": {w.web.secret}}
	query := tokenPathV2 + "?" + right.Encode()
	for _, c := range [][3]string{
		{query, "", ""}, {query, "text/plain", ""}, {query, object, ""}, {query, form, ""}, {query, object, "{}"}, {query, form, "grant_type="},
		{query + "&code=", form, "scope=read"}, {tokenPathV2 + "?" + "v=1&v=2", form, right.Encode()},
	} {
		w.send(c[0], c[1], c[2]).Want(http.StatusOK)
	}
	for _, c := range [][3]string{
		{query, form, "client_id=" + w.other.ClientID}, {query, form, "client_secret=x"}, {query, object, `{"grant_type":"authorization_code"}`},
		{query + "&client_secret=" + w.web.secret, "", ""}, {query + "&scope=%00", "", ""}, {query + "&scope=%ff", "", ""}, {query + "&scope=%zz", "", ""},
		{query, object, "{"}, {query, object, `{"scope":1}`}, {query, form, "scope=a&scope=b"}, {query, form, "scope=\xff"},
	} {
		refused(t, c[2], w.send(c[0], c[1], c[2]), 400, "invalid_request")
	}
	refused(t, "text", w.send(query, "text/plain", "scope=read"), 415, "invalid_request")
	refused(t, "huge", w.send(query, form, "x="+strings.Repeat("x", 64<<10)), 413, "invalid_request")
	refused(t, "nothing", w.send(tokenPathV2, "", ""), 401, "invalid_client")
	refused(t, "two secrets", w.send(query, "", "", "Authorization", basic(w.web.ClientID, w.web.secret)), 400, "invalid_request")
}

// Secrets in a URL are never logged, regardless of the response.
func TestSecretsOfVersion2AreNotLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	r := asks(w.native)
	form := exchanges(w.native, r, w.code("ada", r))
	other := exchanges(w.web, asks(w.web), w.code("ada", asks(w.web)))
	send := func(method string, v url.Values) *apptest.Response {
		return w.Do("", method, tokenPathV2+"?"+v.Encode(), nil)
	}
	token := send("POST", form).Want(http.StatusOK).Str("access_token")
	send("POST", with(other, "redirect_uri", "")).Want(http.StatusBadRequest)
	send("GET", other).Want(http.StatusMethodNotAllowed)
	h := send("POST", other).Want(http.StatusOK).Header
	if h.Get("Deprecation") != "@1735689600" || h.Get("Link") != `<https://vitrine.test/v3/oauth/token>; rel="successor-version"` {
		t.Errorf("nothing says that there is a newer version: %v", h)
	}
	w.Break()
	send("POST", other).Want(http.StatusServiceUnavailable)
	if lines := w.Log(tokenPathV2); len(lines) != 5 || !strings.Contains(lines[0], "createOAuthTokenV2") {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
	for _, secret := range []string{token, verifier, form.Get("code"), other.Get("code"), w.web.secret, "client_secret", "redirect_uri="} {
		if lines := w.Log(secret); len(lines) > 0 {
			t.Errorf("%q is in the log: %q", secret, lines)
		}
	}
}

// The token endpoint and the pages of the website share the first path segment.
func TestAddressesOfVersion2(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	for _, at := range []struct {
		method, path string
		status       int
		html         bool
	}{
		{"POST", tokenPathV2, 401, false}, {"GET", tokenPathV2, 405, false}, {"PUT", tokenPathV2, 405, false},
		{"GET", "/oauth/authorize", 400, true}, {"POST", "/oauth/authorize", 303, true}, {"DELETE", "/oauth/authorize", 405, true},
		{"GET", "/oauth/applications", 303, true}, {"GET", "/oauth/nothing", 404, true}, {"POST", "/oauth/token/x", 404, true},
		{"POST", "/oauth/revoke", 405, true}, {"POST", "/v2/oauth/token", 404, false},
	} {
		res := w.Do("", at.method, at.path, nil, "Accept", "*/*")
		if html := strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"); res.Status != at.status || html != at.html && at.status != 303 {
			t.Errorf("%s %s: %d %s", at.method, at.path, res.Status, res.Header.Get("Content-Type"))
		}
		if open := res.Header.Get("Access-Control-Allow-Origin") == "*"; open == at.html {
			t.Errorf("%s %s: pages of others may read it: %v", at.method, at.path, open)
		}
	}
}
