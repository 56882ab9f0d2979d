package jobs

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
	"vitrine/internal/jobs/adapter"
)

// picker picks the jobs of a class for a process. Owners take turns, so a job waits for one job of each
// other owner, not for all of their jobs. An owner gets another worker only while more workers are free
// than the owner has. A single owner therefore gets half of them, and some stay free for the next owner if
// possible. Each process applies this on its own, and so it holds for all of them together.
//
// A pick reads the queues with a due job along an index. It reads as many as there are free workers and
// running owners, regardless of the number of waiting jobs.
type picker struct {
	db       *database.DB
	query    string // for queues with a due job
	class    Class  // or drained
	spans    []span
	handlers *Handlers
	plugin   *adapter.Plugin
	first    chan<- fetched // receives the first fetch of a draining client; nil for others

	mu      sync.Mutex
	last    string         // the queue that had the last turn
	running map[string]int // number of running jobs per queue
	held    bool           // an owner's job was skipped because of the limit
}

// newPicker starts at a random owner, so that restarts do not prefer the same owners.
func (w *Workers) newPicker(class Class, p *adapter.Plugin, first chan<- fetched) *picker {
	db := w.queue.db
	return &picker{db: db, query: dueQuery(db.Dialect()), class: class, spans: class.spans(), handlers: w.handlers,
		plugin: p, first: first, last: class.queueOf(rand.Int64()), running: map[string]int{}}
}

// Fetch implements adapter.Fetcher.
func (t *picker) Fetch(ctx context.Context, free int, lock adapter.Lock) ([]*rivertype.JobRow, error) {
	jobs, err := t.pick(ctx, free, lock)
	t.handlers.markUnknown(jobs)
	select {
	case t.first <- fetched{len(jobs), err}:
	default:
	}
	return jobs, err
}

// Finish implements adapter.Fetcher. River fetches when a job ends only if all workers were busy, so skipped
// jobs need a notification.
func (t *picker) Finish(job *rivertype.JobRow) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[job.Queue]--; t.running[job.Queue] <= 0 {
		delete(t.running, job.Queue)
	}
	if t.held {
		t.held = false
		t.plugin.Refetch(string(t.class))
	}
}

// dueQuery returns a query for at most $3 queues above $1 and below $2 with a due job. It jumps from queue
// to queue along River's index. The step limit is for queues whose jobs become due within seconds. All
// later jobs are in another state.
func dueQuery(d database.Dialect) string {
	now := "datetime('now', 'subsec')"
	if d == database.Postgres {
		now = "now()"
	}
	return `WITH RECURSIVE waiting (queue, step) AS (
			SELECT (SELECT MIN(queue) FROM river_job WHERE state = 'available' AND queue > $1 AND queue < $2), 1
			UNION ALL
			SELECT (SELECT MIN(queue) FROM river_job WHERE state = 'available' AND queue > waiting.queue AND queue < $2), step + 1
			FROM waiting WHERE queue IS NOT NULL AND step < 1000)
		SELECT queue FROM waiting WHERE queue IS NOT NULL AND EXISTS (SELECT 1 FROM river_job j
			WHERE j.state = 'available' AND j.queue = waiting.queue AND j.priority = 1 AND j.scheduled_at <= ` + now + `)
		LIMIT $3`
}

// pick locks at most free due jobs. On SQLite this is an UPDATE, which needs the only
// writer even if no jobs are due. So pick checks with a reader first, and an idle queue never
// delays requests.
func (t *picker) pick(ctx context.Context, free int, lock adapter.Lock) (jobs []*rivertype.JobRow, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = false
	queues, err := t.due(ctx, free+len(t.running))
	if err != nil {
		return nil, err
	}
	for len(queues) > 0 && free > 0 {
		var again []string // queues that may have more jobs
		for _, queue := range queues {
			n := t.share(queue, free, len(queues))
			if n == 0 {
				t.held = t.held || free > 0
				continue
			}
			got, err := lock(ctx, queue, n)
			if err != nil {
				if len(jobs) > 0 { // these jobs are already marked as running
					return jobs, nil
				}
				return nil, err
			}
			jobs = append(jobs, got...)
			free -= len(got)
			t.running[queue] += len(got)
			t.last = queue
			if len(got) == n {
				again = append(again, queue)
			}
		}
		queues = again
	}
	return jobs, nil
}

// share returns how many jobs of a queue may be taken at once, given the free workers and the number of
// queues.
func (t *picker) share(queue string, free, queues int) int {
	limit := free
	if t.first == nil && !unlimited(queue) {
		limit = (free - t.running[queue] + 1) / 2 // each job taken changes both numbers by one
	}
	return max(0, min(limit, max(1, free/queues)))
}

// due returns queues with a due job, starting with the next in turn.
func (t *picker) due(ctx context.Context, limit int) (queues []string, err error) {
	for _, s := range t.circle() {
		if queues, err = t.dueIn(ctx, queues, s, limit); err != nil {
			return nil, err
		}
	}
	return queues, nil
}

// circle returns the spans of the class, starting after the queue that had the last turn.
func (t *picker) circle() []span {
	for i, s := range t.spans {
		if s.low < t.last && t.last < s.high {
			return slices.Concat([]span{{t.last, s.high}}, t.spans[i+1:], t.spans[:i+1])
		}
	}
	return t.spans
}

// dueIn appends queues of a span, up to limit in total.
func (t *picker) dueIn(ctx context.Context, queues []string, s span, limit int) ([]string, error) {
	if len(queues) >= limit {
		return queues, nil
	}
	rows, err := t.db.Reader().Query(ctx, t.query, s.low, s.high, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() && len(queues) < limit {
		var queue string
		if err := rows.Scan(&queue); err != nil {
			return nil, database.Classify(ctx, err)
		}
		if !slices.Contains(queues, queue) {
			queues = append(queues, queue)
		}
	}
	return queues, database.Classify(ctx, rows.Err())
}
