//go:build !race

package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"vitrine/internal/apptest"
)

// These tests do not run with the race detector, which makes pools drop items and code allocate more. None of them is
// parallel.

func TestAllocationsOfHotReads(t *testing.T) {
	r := apptest.New(t)
	for _, read := range hotReads(r) {
		req := r.Request(read.as, "GET", read.path, nil, "If-None-Match", read.tag)
		got := testing.AllocsPerRun(50, func() { r.S.Handler().ServeHTTP(httptest.NewRecorder(), req) })
		if int(got) > read.allocs {
			t.Errorf("%s: %.0f allocations, want %d at most", read.name, got, read.allocs)
		}
	}
}

// Each request may allocate a tenth more than it does now.
func TestAllocationsOfABlock(t *testing.T) {
	r := apptest.New(t)
	channel := r.Do("ada", "POST", "/v3/channels", `{"title":"Field notes","visibility":"public"}`).Want(http.StatusCreated)
	const runs = 50
	requests := make([]*http.Request, runs+1) // one more to warm up
	for i := range requests {
		requests[i] = r.Request("ada", "POST", "/v3/blocks", fmt.Sprintf(`{"value":"A *short* text","channel_ids":[%d]}`, channel.Int("id")))
	}
	next := 0
	got := testing.AllocsPerRun(runs, func() {
		w := httptest.NewRecorder()
		r.S.Handler().ServeHTTP(w, requests[next])
		if next++; w.Code != http.StatusCreated {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	})
	if got > 1110 {
		t.Errorf("%.0f allocations, want 1,110 at most", got)
	}
}
