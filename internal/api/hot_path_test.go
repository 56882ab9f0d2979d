package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// hotReads returns the reads that bench/README.md measures: the maximum number of statements on either database with a
// warm cache, and of objects allocated on SQLite, with a margin of a tenth.
func hotReads(r *apptest.Rig) (reads []hotRead) {
	made := func(path, body string) *apptest.Response {
		return r.Do("ada", "POST", path, body).Want(http.StatusCreated)
	}
	channel, block := made("/v3/channels", `{"title":"Field notes","visibility":"public"}`), int64(0)
	for i := range 24 {
		block = made("/v3/blocks", fmt.Sprintf(`{"value":"Note %d: a *short* text","channel_ids":[%d]}`, i, channel.Int("id"))).Int("id")
	}
	one, page := fmt.Sprintf("/v3/blocks/%d", block), "/v3/channels/"+channel.Str("slug")+"/contents?per=24"
	return []hotRead{
		{"block, guest", "", one, "", 1, 60},
		{"block, token", "ada", one, "", 2, 75},
		{"block, 304", "", one, r.Do("", "GET", one, nil).Header.Get("ETag"), 1, 50},
		{"page, guest", "", page, "", 2, 86},
		{"page, token", "ada", page, "", 3, 102},
	}
}

type hotRead struct {
	name, as, path, tag string
	statements, allocs  int
}

func TestStatementsOfHotReads(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, read := range hotReads(r) {
			r.Do(read.as, "GET", read.path, nil) // fill the cache
			seen := r.Statements(func() { r.Do(read.as, "GET", read.path, nil, "If-None-Match", read.tag) })
			if len(seen) != read.statements {
				t.Errorf("%s: %d statements, want %d:\n%s", read.name, len(seen), read.statements, strings.Join(seen, "\n"))
			}
		}
	})
}

// BenchmarkHotReads measures the single reads in bench/README.md.
func BenchmarkHotReads(b *testing.B) {
	r := apptest.New(b)
	for _, read := range hotReads(r) {
		req := r.Request(read.as, "GET", read.path, nil, "If-None-Match", read.tag)
		b.Run(read.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.S.Handler().ServeHTTP(httptest.NewRecorder(), req)
			}
		})
	}
}
