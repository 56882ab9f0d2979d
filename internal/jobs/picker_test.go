package jobs_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/jobs"
)

// letter is a job of a class other than that of note.
type letter struct {
	Name string `json:"name"`
}

func (letter) Kind() string { return "letter" }

func (letter) Class() jobs.Class { return jobs.Mail }

// chore is a job without a class.
type chore struct {
	Name string `json:"name"`
}

func (chore) Kind() string { return "chore" }

// Running jobs of one class do not delay those of another.
func TestClasses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		const many = 50
		held, others := make(chan string, many), make(chan string, 2)
		release := make(chan struct{})
		h := jobs.NewHandlers()
		jobs.Handle(h, func(_ context.Context, n note) error { held <- n.Name; <-release; return nil })
		jobs.Handle(h, func(_ context.Context, l letter) error { others <- l.Name; return nil })
		jobs.Handle(h, func(_ context.Context, c chore) error { others <- c.Name; return nil })
		w := r.work(r.queue, jobs.Options{Concurrency: 3}, h)
		for i := range many {
			r.enqueue(note{fmt.Sprint(i)})
		}
		r.must(w.Start(t.Context()))
		for range 3 {
			<-held
		}
		r.enqueue(letter{"mail"})
		if got := <-others; got != "mail" {
			t.Errorf("got %s", got)
		}
		r.enqueue(chore{"bulk"})
		if got := <-others; got != "bulk" {
			t.Errorf("got %s", got)
		}
		close(release)
	})
}

// Slow cleanup jobs leave a worker for jobs of users.
func TestChores(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		held, asked, release := make(chan struct{}, 10), make(chan struct{}, 1), make(chan struct{})
		h := jobs.NewHandlers()
		jobs.Handle(h, func(_ context.Context, c chore) error {
			if c.Name == "asked" {
				asked <- struct{}{}
				return nil
			}
			held <- struct{}{}
			<-release
			return nil
		})
		w := r.work(r.queue, jobs.Options{}, h)
		for i := range 10 {
			r.enqueue(chore{fmt.Sprint(i)})
		}
		r.must(w.Start(t.Context()))
		<-held
		<-held
		r.enqueue(chore{"asked"}, jobs.For(1))
		<-asked
		close(release)
	})
}

// One owner gets half of the workers, and the next one finds a free one.
func TestOwners(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		const many = 50
		var running, limit atomic.Int32
		held, others := make(chan struct{}, many), make(chan string, 1)
		release := make(chan struct{})
		var left sync.WaitGroup
		left.Add(many)
		w := r.workers(r.queue, jobs.Options{Concurrency: 4}, func(_ context.Context, n note) error {
			if strings.HasPrefix(n.Name, "other") {
				others <- n.Name
				return nil
			}
			defer left.Done()
			defer running.Add(-1)
			limit.Store(max(limit.Load(), running.Add(1)))
			held <- struct{}{}
			<-release
			return nil
		})
		for i := range many {
			r.enqueue(note{fmt.Sprint(i)}, jobs.For(1))
		}
		r.must(w.Start(t.Context()))
		<-held
		<-held
		for _, other := range []string{"other 1", "other 2"} {
			r.enqueue(note{other}, jobs.For(2))
			if got := <-others; got != other {
				t.Errorf("got %s", got)
			}
		}
		close(release)
		left.Wait() // all jobs have run, two at a time
		if n := limit.Load(); n != 2 {
			t.Errorf("%d jobs of one owner ran at once", n)
		}
	})
}

// Owners take turns regardless of how many jobs each one has, and the cost of a turn does not depend on the
// number of jobs.
func TestTurns(t *testing.T) {
	t.Parallel()
	const owners, queued = 40, 3000
	migrated.Each(t, func(t *testing.T, o database.Options) {
		var statements atomic.Int32
		o.Observe = func(context.Context, string, bool) { statements.Add(1) }
		r := open(t, o)
		k := jobs.NewPicker(r.workers(r.queue, jobs.Options{}, func(context.Context, note) error { return nil }))
		r.enqueue(note{"many"}, jobs.For(7))
		r.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			INSERT INTO river_job (args, kind, max_attempts, queue) SELECT args, kind, max_attempts, queue FROM river_job CROSS JOIN n`, queued)
		for i := range owners {
			r.enqueue(note{fmt.Sprint(i)}, jobs.For(int64(100+i)))
		}
		r.exec("UPDATE river_job SET queue = 'default' WHERE queue = 'content_100'") // as from an older version
		seen := map[string]int{}
		for range owners + 1 {
			statements.Store(0)
			got, err := k.Pick(t.Context(), 1)
			r.must(err)
			if n := statements.Load(); len(got) != 1 || n > 4 {
				t.Fatalf("picked %d jobs with %d statements", len(got), n)
			}
			seen[got[0].Queue]++
			k.Finish(got[0])
		}
		for queue, n := range seen {
			if n != 1 {
				t.Errorf("%s had %d turns", queue, n)
			}
		}
		if len(seen) != owners+1 || seen["default"] != 1 {
			t.Errorf("%d owners of %d had a turn", len(seen), owners+1)
		}
		r.usesIndex(k.Due())
	})
}

// usesIndex checks that the plan of the query for owners only uses River's index, without a full scan.
func (r *rig) usesIndex(query string) {
	r.Helper()
	explain := "EXPLAIN QUERY PLAN "
	if r.db.Dialect() == database.Postgres {
		r.exec("ANALYZE river_job")
		explain = "EXPLAIN "
	}
	rows, err := r.db.Reader().Query(r.Context(), explain+query, "content", "contenta", 5)
	r.must(err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	r.must(err)
	var plan strings.Builder
	for rows.Next() {
		line := make([]any, len(columns))
		for i := range line {
			line[i] = new(any)
		}
		r.must(rows.Scan(line...))
		fmt.Fprintln(&plan, *line[len(line)-1].(*any))
	}
	r.must(rows.Err())
	for _, bad := range []string{"SCAN river_job", "SCAN j", "Seq Scan on river_job", "Bitmap"} {
		if strings.Contains(plan.String(), bad) {
			r.Errorf("%s in the plan:\n%s", bad, plan.String())
		}
	}
	if n := strings.Count(plan.String(), "river_job_prioritized_fetching_index"); n < 2 { // PostgreSQL does not show all
		r.Errorf("the index serves %d of 3:\n%s", n, plan.String())
	}
}

// With fewer free workers, an owner gets fewer additional ones: one of two, two of four. One remains for
// the third of three owners.
func TestShares(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		k := jobs.NewPicker(r.workers(r.queue, jobs.Options{}, func(context.Context, note) error { return nil }))
		pick := func(free, want int) int {
			t.Helper()
			got, err := k.Pick(t.Context(), free)
			r.must(err)
			if len(got) != want {
				t.Errorf("of %d free workers %d were taken, want %d", free, len(got), want)
			}
			return free - len(got)
		}
		for owner := range int64(3) {
			for range 10 {
				r.enqueue(note{"x"}, jobs.For(owner+1))
			}
			r.exec("UPDATE river_job SET state = 'pending' WHERE state = 'available' AND queue <> $1", fmt.Sprint("content_", owner+1))
			if owner == 0 {
				if free := pick(4, 2); free != 2 {
					t.Fatal("the first owner uses more than half of the workers")
				}
			} else {
				pick(3-int(owner), 1)
			}
		}
		for range 5 {
			r.enqueue(note{"nobody's"})
		}
		r.exec("UPDATE river_job SET state = 'pending' WHERE state = 'available' AND queue <> 'content_0'")
		pick(5, 5)
	})
}

// Jobs enqueued by an older version run.
func TestLegacyQueue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		ran := make(chan string, 2)
		h := jobs.NewHandlers()
		jobs.Handle(h, func(_ context.Context, n note) error { ran <- n.Name; return nil })
		jobs.Handle(h, func(_ context.Context, l letter) error { ran <- l.Name; return nil })
		w := r.work(r.queue, jobs.Options{}, h)
		r.enqueue(note{"old"})
		r.exec("UPDATE river_job SET queue = 'default'")
		r.must(w.Start(t.Context()))
		if got := <-ran; got != "old" {
			t.Errorf("got %s", got)
		}
		r.must(w.Stop(t.Context()))
		r.enqueue(letter{"older"})
		r.exec("UPDATE river_job SET queue = 'default' WHERE kind = 'letter'")
		r.must(w.Drain(t.Context()))
		if got := <-ran; got != "older" {
			t.Errorf("got %s", got)
		}
	})
}
