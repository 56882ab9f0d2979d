package app_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func batchOf(in domain.ChannelID, values ...string) collections.CreateBatchInput {
	b := collections.CreateBatchInput{Plain: []collections.Target{{Channel: domain.Ref{ID: int64(in)}}}}
	for _, v := range values {
		b.Blocks = append(b.Blocks, collections.BlockInput{Value: v})
	}
	return b
}

// A batch is checked as if its blocks were created now, and nothing is kept of one that is refused.
func TestRefusedBatches(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		free, reader := ada, ada
		free.Tier, reader.Scope = domain.TierFree, domain.ScopeRead
		private, public := storetest.Channel(t, s, ada.UserID, "Private", domain.Private), storetest.Channel(t, s, ada.UserID, "Public", domain.Public)
		shared := storetest.Channel(t, s, bob.UserID, "Shared", domain.Private)
		storetest.Collaborate(t, s, shared, domain.UserRef(ada.UserID))
		full := batchOf(private, slices.Repeat([]string{"x"}, domain.MaxBatch)...)
		before := w.Dump()
		for _, row := range []struct {
			name string
			as   domain.Actor
			in   collections.CreateBatchInput
			want byte
		}{
			{"a tier without batches", free, batchOf(private, "x"), 'f'},
			{"a token that reads", reader, batchOf(private, "x"), 'f'},
			{"a guest", domain.Actor{}, batchOf(private, "x"), 'f'},
			{"no blocks", ada, batchOf(private), 'i'},
			{"too many blocks", ada, batchOf(private, append(slices.Repeat([]string{"x"}, domain.MaxBatch), "y")...), 'i'},
			{"no channel", ada, collections.CreateBatchInput{Blocks: []collections.BlockInput{{Value: "x"}}}, 'i'},
			{"plain and placed channels", ada, collections.CreateBatchInput{Plain: full.Plain, Placed: full.Plain, Blocks: full.Blocks}, 'i'},
			{"a visible channel", ada, batchOf(public, "x"), 'u'},
			{"a channel of somebody else", bob, batchOf(private, "x"), 'n'},
			{"an unknown channel", ada, batchOf(1<<40, "x"), 'n'},
			{"an empty block among others", ada, batchOf(private, "x", "", "y"), 'i'},
			{"a URL with a password", ada, batchOf(private, "https://a:b@example.org/"), 'i'},
			{"a bad position", ada, collections.CreateBatchInput{Placed: []collections.Target{{Channel: domain.Ref{ID: int64(private)}, Position: -1}}, Blocks: full.Blocks}, 'i'},
		} {
			if b, err := a.CreateBatch(ctx, row.as, row.in); outcome(err) != row.want || b.ID != "" && err == nil {
				t.Errorf("%s: %+v, %v, want %c", row.name, b, err, row.want)
			}
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
		b, err := a.CreateBatch(ctx, ada, full)
		if w.must(err); b.Total != domain.MaxBatch || b.State() != domain.BatchPending {
			t.Errorf("%+v", b)
		}
		if _, err := a.CreateBatch(ctx, ada, batchOf(shared, "x")); err != nil { // as a collaborator
			t.Error(err)
		}
		// Only its creator sees it, for a day.
		for name, as := range map[string]domain.Actor{"bob": bob, "a guest": {Tier: domain.TierSupporter}} {
			if _, err := a.Batch(ctx, as, b.ID); outcome(err) != 'n' {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err = a.Batch(ctx, free, b.ID)
		w.want(domain.Forbidden, err)
		for _, id := range []string{"", "x", "\x00", strings.ToUpper(b.ID) + "0", "00000000-0000-4000-8000-000000000000"} {
			_, err := a.Batch(ctx, ada, id)
			w.want(domain.NotFound, err)
		}
		w.Clock.Advance(content.KeptFor - time.Minute)
		_, err = a.Batch(ctx, ada, b.ID)
		w.must(err)
		w.Clock.Advance(time.Minute)
		_, err = a.Batch(ctx, ada, b.ID)
		w.want(domain.NotFound, err)
	})
}

// The result of a batch, by what happened between its creation and its job.
func TestResultsOfBatches(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		for i, row := range []struct {
			name   string
			before func(as domain.Actor, in domain.ChannelID)
			state  domain.BatchState
			made   int
			reason string // of each failed item
		}{
			{"nothing", nil, domain.BatchCompleted, 3, ""},
			{"the channel is deleted", func(as domain.Actor, in domain.ChannelID) {
				w.must(a.DeleteChannel(ctx, as, domain.Ref{ID: int64(in)}))
			},
				domain.BatchCompleted, 0, "A channel is gone, or hidden from you"},
			{"the channel becomes visible", func(as domain.Actor, in domain.ChannelID) {
				storetest.SetVisibility(t, s, as.UserID, in, domain.Closed)
			},
				domain.BatchCompleted, 0, "is not private"},
			{"the account is suspended", func(as domain.Actor, _ domain.ChannelID) {
				_, err := w.a.Operating.Suspend(ctx, domain.Ref{ID: int64(as.UserID)}, true)
				w.must(err)
			}, domain.BatchFailed, 0, "The account is suspended"},
			{"the tier has no batches any more", func(as domain.Actor, _ domain.ChannelID) {
				_, err := w.a.Accounts.SetTier(ctx, domain.Ref{ID: int64(as.UserID)}, domain.TierFree)
				w.must(err)
			}, domain.BatchCompleted, 3, ""}, // it was accepted before
		} {
			as := w.member(fmt.Sprintf("person-%d", i))
			in := storetest.Channel(t, s, as.UserID, "Private", domain.Private)
			b, err := a.CreateBatch(ctx, as, batchOf(in, "one", "two", "three"))
			w.must(err)
			if row.before != nil {
				row.before(as, in)
			}
			was := w.rows("blocks")
			for range 2 { // the second run finds nothing to do
				w.must(a.RunBatch(ctx, b.ID))
			}
			got, err := a.Batch(ctx, as, b.ID)
			if w.must(err); got.State() != row.state || len(got.Items) != 3 || w.rows("blocks")[0]-was[0] != int64(row.made) {
				t.Errorf("%s: %+v, %d blocks", row.name, got, w.rows("blocks")[0]-was[0])
			}
			for n, item := range got.Items {
				if item.N != int64(n) || (item.Error != nil) != (row.made == 0) || (item.BlockID != 0) != (row.made > 0) ||
					item.Error != nil && !strings.Contains(*item.Error, row.reason) {
					t.Errorf("%s: item %d: %+v", row.name, n, item)
				}
			}
			if row.made > 0 {
				var texts []string
				for _, c := range w.shelf(as, domain.Ref{ID: int64(in)}) {
					texts = append(texts, c.Block.Content.Plain)
				}
				if !slices.Equal(texts, []string{"three", "two", "one"}) { // each goes on top
					t.Errorf("%s: %v", row.name, texts)
				}
			}
		}
		w.must(a.RunBatch(ctx, "00000000-0000-4000-8000-000000000000")) // this batch does not exist
	})
}

// A batch whose jobs run at once, are interrupted, or fail creates each block once.
func TestInterruptedBatches(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		ada := w.member("ada")
		in := storetest.Channel(t, s, ada.UserID, "Private", domain.Private)
		var values []string
		for i := range 12 {
			values = append(values, fmt.Sprint("Block ", i))
		}
		b, err := a.CreateBatch(ctx, ada, batchOf(in, values...))
		w.must(err)
		var g sync.WaitGroup
		for range 3 {
			g.Go(func() {
				if err := a.RunBatch(ctx, b.ID); err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if got, err := a.Batch(ctx, ada, b.ID); err != nil || got.State() != domain.BatchCompleted || len(w.shelf(ada, domain.Ref{ID: int64(in)})) != len(values) {
			t.Errorf("%+v, %v, %d blocks", got, err, len(w.shelf(ada, domain.Ref{ID: int64(in)})))
		}
		// A server that stops does not count as an attempt, and the next one continues.
		b, err = a.CreateBatch(ctx, ada, batchOf(in, values...))
		w.must(err)
		for n := range 3 {
			stop, cancel := context.WithCancel(ctx)
			inserts := 0
			end := w.Intercept(func(_ context.Context, query string) {
				if strings.HasPrefix(query, "UPDATE batch_items SET block_id") {
					if inserts++; inserts == 2 {
						cancel()
					}
				}
			})
			err := a.RunBatch(stop, b.ID)
			end()
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%d: %v", n, err)
			}
			if got, err := a.Batch(ctx, ada, b.ID); err != nil || got.Attempts != 0 || got.State() != domain.BatchProcessing {
				t.Errorf("%d: %+v, %v", n, got, err)
			}
		}
		w.must(a.RunBatch(ctx, b.ID))
		if got, err := a.Batch(ctx, ada, b.ID); err != nil || got.State() != domain.BatchCompleted || len(w.shelf(ada, domain.Ref{ID: int64(in)})) != 2*len(values) {
			t.Errorf("%+v, %v", got, err)
		}
		// If the server dies in every attempt, the ninth gives up.
		b, err = a.CreateBatch(ctx, ada, batchOf(in, "x"))
		w.must(err)
		storetest.In(t, s, func(tx *store.Tx) error {
			for range 8 {
				if _, _, err := tx.Bulk().BeginBatch(ctx, b.ID, w.Clock.Now()); err != nil {
					return err
				}
			}
			return nil
		})
		w.must(a.RunBatch(ctx, b.ID))
		got, err := a.Batch(ctx, ada, b.ID)
		if w.must(err); got.State() != domain.BatchFailed || len(got.Items) != 1 || got.Items[0].Error == nil {
			t.Errorf("%+v", got)
		}
	})
}

// Placed channels get the blocks at a position, in order, with their metadata.
func TestPlacedBatches(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		ada := w.member("ada")
		in := storetest.Channel(t, s, ada.UserID, "Private", domain.Private)
		for i := range 3 {
			storetest.Connect(t, s, ada.UserID, in, domain.BlockRef(storetest.Block(t, s, ada.UserID, fmt.Sprint("before ", i))), 0)
		}
		b, err := a.CreateBatch(ctx, ada, collections.CreateBatchInput{
			Placed: []collections.Target{{Channel: domain.Ref{ID: int64(in)}, Position: 2, Metadata: []byte(`{"k":"v"}`)}},
			Blocks: []collections.BlockInput{{Value: "one"}, {Value: "two"}}})
		w.must(err)
		w.must(a.RunBatch(ctx, b.ID))
		var got []string
		for _, c := range w.shelf(ada, domain.Ref{ID: int64(in)}) {
			got = append(got, c.Block.Content.Plain)
			if placed := !strings.HasPrefix(c.Block.Content.Plain, "before"); placed != (c.Connection.Metadata == `{"k":"v"}`) {
				t.Errorf("%s: metadata %q", c.Block.Content.Plain, c.Connection.Metadata)
			}
		}
		if want := []string{"before 2", "before 1", "one", "two", "before 0"}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// The answer to a request with a key is kept for the same request of the same token, and for no other.
func TestKeptAnswersOfRequests(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Accounts, w.ctx()
		w.first("op")
		ada := w.member("ada")
		request, otherRequest := sha256.Sum256([]byte("POST /v3/channels")), sha256.Sum256([]byte("POST /v3/blocks"))
		answer := accounts.Answer{Status: 201, Header: map[string]string{"Location": "/v3/channels/1"}, Body: []byte(`{"secret":"vitrine_pat_1"}`)}
		create := func(k *accounts.KeyedRequest, title string) error {
			_, err := w.a.Collections.CreateChannel(scope.With(ctx, &scope.Scope{Claim: k.Claim()}), ada, collections.CreateChannelInput{Title: title})
			return err
		}
		fresh := func() *accounts.KeyedRequest { return a.NewKeyedRequest(ada.UserID, "token", "key", request) }
		k := fresh()
		if kept, err := a.KeptAnswer(ctx, k); err != nil || kept != nil {
			t.Errorf("a new request: %+v, %v", kept, err)
		}
		w.must(create(k, "First"))
		if !k.TookEffect() || k.Repeated() {
			t.Error("it took no effect")
		}
		// While its answer is to come, others wait, and do nothing.
		again := fresh()
		if _, err := a.KeptAnswer(ctx, again); !errors.Is(err, accounts.ErrUnderway) {
			t.Errorf("under way: %v", err)
		}
		if err := create(again, "Second"); err == nil || !again.Repeated() || again.TookEffect() {
			t.Errorf("repeated: %v", err)
		}
		w.must(a.KeepAnswer(ctx, k, answer))
		for name, row := range map[string]struct {
			k    *accounts.KeyedRequest
			want byte
			is   bool
		}{
			"the same":        {fresh(), '+', true},
			"another token":   {a.NewKeyedRequest(ada.UserID, "other", "key", request), '+', false},
			"another key":     {a.NewKeyedRequest(ada.UserID, "token", "other", request), '+', false},
			"another request": {a.NewKeyedRequest(ada.UserID, "token", "key", otherRequest), 'u', false},
		} {
			kept, err := a.KeptAnswer(ctx, row.k)
			if outcome(err) != row.want || (kept != nil) != row.is {
				t.Errorf("%s: %+v, %v", name, kept, err)
			}
			if kept != nil && (kept.Status != answer.Status || string(kept.Body) != string(answer.Body) || kept.Header["Location"] != answer.Header["Location"]) {
				t.Errorf("%s: %+v", name, kept)
			}
		}
		if strings.Contains(fmt.Sprintf("%s", w.Dump()), "vitrine_pat_1") {
			t.Error("the database contains the answer in the clear")
		}
		// A request that wrote nothing claims the key with its answer.
		refused := a.NewKeyedRequest(ada.UserID, "token", "refused", request)
		w.must(a.KeepAnswer(ctx, refused, accounts.Answer{Status: 422}))
		if kept, err := a.KeptAnswer(ctx, a.NewKeyedRequest(ada.UserID, "token", "refused", request)); err != nil || kept == nil || kept.Status != 422 {
			t.Errorf("%+v, %v", kept, err)
		}
		// If the server died before it kept the answer, that is said after a while.
		lost := a.NewKeyedRequest(ada.UserID, "token", "lost", request)
		w.must(create(lost, "Third"))
		w.Clock.Advance(time.Minute)
		_, err := a.KeptAnswer(ctx, a.NewKeyedRequest(ada.UserID, "token", "lost", request))
		w.want(domain.Unprocessable, err)
		w.Clock.Advance(core.OnceKept)
		for _, key := range []string{"key", "lost", "refused"} {
			if kept, err := a.KeptAnswer(ctx, a.NewKeyedRequest(ada.UserID, "token", key, otherRequest)); err != nil || kept != nil {
				t.Errorf("%s after a day: %+v, %v", key, kept, err)
			}
		}
		if n := w.rows("channels"); n[0] != 2 {
			t.Errorf("%d channels", n[0])
		}
	})
}
