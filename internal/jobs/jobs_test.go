package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/jobs"
	"vitrine/internal/obs"
	"vitrine/internal/scope"
)

// migrated is a database template with the tables of the queue and one for the effects of handlers.
var migrated = dbtest.NewTemplate(func(o database.Options) error {
	ctx := context.Background()
	db, err := database.Open(ctx, o)
	if err != nil {
		return err
	}
	_, err = jobs.Migrate(ctx, db)
	if err == nil {
		err = db.Transact(ctx, func(tx *database.Tx) error {
			_, err := tx.Exec(ctx, "CREATE TABLE effects (name TEXT NOT NULL)")
			return err
		})
	}
	return errors.Join(err, db.Close())
})

// each runs f with an empty queue on each database.
func each(t *testing.T, f func(t *testing.T, r *rig)) {
	t.Helper()
	migrated.Each(t, func(t *testing.T, o database.Options) { f(t, open(t, o)) })
}

// rig is a queue with its own database.
type rig struct {
	*testing.T
	options database.Options
	db      *database.DB
	queue   *jobs.Queue
}

func open(t *testing.T, o database.Options) *rig {
	t.Helper()
	db, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &rig{T: t, options: o, db: db, queue: jobs.NewQueue(db)}
}

// note is a test job.
type note struct {
	Name string `json:"name"`
}

func (note) Kind() string { return "note" }

// Class returns Content, whose number of workers is configurable.
func (note) Class() jobs.Class { return jobs.Content }

// enqueue enqueues and commits a job.
func (r *rig) enqueue(args jobs.Args, options ...jobs.Option) {
	r.Helper()
	r.must(r.db.Transact(r.Context(), func(tx *database.Tx) error {
		return r.queue.Enqueue(r.Context(), tx, obs.Origin{}, args, options...)
	}))
	r.queue.Wake()
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// count returns the number of jobs in a state.
func (r *rig) count(state string) (n int) {
	r.Helper()
	query := "SELECT COUNT(*) FROM river_job WHERE CAST(state AS TEXT) = $1"
	r.must(r.db.Reader().QueryRow(r.Context(), query, state).Scan(&n))
	return n
}

// exec changes the database directly.
func (r *rig) exec(query string, args ...any) {
	r.Helper()
	r.must(r.db.Transact(r.Context(), func(tx *database.Tx) error {
		_, err := tx.Exec(r.Context(), query, args...)
		return err
	}))
}

// workers returns workers for notes, which are stopped at the end of the test.
func (r *rig) workers(q *jobs.Queue, o jobs.Options, do func(ctx context.Context, n note) error) *jobs.Workers {
	r.Helper()
	h := jobs.NewHandlers()
	jobs.Handle(h, do)
	return r.work(q, o, h)
}

func (r *rig) work(q *jobs.Queue, o jobs.Options, h *jobs.Handlers) *jobs.Workers {
	r.Helper()
	w := jobs.New(q, slog.New(slog.NewTextHandler(r.Output(), nil)), h, o)
	r.Cleanup(func() {
		if err := w.Stop(context.WithoutCancel(r.Context())); err != nil {
			r.Error(err)
		}
	})
	return w
}

// atOnce is a backoff without a wait.
func atOnce(int) time.Duration { return 0 }

// tally counts by name.
type tally struct {
	mu    sync.Mutex
	count map[string]int
}

func (c *tally) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == nil {
		c.count = map[string]int{}
	}
	c.count[name]++
}

func (c *tally) of(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count[name]
}

func TestRollbackEnqueuesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		refused := errors.New("no")
		err := r.db.Transact(t.Context(), func(tx *database.Tx) error {
			r.must(r.queue.Enqueue(t.Context(), tx, obs.Origin{}, note{"a"}))
			return refused
		})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
		ran := 0
		r.must(r.workers(r.queue, jobs.Options{}, func(context.Context, note) error { ran++; return nil }).Drain(t.Context()))
		if ran != 0 || r.count("available") != 0 {
			t.Errorf("%d jobs ran, %d wait", ran, r.count("available"))
		}
	})
}

func TestRunsOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var ran tally
		w := r.workers(r.queue, jobs.Options{Concurrency: 2}, func(ctx context.Context, n note) error {
			ran.add(n.Name)
			if n.Name != "a" {
				return nil
			}
			// A handler may write and enqueue jobs.
			return r.db.Transact(ctx, func(tx *database.Tx) error { return r.queue.Enqueue(ctx, tx, obs.Origin{}, note{"from a"}) })
		})
		for _, name := range []string{"a", "b", "c"} {
			r.enqueue(note{name})
		}
		r.must(w.Drain(t.Context()))
		r.must(w.Drain(t.Context()))
		for _, name := range []string{"a", "b", "c", "from a"} {
			if n := ran.of(name); n != 1 {
				t.Errorf("%s ran %d times", name, n)
			}
		}
		if n := r.count("completed"); n != 4 {
			t.Errorf("%d are done", n)
		}
	})
}

// The transactions of jobs do not share a commit, and jobs that they enqueue have the same cause.
func TestScope(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var got scope.Scope
		w := r.workers(r.queue, jobs.Options{}, func(ctx context.Context, _ note) error {
			got = scope.Of(ctx)
			return nil
		})
		cause := obs.Origin{Request: "req-1"}
		r.must(r.db.Transact(t.Context(), func(tx *database.Tx) error { return r.queue.Enqueue(t.Context(), tx, cause, note{"a"}) }))
		r.must(w.Drain(t.Context()))
		if want := (scope.Scope{Cause: cause, OwnCommit: true}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// A failed job waits for its next attempt, and is discarded after the last one.
func TestRetry(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var waits []int
		var mu sync.Mutex
		var ran tally
		w := r.workers(r.queue, jobs.Options{Backoff: func(attempt int) time.Duration {
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, attempt)
			return time.Hour
		}}, func(_ context.Context, n note) error {
			ran.add(n.Name)
			if n.Name == "panic" {
				panic("oh")
			}
			return errors.New("not today")
		})
		r.enqueue(note{"fail"}, jobs.Attempts(3))
		r.must(w.Drain(t.Context()))
		r.must(w.Drain(t.Context()))
		if ran.of("fail") != 1 || r.count("retryable") != 1 {
			t.Fatalf("after the first try: ran %d times, %d wait", ran.of("fail"), r.count("retryable"))
		}
		r.must(w.Hasten(t.Context()))
		r.must(w.Drain(t.Context()))
		r.must(w.Hasten(t.Context()))
		r.must(w.Drain(t.Context()))
		r.must(w.Hasten(t.Context()))
		r.must(w.Drain(t.Context()))
		if ran.of("fail") != 3 || r.count("discarded") != 1 {
			t.Errorf("in the end: ran %d times, %d given up", ran.of("fail"), r.count("discarded"))
		}
		if len(waits) != 2 || waits[0] != 1 || waits[1] != 2 {
			t.Errorf("waited after attempts %v", waits)
		}
		r.enqueue(note{"panic"}, jobs.Attempts(1))
		r.must(w.Drain(t.Context()))
		if ran.of("panic") != 1 || r.count("discarded") != 2 {
			t.Errorf("panicked: ran %d times, %d given up", ran.of("panic"), r.count("discarded"))
		}
	})
}

func TestPermanent(t *testing.T) {
	t.Parallel()
	if jobs.Permanent(nil) != nil {
		t.Error("no error became one")
	}
	each(t, func(t *testing.T, r *rig) {
		cause := errors.New("never")
		if err := jobs.Permanent(cause); !errors.Is(err, cause) {
			t.Errorf("%v hides its cause", err)
		}
		var ran tally
		w := r.workers(r.queue, jobs.Options{Backoff: atOnce}, func(context.Context, note) error {
			ran.add("")
			return jobs.Permanent(cause)
		})
		r.enqueue(note{"a"})
		r.must(w.Drain(t.Context()))
		if ran.of("") != 1 || r.count("cancelled") != 1 {
			t.Errorf("ran %d times, %d given up", ran.of(""), r.count("cancelled"))
		}
	})
}

// A failure with a short backoff is retried within one drain.
func TestRetryAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var ran atomic.Int32
		w := r.workers(r.queue, jobs.Options{Backoff: atOnce}, func(context.Context, note) error {
			if ran.Add(1) < 3 {
				return errors.New("once more")
			}
			return nil
		})
		r.enqueue(note{"a"})
		for r.count("completed") == 0 && t.Context().Err() == nil {
			r.must(w.Drain(t.Context()))
		}
		if n := ran.Load(); n != 3 {
			t.Errorf("ran %d times", n)
		}
	})
}

func TestAt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var ran tally
		w := r.workers(r.queue, jobs.Options{}, func(_ context.Context, n note) error { ran.add(n.Name); return nil })
		east := time.FixedZone("east", 5*3600)
		r.enqueue(note{"later"}, jobs.At(time.Now().Add(time.Hour).In(east)))
		r.must(w.Drain(t.Context()))
		if ran.of("later") != 0 || r.count("scheduled") != 1 {
			t.Fatalf("ran %d times, %d wait", ran.of("later"), r.count("scheduled"))
		}
		r.must(w.Hasten(t.Context()))
		r.must(w.Drain(t.Context()))
		if ran.of("later") != 1 {
			t.Error("did not run when hastened")
		}
	})
}

func TestUnique(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var ran tally
		w := r.workers(r.queue, jobs.Options{}, func(_ context.Context, n note) error { ran.add(n.Name); return nil })
		for range 3 {
			r.enqueue(note{"same"}, jobs.Unique())
		}
		r.enqueue(note{"other"}, jobs.Unique())
		r.must(w.Drain(t.Context()))
		if ran.of("same") != 1 || ran.of("other") != 1 {
			t.Errorf("ran %v", ran.count)
		}
		r.enqueue(note{"same"}, jobs.Unique()) // the first job is done
		r.must(w.Drain(t.Context()))
		if ran.of("same") != 2 {
			t.Error("a finished job prevents the next one")
		}
	})
}

// Transactions that share a commit enqueue jobs independently: rolling one back does not affect the jobs
// of the others.
func TestEnqueueAmongOthers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		wrong := errors.New("wrong")
		var group sync.WaitGroup
		for i := range 32 {
			group.Go(func() {
				err := r.db.Transact(t.Context(), func(tx *database.Tx) error {
					if err := r.queue.Enqueue(t.Context(), tx, obs.Origin{}, note{fmt.Sprint(i)}, jobs.Unique()); err != nil {
						return err
					}
					if i%2 == 1 {
						return wrong
					}
					_, err := tx.Exec(t.Context(), "INSERT INTO effects VALUES ($1)", fmt.Sprint(i))
					return err
				})
				if (i%2 == 1) != errors.Is(err, wrong) || i%2 == 0 && err != nil {
					t.Errorf("%d: %v", i, err)
				}
			})
		}
		group.Wait()
		var effects int
		r.must(r.db.Reader().QueryRow(t.Context(), "SELECT count(*) FROM effects").Scan(&effects))
		if n := r.count("available"); n != 16 || effects != 16 {
			t.Errorf("%d jobs and %d effects, want 16 of each", n, effects)
		}
	})
}
