package server_test

import (
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

const under = "/vitrine"

// belowPath is the path of the server's public addresses.
func belowPath(c *config.Config) {
	c.BaseURL, c.SiteURL, c.FilesURL = apptest.Base+under, apptest.Base+under, apptest.Base+under
	c.SecurityContacts = []string{"mailto:security@vitrine.test"}
}

// proxies are the ways in which a proxy can forward a request to the server.
var proxies = map[string]func(r *http.Request){
	"passing on the path": func(*http.Request) {},
	"removing the prefix": func(r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, under); ok {
			r.URL.Path = rest
			r.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, under)
		}
	},
}

// crawler follows every link of the site.
type crawler struct {
	*apptest.Rig
	through func(r *http.Request)
	cookie  string
	seen    map[string]bool
	todo    []string
}

var (
	attribute = regexp.MustCompile(`\s(href|src|srcset|action|formaction|poster|data-[a-z-]+|hx-(?:get|post|put|patch|delete|push-url))="([^"]*)"`)
	absolute  = regexp.MustCompile(regexp.QuoteMeta(apptest.Base) + `[^\s"'<>\\)]*`)
	quoted    = regexp.MustCompile(`"(/[^"\s]*)"`)
)

// send sends a request for a public URL through the proxy.
func (c *crawler) send(method, address string, form url.Values, headers ...string) *http.Response {
	c.T.Helper()
	req := httptest.NewRequestWithContext(c.T.Context(), method, address, strings.NewReader(form.Encode()))
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if c.cookie != "" {
		req.Header.Set("Cookie", c.cookie)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	c.through(req)
	w := httptest.NewRecorder()
	c.S.Handler().ServeHTTP(w, req)
	return w.Result()
}

// link checks a link on a page, and queues it if it points to the site.
func (c *crawler) link(from, to string) {
	c.T.Helper()
	path, ok := c.check(from, html.UnescapeString(to))
	path, _, _ = strings.Cut(path, "#")
	if !ok || c.seen[path] || strings.Count(path, "=") > 2 { // each sort order once, but not each combination
		return
	}
	c.seen[path] = true
	c.todo = append(c.todo, path)
}

// check checks that a link to the site has the prefix once, and returns its path.
func (c *crawler) check(from, to string) (path string, ok bool) {
	c.T.Helper()
	path, local := strings.CutPrefix(to, apptest.Base)
	if !local && (!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//")) {
		return "", false
	}
	if path == "" || strings.HasPrefix(path, "/.well-known/") {
		return "", false // the host itself, such as an origin
	}
	rest, ok := strings.CutPrefix(path, under)
	if !ok || rest != "" && !strings.ContainsAny(rest[:1], "/?#") {
		c.T.Errorf("%s has a link without the prefix: %s", from, to)
		return "", false
	}
	if strings.HasPrefix(rest, under) {
		c.T.Errorf("%s has a link with the prefix twice: %s", from, to)
		return "", false
	}
	return path, true
}

// visit requests a path and checks all links in the response.
func (c *crawler) visit(path string) {
	c.T.Helper()
	res := c.send(http.MethodGet, apptest.Base+path, nil)
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	if res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusNotFound {
		c.T.Errorf("%s: %d", path, res.StatusCode)
	}
	for _, name := range []string{"Location", "X-Location", "Hx-Redirect", "Content-Location", "Service-Worker-Allowed"} {
		if to := res.Header.Get(name); to != "" {
			c.link(path+" "+name, to)
		}
	}
	for _, set := range res.Cookies() {
		if set.Path != under || strings.HasPrefix(set.Name, "__Host-") {
			c.T.Errorf("%s sets %s", path, set)
		}
	}
	for _, header := range []string{"Link", "Www-Authenticate"} {
		for _, found := range absolute.FindAllString(res.Header.Get(header), -1) {
			c.link(path+" "+header, found)
		}
	}
	kind := res.Header.Get("Content-Type")
	data := strings.Contains(kind, "xml") || strings.Contains(kind, "json") && !strings.HasSuffix(path, "/openapi.json") // links in examples do not exist
	for _, found := range absolute.FindAllString(html.UnescapeString(string(text)), -1) {
		if data {
			c.link(path, found)
		} else {
			c.check(path, found)
		}
	}
	switch {
	case strings.HasPrefix(kind, "text/html"):
		for _, found := range attribute.FindAllStringSubmatch(string(text), -1) {
			if found[1] == "data-key" {
				continue // the slash key
			}
			for candidate := range strings.SplitSeq(found[2], ",") {
				if to, _, _ := strings.Cut(strings.TrimSpace(candidate), " "); strings.HasPrefix(to, "/") {
					c.link(path+" "+found[1], to)
				}
			}
		}
	case strings.HasPrefix(kind, "application/manifest+json"):
		for _, found := range quoted.FindAllStringSubmatch(string(text), -1) {
			c.link(path, found[1])
		}
	case strings.HasSuffix(path, "/sw.js"):
		about, _, _ := strings.Cut(string(text), "\n")
		for _, found := range quoted.FindAllStringSubmatch(about, -1) {
			c.link(path, found[1])
		}
	}
}

// Below a path, every link of pages, feeds, site maps and the API begins with the prefix once and
// works, whether or not the proxy removes the prefix.
func TestBelowAPath(t *testing.T) {
	t.Parallel()
	for name, through := range proxies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &crawler{Rig: apptest.New(t, belowPath), through: through, seen: map[string]bool{}}
			signUp := c.send(http.MethodPost, apptest.Base+under+"/sign-up", url.Values{"name": {"First"}, "slug": {"first"}, "email": {"first@example.org"}, "password": {"a good long one"}})
			for _, set := range signUp.Cookies() {
				if set.Path != under || !set.Secure || !strings.HasPrefix(set.Name, "__Secure-") {
					t.Errorf("signing up sets %s", set)
				}
				c.cookie += set.Name + "=" + set.Value + "; "
			}
			c.link("signing up", signUp.Header.Get("Location"))
			moss := c.Channel("ada", "Moss", "public")
			fern := c.Channel("ada", "Fern", "closed")
			for range 3 {
				c.Block("ada", "Look at "+apptest.Base+under+"/ada/moss", moss, fern)
			}
			c.Block("ada", "https://example.com/page", moss)
			session := c.cookie
			for _, c.cookie = range []string{"", session} {
				clear(c.seen)
				for _, path := range []string{"/", "", "/explore", "/ada", "/robots.txt", "/sitemap.xml", "/sw.js", "/manifest.webmanifest", "/offline", "/favicon.ico",
					"/.well-known/oauth-authorization-server", "/.well-known/security.txt", "/.well-known/change-password", "/ada/moss/", "/ada/feed.atom/?x=1",
					"/ada/moss/feed.json", "/settings", "/settings/profile", "/oauth/applications", "/operator", "/search?q=moss", "/feed", "/notifications", "/healthz", "/readyz",
					"/v3/openapi.json", "/v3/channels/moss", "/v3/channels/moss/contents?per=1", "/v3/users/ada", "/v2/channels/moss", "/v2/channels/moss?per=1",
					"/ext/v1/site", "/oembed?url=" + url.QueryEscape(apptest.Base+under+"/ada/moss"), "/oembed?format=xml&url=" + url.QueryEscape(apptest.Base+under+"/ada/moss")} {
					c.link("the test", under+path)
				}
				pages := 0
				for ; len(c.todo) > 0 && pages < 400; pages++ {
					path := c.todo[0]
					c.todo = c.todo[1:]
					c.visit(path)
				}
				t.Logf("%d addresses", pages)
				c.todo = nil
			}
		})
	}
}

// For an issuer with a path, RFC 8414 section 3.1 puts the well-known path first, so the URL of the
// metadata is not below the prefix.
func TestMetadataBelowAPath(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, belowPath)
	for _, path := range []string{"/.well-known/oauth-authorization-server" + under, under + "/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server"} {
		var got map[string]any
		res := r.Do("", "GET", path, nil).Want(http.StatusOK)
		if err := json.Unmarshal(res.Body, &got); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"issuer": "", "authorization_endpoint": "/oauth/authorize", "token_endpoint": "/v3/oauth/token"} {
			if got[name] != apptest.Base+under+want {
				t.Errorf("%s: %s is %v", path, name, got[name])
			}
		}
	}
	r.Do("", "GET", "/.well-known/oauth-authorization-server/other", nil).Want(http.StatusNotFound)
}

// Redirects keep the query, stay on this host, and only happen for GET and HEAD.
func TestTrailingSlash(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"", under} {
		r := apptest.New(t, func(c *config.Config) {
			if root != "" {
				belowPath(c)
			}
		})
		r.Channel("ada", "Moss", "public")
		for _, tt := range []struct {
			method, path string
			status       int
			to           string
		}{
			{"GET", "/explore/", 301, "/explore"},
			{"GET", "/ada/", 301, "/ada"},
			{"HEAD", "/ada/moss/", 301, "/ada/moss"},
			{"GET", "/ada/moss/?page=2&q=a%2Fb", 301, "/ada/moss?page=2&q=a%2Fb"},
			{"GET", "/ada/%6Doss/", 301, "/ada/%6Doss"},
			{"GET", "/ada/feed.atom/", 301, "/ada/feed.atom"},
			{"GET", "/ada/moss/feed.json/?x", 301, "/ada/moss/feed.json?x"},
			{"GET", "/robots.txt/", 301, "/robots.txt"},
			{"GET", "/sitemap.xml/", 301, "/sitemap.xml"},
			{"GET", "/sign-in/?next=%2Fada", 301, "/sign-in?next=%2Fada"},
			{"GET", "/settings/", 301, "/settings"},
			{"GET", "/reset-password/secret/", 301, "/reset-password/secret"},
			{"GET", "/v3/ping/", 200, ""},
			{"GET", "/", 200, ""},
			{"POST", "/sign-in/", 404, ""},
			{"GET", "/ada//", 404, ""},
			{"GET", "/ada%2F", 404, ""},
			{"GET", "/ada/moss%2F?x", 404, ""},
			{"GET", "//evil.example/", 404, ""},
			{"GET", "///evil.example/", 404, ""},
			{"GET", "/ada//evil.example/", 404, ""},
			{"GET", "/%5Cevil.example/", 404, ""},
			{"GET", "/ada/x%5C/", 404, ""},
			{"GET", "/v3/nothing/at/all/", 404, ""},
			{"GET", "/.well-known/nothing/", 404, ""},
		} {
			req := httptest.NewRequestWithContext(t.Context(), tt.method, apptest.Base+"/", nil)
			var err error
			if req.URL, err = url.ParseRequestURI(root + tt.path); err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept", "text/html")
			w := httptest.NewRecorder()
			r.S.Handler().ServeHTTP(w, req)
			want := tt.to
			if want != "" {
				want = root + want
			}
			if got := w.Header().Get("Location"); w.Code != tt.status || got != want {
				t.Errorf("%s %s%s: %d to %q, want %d to %q", tt.method, root, tt.path, w.Code, got, tt.status, want)
			}
		}
		if lines := r.Log("reset-password"); len(lines) == 0 || strings.Contains(strings.Join(lines, ""), "/secret") {
			t.Errorf("the log contains the secret in a path: %q", lines)
		}
	}
}

// A prefix that is also the beginning of one of Vitrine's own paths would be ambiguous behind a proxy
// that removes it.
func TestOwnedPath(t *testing.T) {
	t.Parallel()
	for path, taken := range map[string]bool{"/v3": true, "/files": true, "/settings/x": true, "/feeds": true, "/search": true, "/.well-known": true, "/api": false, "/vitrine": false, "/apps/vitrine": false} {
		site := apptest.Base + path
		s, err := server.New(t.Context(), config.Config{DatabaseURL: storetest.Migrated.SQLite(t).URL, BaseURL: apptest.Base, SiteURL: site, FilesURL: apptest.Base + "/files",
			BodyLimit: 1, MailFrom: "vitrine@vitrine.test", DataDir: t.TempDir(), RateLimits: map[string]int{"guest": 1, "free": 1, "premium": 1, "supporter": 1}},
			server.Options{Log: slog.New(slog.DiscardHandler)})
		if got := err != nil && strings.Contains(err.Error(), "--site-url: the path "+path); got != taken || !taken && err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err == nil {
			if err := s.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}
