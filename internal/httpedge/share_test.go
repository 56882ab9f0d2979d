package httpedge_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
	"vitrine/internal/middleware"
)

// One client uses at most half of the database connections. A hundred of its requests wait, and
// more are refused. Other clients are served in the meantime, and then the waiting requests.
func TestShare(t *testing.T) {
	t.Parallel()
	const waiting, tooMany = 100, 3
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		share := max(3, runtime.GOMAXPROCS(0))
		if r.DB().Dialect() == database.Postgres {
			share = max(5, 2*runtime.GOMAXPROCS(0))
		}
		sent := share + waiting + tooMany
		ada, path := int64(r.Person("ada").ID), at("/v3/channels/%d", r.Channel("ada", "Busy", "public"))
		r.Person("bob")

		var busy, limit atomic.Int64
		held, release := make(chan struct{}, sent), make(chan struct{})
		end := r.Intercept(func(ctx context.Context, _ string) {
			if middleware.From(ctx).UserID != ada {
				return
			}
			n := busy.Add(1)
			defer busy.Add(-1)
			for seen := limit.Load(); n > seen && !limit.CompareAndSwap(seen, n); seen = limit.Load() {
			}
			select {
			case held <- struct{}{}:
			default:
			}
			<-release
		})
		defer end()

		var all sync.WaitGroup
		answers := make(chan *apptest.Response, sent)
		for range sent {
			all.Go(func() { answers <- r.Do("ada", "GET", path, nil) })
		}
		refused := 0
		for under := 0; under+waiting+refused < sent; {
			select {
			case <-held:
				under++
			case res := <-answers:
				refused++
				if res.Status != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != "10" {
					t.Errorf("one too many: %d, Retry-After %q", res.Status, res.Header.Get("Retry-After"))
				}
			}
		}
		for _, as := range []string{"bob", ""} {
			if res := r.Do(as, "GET", path, nil); res.Status != http.StatusOK {
				t.Errorf("%q meanwhile: %d %s", as, res.Status, res.Body)
			}
		}
		close(release)
		all.Wait()
		close(answers)
		for res := range answers {
			if res.Status != http.StatusOK {
				t.Errorf("one that waited: %d %s", res.Status, res.Body)
			}
		}
		if got := int(limit.Load()); got != share || refused != tooMany {
			t.Errorf("%d of one client's requests were under way and %d refused, want %d and %d", got, refused, share, tooMany)
		}
	})
}

// On SQLite, a client's writes wait for the writer without a connection. So more of them may run at
// once, but at most a quarter of those that can share a commit.
func TestShareOfWrites(t *testing.T) {
	t.Parallel()
	const share, waiting, tooMany = 16, 100, 3
	r := apptest.New(t) // on SQLite
	r.Person("bob")
	body := `{"value":"A note","channel_ids":[` + fmt.Sprint(r.Channel("ada", "Busy", "public")) + `]}`

	held, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		err := r.DB().Transact(t.Context(), func(*database.Tx) error {
			close(held)
			<-release
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	answers := make(chan *apptest.Response, share+waiting+tooMany)
	for range cap(answers) {
		all.Go(func() { answers <- r.Do("ada", "POST", "/v3/blocks", body) })
	}
	for range tooMany {
		if res := <-answers; res.Status != http.StatusServiceUnavailable {
			t.Errorf("one too many: %d %s", res.Status, res.Body)
		}
	}
	all.Go(func() { r.Do("bob", "POST", "/v3/channels", `{"title":"Notes"}`).Want(http.StatusCreated) })
	close(release)
	all.Wait()
	close(answers)
	for res := range answers {
		if res.Status != http.StatusCreated {
			t.Errorf("one that waited: %d %s", res.Status, res.Body)
		}
	}
}
