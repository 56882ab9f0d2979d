package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"

	"vitrine/internal/app/people"
	"vitrine/internal/apptest"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// failedJobs returns the failed jobs, newest first.
func failedJobs(t *testing.T, r *apptest.Rig) []jobs.Job {
	t.Helper()
	list, err := r.S.App.Operating.Jobs(t.Context(), jobs.Failed, 100)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Retrying the job of a failed block processes the block.
func TestRetryProcessing(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var mended atomic.Bool
		r.Web("example.com/page", func(w http.ResponseWriter, req *http.Request) {
			if !mended.Load() {
				http.NotFound(w, req)
				return
			}
			apptest.Serve("text/html", []byte("<title>Here it is</title>"))(w, req)
		})
		channel := r.Channel("ada", "Links", "public")
		block := func() int64 {
			return r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "http://example.com/page",
				"channel_ids": []int64{channel}}).Want(http.StatusCreated).Int("id")
		}
		retry := func() {
			t.Helper()
			for _, job := range failedJobs(t, r) {
				if err := r.S.App.Operating.RetryJob(t.Context(), job.ID, false); err != nil {
					t.Error(err)
				}
			}
		}
		id := block()
		r.WorkJobs()
		if list := failedJobs(t, r); len(list) != 1 || list[0].Kind != "process_block" || list[0].Error == "" {
			t.Fatalf("failed are %+v", list)
		}
		if state := r.Get("ada", "/v3/blocks/%d", id).Str("state"); state != "failed" {
			t.Fatalf("the block is %s", state)
		}
		retry()
		if res := r.Get("ada", "/v3/blocks/%d", id); res.Str("type") != "PendingBlock" || res.Str("state") != "processing" {
			t.Errorf("after the retry: %s", res.Body)
		}
		if list := failedJobs(t, r); len(list) != 0 {
			t.Errorf("failed are still %+v", list)
		}
		r.WorkJobs() // fails again
		mended.Store(true)
		retry()
		r.WorkJobs()
		if res := r.Get("ada", "/v3/blocks/%d", id); res.Str("type") != "Link" || res.Str("state") != "available" || res.Str("title") != "Here it is" {
			t.Errorf("after it was mended: %s", res.Body)
		}
		if n := len(failedJobs(t, r)); n != 0 || jobsIn(t, r, "available") != 0 {
			t.Errorf("%d failed, %d wait", n, jobsIn(t, r, "available"))
		}
	})
}

// A retried job does nothing if its block has been processed in the meantime or deleted. If the
// block is still pending, the retried job becomes its job.
func TestRetryProcessingInVain(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", []byte("<title>x</title>")))
		channel := r.Channel("ada", "Links", "public")
		block := func() int64 {
			return r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "http://example.com/",
				"channel_ids": []int64{channel}}).Want(http.StatusCreated).Int("id")
		}
		done := block()
		r.WorkJobs()
		gone, waits := block(), block()
		r.Exec("UPDATE river_job SET state = 'discarded', finalized_at = scheduled_at WHERE kind = 'process_block'")
		r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", gone), nil).Want(http.StatusNoContent)
		for _, job := range failedJobs(t, r) {
			if err := r.S.App.Operating.RetryJob(t.Context(), job.ID, false); err != nil {
				t.Error(err)
			}
		}
		if failed, waiting := len(failedJobs(t, r)), jobsIn(t, r, "available"); failed != 0 || waiting != 1 {
			t.Errorf("%d failed, %d wait", failed, waiting)
		}
		version := r.Get("ada", "/v3/blocks/%d", done).Str("updated_at")
		r.WorkJobs()
		if state := r.Get("ada", "/v3/blocks/%d", waits).Str("state"); state != "available" {
			t.Errorf("the block that waited is %s", state)
		}
		if now := r.Get("ada", "/v3/blocks/%d", done).Str("updated_at"); now != version {
			t.Error("what was done was done again")
		}
	})
}

// Retried jobs of other kinds simply run again.
func TestRetryMail(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		if err := os.WriteFile(r.OutboxPath(), nil, 0o600); err != nil { // a file where the folder should be
			t.Fatal(err)
		}
		id := invite(t, r, r.Group("Society", "ada"), people.InviteInput{User: r.Person("eve").ID})
		r.Exec("DELETE FROM river_job")
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			return tx.Enqueue(t.Context(), people.InvitationMail{Invitation: id}, jobs.Attempts(1))
		})
		r.WorkJobs()
		list := failedJobs(t, r)
		if err := os.Remove(r.OutboxPath()); err != nil || len(list) != 1 {
			t.Fatal(err, list)
		}
		if err := r.S.App.Operating.RetryJob(t.Context(), list[0].ID, false); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		if got := r.Outbox(); len(got) != 1 {
			t.Errorf("%d mails", len(got))
		}
		if err := r.S.App.Operating.RetryJob(t.Context(), list[0].ID, false); !errors.Is(err, jobs.ErrNotRetried) {
			t.Errorf("retried what is done: %v", err)
		}
	})
}
