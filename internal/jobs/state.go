package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/database"
)

// ClassState summarizes the jobs of a class. Failed covers the last week. Each count includes at most
// MaxListed jobs per state of River.
type ClassState struct {
	Class                    Class
	Waiting, Running, Failed int64
	OldestDue                time.Time // since when the oldest due job is waiting; zero if no job is due
	LastDone                 time.Time // end of a recently finished job within the last day; zero if no job finished
}

// undone are River's states of unfinished and failed jobs.
var undone = []string{"available", "pending", "scheduled", "retryable", "running", "discarded", "cancelled"}

// someUndone returns a query for columns of at most most jobs per state in a class. It uses River's index,
// so finished jobs cost nothing.
func someUndone(c Class, columns string, limit int) string {
	var parts []string
	for _, in := range c.spans() {
		for _, state := range undone {
			parts = append(parts, fmt.Sprintf(`SELECT * FROM (SELECT '%s' AS class, %s FROM river_job
				WHERE state = '%s' AND queue > '%s' AND queue < '%s' LIMIT %d) AS part`, c, columns, state, in.low, in.high, limit))
		}
	}
	return strings.Join(parts, " UNION ALL ")
}

// States returns the state of each class with a single statement.
func (q *Queue) States(ctx context.Context) ([]ClassState, error) { return q.states(ctx, MaxListed) }

func (q *Queue) states(ctx context.Context, limit int) ([]ClassState, error) {
	seconds := "unixepoch(%s)"
	if q.db.Dialect() == database.Postgres {
		seconds = "CAST(EXTRACT(EPOCH FROM %s) AS BIGINT)"
	}
	epoch := func(column string) string { return "COALESCE(" + fmt.Sprintf(seconds, column) + ", 0)" }
	const columns = "CAST(state AS TEXT) AS state, scheduled_at, finalized_at"
	parts := make([]string, len(classes))
	for i, c := range classes {
		parts[i] = someUndone(c, columns, limit)
	}
	parts = append(parts, fmt.Sprintf(`SELECT * FROM (SELECT CASE WHEN queue LIKE 'mail%%' THEN 'mail' WHEN queue LIKE 'bulk%%' THEN 'bulk' ELSE 'content' END AS class,
		%s FROM river_job WHERE state = 'completed' AND finalized_at IS NOT NULL ORDER BY finalized_at DESC LIMIT %d) AS done`, columns, limit))
	rows, err := q.db.Reader().Query(ctx, `SELECT class, state, count(*), `+epoch("min(scheduled_at)")+", "+epoch("max(finalized_at)")+`
		FROM (`+strings.Join(parts, " UNION ALL ")+`) AS some_jobs GROUP BY class, state`)
	if err != nil {
		return nil, fmt.Errorf("jobs: states: %w", err)
	}
	defer func() { _ = rows.Close() }()
	byClass := map[Class]*ClassState{}
	all := make([]ClassState, len(classes))
	for i, c := range classes {
		all[i].Class, byClass[c] = c, &all[i]
	}
	for rows.Next() {
		var class Class
		var state string
		var n, due, done int64
		if err := rows.Scan(&class, &state, &n, &due, &done); err != nil {
			return nil, fmt.Errorf("jobs: states: %w", err)
		}
		c := byClass[class]
		switch state {
		case "running":
			c.Running += n
		case "discarded", "cancelled":
			c.Failed += n
		case "completed":
			c.LastDone = time.Unix(done, 0).UTC()
		case "available":
			c.OldestDue = time.Unix(due, 0).UTC()
			c.Waiting += n
		default:
			c.Waiting += n
		}
	}
	return all, database.Classify(ctx, rows.Err())
}

// LastError returns the job of a class with the most recent failure that is not done, among at most
// MaxListed jobs per state. It returns ErrNoJob if there is no such job.
func (q *Queue) LastError(ctx context.Context, tx *database.Tx, class Class) (Job, error) {
	var id int64
	err := tx.QueryRow(ctx, `SELECT id FROM (`+someUndone(class, "id, state, errors, attempt, attempted_at", MaxListed)+`) AS some_jobs
		WHERE errors IS NOT NULL AND attempt > 0 AND state <> 'running' ORDER BY attempted_at DESC, id DESC LIMIT 1`).Scan(&id)
	if errors.Is(err, database.ErrNoRows) {
		return Job{}, ErrNoJob
	}
	if err != nil {
		return Job{}, err
	}
	return q.Get(ctx, tx, id)
}
