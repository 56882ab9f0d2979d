package api_test

import (
	"net/http"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/redis/redistest"
	"vitrine/internal/server"
)

// Three servers with one Redis allow a client as much as one server, and report the same.
func TestSharedLimits(t *testing.T) {
	t.Parallel()
	address := redistest.Start(t)
	const limit = 2 // per minute, so that one request becomes free after half of it
	r := apptest.New(t, func(c *config.Config) {
		c.RedisURL, c.RateLimits = "redis://"+address, map[string]int{"guest": limit, "free": 0, "premium": 0, "supporter": 0}
	})
	servers := []http.Handler{r.S.Handler(), r.Beside(func(*server.Options) {}).Handler(), r.Beside(func(*server.Options) {}).Handler()}
	for _, s := range servers { // this opens the connections, so that the first measured requests are not slow
		r.SendTo(s, r.Request("", "GET", "/v3/ping", nil, "Authorization", "Bearer none"))
	}
	answers := make([]*apptest.Response, 30)
	var all sync.WaitGroup
	for i := range answers {
		req := r.Request("", "GET", "/v3/ping", nil)
		req.RemoteAddr = "198.51.100.7:1"
		all.Go(func() { answers[i] = r.SendTo(servers[i%len(servers)], req) })
	}
	all.Wait()
	allowed := 0
	for _, got := range answers {
		h := got.Header
		switch got.Status {
		case http.StatusOK:
			allowed++
		case http.StatusTooManyRequests:
			if h.Get("Retry-After") == "" || h.Get("X-RateLimit-Remaining") != "0" {
				t.Errorf("refused with %v", h)
			}
		default:
			t.Errorf("%d %s", got.Status, got.Body)
		}
		if h.Get("X-RateLimit-Limit") != "2" || h.Get("X-RateLimit-Tier") != "guest" || h.Get("X-RateLimit-Window") != "60" || h.Get("X-RateLimit-Reset") == "" {
			t.Errorf("limits are told as %v", h)
		}
	}
	away := len(r.Log("Redis does not answer"))              // if the machine is too slow for the time limit of a request
	if away == 0 && (allowed < limit || allowed > limit+1) { // one more on a machine that needs half a minute for this
		t.Errorf("%d are allowed, want %d", allowed, limit)
	}
}

// Without Redis each server limits separately, and clients get no error.
func TestSharedLimitsWithoutRedis(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) {
		c.RedisURL, c.RateLimits = "redis://127.0.0.1:1", map[string]int{"guest": 3, "free": 0, "premium": 0, "supporter": 0}
	})
	for i := range 5 {
		want := http.StatusOK
		if i >= 3 {
			want = http.StatusTooManyRequests
		}
		r.Do("", "GET", "/v3/ping", nil).Want(want)
	}
	if said := r.Log("Redis does not answer"); len(said) != 1 {
		t.Errorf("said %q", said)
	}
}
