package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// A node that is too old for the schema answers 503 on every mount, in the format of the mount, and
// writes nothing. Only the probes answer.
func TestUnserved(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Channel("ada", "Moss", "public")
		r.Get("ada", "/v3/me")
		r.Exec("INSERT INTO schema_versions (version_id, is_applied, serves) VALUES ($1, TRUE, $1)", 9999)
		before := r.Dump()
		// The first write checks again, even if the node has just checked.
		r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Fern"}).Want(http.StatusServiceUnavailable)
		form := []string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin"}
		for _, ask := range []struct {
			method, path, body, kind string
			headers                  []string
		}{
			{"GET", "/v3/ping", "", "application/json", nil},
			{"GET", "/v3/me", "", "application/json", nil},
			{"DELETE", "/v3/channels/moss", "", "application/json", nil},
			{"GET", "/v2/channels/moss", "", "application/json", nil},
			{"GET", "/ext/v1/me/usage", "", "application/json", nil},
			{"GET", "/files/0123456789abcdefghijkl/a.png", "", "application/json", nil},
			{"GET", "/v1/nothing", "", "application/json", nil},
			{"POST", "/v3/oauth/token", "grant_type=authorization_code", "application/json", form},
			{"GET", "/robots.txt", "", "text/plain", nil},
			{"GET", "/ada/moss/feed.atom", "", "text/plain", nil},
			{"GET", "/sign-in", "", "text/html", []string{"Accept", "text/html"}},
			{"POST", "/sign-in", "email=ada@example.org&password=something+long", "text/html", form},
		} {
			var body any
			if ask.body != "" {
				body = ask.body
			}
			res := r.Do("ada", ask.method, ask.path, body, ask.headers...)
			if res.Status != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != "5" ||
				!strings.HasPrefix(res.Header.Get("Content-Type"), ask.kind) || len(res.Body) == 0 ||
				strings.Contains(string(res.Body), "9999") || !strings.Contains(res.Header.Get("Cache-Control"), "no-store") {
				t.Errorf("%s %s: %d %v %.200s", ask.method, ask.path, res.Status, res.Header, res.Body)
			}
		}
		if len(r.Log("this program knows")) == 0 && len(r.Log("the database is newer than this program")) == 0 {
			t.Error("the log does not say why")
		}
		r.Do("", "GET", "/livez", nil).Want(http.StatusOK)
		r.Do("", "GET", "/healthz", nil).Want(http.StatusOK)
		// Excluding all other checks does not hide it.
		res := r.Do("", "GET", "/readyz?exclude=database&exclude=storage&exclude=disk&exclude=schema", nil).Want(http.StatusServiceUnavailable)
		if !strings.HasPrefix(string(res.Body), "not ready: the database is newer than this program") {
			t.Errorf("%s", res.Body)
		}
		if diff := before.Diff(r.Dump()); diff != nil {
			t.Errorf("the database was changed: %s", diff)
		}
	})
}

// While the database is frozen, /readyz still answers, even if requests may take an hour.
func TestReadyOfFrozenDatabase(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		thaw := make(chan struct{})
		end := r.Intercept(func(_ context.Context, _ string) { <-thaw }) // ignores its context
		defer end()
		defer close(thaw)
		for range 2 {
			if res := r.Do("", "GET", "/readyz", nil).Want(http.StatusServiceUnavailable); string(res.Body) != "not ready: database\n" {
				t.Errorf("%s", res.Body)
			}
		}
		r.Do("", "GET", "/livez", nil).Want(http.StatusOK)
	}, func(c *config.Config) { c.RequestTimeout = time.Hour })
}

// The same with a bucket that accepts requests but never answers.
func TestReadyOfFrozenStorage(t *testing.T) {
	t.Parallel()
	var isFrozen atomic.Bool
	thaw := make(chan struct{})
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case isFrozen.Load():
			<-thaw
		case r.Method == http.MethodPut:
			w.Header().Set("ETag", `"a"`)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(bucket.Close)
	t.Cleanup(func() { close(thaw) })
	r := apptest.New(t, func(c *config.Config) {
		c.RequestTimeout = time.Hour
		c.Blob = config.Blob{URL: "s3://files?endpoint=" + bucket.URL + "&region=here", AccessKey: "a", SecretKey: "b"}
	})
	isFrozen.Store(true)
	for range 2 {
		if res := r.Do("", "GET", "/readyz", nil).Want(http.StatusServiceUnavailable); string(res.Body) != "not ready: storage\n" {
			t.Errorf("%s", res.Body)
		}
	}
	r.Do("", "GET", "/readyz?exclude=storage", nil).Want(http.StatusOK)
}
