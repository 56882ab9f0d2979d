package jobs_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/jobs"
)

// in runs fn in a transaction.
func (r *rig) in(fn func(tx *database.Tx) error) error {
	r.Helper()
	return r.db.Transact(r.Context(), fn)
}

func (r *rig) list(state jobs.State, limit int) (list []jobs.Job) {
	r.Helper()
	r.must(r.in(func(tx *database.Tx) (err error) {
		list, _, err = r.queue.List(r.Context(), tx, state, "", limit)
		return err
	}))
	return list
}

func (r *rig) retry(id int64) error {
	r.Helper()
	return r.in(func(tx *database.Tx) error { return r.queue.Retry(r.Context(), tx, id, false) })
}

// failing returns workers whose notes fail in the way their name says, until mended is set.
func (r *rig) failing(o jobs.Options, mended *bool, ran *tally) *jobs.Workers {
	r.Helper()
	o.Backoff = func(int) time.Duration { return time.Hour }
	return r.workers(r.queue, o, func(_ context.Context, n note) error {
		ran.add(n.Name)
		switch {
		case *mended || n.Name == "done":
			return nil
		case n.Name == "never":
			return jobs.Permanent(errors.New("never"))
		case n.Name == "later":
			return jobs.Later(time.Hour)
		}
		return errors.New("\nnot today\nbut perhaps tomorrow")
	})
}

func TestList(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var mended bool
		w := r.failing(jobs.Options{}, &mended, new(tally))
		for _, name := range []string{"done", "never", "fail"} {
			r.enqueue(note{name}, jobs.Attempts(1))
		}
		r.enqueue(note{"again"})
		r.must(w.Drain(t.Context()))
		r.enqueue(note{"new"})
		failed := r.list(jobs.Failed, 10)
		if len(failed) != 2 || len(r.list(jobs.Failed, 1)) != 1 {
			t.Fatalf("failed are %+v", failed)
		}
		for _, job := range failed {
			want := "not today"
			if strings.Contains(string(job.Args), "never") {
				want = "never"
			}
			if job.Kind != "note" || job.State != jobs.Failed || job.Attempts != 1 || job.MaxAttempts != 1 || job.Error != want ||
				time.Since(job.At).Abs() > time.Hour {
				t.Errorf("%+v with %s", job, job.Args)
			}
		}
		if done := r.list(jobs.Done, 10); len(done) != 1 || done[0].State != jobs.Done || done[0].Error != "" {
			t.Errorf("done are %+v", done)
		}
		waiting := r.list(jobs.Waiting, 10)
		if len(waiting) != 2 || waiting[0].Error != "not today" || waiting[1].Attempts != 0 || !waiting[0].At.After(waiting[1].At) {
			t.Errorf("waiting are %+v", waiting)
		}
		if running := r.list(jobs.Running, 10); len(running) != 0 {
			t.Errorf("running are %+v", running)
		}
		counts, err := r.queue.Counts(t.Context())
		if err != nil || len(counts) != 3 || counts[jobs.Failed] != 2 || counts[jobs.Waiting] != 2 || counts[jobs.Running] != 0 {
			t.Errorf("%v, %v", counts, err)
		}
		if err := r.in(func(tx *database.Tx) error { _, _, err := r.queue.List(t.Context(), tx, "lost", "", 1); return err }); err == nil {
			t.Error("listed the jobs of a state that there is not")
		}
	})
}

func TestRetryByHand(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var mended bool
		var ran tally
		w := r.failing(jobs.Options{}, &mended, &ran)
		r.enqueue(note{"never"}, jobs.Attempts(1))
		r.enqueue(note{"again"})
		r.enqueue(note{"done"})
		r.must(w.Drain(t.Context()))
		mended = true
		for _, state := range []jobs.State{jobs.Failed, jobs.Waiting} {
			for _, job := range r.list(state, 10) {
				r.must(r.retry(job.ID))
			}
		}
		r.must(w.Drain(t.Context()))
		if ran.of("never") != 2 || ran.of("again") != 2 || r.count("completed") != 3 {
			t.Errorf("ran %v", ran.count)
		}
		done := r.list(jobs.Done, 1)[0]
		if err := r.retry(done.ID); !errors.Is(err, jobs.ErrNotRetried) {
			t.Errorf("retried what is done: %v", err)
		}
		if err := r.retry(9999); !errors.Is(err, jobs.ErrNoJob) {
			t.Errorf("retried nothing: %v", err)
		}
		forget := func() error {
			return r.in(func(tx *database.Tx) error { return r.queue.Forget(t.Context(), tx, done.ID) })
		}
		r.must(forget())
		if err := forget(); !errors.Is(err, jobs.ErrNoJob) || r.count("completed") != 2 {
			t.Errorf("forgotten twice: %v", err)
		}
	})
}

// The observer is called for every run with its outcome.
func TestObserve(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		var mended bool
		var seen tally
		w := r.failing(jobs.Options{Observe: func(kind string, outcome jobs.Outcome, took time.Duration) {
			if took < 0 || took > time.Hour {
				t.Errorf("took %s", took)
			}
			seen.add(kind + " " + string(outcome))
		}}, &mended, new(tally))
		for _, name := range []string{"done", "later", "again", "never"} {
			r.enqueue(note{name})
		}
		r.enqueue(note{"last"}, jobs.Attempts(1))
		r.must(w.Drain(t.Context()))
		for what, want := range map[string]int{"note done": 1, "note put_off": 1, "note failed": 1, "note given_up": 2} {
			if n := seen.of(what); n != want {
				t.Errorf("%s: %d times, want %d", what, n, want)
			}
		}
	})
}

// The oldest due job of a class counts for any owner. Scheduled jobs do not count.
func TestOldestDue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		none, err := r.queue.OldestDue(t.Context())
		r.must(err)
		for class, waits := range none {
			if waits != 0 {
				t.Errorf("%s has waited %s without a job", class, waits)
			}
		}
		if _, there := none[jobs.Content]; !there || len(none) < 3 {
			t.Errorf("the classes are %v", none)
		}
		r.enqueue(note{"later"}, jobs.At(time.Now().Add(time.Hour)))
		r.enqueue(note{"hour"}, jobs.For(7), jobs.At(time.Now().Add(-time.Hour)))
		r.enqueue(note{"day"}, jobs.For(8), jobs.At(time.Now().Add(-24*time.Hour)))
		due, err := r.queue.OldestDue(t.Context())
		r.must(err)
		if waits := due[jobs.Content]; waits.Round(time.Hour) != 24*time.Hour {
			t.Errorf("the oldest has waited %s, want a day: %v", waits, due)
		}
		if due[jobs.Mail] != 0 {
			t.Errorf("mail has waited %s", due[jobs.Mail])
		}
	})
}
