package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/apptest"
)

// On every API, a megabyte that no operation accepts is refused with a short response, using memory for only a few
// copies of it.
func TestHostileBodiesAreCheap(t *testing.T) {
	w := newWorld(apptest.New(t))
	const size = 1_000_000
	objects := strings.TrimSuffix(strings.Repeat(`{"a":{}},`, size/9), ",")
	var unknown strings.Builder
	for i := 0; unknown.Len() < size; i++ {
		fmt.Fprintf(&unknown, `"u%d":{},`, i)
	}
	for _, tt := range []struct{ method, path, body string }{
		{"POST", "/v3/blocks", `{"value":"a","channel_ids":[` + objects + `]}`},
		{"POST", "/v3/blocks", `{` + unknown.String() + `"channel_ids":[{}]}`},
		{"POST", "/v3/blocks/batch", `{"channel_ids":[1],"blocks":[` + objects + `]}`},
		{"POST", "/v3/channels", `{` + unknown.String() + `"group_id":1}`},
		{"PUT", at("/v3/blocks/%d", w.block), `{"metadata":{` + unknown.String() + `"a":1}}`},
		{"PUT", at("/v2/channels/%d/sort", w.closed), `{"ids":[` + objects + `]}`},
		{"PUT", at("/v2/channels/%d/sort", w.closed), `{"ids":"` + strings.Repeat("1,", size/2) + `"}`},
		{"PUT", at("/v2/channels/%d/sort", w.closed), `{"ids":"[` + strings.Repeat("1,", size/2) + `1]"}`},
		{"PUT", at("/v2/channels/%d/sort", w.closed), `{"ids":[` + strings.Repeat("1,", size/2) + `1]}`},
		{"PUT", at("/v2/channels/%d/sort", w.closed), `{"ids":"` + strings.Repeat(" ", size) + `"}`},
		{"PUT", at("/v2/channels/%d/collaborators", w.closed), `{"ids":"` + strings.Repeat("1,", size/2) + `"}`},
		{"POST", "/v2/channels", `{` + unknown.String() + `"title":1}`},
		{"POST", "/v2/channels", `{"title":1,"ids":[` + strings.Repeat("1,", size/2) + `1]}`},
		{"POST", "/v2/channels", `{"title":1,"ids":"` + strings.Repeat("1,", size/2) + `"}`},
		{"POST", "/ext/v1/imports", `{"source":"arena","what":[` + objects + `]}`},
		{"DELETE", at("/v3/channels/%d/collaborators", w.closed), `{"collaborator_ids":[` + objects + `]}`},
	} {
		w.Do("ada", tt.method, tt.path, `{}`) // reads the description
		req := w.Request("ada", tt.method, tt.path, tt.body)
		res := httptest.NewRecorder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w.S.Handler().ServeHTTP(res, req)
		runtime.ReadMemStats(&after)
		if res.Code != http.StatusBadRequest && res.Code != http.StatusUnprocessableEntity || res.Body.Len() > 64<<10 {
			t.Errorf("%s %s %.40s: status %d, %d bytes", tt.method, tt.path, tt.body, res.Code, res.Body.Len())
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 12*size {
			t.Errorf("%s %s %.40s: %d KiB allocated", tt.method, tt.path, tt.body, grown>>10)
		}
	}
}

// endlessBody is a body that blocks until it is released, and counts its readers.
type endlessBody struct {
	read    *atomic.Int64
	release chan struct{}
}

func (e endlessBody) Read([]byte) (int, error) {
	e.read.Add(1)
	<-e.release
	return 0, io.EOF
}

// The body of a request is not read before the client's turn.
func TestBodiesWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		const sent = 400
		var read atomic.Int64
		release, answers := make(chan struct{}), make(chan int, sent)
		var all sync.WaitGroup
		for range sent {
			req := r.Request("ada", "POST", "/v3/blocks", endlessBody{&read, release})
			all.Go(func() {
				w := httptest.NewRecorder()
				r.S.Handler().ServeHTTP(w, req)
				answers <- w.Code
			})
		}
		if code := <-answers; code != http.StatusServiceUnavailable {
			t.Errorf("the first answer is %d", code)
		}
		if n := read.Load(); n > 100 {
			t.Errorf("%d bodies are read at once", n)
		}
		close(release)
		all.Wait()
	})
}
