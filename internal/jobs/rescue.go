package jobs

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/database"
)

// rescueInterval is how often workers look for the jobs of servers that died.
const rescueInterval = 5 * time.Second

// rescuer puts jobs back that have been running for too long. River does the same
// every half minute, once a new leader is elected, and after that waits for another
// try as after a failure; a person who waits for a block would notice.
type rescuer struct {
	w       *Workers
	overdue string // the condition of a job that is; $1 is a time span
	after   any    // that time span
	cancel  context.CancelFunc
	ended   chan struct{}
}

// startRescuer looks at once, and then again and again until stop.
func (w *Workers) startRescuer() *rescuer {
	ctx, cancel := context.WithCancel(context.Background())
	r := w.newRescuer()
	r.cancel, r.ended = cancel, make(chan struct{})
	go r.run(ctx)
	return r
}

// newRescuer has the database's clock decide: it is the one that says when a job began.
func (w *Workers) newRescuer() *rescuer {
	r := &rescuer{w: w}
	after, overdue := w.options.RescueAfter.Seconds(), ""
	if w.queue.db.Dialect() == database.Postgres {
		overdue, r.after = "now() - make_interval(secs => $1)", after
	} else {
		overdue, r.after = "datetime('now', 'subsec', $1)", fmt.Sprintf("-%.3f seconds", after)
	}
	r.overdue = "state = 'running' AND attempt < max_attempts AND attempted_at < " + overdue
	return r
}

func (r *rescuer) stop() {
	r.cancel()
	<-r.ended
}

func (r *rescuer) run(ctx context.Context) {
	defer close(r.ended)
	tick := time.NewTicker(rescueInterval)
	defer tick.Stop()
	for {
		n, err := r.rescue(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.w.log.ErrorContext(ctx, "looking for jobs that were cut off", "error", err)
		case n > 0:
			r.w.log.WarnContext(ctx, "jobs that were cut off run again", "jobs", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// rescue makes overdue jobs due again. One whose tries are used up stays for River to
// give up. It looks with a reader first, as fetching does.
func (r *rescuer) rescue(ctx context.Context) (n int64, err error) {
	db := r.w.queue.db
	var found bool
	err = db.Reader().QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM river_job WHERE "+r.overdue+")", r.after).Scan(&found)
	if err != nil || !found {
		return 0, err
	}
	err = db.Transact(ctx, func(tx *database.Tx) error {
		res, err := tx.Exec(ctx, "UPDATE river_job SET state = 'available' WHERE "+r.overdue, r.after)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	if err == nil {
		r.w.queue.Wake()
	}
	return n, err
}
