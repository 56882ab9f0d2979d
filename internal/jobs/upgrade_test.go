package jobs_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/jobs"
)

// novelty is a job of a newer program.
type novelty struct {
	Name string `json:"name"`
}

func (novelty) Kind() string      { return "novelty" }
func (novelty) Class() jobs.Class { return jobs.Content }

// An older program leaves unknown jobs to a newer one, without using up attempts. Jobs that stay unknown
// for a day fail.
func TestJobsOfNewerPrograms(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var old, fresh tally
		older := r.workers(r.queue, jobs.Options{Backoff: atOnce}, func(_ context.Context, n note) error { old.add(n.Name); return nil })
		r.enqueue(novelty{"new"}, jobs.Attempts(1))
		r.enqueue(note{"known"}, jobs.Attempts(1))
		r.must(older.Drain(t.Context()))
		if old.of("known") != 1 || r.count("completed") != 1 || r.count("discarded") != 0 {
			t.Fatalf("%d completed, %d given up", r.count("completed"), r.count("discarded"))
		}
		var kind string
		r.must(r.db.Reader().QueryRow(t.Context(), "SELECT kind FROM river_job WHERE state = 'scheduled'").Scan(&kind))
		if kind != "novelty" {
			t.Errorf("the job is of kind %s now", kind)
		}

		h := jobs.NewHandlers()
		jobs.Handle(h, func(_ context.Context, n novelty) error { fresh.add(n.Name); return nil })
		newer := r.work(r.queue, jobs.Options{Backoff: atOnce}, h)
		r.exec("UPDATE river_job SET state = 'available', scheduled_at = created_at WHERE kind = 'novelty'")
		r.must(newer.Drain(t.Context()))
		if fresh.of("new") != 1 || r.count("completed") != 2 {
			t.Errorf("%d ran, %d completed", fresh.of("new"), r.count("completed"))
		}

		r.enqueue(novelty{"forgotten"}, jobs.Attempts(1))
		day := "datetime('now', '-25 hours')"
		if r.db.Dialect() == database.Postgres {
			day = "now() - interval '25 hours'"
		}
		r.exec("UPDATE river_job SET created_at = " + day + " WHERE state = 'available'")
		r.must(older.Drain(t.Context()))
		if n := r.count("discarded"); n != 1 {
			t.Errorf("%d are given up, want 1", n)
		}
	})
}

// A program that the database no longer supports works no jobs until it is supported again.
func TestJobsOfAnotherSchema(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var refused atomic.Bool
		looked, done := make(chan struct{}, 100), make(chan string, 10)
		w := r.workers(r.queue, jobs.Options{Fit: func(context.Context) error {
			defer func() { looked <- struct{}{} }()
			if refused.Load() {
				return fmt.Errorf("%w: it serves others", database.ErrNewerSchema)
			}
			return nil
		}}, func(_ context.Context, n note) error { done <- n.Name; return nil })
		r.must(w.Start(t.Context()))
		r.enqueue(note{"before"})
		<-done
		refused.Store(true)
		for len(looked) > 0 {
			<-looked
		}
		for range 3 { // the first check may have started earlier
			<-looked
		}
		r.enqueue(note{"while it is refused"})
		<-looked
		<-looked
		if n := len(done); n != 0 || r.count("available") != 1 {
			t.Errorf("%d ran, %d wait", n, r.count("available"))
		}
		refused.Store(false)
		if got := <-done; got != "while it is refused" {
			t.Error(got)
		}
	})
}

// measured is a job whose arguments have eight bytes as JSON, so that SQLite might take a blob of them for JSONB.
type measured struct {
	N int `json:"n"`
}

func (measured) Kind() string { return "measured" }

// Jobs run although programs with River 0.31 have stored their arguments as blobs on SQLite.
func TestJobsOfOlderPrograms(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		if r.db.Dialect() != database.SQLite {
			return
		}
		got := make(chan any, 2)
		h := jobs.NewHandlers()
		jobs.Handle(h, func(_ context.Context, m measured) error { got <- m; return nil })
		jobs.Handle(h, func(_ context.Context, n note) error { got <- n; return nil })
		r.enqueue(measured{12})
		r.enqueue(note{"a"})
		r.exec("UPDATE river_job SET args = CAST(args AS BLOB)")
		r.must(r.work(r.queue, jobs.Options{}, h).Drain(t.Context()))
		if n := r.count("completed"); n != 2 || len(got) != 2 {
			t.Fatalf("%d completed, %d ran", n, len(got))
		}
		ran := map[any]bool{<-got: true, <-got: true}
		if !ran[measured{12}] || !ran[note{"a"}] {
			t.Errorf("ran %v", ran)
		}
	})
}

// The program works with all versions of River's tables from the one that it migrates to.
func TestLaterTablesOfTheQueue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var ran tally
		work := func(_ context.Context, n note) error { ran.add(n.Name); return nil }
		r.enqueue(note{"before"})
		r.must(jobs.MigrateToLatest(t.Context(), r.db))
		r.must(jobs.CheckSchema(t.Context(), r.db))
		if res, err := jobs.Migrate(t.Context(), r.db); err != nil || res.From != res.To {
			t.Errorf("migrated again: %+v, %v", res, err)
		}
		r.enqueue(note{"after"})
		r.enqueue(note{"once"}, jobs.Unique())
		r.enqueue(note{"once"}, jobs.Unique())
		r.must(r.workers(r.queue, jobs.Options{}, work).Drain(t.Context()))
		for _, name := range []string{"before", "after", "once"} {
			if n := ran.of(name); n != 1 {
				t.Errorf("%s ran %d times", name, n)
			}
		}
	})
}
