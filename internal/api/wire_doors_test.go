package api_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// common are the header fields of every response with any status.
var common = map[string]string{
	"Access-Control-Allow-Origin": "*",
	"X-Content-Type-Options":      "nosniff",
	"Vary":                        "Authorization, Accept-Encoding",
	"X-Ratelimit-Window":          "60",
}

// complete checks the header of an error.
func complete(t *testing.T, name string, res *apptest.Response) {
	t.Helper()
	for field, want := range common {
		if field == "Vary" && strings.Contains(name, "/v2/") {
			want += ", X-Auth-Token, X-Access-Token"
		}
		if got := res.Header.Get(field); got != want {
			t.Errorf("%s: %s = %q, want %q", name, field, got, want)
		}
	}
	for _, field := range []string{"X-Request-Id", "X-Ratelimit-Limit", "X-Ratelimit-Tier", "X-Ratelimit-Reset", "X-Ratelimit-Remaining"} {
		if res.Header.Get(field) == "" {
			t.Errorf("%s: no %s", name, field)
		}
	}
	exposed := strings.ToLower(res.Header.Get("Access-Control-Expose-Headers"))
	for _, field := range []string{"etag", "retry-after", "x-ratelimit-remaining", "x-request-id"} {
		if !strings.Contains(exposed, field) {
			t.Errorf("%s: %s is not exposed: %s", name, field, exposed)
		}
	}
	if got := res.Header.Get("Cache-Control"); res.Status >= 400 && got != "no-store" {
		t.Errorf("%s: Cache-Control = %q", name, got)
	}
	if got := res.Header.Get("Etag"); res.Status >= 400 && got != "" {
		t.Errorf("%s: an error has the ETag %s", name, got)
	}
}

func TestDoors(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		block, channel := at("/v3/blocks/%d", w.block), at("/v3/channels/%d", w.closed)
		large := `{"title":"` + strings.Repeat("x", 2<<20) + `"}`
		tests := []struct {
			name, as, method, path string
			body                   any
			status                 int
			errs                   []string
		}{
			{"handler, missing", "ada", "GET", "/v3/blocks/9223372036854775807", nil, 404, nil},
			{"handler, forbidden", "bob", "PUT", block, `{"title":"x"}`, 403, nil},
			{"handler, senseless", "ada", "PUT", block, `{"alt_text":"x"}`, 422, nil},
			{"handler, invalid", "ada", "PUT", block, `{"content":" "}`, 400, []string{"content: must not be blank"}},
			{"decoder of the path", "", "GET", "/v3/blocks/x", nil, 400, []string{"id: must be an integer"}},
			{"decoder of the query", "", "GET", channel + "/contents?per=x", nil, 400, []string{"per: must be an integer"}},
			{"description of the query", "", "GET", channel + "/contents?per=%00", nil, 400, []string{"per: must not contain NUL"}},
			{"description of the body", "ada", "POST", "/v3/channels", `{}`, 400, []string{"title: is required"}},
			{"query and body", "ada", "PUT", "/v3/blocks/x", `{"title":1}`, 400, []string{"id: must be an integer", "title: must be a string"}},
			{"gate, guest", "", "POST", "/v3/channels", `{"title":"x"}`, 401, nil},
			{"gate, me", "", "GET", "/v3/me", nil, 401, nil},
			{"gate, read token", "ada/read", "POST", "/v3/channels", `{"title":"x"}`, 403, nil},
			{"route", "", "GET", "/v3/nothing", nil, 404, nil},
			{"route of the extensions", "ada", "GET", "/ext/v1/nothing", nil, 404, nil},
			{"method", "", "PATCH", block, `{}`, 405, nil},
			{"method of the extensions", "", "PUT", "/ext/v1/openapi.json", nil, 405, nil},
			{"size", "ada", "POST", "/v3/channels", large, 413, nil},
			{"size without a length", "ada", "POST", "/v3/channels", endless{strings.NewReader(large)}, 413, nil},
			{"type", "ada", "POST", "/v3/channels", `{"title":"x"}`, 415, nil},
		}
		before := w.Dump()
		for _, tt := range tests {
			var headers []string
			if tt.status == http.StatusUnsupportedMediaType {
				headers = []string{"Content-Type", "text/plain"}
			}
			res := w.Do(tt.as, tt.method, tt.path, tt.body, headers...)
			refused(t, tt.name, res, tt.status, tt.errs...)
			complete(t, tt.name, res)
		}
		w.unchanged(t, before, "the doors")
	})
}

func TestUnknownRoutes(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for _, path := range []string{"/v3", "/v3/", "/v3/nothing", "/v3/ping//", "/v3/ping/x", "//v3/ping", "/V3/ping", "/v4/ping",
		"/ext", "/ext/", "/ext/v1", "/ext/v1/openapi", "/v3/./ping", "/v3/x/../ping", "/v3/%2e%2e/ping",
		"/v3/blocks/1/nothing", "/v3/openapi.yaml", "/healthz/", "/v3/%00"} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			res := r.Do("", method, path, nil)
			if method == "HEAD" {
				if res.Status != http.StatusNotFound || len(res.Body) != 0 {
					t.Errorf("HEAD %s: %d %s", path, res.Status, res.Body)
				}
				continue
			}
			refused(t, method+" "+path, res, http.StatusNotFound)
			complete(t, method+" "+path, res)
		}
	}
	for _, path := range []string{"/extra", "/%ff", "/v3\\ping"} { // paths where profiles could be
		if res := r.Do("", "GET", path, nil); res.Status != http.StatusNotFound || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
			t.Errorf("GET %s: %d %v", path, res.Status, res.Header)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		refused(t, path, r.Do("", "POST", path, nil), http.StatusNotFound)
	}
	connect := r.Request("", "CONNECT", "/", nil)
	connect.URL.Path, connect.RequestURI = "", "vitrine.test:443"
	refused(t, "CONNECT", r.Send(connect), http.StatusNotFound)
}

func TestMethodNotAllowed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	paths := map[string][]string{}
	for _, doc := range r.Descriptions() {
		for _, op := range doc.Operations() {
			if op.ID == "createOAuthToken" {
				continue // its errors have another form, tested in internal/oauth
			}
			paths[op.Path] = append(paths[op.Path], op.Method)
		}
	}
	if len(paths) < 15 {
		t.Fatalf("there are but %d paths", len(paths))
	}
	fill := strings.NewReplacer("{id}", "1", "{type}", "User", "{collaborator_id}", "1")
	for path, methods := range paths {
		want := append(slices.Clone(methods), "OPTIONS")
		if slices.Contains(methods, "GET") {
			want = append(want, "HEAD")
		}
		slices.Sort(want)
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "OPTIONS"} {
			if slices.Contains(methods, method) {
				continue
			}
			res := r.Do("", method, fill.Replace(path), nil)
			if method == "OPTIONS" {
				res.Want(http.StatusNoContent)
			} else {
				refused(t, method+" "+path, res, http.StatusMethodNotAllowed)
			}
			complete(t, method+" "+path, res)
			got := strings.Split(res.Header.Get("Allow"), ", ")
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s %s: Allow is %q, want %q", method, path, got, want)
			}
		}
		if !slices.Contains(methods, "GET") {
			if res := r.Do("", "HEAD", fill.Replace(path), nil); res.Status != http.StatusMethodNotAllowed || len(res.Body) > 0 {
				t.Errorf("HEAD %s: %d %s", path, res.Status, res.Body)
			}
		}
	}
}

// A panic in a use case is a 500 that only reveals the request's id. It changes nothing, and the database is usable for
// the next request.
func TestPanic(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for _, c := range []touch{
			{"GET", at("/v3/blocks/%d", w.block), ""}, {"GET", "/v3/channels/closed/contents", ""},
			{"GET", at("/v3/connections/%d", w.connection), ""}, {"GET", "/v3/me", ""},
			{"POST", "/v3/channels", `{"title":"New"}`},
			{"POST", "/v3/blocks", at(`{"value":"x","channel_ids":[%d,%d]}`, w.closed, w.open)},
			{"POST", "/ext/v1/channels/closed/collaborators", at(`{"user_id":%d}`, w.Person("bob").ID)},
			{"DELETE", "/v3/channels/closed", ""},
		} {
			name, before := c.method+" "+c.path, w.Dump()
			for n, done := 0, false; !done; n++ { // panic before each statement in turn
				res, hit := w.panicAt(n, c)
				if done = !hit; done {
					if res.Status/100 != 2 || n < 2 {
						t.Errorf("%s: %d after %d statements", name, res.Status, n)
					}
					continue
				}
				w.internal(t, name, res)
				w.unchanged(t, before, name)
			}
		}
	})
}

// panicAt makes a request panic before its n-th statement, if there is one.
func (w *world) panicAt(n int, c touch) (res *apptest.Response, hit bool) {
	w.T.Helper()
	end := w.Intercept(func(_ context.Context, query string) {
		if n--; n < 0 {
			hit = true
			panic("inner matter: " + query)
		}
	})
	defer end()
	return w.ask("ada", c), hit
}

// internal checks a 500: it contains the request's id and no internal details.
func (w *world) internal(t *testing.T, name string, res *apptest.Response) {
	t.Helper()
	refused(t, name, res, http.StatusInternalServerError)
	id := res.Header.Get("X-Request-Id")
	want := "Something went wrong on the server. Request id: " + id
	if id == "" || res.Str("details.message") != want {
		t.Errorf("%s: the message is %q, want %q", name, res.Str("details.message"), want)
	}
	lines := w.Log(id)
	if !strings.Contains(strings.Join(lines, ""), "status=500") || !strings.Contains(strings.Join(lines, ""), "error=") {
		t.Errorf("%s: the log does not tell the cause: %q", name, lines)
	}
}
