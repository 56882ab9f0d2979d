package server_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/redis/redistest"
	"vitrine/internal/store/storetest"
)

// Counting a request in Redis is a span, even if Redis is unreachable.
func TestTracesOfLimits(t *testing.T) {
	t.Parallel()
	redis, c := redistest.Serve(t), newCollector(t)
	r := apptest.New(t, func(cfg *config.Config) {
		cfg.RedisURL, cfg.RateLimits = "redis://"+redis.Address, map[string]int{"guest": 100}
		cfg.Traces = config.Traces{Endpoint: c.URL, Ratio: 1}
	})
	r.Do("", "GET", "/v3/channels/a", nil).Want(http.StatusNotFound)
	redis.Stop()
	r.Do("", "GET", "/v3/groups/a", nil).Want(http.StatusNotFound)
	if err := r.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	for operation, outcome := range map[string]string{"getChannel": "taken", "getGroup": "failed"} {
		counted := c.one(t, "redis count", c.one(t, operation, nil))
		if failed := counted.Status.Code == 2; counted.Kind != 3 || counted.attr("vitrine.outcome") != outcome || failed != (outcome == "failed") {
			t.Errorf("%s: %+v", operation, counted)
		}
	}
}

// A backup is its own trace with a span per phase.
func TestTracesOfBackups(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		c, folder := newCollector(t), filepath.Join(t.TempDir(), "backups")
		r := apptest.Boot(t, o, func(cfg *config.Config) {
			cfg.MetricsAddr, cfg.Backup = "127.0.0.1:0", config.Backup{To: folder, Every: time.Hour, Keep: 2}
			cfg.Traces = config.Traces{Endpoint: c.URL, Ratio: 1}
		})
		r.Block("ada", "Seed", r.Channel("ada", "Garden", "public"))
		startedWork(t, r)
		awaitBackup(t, r, folder)
		if err := r.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
		made := c.one(t, "backup", nil)
		if rows := c.one(t, "backup rows", made); made.attr("vitrine.rows") == "0" || made.Status.Code != 0 || rows.TraceID != made.TraceID || rows.ParentSpanID != made.SpanID {
			t.Errorf("%+v of %+v", rows, made)
		}
		c.one(t, "SELECT", made)
		if strings.Contains(c.text.String(), folder) {
			t.Error("a span contains the folder")
		}
	})
}

// Sending a mail is a span of its job.
func TestTracesOfMail(t *testing.T) {
	t.Parallel()
	c, port := newCollector(t), smtp(t)
	r := apptest.New(t, func(cfg *config.Config) {
		cfg.SMTP = &config.SMTP{Host: "127.0.0.1", Port: port, Security: "none"}
		cfg.Traces = config.Traces{Endpoint: c.URL, Ratio: 1}
	})
	group := r.Group("Crew", "ada")
	r.Do("ada", "POST", fmt.Sprintf("/v3/groups/%d/invitations", group), map[string]any{"email": "grace@example.org"}).Want(http.StatusCreated)
	r.WorkJobs()
	if err := r.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	sent := c.one(t, "mail send", c.one(t, "enqueue", c.one(t, "createGroupInvitation", nil)))
	if sent.Kind != 3 || sent.attr("server.address") != "127.0.0.1" || sent.attr("vitrine.outcome") != "taken" || sent.Status.Code != 0 {
		t.Errorf("%+v", sent)
	}
	if strings.Contains(c.text.String(), "grace") {
		t.Error("a span contains the address")
	}
}

// smtp accepts mails and drops them.
func smtp(t *testing.T) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = fmt.Fprint(conn, "220 test\r\n")
				in, data := bufio.NewScanner(conn), false
				for in.Scan() {
					switch {
					case data && in.Text() != ".":
					case in.Text() == "DATA":
						data = true
						_, _ = fmt.Fprint(conn, "354 go on\r\n")
					default:
						data = false
						_, _ = fmt.Fprint(conn, "250 fine\r\n")
					}
				}
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// Requests to S3 are spans of the request, job or backup that makes them.
func TestTracesOfS3(t *testing.T) {
	t.Parallel()
	address := os.Getenv("VITRINE_TEST_S3")
	if address == "" {
		if os.Getenv("VITRINE_TEST_REQUIRE_S3") != "" {
			t.Fatal("VITRINE_TEST_S3 holds no bucket's address")
		}
		t.Skip("no S3 server to test on: VITRINE_TEST_S3 holds no bucket's address")
	}
	bucket, query, _ := strings.Cut(address, "?")
	folder := func() string { return bucket + "/" + rand.Text() + "?" + query }
	access, secret := os.Getenv("VITRINE_TEST_S3_ACCESS_KEY"), os.Getenv("VITRINE_TEST_S3_SECRET_KEY")
	c := newCollector(t)
	r := apptest.New(t, func(cfg *config.Config) {
		cfg.Blob = config.Blob{URL: folder(), AccessKey: access, SecretKey: secret}
		cfg.MetricsAddr, cfg.Backup = "127.0.0.1:0", config.Backup{To: folder(), Every: time.Hour, Keep: 2, AccessKey: access, SecretKey: secret}
		cfg.Traces = config.Traces{Endpoint: c.URL, Ratio: 1}
	})
	r.Web("example.org/moss.png", apptest.Serve("image/png", apptest.PNG(t, 40, 30)))
	r.Channel("ada", "Garden", "public")
	made := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "http://example.org/moss.png", "channel_ids": []string{"garden"}}).Want(http.StatusCreated)
	r.WorkJobs()
	src := r.Get("ada", "/v3/blocks/%d", made.Int("id")).Str("image.src")
	r.Do("", "GET", src[strings.Index(src, "/files/"):], nil).Want(http.StatusOK)
	startedWork(t, r)
	for t.Context().Err() == nil {
		if last, err := r.S.Store.Backups().LastBackup(t.Context(), r.Clock.Now()); err != nil {
			t.Fatal(err)
		} else if last != nil {
			break
		}
	}
	if err := r.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	put := c.one(t, "storage PUT", c.one(t, "process_block", c.one(t, "createBlock", nil)))
	if put.Kind != 3 || put.attr("server.address") == "" || put.attr("vitrine.outcome") != "2xx" {
		t.Errorf("%+v", put)
	}
	c.one(t, "storage GET", c.one(t, "getFile", nil))
	c.one(t, "backups PUT", c.one(t, "backup", nil))
	for _, private := range []string{secret, strings.TrimPrefix(bucket, "s3://") + "/"} {
		if strings.Contains(c.text.String(), private) {
			t.Errorf("a span contains %s", private)
		}
	}
}
