package fetch_test

import (
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/fetch"
)

func TestPerHost(t *testing.T) {
	t.Parallel()
	url := serve(t, func(http.ResponseWriter, *http.Request) {})
	c := client(t, fetch.Options{PerHost: 2, Wait: time.Millisecond, Route: func(string) string { return strings.TrimPrefix(url, "http://") }})
	open := func(url string) *fetch.Response {
		t.Helper()
		resp, err := c.Get(t.Context(), fetch.Request{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	first, second := open("http://a.site.example/"), open("http://b.site.example:80/x")
	e := failure(t, c, fetch.Request{URL: "http://site.example:8080"})
	if e.Reason != "Too much is being fetched from this site at once" || !e.Temporary || e.RetryAfter != 5*time.Second {
		t.Errorf("got %+v", e)
	}
	for _, other := range []string{"http://other.example", "http://a.github.io", "http://b.github.io", "http://127.0.0.1", "http://[::1]"} {
		resp := open(other)
		defer resp.Body.Close()
	}
	for range 2 { // closing twice releases one slot
		_ = first.Body.Close()
	}
	third := open("http://site.example:8080")
	failure(t, c, fetch.Request{URL: "http://site.example"})
	_ = second.Body.Close()
	_ = third.Body.Close()
	for range 3 { // errors release their slot too
		if e := failure(t, c, fetch.Request{URL: "https://site.example:80"}); !strings.HasPrefix(e.Reason, "No secure") {
			t.Errorf("got %v", e)
		}
	}
}

// A free slot is taken even if there is no time to wait for one.
func TestPerHostWithoutWait(t *testing.T) {
	t.Parallel()
	url := serve(t, func(http.ResponseWriter, *http.Request) {})
	c := client(t, fetch.Options{PerHost: 1, Wait: time.Nanosecond})
	for range 200 {
		resp, err := c.Get(t.Context(), fetch.Request{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
}

// With many concurrent fetches, no more than the limit run, and all of them finish.
func TestPerHostAtOnce(t *testing.T) {
	t.Parallel()
	const limit = 3
	url := serve(t, func(http.ResponseWriter, *http.Request) {})
	c := client(t, fetch.Options{PerHost: limit, Wait: time.Minute})
	var inside atomic.Int32
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			resp, err := c.Get(t.Context(), fetch.Request{URL: url})
			if err != nil {
				t.Error(err)
				return
			}
			if n := inside.Add(1); n > limit {
				t.Errorf("%d at once", n)
			}
			runtime.Gosched()
			inside.Add(-1)
			_ = resp.Body.Close()
		})
	}
	group.Wait()
}
