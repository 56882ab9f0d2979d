package site_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/redis/redistest"
	"vitrine/internal/server"
)

// fleet is three servers on one database.
type fleet struct {
	*apptest.Rig
	nodes []http.Handler
}

func newFleet(r *apptest.Rig) fleet {
	f := fleet{Rig: r, nodes: []http.Handler{r.S.Handler()}}
	for range 2 {
		f.nodes = append(f.nodes, r.Beside(func(*server.Options) {}).Handler())
	}
	return f
}

// attempt is a request with the expected result while it is below the limit.
type attempt struct {
	method, path, form string
	passes             int
}

// at sends an attempt many times from one address, concurrently and equally often to each server,
// and returns how many passed. All others must be refused with 429 and Retry-After.
func (f fleet) at(nodes []http.Handler, a attempt, address string, each int) (passed int) {
	f.T.Helper()
	const atOnce = 8 // for each server; Redis on a loaded machine does not answer more in time
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, node := range nodes {
		turns := make(chan struct{}, each)
		for range each {
			turns <- struct{}{}
		}
		close(turns)
		for range atOnce {
			all.Go(func() {
				for range turns {
					req := f.Request("", a.method, a.path, a.form, "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
					req.RemoteAddr = address + ":1"
					got := f.SendTo(node, req)
					mu.Lock()
					switch {
					case got.Status == a.passes:
						passed++
					case got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "":
						f.T.Errorf("%s %s: %d %s", a.method, a.path, got.Status, got.Body)
					}
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	return passed
}

// Requests that are limited by address.
var (
	sendsForm = attempt{"POST", "/sign-out", "", http.StatusSeeOther}
	fetches   = attempt{"GET", "/robots.txt", "", http.StatusOK}
)

// Three servers with one Redis accept as many forms from an address as one server, and as many
// fetches, with separate counts. Without Redis, each server counts separately.
func TestFormsAreLimitedOverServers(t *testing.T) {
	t.Parallel()
	redis := redistest.Serve(t)
	f := newFleet(apptest.New(t, func(c *config.Config) { c.RedisURL, c.MetricsAddr = "redis://"+redis.Address, "127.0.0.1:0" }))
	for _, of := range []struct {
		attempt
		limit, each int
	}{{sendsForm, 240, 120}, {fetches, 600, 260}} { // a single server would refuse none
		exact := false
		// A busy machine may exceed the short timeout of a request to Redis. Then a server limits requests
		// on its own until Redis answers again, and the attempt proves nothing.
		for try := 1; try <= 20 && !exact; try++ {
			before, begun := len(f.Log("Redis does not answer")), time.Now()
			alone := before > len(f.Log("Redis answers again"))
			passed := f.at(f.nodes, of.attempt, fmt.Sprintf("198.51.100.%d", try), of.each)
			again := int(time.Since(begun)*time.Duration(of.limit)/time.Minute) + 1 // that the limiter allowed again in this time
			if alone || len(f.Log("Redis does not answer")) > before {
				continue
			}
			exact = true
			if passed < of.limit || passed > of.limit+again {
				t.Errorf("%s %s: %d passed, want %d to %d", of.method, of.path, passed, of.limit, of.limit+again)
			}
		}
		if !exact {
			t.Errorf("%s %s: Redis did not answer in time", of.method, of.path)
		}
	}
	f.Listen()
	redis.Stop()
	for i, node := range f.nodes {
		for address, a := range map[string]attempt{"203.0.113.1": sendsForm, "203.0.113.2": fetches} {
			limit := map[attempt]int{sendsForm: 240, fetches: 600}[a]
			if passed := f.at([]http.Handler{node}, a, address, limit+20); passed != limit {
				t.Errorf("without Redis, the server %d: %d of %s %s passed, want %d", i, passed, a.method, a.path, limit)
			}
		}
	}
	_, metrics, _ := strings.Cut(f.Log("serving metrics")[0], "addr=")
	res, err := http.Get("http://" + strings.TrimSpace(metrics) + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(text), "\nvitrine_redis_up 0\n") || !strings.Contains(string(text), "\nvitrine_shared_limits_alone_total ") ||
		strings.Contains(string(text), "\nvitrine_shared_limits_alone_total 0\n") {
		t.Errorf("%v: the metrics do not say that Redis is away:\n%s", err, text)
	}
}

// Sensitive actions are counted in the database: exactly the limit passes across three servers,
// even without Redis.
func TestAttemptsAreLimitedOverServers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		f := newFleet(r)
		for i, of := range []struct {
			attempt
			limit int
		}{
			{attempt{"POST", "/sign-in", "email=nobody@example.org&password=a+wrong+one", http.StatusUnprocessableEntity}, 10},
			{attempt{"POST", "/forgot-password", "email=nobody@example.org", http.StatusOK}, 3},
		} {
			if passed := f.at(f.nodes, of.attempt, fmt.Sprintf("198.51.100.%d", i+1), 2+of.limit); passed != of.limit {
				t.Errorf("%s: %d passed, want %d", of.path, passed, of.limit)
			}
		}
	}, func(c *config.Config) { c.RedisURL = "redis://127.0.0.1:1" })
}
