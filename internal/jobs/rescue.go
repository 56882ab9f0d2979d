package jobs

import (
	"context"
	"fmt"

	"vitrine/internal/database"
)

// rescuer puts back the jobs of dead processes and, as a fallback, jobs that have been running too long.
// River also does the latter, but only every half minute after a leader is elected, and with a backoff as
// after a failure, which is too slow for a user who is waiting for a block. Jobs without attempts left
// are skipped, and River discards them.
type rescuer struct {
	queue   *Queue
	self    string // name of this process, whose own jobs are cancelled before they are put back
	last    string // SQL expression: the process that runs a job
	putBack string // start of the statement that makes jobs due again
	overdue string // condition: the job has been running too long; $1 is a duration
	after   any    // that duration
}

// stuck is the condition of jobs that may have to be put back.
const stuck = "state = 'running' AND attempt < max_attempts"

// A job that was running when two processes died may be the cause. From then on it waits before the next
// attempt, longer each time.
const (
	freeEnds = 2
	endWait  = 15 // seconds per attempt
)

// newRescuer returns a rescuer that uses the clock of the database, which also sets the start of jobs.
func (w *Workers) newRescuer() *rescuer {
	r := &rescuer{queue: w.queue}
	after, overdue, later := w.options.RescueAfter.Seconds(), "", ""
	if w.queue.db.Dialect() == database.Postgres {
		r.last = "attempted_by[array_upper(attempted_by, 1)]"
		overdue, r.after = "now() - make_interval(secs => $1)", after
		later = "now() + make_interval(secs => %d * attempt)"
	} else {
		r.last = "json_extract(attempted_by, '$[#-1]')"
		overdue, r.after = "datetime('now', 'subsec', $1)", fmt.Sprintf("-%.3f seconds", after)
		later = "datetime('now', 'subsec', (%d * attempt) || ' seconds')"
	}
	r.overdue = stuck + " AND attempted_at < " + overdue
	for _, kind := range w.handlers.longArgs { // River handles their own timeouts
		r.overdue += " AND kind <> '" + kind + "'"
	}
	r.putBack = fmt.Sprintf("UPDATE river_job SET state = 'available', scheduled_at = CASE WHEN attempt <= %d THEN scheduled_at ELSE "+
		later+" END WHERE ", freeEnds, endWait)
	return r
}

// rescue first checks with a reader, so that it does not wait for the writer needlessly.
func (r *rescuer) rescue(ctx context.Context) (n int64, err error) {
	dead, err := r.dead(ctx)
	if err != nil {
		return 0, err
	}
	for _, process := range dead {
		of, err := r.restore(ctx, stuck+" AND "+r.last+" = $1", process)
		if n += of; err != nil {
			return n, err
		}
	}
	late, err := r.restore(ctx, r.overdue, r.after)
	return n + late, err
}

// dead returns the names of dead processes with running jobs.
func (r *rescuer) dead(ctx context.Context) ([]string, error) {
	rows, err := r.queue.db.Reader().Query(ctx, "SELECT DISTINCT COALESCE("+r.last+", '') FROM river_job WHERE "+stuck)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, database.Classify(ctx, err)
		}
		if name != r.self {
			names = append(names, name)
		}
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		return nil, database.Classify(ctx, err)
	}
	return r.queue.db.Dead(ctx, names)
}

// restore makes matching jobs due again. Jobs that another process has put back do not match.
func (r *rescuer) restore(ctx context.Context, which string, arg any) (n int64, err error) {
	db := r.queue.db
	var found bool
	err = db.Reader().QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM river_job WHERE "+which+")", arg).Scan(&found)
	if err != nil || !found {
		return 0, err
	}
	err = db.Transact(ctx, func(tx *database.Tx) error {
		res, err := tx.Exec(ctx, r.putBack+which, arg)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	if err == nil {
		r.queue.Wake()
	}
	return n, err
}
