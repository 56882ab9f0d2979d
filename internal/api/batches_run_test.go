package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// timed is a context that ends as if its deadline had passed.
type timed struct{ context.Context }

func (c timed) Err() error {
	if c.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

// upTo works on a batch until some of its blocks are settled. Then the server stops, or the time of the job is up.
func upTo(r *apptest.Rig, id string, blocks int32, why error) {
	r.T.Helper()
	ctx, stop := context.WithCancel(r.T.Context())
	defer stop()
	if why == context.DeadlineExceeded {
		ctx = timed{ctx}
	}
	var next atomic.Int32
	end := r.Intercept(func(_ context.Context, query string) {
		if strings.Contains(query, "SELECT i.n, i.input") && next.Add(1) > blocks {
			stop()
		}
	})
	defer end()
	if err := r.S.App.Collections.RunBatch(ctx, id); err == nil || next.Load() != blocks+1 {
		r.T.Fatalf("ended with %v", err)
	}
}

// TestBatchGoesOn: a server that is stopped any number of times continues a batch, and a block that cannot be created
// does not stop the others.
func TestBatchGoesOn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		one, two := r.Channel("ada", "One", "private"), r.Channel("ada", "Two", "private")
		at := fmt.Sprint("/v3/channels/", two)
		id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{one, two}, "blocks": numbered(6)})
		for range 20 { // these do not count as failures
			upTo(r, id, 0, context.Canceled)
		}
		wantBatch(r, "ada", id, "processing 6: 0 made [], 0 failed []")
		upTo(r, id, 2, context.Canceled)
		wantBatch(r, "ada", id, "processing 6: 2 made [0 1], 0 failed []")
		r.Do("ada", "PUT", at, `{"visibility":"closed"}`).Want(200)
		upTo(r, id, 1, context.Canceled)
		r.Do("ada", "PUT", at, `{"visibility":"private"}`).Want(200)
		upTo(r, id, 1, context.Canceled)
		wantBatch(r, "ada", id, "processing 6: 3 made [0 1 3], 1 failed [2]")
		r.Do("ada", "DELETE", at, nil).Want(204)
		r.WorkJobs()
		wantBatch(r, "ada", id, "completed 6: 3 made [0 1 3], 3 failed [2 4 5]")
		res := r.Get("ada", "/v3/blocks/batch/%s", id)
		if says := res.Str("failed.0.error"); !strings.Contains(says, "two is not private") {
			t.Errorf("the third failed since: %s", says)
		}
		if says := res.Str("failed.1.error"); says != "A channel is gone, or hidden from you" {
			t.Errorf("the fifth failed since: %s", says)
		}
		if got := fmt.Sprint(textsIn(r, "ada", one)); got != "[Block 0 Block 1 Block 3]" {
			t.Errorf("the channel holds %s", got)
		}
	})
}

// TestBatchIsMadeOnce: nothing is created twice or lost if the server dies before any statement.
func TestBatchIsMadeOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		blocks := append(texts("a"), map[string]any{"value": "https://example.com/"}, map[string]any{"value": sendFile(r, "ada")})
		batches := 0
		for died := true; died; {
			batches++
			channel := r.Channel("ada", fmt.Sprint("Channel ", batches), "private")
			id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{channel}, "blocks": blocks})
			died = die(r, id, batches)
			for _, next := range []int{batches, 1e6, 1e6} { // the last run has nothing to do
				made := r.Get("ada", "/v3/blocks/batch/%s", id).Ints("successful", "block_id")
				in := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", channel).Ints("data", "id")
				if !slices.Equal(in, made) {
					t.Fatalf("death at %d: %v are in the channel, %v in the batch", batches, in, made)
				}
				die(r, id, next)
			}
			wantBatch(r, "ada", id, "completed 3: 3 made [0 1 2], 0 failed []")
		}
		d := r.Dump()
		if batches < 40 || len(d["blocks"]) != 3*batches || len(d["connections"]) != 3*batches || len(d["processings"]) != 2*batches {
			t.Errorf("%d batches, %d blocks, %d connections, %d to process", batches, len(d["blocks"]), len(d["connections"]), len(d["processings"]))
		}
	})
}

// die runs a batch and dies before the n-th statement. It returns false if there are fewer.
func die(r *apptest.Rig, id string, n int) (died bool) {
	r.T.Helper()
	left := n
	end := r.Intercept(func(context.Context, string) {
		if left--; left == 0 {
			panic("dies here")
		}
	})
	defer end()
	defer func() { died = recover() != nil }()
	if err := r.S.App.Collections.RunBatch(r.T.Context(), id); err != nil {
		r.T.Fatal(err)
	}
	return false
}

// TestBatchAtOnce: several servers run the same job.
func TestBatchAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "One", "private")
		id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{channel}, "blocks": numbered(20)})
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if err := r.S.App.Collections.RunBatch(t.Context(), id); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		r.WorkJobs()
		var want []string
		for i := range 20 {
			want = append(want, fmt.Sprint("Block ", i))
		}
		if got := textsIn(r, "ada", channel); !slices.Equal(got, want) {
			t.Errorf("the channel holds %v", got)
		}
		if n := len(r.Dump()["blocks"]); n != 20 {
			t.Errorf("%d blocks", n)
		}
	})
}

// TestBatchFails: server errors are retried, and finally the batch fails and keeps the created blocks. Blocks whose
// upload was removed fail individually.
func TestBatchFails(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "One", "private")
		blocks := append(texts("a"), map[string]any{"value": sendFile(r, "ada")}, map[string]any{"value": "b"},
			map[string]any{"value": "c"}, map[string]any{"value": "d"})
		id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{channel}, "blocks": blocks})
		r.Exec("DELETE FROM uploads")
		r.Exec("UPDATE byte_usage SET unused = 0")
		r.Exec("UPDATE batch_items SET input = '{' WHERE n = 3")
		for range 7 {
			r.WorkJobs()
			r.HastenJobs()
			wantBatch(r, "ada", id, "processing 5: 2 made [0 2], 1 failed [1]")
		}
		r.WorkJobs()
		wantBatch(r, "ada", id, "failed 5: 2 made [0 2], 3 failed [1 3 4]")
		res := r.Get("ada", "/v3/blocks/batch/%s", id)
		for path, want := range map[string]string{"error": "went wrong on the server", "completed_at": "20",
			"failed.0.error": "value: names no upload of yours", "failed.2.error": "went wrong on the server"} {
			if got := res.Str(path); !strings.Contains(got, want) {
				t.Errorf("%s is %q, want %q", path, got, want)
			}
		}
		r.HastenJobs()
		r.WorkJobs()
		if got := fmt.Sprint(textsIn(r, "ada", channel)); got != "[a b]" {
			t.Errorf("the channel holds %s", got)
		}
	})
}

// TestBatchThatKills: a batch is given up after several attempts that ended without a result.
func TestBatchThatKills(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{r.Channel("ada", "One", "private")}, "blocks": texts("a", "b")})
		for i := range 8 {
			if !die(r, id, 8) {
				t.Fatalf("attempt %d lived", i)
			}
		}
		r.WorkJobs()
		wantBatch(r, "ada", id, "failed 2: 0 made [], 2 failed [0 1]")
	})
}

// TestBatchTime: a job whose time is up continues later, and only counts as failed if it made no progress.
func TestBatchTime(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{r.Channel("ada", "One", "private")}, "blocks": numbered(20)})
		for range 15 {
			upTo(r, id, 1, context.DeadlineExceeded)
		}
		for range 8 {
			upTo(r, id, 0, context.DeadlineExceeded)
		}
		wantBatch(r, "ada", id, "processing 20: 15 made [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14], 0 failed []")
		r.WorkJobs()
		wantBatch(r, "ada", id, "failed 20: 15 made [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14], 5 failed [15 16 17 18 19]")
	})
}

// TestBatchOfSuspended: the rest of the batch fails.
func TestBatchOfSuspended(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "One", "private")
		id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{channel}, "blocks": numbered(3)})
		upTo(r, id, 1, context.Canceled)
		r.Operator("op")
		ada := domain.Ref{ID: int64(r.Person("ada").ID)}
		suspend := func(yes bool) {
			if _, err := r.S.App.Operating.Suspend(t.Context(), ada, yes); err != nil {
				t.Fatal(err)
			}
		}
		suspend(true)
		r.WorkJobs()
		suspend(false)
		wantBatch(r, "ada", id, "failed 3: 1 made [0], 2 failed [1 2]")
		if says := r.Get("ada", "/v3/blocks/batch/%s", id).Str("error"); says != "The account is suspended" {
			t.Errorf("it failed since: %s", says)
		}
	})
}

// TestBatchCost: a block takes the same number of statements in a long batch as in a short one.
func TestBatchCost(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "One", "private")
		cost := func(blocks int) int {
			id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{channel}, "blocks": numbered(blocks)})
			return len(r.Statements(func() {
				if err := r.S.App.Collections.RunBatch(t.Context(), id); err != nil {
					t.Error(err)
				}
			}))
		}
		cost(2) // the first item of a channel initializes its order
		one, two, fifty := cost(1), cost(2), cost(50)
		t.Logf("%d statements a block", two-one)
		if fifty-one != 49*(two-one) {
			t.Errorf("statements: %d for one, %d for two, %d for fifty", one, two, fifty)
		}
	})
}
