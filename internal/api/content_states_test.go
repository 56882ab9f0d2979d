package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
)

// switched sends the response that was set last.
type switched struct {
	now atomic.Pointer[http.HandlerFunc]
}

func (s *switched) to(h http.HandlerFunc) { s.now.Store(&h) }

func (s *switched) serve(w http.ResponseWriter, r *http.Request) { (*s.now.Load())(w, r) }

func status(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	}
}

// Temporary failures are retried, and the content then appears everywhere.
func TestContentComesLater(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var at switched
		at.to(status(http.StatusServiceUnavailable))
		r.Web("example.com/page", at.serve)
		channel := r.Channel("ada", "Finds", "public")
		followAs(r, "eve", fmt.Sprint("channels/", channel))
		id := submit(r, "ada", "https://example.com/page", nil, channel)
		processing := fmt.Sprintf("/ext/v1/blocks/%d/processing", id)
		holds(t, r.Get("ada", "%s", processing), map[string]any{"state": "waiting", "attempts": 0, "reason": nil})
		r.WorkJobs()
		holds(t, r.Get("ada", "%s", processing), map[string]any{"state": "waiting", "attempts": 1, "reason": "The server answered 503 Service Unavailable"})
		before := r.Get("ada", "/v3/blocks/%d", id)
		holds(t, before, map[string]any{"type": "Link", "state": "failed"})
		at.to(apptest.Serve("image/png", apptest.PNG(t, 4, 3)))
		r.Clock.Advance(time.Minute)
		r.HastenJobs()
		r.WorkJobs()
		holds(t, r.Get("ada", "%s", processing), map[string]any{"state": "done", "attempts": 2, "reason": nil})
		after := r.Do("ada", "GET", fmt.Sprintf("/v3/blocks/%d", id), nil, "If-None-Match", before.Header.Get("ETag")).Want(http.StatusOK)
		holds(t, after, map[string]any{"type": "Image", "state": "available", "title": "page"})
		if after.Str("updated_at") <= before.Str("updated_at") || after.Header.Get("ETag") == before.Header.Get("ETag") {
			t.Error("the block looks unchanged")
		}
		holds(t, r.Get("eve", "/v3/channels/%d/contents", channel), map[string]any{"data.0.type": "Image", "data.0.image.width": 4})
		holds(t, r.Get("eve", "/v3/me/feed"), map[string]any{"data.0.item.type": "Image", "data.0.item.id": id})
	})
}

// A block is a Link from the first failure on, and keeps its URL. There are eight attempts.
func TestContentGivenUp(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/page", status(http.StatusInternalServerError))
		id := submit(r, "ada", "https://example.com/page", map[string]any{"title": "Mine"})
		for attempt := 1; attempt <= 8; attempt++ {
			r.WorkJobs()
			holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", id), map[string]any{"attempts": attempt, "reason": "The server answered 500 Internal Server Error"})
			holds(t, r.Get("", "/v3/blocks/%d", id), map[string]any{"type": "Link", "state": "failed", "title": "Mine", "source.url": "https://example.com/page"})
			r.HastenJobs()
		}
		holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", id), map[string]any{"state": "failed", "reason": "The server answered 500 Internal Server Error"})
		holds(t, r.Get("ada", "/v3/blocks/%d", id), map[string]any{"type": "Link", "state": "failed", "title": "Mine",
			"source.url": "https://example.com/page", "image": nil, "content": nil})
	})
}

// Permanent failures are given up at once. Each block shows the reason only to its author.
func TestContentStatuses(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	redirect := func(to string) http.HandlerFunc { return status(http.StatusFound, "Location", to) }
	for path, c := range map[string]struct {
		answer        http.HandlerFunc
		state, reason string
	}{
		"missing":   {status(404), "failed", "The server answered 404 Not Found"},
		"gone":      {status(410), "failed", "The server answered 410 Gone"},
		"forbidden": {status(403), "failed", "The server answered 403 Forbidden"},
		"broken":    {status(500), "waiting", "The server answered 500 Internal Server Error"},
		"busy":      {status(429, "Retry-After", "3000"), "waiting", "The server answered 429 Too Many Requests"},
		"to-file":   {redirect("file:///etc/passwd"), "failed", "Only http and https addresses are fetched"},
		"to-secret": {redirect("http://user:pw@example.com/"), "failed", "The address holds a user name or a password"},
		"to-script": {redirect("javascript:alert(1)"), "failed", "Only http and https addresses are fetched"},
		"to-gone":   {redirect("gone"), "failed", "The server answered 410 Gone"},
		"to-empty":  {redirect("empty"), "done", ""},
		"to-itself": {redirect("to-itself"), "failed", "The address redirects too often"},
		"empty":     {status(204), "done", ""},
	} {
		r.Web("example.com/"+path, c.answer)
		id := submit(r, "ada", "http://example.com/"+path, nil)
		defer func() {
			got := r.Get("ada", "/ext/v1/blocks/%d/processing", id)
			if reason, _ := got.Get("reason").(string); got.Str("state") != c.state || reason != c.reason {
				t.Errorf("%s: %s", path, got.Body)
			}
		}()
	}
	r.WorkJobs()
}

// A server with Retry-After is not contacted before that time.
func TestContentRetryAfter(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/busy", status(http.StatusTooManyRequests, "Retry-After", "3000"))
		submit(r, "ada", "https://example.com/busy", nil)
		r.WorkJobs()
		var late int
		query := "SELECT count(*) FROM river_job WHERE kind = 'process_block' AND scheduled_at > datetime('now', '+49 minutes')"
		if strings.Contains(t.Name(), "postgres") {
			query = "SELECT count(*) FROM river_job WHERE kind = 'process_block' AND scheduled_at > now() + interval '49 minutes'"
		}
		if err := r.DB().Reader().QueryRow(t.Context(), query).Scan(&late); err != nil || late != 1 {
			t.Errorf("%d jobs wait for 50 minutes (%v)", late, err)
		}
	})
}

// An attempt that uses up the job's time counts, so that no block is pending forever.
func TestContentTakesTooLong(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.JobTimeout = 50 * time.Millisecond })
	r.Web("example.com/slow", func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() })
	id := submit(r, "ada", "https://example.com/slow", nil)
	for range 9 {
		r.WorkJobs()
		r.HastenJobs()
	}
	holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", id), map[string]any{"state": "failed", "attempts": 8, "reason": "It took too long"})
	holds(t, r.Get("ada", "/v3/blocks/%d", id), map[string]any{"type": "Link", "state": "failed"})
}

// A server that stops sending fails the attempt. An image that does so only fails itself.
func TestContentSilence(t *testing.T) {
	t.Parallel()
	r := apptest.NewFetching(t, func(o *fetch.Options) { o.Idle = 2 * time.Second })
	silent := func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n"))
		w.(http.Flusher).Flush()
		<-req.Context().Done()
	}
	r.Web("example.com/silent", silent)
	r.Web("example.com/page", apptest.Serve("text/html", []byte(`<title>Page</title><meta property="og:image" content="/silent">`)))
	id := submit(r, "ada", "https://example.com/silent", nil)
	page := submit(r, "ada", "https://example.com/page", nil)
	r.WorkJobs()
	holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", id), map[string]any{"state": "waiting", "reason": "The server stopped answering"})
	holds(t, r.Get("ada", "/v3/blocks/%d", page), map[string]any{"type": "Link", "title": "Page", "image": nil})
}

// A preview waits if other fetches occupy its site.
func TestContentBusySite(t *testing.T) {
	t.Parallel()
	r := apptest.NewFetching(t, func(o *fetch.Options) {
		o.PerHost, o.Wait, o.Idle, o.Timeout = 1, time.Millisecond, time.Hour, time.Hour // even on a machine that stalls
	})
	begun, end := make(chan struct{}), make(chan struct{})
	picture := apptest.Serve("image/png", apptest.PNG(t, 4, 3))
	r.Web("images.test/held", func(w http.ResponseWriter, req *http.Request) { close(begun); <-end; picture(w, req) })
	r.Web("images.test/preview", picture)
	r.Web("example.com/page", apptest.Serve("text/html", []byte(`<title>Page</title><meta property="og:image" content="http://images.test/preview">`)))
	held := submit(r, "ada", "http://images.test/held", nil)
	page := submit(r, "ada", "http://example.com/page", nil)
	done := make(chan error)
	go func() {
		done <- r.S.App.Content.RunProcessBlock(context.WithoutCancel(t.Context()), content.ProcessBlock{Block: domain.BlockID(held)})
	}()
	<-begun
	if err := r.S.App.Content.RunProcessBlock(t.Context(), content.ProcessBlock{Block: domain.BlockID(page)}); err == nil {
		t.Error("the page is done without its image")
	}
	holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", page), map[string]any{"state": "waiting", "attempts": 0})
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
	r.WorkJobs()
	holds(t, r.Get("ada", "/v3/blocks/%d", page), map[string]any{"type": "Link", "image.width": 4})
}

func TestProcessingAccess(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/gone", http.NotFound)
		open, private := r.Channel("ada", "Open", "public"), r.Channel("ada", "Private", "private")
		shown := submit(r, "ada", "https://example.com/gone", nil, open)
		hidden := submit(r, "ada", "https://example.com/gone", nil, private)
		text := r.Block("ada", "Text", open)
		r.WorkJobs()
		for _, c := range []struct {
			as, method string
			id         int64
			want       int
		}{
			{"ada", "GET", shown, 200}, {"ada/read", "GET", shown, 200}, {"eve", "GET", shown, 404}, {"", "GET", shown, 401},
			{"eve", "GET", hidden, 404}, {"ada", "GET", text, 404}, {"ada", "GET", 999, 404},
			{"eve", "POST", shown, 403}, {"eve", "POST", hidden, 404}, {"ada/read", "POST", shown, 403}, {"", "POST", shown, 401},
			{"ada", "POST", text, 422}, {"eve", "POST", text, 403}, {"ada", "POST", 999, 404},
			{"ada", "POST", shown, 202}, {"ada", "POST", shown, 202},
		} {
			path := fmt.Sprintf("/ext/v1/blocks/%d/processing", c.id)
			if c.method == "POST" {
				path = fmt.Sprintf("/ext/v1/blocks/%d/reprocess", c.id)
			}
			if got := r.Do(c.as, c.method, path, nil); got.Status != c.want {
				t.Errorf("%s %s as %q: %d, want %d: %s", c.method, path, c.as, got.Status, c.want, got.Body)
			}
		}
		holds(t, r.Get("ada", "/v3/blocks/%d", shown), map[string]any{"type": "PendingBlock", "state": "processing"})
		r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", shown), `{"alt_text":"x"}`).Want(422)
		r.WorkJobs()
		holds(t, r.Get("ada", "/v3/blocks/%d", shown), map[string]any{"type": "Link", "state": "failed"})
		r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", shown), `{"alt_text":"x"}`).Want(422)
	})
}

// Reprocessing replaces the content. If it fails, the content stays.
func TestReprocess(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var at switched
		at.to(apptest.Serve("image/png", apptest.PNG(t, 4, 3)))
		r.Web("example.com/thing", at.serve)
		id := submit(r, "ada", "https://example.com/thing", nil)
		r.WorkJobs()
		old := r.Get("ada", "/v3/blocks/%d", id).Str("image.src")
		again := func() *apptest.Response {
			t.Helper()
			holds(t, r.Do("ada", "POST", fmt.Sprintf("/ext/v1/blocks/%d/reprocess", id), nil).Want(202), map[string]any{"state": "waiting", "attempts": 0})
			holds(t, r.Get("ada", "/v3/blocks/%d", id), map[string]any{"type": "Image", "state": "available"})
			r.WorkJobs()
			return r.Get("ada", "/v3/blocks/%d", id)
		}
		at.to(http.NotFound)
		holds(t, again(), map[string]any{"type": "Image", "state": "available", "image.src": old})
		holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", id), map[string]any{"state": "failed"})
		download(r, old).Want(200)
		at.to(apptest.Serve("image/png", apptest.PNG(t, 8, 6)))
		holds(t, again(), map[string]any{"type": "Image", "image.width": 8, "title": "thing"})
		download(r, old).Want(404)
		if n := rows(r, "files"); n != 1 {
			t.Errorf("%d files", n)
		}
	})
}

// If a block is deleted while its content is fetched, nothing remains. A job that runs twice, even concurrently, takes
// effect once.
func TestContentOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var during func()
		picture := apptest.Serve("image/png", apptest.PNG(t, 4, 3))
		r.Web("example.com/deleted", func(w http.ResponseWriter, req *http.Request) { during(); picture(w, req) })
		var both sync.WaitGroup
		both.Add(2)
		r.Web("example.com/twice", func(w http.ResponseWriter, req *http.Request) { both.Done(); both.Wait(); picture(w, req) })
		id := submit(r, "ada", "https://example.com/deleted", nil)
		during = func() { r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", id), nil).Want(204) }
		r.WorkJobs()
		r.Do("ada", "GET", fmt.Sprintf("/v3/blocks/%d", id), nil).Want(404)
		if n := rows(r, "files"); n != 0 {
			t.Errorf("a deleted block leaves %d files", n)
		}
		id = submit(r, "ada", "https://example.com/twice", nil)
		ends := make(chan error, 2)
		for range 2 {
			go func() {
				ends <- r.S.App.Content.RunProcessBlock(context.WithoutCancel(t.Context()), content.ProcessBlock{Block: domain.BlockID(id)})
			}()
		}
		for range 2 {
			if err := <-ends; err != nil {
				t.Error(err)
			}
		}
		r.WorkJobs()
		holds(t, r.Get("ada", "/v3/blocks/%d", id), map[string]any{"type": "Image", "image.width": 4})
		if n := rows(r, "files"); n != 1 {
			t.Errorf("%d files, want 1", n)
		}
	})
}
