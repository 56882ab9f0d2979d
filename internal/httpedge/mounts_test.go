package httpedge_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/budget"
	"vitrine/internal/config"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
)

// probe holds the URLs that test the fields of a mount. A field is empty if the mount has no such
// URL.
type probe struct {
	read    string // responds 200
	unknown string
	other   string // neither of these
	wrong   string // method and path that are not allowed
	send    string // method and path with a body
	kind    string // Content-Type of that body, application/json if empty
	person  string // reads the database, for the authenticated user or for anyone
}

var probes = map[string]probe{
	httpedge.Health: {read: "/healthz"},
	httpedge.Doctor: {unknown: "/.well-known/vitrine-doctor"},
	httpedge.Files:  {unknown: "/files/nothing/x.png", wrong: "POST /files/nothing/x.png", person: "/files/nothing/x.png"},
	httpedge.OAuth: {read: "/.well-known/oauth-authorization-server", wrong: "PUT /v3/oauth/token",
		send: "POST /v3/oauth/token", kind: "application/x-www-form-urlencoded"},
	httpedge.Feeds: {read: "/ada/moss/feed.atom", unknown: "/ada/fern/feed.atom", wrong: "PUT /robots.txt", person: "/ada/moss/feed.json"},
	httpedge.Website: {read: "/sign-in", unknown: "/settings/nothing", wrong: "PUT /settings", person: "/settings/profile",
		send: "POST /sign-in", kind: "application/x-www-form-urlencoded"},
	httpedge.Ext: {read: "/ext/v1/openapi.json", unknown: "/ext/v1/nothing", wrong: "PUT /ext/v1/me", person: "/ext/v1/me/usage",
		send: "PATCH /ext/v1/me"},
	httpedge.V2: {read: "/v2/openapi.json", unknown: "/v2/nothing", wrong: "PATCH /v2/me", person: "/v2/me",
		send: "POST /v2/channels"},
	httpedge.V3: {read: "/v3/openapi.json", unknown: "/v3/nothing", wrong: "PUT /v3/me", person: "/v3/me",
		send: "POST /v3/channels"},
	httpedge.MCP:       {other: "/mcp", send: "POST /mcp"},
	httpedge.Elsewhere: {unknown: "/v1/nothing"},
}

// visitor sends requests with different credentials.
type visitor struct {
	*apptest.Rig
	session string // a Cookie header
}

// newVisitor creates the first account, which signs in, and another with a token.
func newVisitor(t *testing.T, r *apptest.Rig) *visitor {
	t.Helper()
	form := url.Values{"name": {"First"}, "slug": {"first"}, "email": {"first@example.org"}, "password": {"a good long one"}}
	res := r.Do("", "POST", "/sign-up", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
	set := http.Response{Header: res.Header}
	v := &visitor{Rig: r}
	for _, c := range set.Cookies() {
		v.session += c.Name + "=" + c.Value + "; "
	}
	if v.session == "" {
		t.Fatalf("no session: %d %s", res.Status, res.Body)
	}
	moss := r.Channel("ada", "Moss", "public")
	for range 2 { // more than the minimum size for compression
		r.Block("ada", strings.Repeat("Fern. ", 100), moss)
	}
	return v
}

// Each mount behaves as its row in the table says.
func TestMounts(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, apptest.New(t, func(c *config.Config) {
		c.RateLimits = map[string]int{"guest": 1000, "free": 0, "premium": 0, "supporter": 0}
		c.BodyLimit = 1 << 10
	}))
	for _, m := range httpedge.Mounts {
		t.Run(m.Name, func(t *testing.T) {
			p, ok := probes[m.Name]
			if !ok {
				t.Fatal("say how this mount is asked")
			}
			v.preflight(t, m, p)
			v.headers(t, m, p)
			v.refusals(t, m, p)
			v.credentials(t, m, p)
			v.reads(t, m, p)
			v.sends(t, m, p)
			v.database(t, m, p)
		})
	}
}

// any returns some URL of the mount.
func (p probe) any() string { return cmp.Or(p.read, p.unknown, p.other) }

func (v *visitor) preflight(t *testing.T, m httpedge.Mount, p probe) {
	t.Helper()
	res := v.Do("", "OPTIONS", p.any(), nil, "Origin", "https://evil.example", "Access-Control-Request-Method", "PUT",
		"Access-Control-Request-Headers", "authorization")
	if m.Probe {
		return // no handler of a health check supports the method
	}
	is(t, "preflight is allowed", res.Header.Get("Access-Control-Allow-Origin") == "*" && res.Status == http.StatusNoContent, m.CORS)
	is(t, "preflight allows credentials", res.Header.Get("Access-Control-Allow-Credentials") != "", false)
	is(t, "preflight has the rate limit", res.Header.Get("X-RateLimit-Limit") != "", m.Preflights)
}

func (v *visitor) headers(t *testing.T, m httpedge.Mount, p probe) {
	t.Helper()
	res := v.Do("", "GET", p.any(), nil, "Origin", "https://evil.example")
	is(t, "others' pages may read it", res.Header.Get("Access-Control-Allow-Origin") == "*", m.CORS)
	is(t, "is data", res.Header.Get("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'", m.Data)
	is(t, "has Vary", strings.HasPrefix(res.Header.Get("Vary"), "Authorization, Accept-Encoding"), m.Vary)
	is(t, "has a request id", res.Header.Get("X-Request-Id") != "", !m.Probe)
	is(t, "is in the log", len(v.Log(res.Header.Get("X-Request-Id"))) > 0 && res.Header.Get("X-Request-Id") != "", !m.Probe)
	is(t, "has the rate limit", res.Header.Get("X-RateLimit-Limit") != "", m.Rate == httpedge.PerCaller || m.Rate == httpedge.PerAddress)
}

func (v *visitor) refusals(t *testing.T, m httpedge.Mount, p probe) {
	t.Helper()
	if p.unknown != "" {
		shaped(t, m, v.Do("", "GET", p.unknown, nil), http.StatusNotFound)
	}
	if method, path, ok := strings.Cut(p.wrong, " "); ok {
		res := v.Do("", method, path, nil)
		shaped(t, m, res, http.StatusMethodNotAllowed)
		is(t, "names what it takes", res.Header.Get("Allow") != "", true)
	}
	if !m.Probe {
		path := cmp.Or(p.unknown, p.any())
		shaped(t, m, v.Do("", "GET", path, nil, "X-Padding", strings.Repeat("x", httpedge.HeaderLimit)), http.StatusRequestHeaderFieldsTooLarge)
	}
}

// credentials requests private and public data with each kind of credentials.
func (v *visitor) credentials(t *testing.T, m httpedge.Mount, p probe) {
	t.Helper()
	cookie, bearer := []string{"Cookie", v.session}, []string{"Authorization", "Bearer " + v.Person("ada").Token}
	if p.person != "" && m.Credentials != httpedge.NoCredentials {
		is(t, "acts by a cookie", v.Do("", "GET", p.person, nil, cookie...).Status == http.StatusOK, m.Credentials == httpedge.SessionCookies)
		is(t, "acts by a token", v.Do("", "GET", p.person, nil, bearer...).Status == http.StatusOK, m.Credentials == httpedge.BearerTokens)
	}
	byCookie, byToken := v.Do("", "GET", p.any(), nil, cookie...), v.Do("", "GET", p.any(), nil, bearer...)
	is(t, "counts who has a cookie for somebody", byCookie.Header.Get("X-RateLimit-Tier") == "supporter", false)
	is(t, "counts who has a token for somebody", byToken.Header.Get("X-RateLimit-Tier") == "supporter", m.Rate == httpedge.PerCaller)
	if m.CORS && m.Credentials == httpedge.SessionCookies {
		t.Error("pages of any origin may act by somebody's cookie")
	}
}

func (v *visitor) reads(t *testing.T, m httpedge.Mount, p probe) {
	t.Helper()
	if p.read == "" {
		return
	}
	res := v.Do("", "GET", p.read, nil).Want(http.StatusOK)
	head := v.Do("", "HEAD", p.read, nil)
	is(t, "HEAD is as GET", head.Status == http.StatusOK, true)
	is(t, "HEAD has no body", len(head.Body) == 0, m.Head) // otherwise net/http drops the body
	if p.read != "/" {
		is(t, "takes a slash off the end", v.Do("", "GET", p.read+"/", nil).Status == http.StatusOK, m.TrimSlash)
	}
	tag := res.Header.Get("ETag")
	is(t, "has an ETag", tag != "", m.Tagged)
	if tag != "" {
		is(t, "heeds a condition", v.Do("", "GET", p.read, nil, "If-None-Match", tag).Status == http.StatusNotModified, true)
	}
	if len(res.Body) >= 1<<10 {
		is(t, "is compressed", v.Do("", "GET", p.read, nil, "Accept-Encoding", "gzip").Header.Get("Content-Encoding") == "gzip", m.Compressed)
	} else if m.Compressed {
		t.Errorf("%s is too small to be compressed", p.read)
	}
}

// sends sends a body larger than --body-limit.
func (v *visitor) sends(t *testing.T, m httpedge.Mount, p probe) {
	t.Helper()
	method, path, ok := strings.Cut(p.send, " ")
	if !ok {
		return
	}
	res := v.Do("ada", method, path, bytes.Repeat([]byte("a"), 2<<10), "Content-Type", cmp.Or(p.kind, "application/json"), "Sec-Fetch-Site", "same-origin")
	is(t, "refuses a large body", res.Status == http.StatusRequestEntityTooLarge, m.BodyLimit)
	if m.BodyLimit {
		shaped(t, m, res, http.StatusRequestEntityTooLarge)
	}
}

// database checks the request from within a statement, and makes one fail.
func (v *visitor) database(t *testing.T, m httpedge.Mount, p probe) {
	t.Helper()
	if p.person == "" {
		return
	}
	ask := func() *apptest.Response {
		if m.Credentials == httpedge.SessionCookies {
			return v.Do("", "GET", p.person, nil, "Cookie", v.session)
		}
		return v.Do("ada", "GET", p.person, nil)
	}
	asked, limited := false, true
	end := v.Intercept(func(ctx context.Context, _ string) {
		_, has := ctx.Deadline()
		asked, limited = true, limited && has
	})
	ask()
	end()
	is(t, "asks the database", asked, true)
	is(t, "has a deadline", limited, m.Deadline)

	end = v.Intercept(func(context.Context, string) { panic("inner matter") })
	res := ask()
	end()
	shaped(t, m, res, http.StatusInternalServerError)
	is(t, "tells of the inside", bytes.Contains(res.Body, []byte("inner matter")), false)
}

// shaped checks that an error has the shape of its mount.
func shaped(t *testing.T, m httpedge.Mount, res *apptest.Response, status int) {
	t.Helper()
	if res.Status != status {
		t.Errorf("%d, want %d: %.200s", res.Status, status, res.Body)
		return
	}
	var body struct {
		Error       string `json:"error"`
		Code        int    `json:"code"`
		Description string `json:"error_description"`
		Details     struct {
			Message string `json:"message"`
		} `json:"details"`
	}
	_ = json.Unmarshal(res.Body, &body) // fails for pages
	page := strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") && bytes.Contains(res.Body, []byte("</html>"))
	got := map[httpedge.Shape]bool{
		httpedge.JSONErrors:  body.Error == http.StatusText(status) && body.Code == status && body.Details.Message != "",
		httpedge.OAuthErrors: body.Code == 0 && body.Error != "" && body.Description != "",
		httpedge.Pages:       page,
	}
	for shape, has := range got {
		is(t, "an error is of the shape "+string(shape), has, shape == m.Shape)
	}
}

func is(t *testing.T, what string, got, want bool) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %t, want %t", what, got, want)
	}
}

// Uploads have their own size limit; --body-limit does not apply.
func TestUploadsAreNotBodies(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.BodyLimit = 1 << 10 })
	made := r.Do("ada", "POST", "/v3/uploads/presign", `{"files":[{"filename":"a.txt","content_type":"text/plain"}]}`).Want(http.StatusCreated)
	address := strings.TrimPrefix(made.Str("files.0.upload_url"), apptest.Base)
	r.Do("", "PUT", address, bytes.Repeat([]byte("a"), 64<<10), "Content-Type", "text/plain").Want(http.StatusOK)
}

// NewMux fails if a mount has no handler, or a handler no mount.
func TestMuxNeedsHandlers(t *testing.T) {
	t.Parallel()
	if _, err := httpedge.NewMux(httpedge.Options{}, nil); err == nil {
		t.Error("NewMux succeeded without handlers")
	}
	last := httpedge.Mounts[len(httpedge.Mounts)-1]
	if last.Name != httpedge.Elsewhere || last.Prefixes[0] != "" {
		t.Errorf("the last mount is %q: somebody must answer what nobody else does", last.Name)
	}
}

// Handlers receive cookies only if their mount accepts session cookies.
func TestCookies(t *testing.T) {
	t.Parallel()
	var seen string
	handlers := map[string]httpedge.Handler{}
	for _, m := range httpedge.Mounts {
		handlers[m.Name] = httpedge.Handler{Render: httpedge.JSON.Render, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			seen = m.Name + " " + r.Header.Get("Cookie")
		})}
	}
	website := handlers[httpedge.Website]
	checkPath := func(r *http.Request) { // the versions of the API are matched by prefix, before the rest
		if strings.HasPrefix(r.URL.Path, "/v3/") || strings.HasPrefix(r.URL.Path, "/ext/") {
			t.Errorf("%s is compared with the paths of feeds or website", r.URL.Path)
		}
	}
	website.Handles = func(r *http.Request) bool { checkPath(r); return r.URL.Path == "/settings" }
	handlers[httpedge.Website] = website
	feeds := handlers[httpedge.Feeds]
	feeds.Handles = func(r *http.Request) bool { checkPath(r); return r.URL.Path == "/ada/feed.atom" }
	handlers[httpedge.Feeds] = feeds
	mux, err := httpedge.NewMux(httpedge.Options{Log: slog.New(slog.DiscardHandler), Now: time.Now, Memory: budget.New(1 << 20),
		Limiter:  middleware.NewLimiter(map[string]int{"guest": 0}),
		Observe:  func(*http.Request, *middleware.Exchange, time.Duration) {},
		InFlight: func(next http.Handler) http.Handler { return next }, RequestTimeout: time.Minute, BodyLimit: 1}, handlers)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/settings": "website a=b", "/v3/me": "v3 ", "/ext/v1/me": "ext ", "/nothing": "elsewhere ", "/ada/feed.atom": "feeds ",
		"/files/x": "files ", "/v3/oauth/token": "oauth ", "/oauth/token": "oauth ", "/healthz": "health a=b"} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		req.Header.Set("Cookie", "a=b")
		if mux.ServeHTTP(httptest.NewRecorder(), req); seen != want {
			t.Errorf("%s: %q, want %q", path, seen, want)
		}
	}
}
