package app_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/storetest"
)

// away are queries for the records of hidden things, without their ids.
var away = []string{
	`SELECT h.kind, h.target_id, h.owner_id, h.label, h.state, h.was, w.kind, w.target_id FROM hidden_things h LEFT JOIN hidden_things w ON w.id = h.with_id`,
	`SELECT k.id, k.channel_id, k.item_type, k.item_id, k.user_id, k.position_key, k.pinned, k.metadata, k.created_at, k.updated_at, h.kind, h.target_id
		FROM hidden_connections k JOIN hidden_things h ON h.id = k.hidden_id`,
	`SELECT k.id, k.block_id, k.user_id, k.body_plain, k.created_at, k.updated_at, h.kind, h.target_id
		FROM hidden_comments k JOIN hidden_things h ON h.id = k.hidden_id`,
	`SELECT * FROM pending_transitions`,
}

// spammed returns a reporting with one of each kind that is hidden together with ada: a channel, her block in another's
// channel, another's block that she connected there, and a comment.
func spammed(w *accountsRig) *reporting {
	r := &reporting{accountsRig: w, op: w.first("op"), ada: w.member("ada"), bob: w.member("bob")}
	s, t := w.S.Store, w.t
	open, walks := storetest.Channel(t, s, r.ada.UserID, "Finds", domain.Public), storetest.Channel(t, s, r.bob.UserID, "Walks", domain.Public)
	hers, his := storetest.Block(t, s, r.ada.UserID, "Buy my moss"), storetest.Block(t, s, r.bob.UserID, "Stone")
	storetest.Connect(t, s, r.ada.UserID, open, domain.BlockRef(hers), 0)
	storetest.Connect(t, s, r.bob.UserID, walks, domain.BlockRef(hers), 0)
	storetest.Connect(t, s, r.ada.UserID, walks, domain.BlockRef(his), 0)
	storetest.Comment(t, s, r.ada.UserID, his, "Buy moss, too")
	storetest.Follow(t, s, r.bob.UserID, storetest.UserSubject(r.ada.UserID))
	w.WorkJobs()
	return r
}

// A job that hides or shows the things of a suspended person may be killed before any statement. After it has run again,
// the result is the same as without interruption.
func TestHidingKilledAnywhereGoesOn(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := spammed(w)
		var queries []string
		for _, query := range kept {
			if !strings.Contains(query, "FROM hidden_") {
				queries = append(queries, strings.ReplaceAll(query, "/ 1000 ", "/ 60000000 ")) // the microseconds of each run add up
			}
		}
		queries = append(queries, away...)
		ada := domain.Ref{ID: int64(r.ada.UserID)}
		job := func() moderation.ApplyHiding {
			_, err := r.a.Operating.SuspendAndHide(r.ctx(), ada)
			r.must(err)
			h, err := r.S.Store.Hiding().HiddenSubject(r.ctx(), domain.Subject{Type: domain.SubjectUser, ID: ada.ID})
			r.must(err)
			return moderation.ApplyHiding{ID: h.ID, By: h.OwnerID}
		}
		back := func() {
			_, err := r.a.Operating.Suspend(r.ctx(), ada, false)
			r.must(err)
		}
		shown := r.says(queries)
		first := job()
		r.must(r.a.Moderation.ApplyHiding(r.ctx(), first))
		hidden := r.says(queries)
		if r.clean(); slices.Equal(hidden, shown) {
			t.Fatal("nothing is hidden")
		}
		back()
		r.must(r.a.Moderation.ApplyHiding(r.ctx(), first))
		r.equal("shown again", shown, r.says(queries))

		step := int64(1)
		if w.DB().Dialect() == database.Postgres {
			step = 7 // of similar statements; each one costs a lost connection
		}
		for hides, shows, statement := true, true, int64(1); hides || shows; statement += step {
			at := job()
			hides = r.killed(at, statement)
			if statement%10 == 1 {
				r.clean() // half of it is done
			}
			r.must(r.a.Moderation.ApplyHiding(r.ctx(), at))
			r.equal("hidden", hidden, r.says(queries))
			back()
			shows = r.killed(at, statement)
			if statement%10 == 1 {
				r.clean()
			}
			r.must(r.a.Moderation.ApplyHiding(r.ctx(), at))
			if r.equal("shown", shown, r.says(queries)); t.Failed() {
				t.Fatalf("killed at statement %d", statement)
			}
		}
	}, open)
}

// killed runs a job whose context ends before a statement. It reports whether the job got that far.
func (r *reporting) killed(job moderation.ApplyHiding, statement int64) bool {
	r.t.Helper()
	ctx, kill := context.WithCancel(r.ctx())
	defer kill()
	var n atomic.Int64
	end := r.Intercept(func(context.Context, string) {
		if n.Add(1) == statement {
			kill()
		}
	})
	err := r.a.Moderation.ApplyHiding(ctx, job)
	end()
	if far := n.Load() >= statement; far != (err != nil) {
		r.t.Fatalf("statement %d of %d: %v", statement, n.Load(), err)
	}
	return err != nil
}
