package api_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// A link that failed gets its content from a later attempt. What its author wrote in the meantime stays.
func TestRetryKeepsEdits(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var at switched
		at.to(status(http.StatusBadGateway))
		r.Web("example.com/page", at.serve)
		ids := [2]int64{submit(r, "ada", "https://example.com/page", nil), submit(r, "ada", "https://example.com/page", nil)}
		r.WorkJobs()
		r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", ids[0]), `{"title":"Mine","description":"My words"}`).Want(http.StatusOK)
		at.to(apptest.Serve("text/html", []byte(`<title>Theirs</title><meta name="description" content="Their words">`)))
		r.HastenJobs()
		r.WorkJobs()
		holds(t, r.Get("ada", "/v3/blocks/%d", ids[0]), map[string]any{"type": "Link", "state": "available", "title": "Mine",
			"description.plain": "My words", "source.title": "Theirs", "source.url": "https://example.com/page"})
		holds(t, r.Get("ada", "/v3/blocks/%d", ids[1]), map[string]any{"type": "Link", "state": "available", "title": "Theirs",
			"description.plain": "Their words"})
	})
}

// Trying again starts another round at once. The job of the previous round then has nothing to do.
func TestRetryWhileWaiting(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var asked atomic.Int64
		r.Web("example.com/page", func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		id := submit(r, "ada", "https://example.com/page", nil)
		r.WorkJobs()
		again := fmt.Sprintf("/ext/v1/blocks/%d/reprocess", id)
		for range 3 { // which is one round, since the first attempt is still to come
			holds(t, r.Do("ada", "POST", again, nil).Want(http.StatusAccepted), map[string]any{"state": "waiting", "attempts": 0, "reason": nil})
		}
		holds(t, r.Get("ada", "/v3/blocks/%d", id), map[string]any{"type": "PendingBlock", "state": "processing"})
		r.WorkJobs()
		holds(t, r.Get("ada", "/v3/blocks/%d", id), map[string]any{"type": "Link", "state": "failed"})
		holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", id), map[string]any{"state": "waiting", "attempts": 1})
		r.HastenJobs() // both rounds
		r.WorkJobs()
		holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", id), map[string]any{"attempts": 2})
		if n := asked.Load(); n != 3 {
			t.Errorf("the page was asked for %d times", n)
		}
	})
}

// Only a limited number of a person's links wait for days, so that the queue stays small.
func TestRetryIsBounded(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/page", status(http.StatusInternalServerError))
		id := submit(r, "ada", "https://example.com/page", nil)
		r.WorkJobs()
		attempt := func(n int, want string) {
			t.Helper()
			r.Exec(fmt.Sprint("UPDATE processings SET attempts = ", n-1))
			_ = r.S.App.Content.RunProcessBlock(t.Context(), content.ProcessBlock{Block: domain.BlockID(id)}) // it fails
			holds(t, r.Get("ada", "/ext/v1/blocks/%d/processing", id), map[string]any{"state": want, "attempts": n})
		}
		attempt(4, "waiting")
		r.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
			INSERT INTO river_job (args, kind, max_attempts, queue, state, scheduled_at)
			SELECT args, kind, max_attempts, queue, 'retryable', scheduled_at FROM river_job, n WHERE kind = 'process_block'`)
		attempt(3, "waiting")
		attempt(4, "failed")
	})
}
