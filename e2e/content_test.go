package e2e

import (
	"errors"
	"net/http"
	"testing"
)

// The server is killed while blocks are posted and their content is fetched, and again when all are
// posted. Each acknowledged block exists once, in order, and its content takes effect once.
func TestKillWhileProcessing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	t.Parallel()
	eachDatabase(t, func(t *testing.T, r *reader) {
		const all = 200
		r.must(r.post(all / 4))
		r.web.after(5, r.kill)
		if err := r.post(all); err == nil {
			t.Error("all was posted before the kill")
		}
		r.ended()
		t.Logf("killed after %d acknowledged blocks", len(r.blocks))
		r.restart()
		r.learn()
		r.must(r.post(all))
		if _, pending := r.contents(); pending == 0 {
			t.Error("nothing was left to do for the second kill")
		}
		r.kill()
		r.ended()
		r.restart()
		r.learn()
		r.verify(all)
	})
}

// The server is killed while it processes a batch. Each of its blocks is created once, in order.
func TestKillInBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	t.Parallel()
	eachDatabase(t, func(t *testing.T, r *reader) {
		const all = 50
		blocks := make([]fields, all)
		for i := range blocks {
			blocks[i] = fields{"value": r.page(i)}
		}
		r.web.after(2, r.kill)
		var made struct {
			Batch string `json:"batch_id"`
		}
		err := r.send(http.MethodPost, "/v3/blocks/batch", fields{"channel_ids": []int64{r.channel}, "blocks": blocks}, &made)
		if refused, ok := errors.AsType[statusError](err); ok && refused.status == http.StatusNotFound {
			t.Skip("this server makes no batches yet")
		}
		r.must(err)
		r.ended()
		r.restart()
		ids, _ := r.contents()
		begun := len(ids)
		took := until(t, "the batch goes on", func() bool { ids, _ = r.contents(); return len(ids) > begun || begun == all })
		t.Logf("killed after %d of %d blocks, went on %.1f s after the restart", begun, all, took.Seconds())
		for status := "pending"; status != "completed"; {
			var answer struct{ Status string }
			r.must(r.send(http.MethodGet, "/v3/blocks/batch/"+made.Batch, nil, &answer))
			status = answer.Status
			if status == "failed" {
				t.Fatal("the batch has failed")
			}
		}
		r.verify(all)
	})
}
