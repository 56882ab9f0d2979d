package server_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// A reload takes what it can while requests run, none of which fails, and names the rest. A wrong one changes nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	var cfg config.Config
	r := apptest.New(t, func(c *config.Config) { c.LogLevel = "info"; cfg = *c })
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if res := r.Do("", "GET", "/v3/ping", nil); res.Status != http.StatusOK {
					t.Errorf("during a reload: %d %s", res.Status, res.Body)
				}
			}
		})
	}
	limits := func(guest int) map[string]int {
		return map[string]int{"guest": guest, "free": 0, "premium": 0, "supporter": 0}
	}
	for n := range 20 {
		cfg.RateLimits, cfg.LogLevel, cfg.BodyLimit = limits(1_000_000+n), []string{"debug", "info"}[n%2], 2<<20
		result, err := r.S.Reload(cfg)
		if err != nil || !slices.Equal(result.Applied, []string{"log-level", "rate-limits"}) || !slices.Equal(result.Restart, []string{"body-limit"}) {
			t.Errorf("%+v, %v", result, err)
		}
	}
	close(stop)
	load.Wait()
	bad := cfg
	bad.RateLimits, bad.MailFrom = limits(1), "nobody"
	if _, err := r.S.Reload(bad); err == nil {
		t.Error("a wrong sender was accepted")
	}
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)
	cfg.RateLimits = limits(1)
	if _, err := r.S.Reload(cfg); err != nil {
		t.Fatal(err)
	}
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusTooManyRequests)
}
