package jobs

import (
	"context"
	"fmt"

	"vitrine/internal/database"
)

// rescuer puts back the jobs of processes that have ended, and, should that not be seen,
// those that have been running for too long. River does the latter every half minute,
// once a new leader is elected, and after that waits for another try as after a failure;
// a person who waits for a block would notice. Jobs whose tries are used up stay for
// River to give up.
type rescuer struct {
	queue   *Queue
	self    string // the name of this process, whose jobs are cancelled before anybody here puts them back
	last    string // the process that runs a job
	putBack string // the beginning of a statement that makes jobs due again
	overdue string // the condition of a job that has run for too long; $1 is a time span
	after   any    // that time span
}

// stuck is the condition of a job that may have to be put back.
const stuck = "state = 'running' AND attempt < max_attempts"

// A job that was running when two processes ended may be what ends them: from then on
// it waits for a while, longer each time.
const (
	freeEnds = 2
	endWait  = 15 // seconds, for each attempt
)

// newRescuer has the database's clock decide: it is the one that says when a job began.
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
	for _, kind := range w.handlers.lasting { // River knows their time
		r.overdue += " AND kind <> '" + kind + "'"
	}
	r.putBack = fmt.Sprintf("UPDATE river_job SET state = 'available', scheduled_at = CASE WHEN attempt <= %d THEN scheduled_at ELSE "+
		later+" END WHERE ", freeEnds, endWait)
	return r
}

// rescue looks with a reader first, as fetching does.
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

// dead gives the processes that have ended in the midst of jobs.
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

// restore makes jobs due again. A job that another has put back meanwhile is left.
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
