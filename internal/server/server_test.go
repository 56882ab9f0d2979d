package server_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

// get sends a request over TCP.
func get(t *testing.T, url string) (status int, body string, header http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text), res.Header
}

func TestHealth(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		addr := r.Listen()
		for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
			status, body, header := get(t, "http://"+addr+path)
			if status != http.StatusOK || body != want || header.Get("Cache-Control") != "no-store" ||
				header.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("%s: %d %q %v", path, status, body, header)
			}
			if res := r.Do("", "HEAD", path, nil); res.Status != http.StatusOK {
				t.Errorf("HEAD %s: %d", path, res.Status)
			}
		}
		// With a schema of a newer program, the server is alive but not ready.
		r.Exec("INSERT INTO schema_versions (version_id, is_applied, serves) VALUES ($1, TRUE, $1)", 9999)
		if status, body, _ := get(t, "http://"+addr+"/readyz"); status != http.StatusServiceUnavailable || !strings.HasPrefix(body,
			"not ready: the database is newer than this program: it is at version 9999 and serves programs from version 9999 on, this one knows ") {
			t.Errorf("/readyz: %d %q", status, body)
		}
		if len(r.Log("the database is newer than this program")) != 1 {
			t.Error("the log does not tell why it is not ready")
		}
		if status, _, _ := get(t, "http://"+addr+"/healthz"); status != http.StatusOK {
			t.Errorf("/healthz: %d", status)
		}
	})
}

// A database that does not answer in time is not ready.
func TestReadyInTime(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		end := r.Intercept(func(ctx context.Context, _ string) {
			if _, limited := ctx.Deadline(); !limited {
				t.Error("the database may take for ever")
				return
			}
			<-ctx.Done()
		})
		defer end()
		r.Do("", "GET", "/readyz", nil).Want(http.StatusServiceUnavailable)
	}, func(c *config.Config) { c.RequestTimeout = 50 * time.Millisecond })
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) {
		c.MetricsAddr, c.RateLimits = "127.0.0.1:0", map[string]int{"guest": 10, "free": 0, "premium": 0, "supporter": 0}
	})
	main := r.Listen()
	lines := r.Log("serving metrics")
	if len(lines) != 1 {
		t.Fatalf("%q", lines)
	}
	_, addr, _ := strings.Cut(lines[0], "addr=")
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)
	r.Do("", "GET", "/v3/blocks/7", nil).Want(http.StatusNotFound)
	r.Do("", "GET", "/v3/nothing", nil).Want(http.StatusNotFound)
	r.Do("", "BREW", "/v3/ping", nil).Want(http.StatusMethodNotAllowed)
	for r.Do("", "GET", "/v3/blocks/8", nil).Status != http.StatusTooManyRequests {
	}
	r.Do("", "GET", "/v3/blocks/8", nil).Want(http.StatusTooManyRequests)
	status, text, _ := get(t, "http://"+addr+"/metrics")
	for _, want := range []string{
		`vitrine_http_requests_total{method="GET",operation="getPing",status="200"} 1`,
		`vitrine_http_requests_total{method="GET",operation="getBlock",status="404"} `,
		`vitrine_http_requests_total{method="GET",operation="none",status="404"} 1`,
		`vitrine_http_requests_total{method="other",operation="none",status="405"} 1`,
		"vitrine_http_requests_in_flight 0", "vitrine_build_info{", "go_goroutines ",
		`vitrine_database_connections_max{pool="write"} 1`, `vitrine_database_waits_total{pool="write"} `,
		`vitrine_database_connections_max{pool="read"} `, `vitrine_http_refusals_total{kind="requests",tier="guest"} 2`,
		`vitrine_jobs_oldest_due_seconds{class="mail"} 0`, `vitrine_backfill_rows_left{kind="index_words"} 0`, "vitrine_disk_free_bytes ", "vitrine_sqlite_file_bytes ", "vitrine_sqlite_wal_bytes ",
	} {
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d: no %s", status, want)
		}
	}
	if status, _, _ := get(t, "http://"+addr+"/debug/pprof/cmdline"); status != http.StatusOK {
		t.Errorf("pprof: %d", status)
	}
	// The main listener does not serve them.
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/vars"} {
		if status, _, _ := get(t, "http://"+main+path); status != http.StatusNotFound {
			t.Errorf("%s on the main listener: %d", path, status)
		}
	}
	for _, path := range []string{"/v3/ping", "/healthz"} {
		if status, _, _ := get(t, "http://"+addr+path); status != http.StatusNotFound {
			t.Errorf("%s on the private listener: %d", path, status)
		}
	}
}

// A listener that stops is reported by Failed, and one that cannot be opened by Start.
func TestListenerFails(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := apptest.New(t)
	if err := r.S.Start(l); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-r.S.Failed(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	other := apptest.New(t, func(c *config.Config) { c.MetricsAddr = taken.Addr().String() })
	if err := other.S.Start(nil); err == nil || !strings.Contains(err.Error(), "set another address with --metrics-addr") {
		t.Errorf("%v", err)
	}
}

// An update of the program or of its address makes cached responses stale.
func TestETagsEndWithTheProgram(t *testing.T) {
	t.Parallel()
	o := storetest.Migrated.SQLite(t)
	tag := func(base, commit string) string {
		t.Helper()
		s, err := server.New(t.Context(), config.Config{DatabaseURL: o.URL, BaseURL: base, SiteURL: base, BodyLimit: 1, MailFrom: "vitrine@vitrine.test", DataDir: t.TempDir(),
			RequestTimeout: time.Minute, RateLimits: map[string]int{"guest": 0}}, server.Options{Log: slog.New(slog.DiscardHandler), Commit: commit})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Shutdown(t.Context()) }()
		if _, err := s.App.People.User(t.Context(), domain.Ref{Slug: "ada"}); err != nil {
			if _, err := s.App.Accounts.CreateUser(t.Context(), accounts.CreateUserInput{Slug: "ada", Name: "Ada", Email: "ada@example.org", Tier: "free"}); err != nil {
				t.Fatal(err)
			}
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, base+"/v3/users/ada", nil))
		return w.Result().Header.Get("ETag")
	}
	first := tag("https://a.test", "1")
	if again := tag("https://a.test", "1"); first == "" || again != first {
		t.Errorf("a restart makes %s of %s", again, first)
	}
	for _, other := range []string{tag("https://a.test", "2"), tag("https://b.test", "1")} {
		if other == first {
			t.Errorf("%s stays", other)
		}
	}
}

func TestNewFails(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	for name, cfg := range map[string]config.Config{
		"no folder":   {DataDir: "/dev/null/data", SQLiteSynchronous: "full", RateLimits: map[string]int{"guest": 1}},
		"no database": {DatabaseURL: "postgres://nobody:hush@127.0.0.1:1/none?connect_timeout=1", RateLimits: map[string]int{"guest": 1}},
	} {
		s, err := server.New(t.Context(), cfg, server.Options{Log: log})
		if err == nil || s != nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
