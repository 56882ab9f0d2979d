package jobs

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
)

// turns picks the jobs of a class for a process, owner by owner in a circle: a job waits
// for one job of each other owner, and not for all that the others have. An owner may
// take a worker only while more are free than they have, which is half of them for one,
// and leaves some for the next whenever it can be done. This holds in each process by
// itself, so it holds for all of them together.
//
// A pick reads the queues that have a job which is due along an index, as many as there
// are free workers and running owners, however many jobs wait.
type turns struct {
	pilot *pilot
	class Class // drained for all
	spans []span

	mu      sync.Mutex
	exec    riverdriver.Executor // of the last pick
	last    string               // the queue that had the last turn
	running map[string]int       // jobs, by queue
	held    bool                 // an owner had to leave jobs for lack of a worker
}

// newTurns begins anywhere, so that after each start another owner is the first.
func newTurns(p *pilot, class Class) *turns {
	return &turns{pilot: p, class: class, spans: class.spans(), last: class.queueOf(rand.Int64()), running: map[string]int{}}
}

// JobFinish implements riverpilot.ProducerState. River fetches when a worker becomes
// free only if there was none free before.
func (t *turns) JobFinish(job *rivertype.JobRow) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[job.Queue]--; t.running[job.Queue] <= 0 {
		delete(t.running, job.Queue)
	}
	if t.held {
		t.held = false
		t.pilot.look(t.class, t.exec)
	}
}

// dueQuery finds queues, of those above $1 and below $2, that have a job which is due,
// $3 of them at most. It leaps from queue to queue along River's index. The step bounds
// it where many have jobs that are put off by seconds alone; all other jobs of later are
// in another state.
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

// pick takes jobs that are due, params.MaxToLock at most. On SQLite taking is an UPDATE
// and wants the only writer even when there is nothing to take, so it looks with a
// reader first: a queue that idles never makes a request wait.
func (t *turns) pick(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobGetAvailableParams) (jobs []*rivertype.JobRow, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exec, t.held = exec, false
	free := params.MaxToLock
	queues, err := t.due(ctx, free+len(t.running))
	if err != nil {
		return nil, err
	}
	for len(queues) > 0 && free > 0 {
		var again []string // those that may have more
		for _, queue := range queues {
			n := t.share(queue, free, len(queues))
			if n == 0 {
				t.held = t.held || free > 0
				continue
			}
			one := *params
			one.Queue, one.MaxToLock = queue, n
			got, err := exec.JobGetAvailable(ctx, &one)
			if err != nil {
				if len(jobs) > 0 { // they are running, in the database
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

// share is how many jobs of a queue may be taken at once, of so many free workers and
// for so many queues.
func (t *turns) share(queue string, free, queues int) int {
	most := free
	if t.pilot.first == nil && !unlimited(queue) {
		most = (free - t.running[queue] + 1) / 2 // each taken is one more, and leaves one less
	}
	return max(0, min(most, max(1, free/queues)))
}

// due gives queues with a job that is due, the next in turn first.
func (t *turns) due(ctx context.Context, limit int) (queues []string, err error) {
	for _, s := range t.circle() {
		if queues, err = t.dueIn(ctx, queues, s, limit); err != nil {
			return nil, err
		}
	}
	return queues, nil
}

// circle is the spans of the class, from the queue that had the last turn to that queue.
func (t *turns) circle() []span {
	for i, s := range t.spans {
		if s.low < t.last && t.last < s.high {
			return slices.Concat([]span{{t.last, s.high}}, t.spans[i+1:], t.spans[:i+1])
		}
	}
	return t.spans
}

// dueIn adds queues of a span, up to limit in all.
func (t *turns) dueIn(ctx context.Context, queues []string, s span, limit int) ([]string, error) {
	if len(queues) >= limit {
		return queues, nil
	}
	rows, err := t.pilot.db.Reader().Query(ctx, t.pilot.due, s.low, s.high, limit)
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
