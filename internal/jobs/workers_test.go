package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/jobs"
)

// Running workers take a job as soon as it is committed. The test would hang if they had to be polled, or
// if a job held SQLite's only writer.
func TestStart(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		done := make(chan string, 10)
		w := r.workers(r.queue, jobs.Options{}, func(ctx context.Context, n note) error {
			err := r.db.Transact(ctx, func(tx *database.Tx) error {
				_, err := tx.Exec(ctx, "INSERT INTO effects VALUES ($1)", n.Name)
				return err
			})
			done <- n.Name
			return err
		})
		r.enqueue(note{"before"})
		r.must(w.Start(t.Context()))
		if got := <-done; got != "before" {
			t.Errorf("got %s", got)
		}
		for i := range 5 {
			name := fmt.Sprint(i)
			r.enqueue(note{name})
			if got := <-done; got != name {
				t.Errorf("got %s, want %s", got, name)
			}
		}
		if err := w.Start(t.Context()); err == nil {
			t.Error("started twice")
		}
		if err := w.Drain(t.Context()); err == nil {
			t.Error("drained while running")
		}
		r.must(w.Stop(t.Context()))
		r.must(w.Stop(t.Context()))
		if n := r.count("completed"); n != 6 {
			t.Errorf("%d are done", n)
		}
		r.enqueue(note{"again"})
		r.must(w.Start(t.Context()))
		if got := <-done; got != "again" {
			t.Errorf("got %s", got)
		}
	})
}

// When Stop returns, running jobs have finished and are recorded as done.
func TestStopWaits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		begun, finish := make(chan struct{}, 2), make(chan struct{})
		var ended atomic.Int32
		w := r.workers(r.queue, jobs.Options{Concurrency: 1}, func(ctx context.Context, _ note) error {
			begun <- struct{}{}
			<-finish
			ended.Add(1)
			return ctx.Err()
		})
		r.enqueue(note{"a"})
		r.enqueue(note{"b"})
		r.must(w.Start(t.Context()))
		<-begun
		stopped := make(chan error)
		go func() { stopped <- w.Stop(t.Context()) }()
		select {
		case err := <-stopped:
			t.Fatalf("stopped while a job ran: %v", err)
		default:
			close(finish)
		}
		r.must(<-stopped)
		if n := int(ended.Load()); n == 0 || r.count("completed") != n || r.count("available") != 2-n {
			t.Errorf("%d ended, %d done, %d wait", n, r.count("completed"), r.count("available"))
		}
	})
}

// A job that Stop cancels is put back without using up an attempt.
func TestStopCancels(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		begun := make(chan struct{})
		w := r.workers(r.queue, jobs.Options{}, func(ctx context.Context, _ note) error {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		})
		r.enqueue(note{"a"}, jobs.Attempts(1))
		r.must(w.Start(t.Context()))
		<-begun
		over, cancel := context.WithCancel(t.Context())
		cancel()
		r.must(w.Stop(over))
		var ran tally
		next := r.workers(r.queue, jobs.Options{}, func(_ context.Context, n note) error { ran.add(n.Name); return nil })
		r.must(next.Drain(t.Context()))
		if ran.of("a") != 1 {
			t.Errorf("ran %d times after it was cancelled", ran.of("a"))
		}
	})
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var cause error
		w := r.workers(r.queue, jobs.Options{Timeout: time.Millisecond}, func(ctx context.Context, _ note) error {
			<-ctx.Done()
			cause = ctx.Err()
			return cause
		})
		r.enqueue(note{"slow"}, jobs.Attempts(1))
		r.must(w.Drain(t.Context()))
		if !errors.Is(cause, context.DeadlineExceeded) || r.count("discarded") != 1 {
			t.Errorf("%v, %d given up", cause, r.count("discarded"))
		}
	})
}

// Two servers on one database share the work and run no job twice.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	r := open(t, migrated.Postgres(t))
	other := open(t, r.options)
	const all = 200
	var ran tally
	var left sync.WaitGroup
	left.Add(all)
	do := func(_ context.Context, n note) error {
		ran.add(n.Name)
		left.Done()
		return nil
	}
	r.must(r.workers(r.queue, jobs.Options{}, do).Start(t.Context()))
	r.must(other.workers(other.queue, jobs.Options{}, do).Start(t.Context()))
	for i := range all {
		r.enqueue(note{fmt.Sprint(i)})
	}
	left.Wait()
	for i := range all {
		if n := ran.of(fmt.Sprint(i)); n != 1 {
			t.Errorf("%d ran %d times", i, n)
		}
	}
}

// Idle workers do not wait for SQLite's writer while a request holds it.
func TestIdleLeavesTheWriter(t *testing.T) {
	t.Parallel()
	r := open(t, migrated.SQLite(t))
	w := r.workers(r.queue, jobs.Options{}, func(context.Context, note) error { return nil })
	fetch := jobs.NewPicker(w)
	r.must(r.db.Transact(t.Context(), func(*database.Tx) error {
		before := r.db.SQL().Stats().WaitCount
		for range 100 {
			if got, err := fetch.Pick(t.Context(), 1); len(got) != 0 || err != nil {
				t.Fatal(got, err)
			}
		}
		if waited := r.db.SQL().Stats().WaitCount - before; waited != 0 {
			t.Errorf("%d of 100 looks waited for the writer", waited)
		}
		return nil
	}))
	r.enqueue(note{"a"})
	if got, err := fetch.Pick(t.Context(), 1); len(got) != 1 || err != nil {
		t.Errorf("fetched %v, %v", got, err)
	}
}

// A daily job is enqueued once a day, no matter how often servers start.
func TestEvery(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var ran tally
		for i := range 2 { // one server after the other
			round := fmt.Sprint("round ", i)
			begun := make(chan string, 2)
			h := jobs.NewHandlers()
			jobs.Handle(h, func(_ context.Context, n note) error {
				ran.add(n.Name)
				begun <- n.Name
				return nil
			})
			h.Every(24*time.Hour, note{"daily"})
			h.Every(24*time.Hour, note{round}) // enqueued at the same time
			w := r.work(r.queue, jobs.Options{}, h)
			r.must(w.Start(t.Context()))
			for ran.of(round) == 0 {
				<-begun
			}
			r.must(w.Stop(t.Context()))
			r.must(w.Drain(t.Context()))
		}
		if n := ran.of("daily"); n != 1 {
			t.Errorf("ran %d times", n)
		}
	})
}

// victimEnv is the URL of the database on which a copy of this test program starts a job and is killed.
// victimDirectEnv is the direct URL if there is a pooler.
const (
	victimEnv       = "VITRINE_TEST_JOBS_VICTIM"
	victimDirectEnv = "VITRINE_TEST_JOBS_VICTIM_DIRECT"
)

func TestVictim(t *testing.T) {
	url := os.Getenv(victimEnv)
	if url == "" {
		t.Skip("only runs as a subprocess of other tests")
	}
	r := open(t, database.Options{URL: url, DirectURL: os.Getenv(victimDirectEnv), Synchronous: "OFF"})
	r.must(r.workers(r.queue, jobs.Options{}, func(context.Context, note) error {
		fmt.Println("working")
		select {}
	}).Start(t.Context()))
	select {}
}

// A job that has been running too long is put back if it has attempts left.
func TestRescue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		begun := make(chan string, 2)
		w := r.workers(r.queue, jobs.Options{}, func(ctx context.Context, n note) error {
			begun <- n.Name
			<-ctx.Done()
			return ctx.Err()
		})
		r.enqueue(note{"a"})
		r.enqueue(note{"last try"}, jobs.Attempts(1))
		r.must(w.Start(t.Context()))
		<-begun
		<-begun
		for _, c := range []struct {
			after time.Duration
			want  int64
		}{{time.Hour, 0}, {time.Nanosecond, 1}} {
			other := r.workers(r.queue, jobs.Options{Timeout: time.Nanosecond, RescueAfter: c.after}, nil)
			n, err := jobs.Rescue(t.Context(), other)
			for c.want > 0 && n == 0 && err == nil { // until the clock has advanced by a millisecond
				n, err = jobs.Rescue(t.Context(), other)
			}
			if n != c.want || err != nil {
				t.Errorf("after %s: put %d back, %v", c.after, n, err)
			}
			if c.want > 0 && (<-begun != "a") {
				t.Error("another job runs again")
			}
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		r.must(w.Stop(over))
	})
}

// Of several programs that migrate at the same time, one does the work, and all find the tables.
func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		const programs = 4
		errs := make(chan error, programs)
		for range programs {
			r := open(t, o)
			go func() {
				_, err := jobs.Migrate(t.Context(), r.db)
				errs <- errors.Join(err, jobs.CheckSchema(t.Context(), r.db))
			}()
		}
		for range programs {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		r := open(t, o)
		res, err := jobs.Migrate(t.Context(), r.db)
		if err != nil || res.From != res.To || res.From == 0 {
			t.Errorf("migrated again: %+v, %v", res, err)
		}
		r.exec("INSERT INTO river_migration (line, version) VALUES ('main', 999)")
		if _, err := jobs.Migrate(t.Context(), r.db); !errors.Is(err, database.ErrNewerSchema) {
			t.Errorf("migrated a newer schema: %v", err)
		}
		if err := jobs.CheckSchema(t.Context(), r.db); !errors.Is(err, database.ErrNewerSchema) {
			t.Errorf("accepted a newer schema: %v", err)
		}
	})
}

func TestCheckSchemaWithoutTables(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		if err := jobs.CheckSchema(t.Context(), open(t, o).db); !errors.Is(err, database.ErrOlderSchema) {
			t.Errorf("got %v", err)
		}
	})
}
