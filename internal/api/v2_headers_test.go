package api_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// Responses to a token, in any place, are never cached by others.
func TestV2IsPrivateByEveryToken(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	token := w.Person("ada").Token
	varies := func(name string, res *apptest.Response) {
		t.Helper()
		for _, field := range []string{"Authorization", "X-Auth-Token", "X-Access-Token", "Accept-Encoding"} {
			if vary := strings.Join(res.Header.Values("Vary"), ", "); !strings.Contains(vary, field) {
				t.Errorf("%s: Vary is %q", name, vary)
			}
		}
	}
	for _, path := range []string{"/v2/channels/closed", "/v2/search?q=a", "/v2/users/ada/channels", "/v2/openapi.json"} {
		guest := asks(w.Rig, "GET", path, nil).Want(200)
		if got := guest.Header.Get("Cache-Control"); got != "max-age=300, public" {
			t.Errorf("%s: Cache-Control of a guest is %q", path, got)
		}
		varies(path, guest)
		for _, way := range append([]string{"Authorization"}, v2Ways...) {
			res := asks(w.Rig, "GET", path, map[string]string{way: token}).Want(200)
			if got := res.Header.Get("Cache-Control"); got != "private, no-cache" {
				t.Errorf("%s by %s: Cache-Control %q", path, way, got)
			}
			varies(path+" by "+way, res)
			again := w.Request("", "GET", path, nil, "If-None-Match", res.Header.Get("ETag"))
			not := w.Send(withToken(again, way, token))
			if not.Status != http.StatusNotModified || not.Header.Get("Cache-Control") != "private, no-cache" {
				t.Errorf("%s by %s again: %d %v", path, way, not.Status, not.Header)
			}
			varies(path+" again by "+way, not)
		}
	}
	varies("an error", asks(w.Rig, "GET", "/v2/channels/secret", nil).Want(404))
}

// Pages of other origins may send every header that carries a token.
func TestV2Preflight(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		res := r.Do("", "OPTIONS", "/v2/channels/x", nil, "Origin", "https://student.example", "Access-Control-Request-Method", method,
			"Access-Control-Request-Headers", "authorization,content-type,x-auth-token,x-access-token").Want(http.StatusNoContent)
		if res.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(res.Header.Get("Access-Control-Allow-Methods"), method) {
			t.Errorf("%s: %v", method, res.Header)
		}
		for _, name := range []string{"authorization", "content-type", "x-auth-token", "x-access-token"} {
			if got := strings.ToLower(res.Header.Get("Access-Control-Allow-Headers")); !strings.Contains(got, name) {
				t.Errorf("%s: Access-Control-Allow-Headers is %q", method, got)
			}
		}
	}
}

// A client over its rate limit gets version 2's form with version 3's headers. Both versions share the limit.
func TestV2RateLimit(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, limits)
	allowance(t, "first", from(r, "", "192.0.2.1:1", "GET", "/v2/channels", nil).Want(200), "guest", 3, 2)
	allowance(t, "by version 3", from(r, "", "192.0.2.1:1", "GET", "/v3/ping", nil).Want(200), "guest", 3, 1)
	allowance(t, "an error", from(r, "", "192.0.2.1:1", "GET", "/v2/me", nil).Want(401), "guest", 3, 0)
	res := from(r, "", "192.0.2.1:1", "GET", "/v2/search?q=x", nil)
	refusedV2(t, "one too many", res, http.StatusTooManyRequests, "Too many requests: wait until the limit is reset")
	allowance(t, "one too many", res, "guest", 3, 0)
	if res.Header.Get("Retry-After") == "" || res.Header.Get("X-Request-Id") == "" {
		t.Errorf("one too many: %v", res.Header)
	}
	from(r, "", "192.0.2.2:1", "GET", "/v2/channels", nil).Want(200)
}
