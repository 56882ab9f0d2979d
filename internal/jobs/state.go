package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/database"
)

// ClassState is how the jobs of a class do. Failed ones were given up in the last week. Each
// number is MostListed at most for a state of River's, however many there are.
type ClassState struct {
	Class                    Class
	Waiting, Running, Failed int64
	OldestDue                time.Time // since when one has waited for a worker; zero if none does
	LastDone                 time.Time // when one was done, of the last MostListed that were, in the last day; zero if none was
}

// undone are the states of jobs that are not done, as River calls them.
var undone = []string{"available", "pending", "scheduled", "retryable", "running", "discarded", "cancelled"}

// someUndone reads columns of the jobs of a class that are not done, so many of each state
// at most: along River's index, in which what is done comes not between.
func someUndone(c Class, columns string, most int) string {
	var parts []string
	for _, in := range c.spans() {
		for _, state := range undone {
			parts = append(parts, fmt.Sprintf(`SELECT * FROM (SELECT '%s' AS class, %s FROM river_job
				WHERE state = '%s' AND queue > '%s' AND queue < '%s' LIMIT %d) AS part`, c, columns, state, in.low, in.high, most))
		}
	}
	return strings.Join(parts, " UNION ALL ")
}

// States tells how the jobs of each class do, by one statement.
func (q *Queue) States(ctx context.Context) ([]ClassState, error) { return q.states(ctx, MostListed) }

func (q *Queue) states(ctx context.Context, most int) ([]ClassState, error) {
	seconds := "unixepoch(%s)"
	if q.db.Dialect() == database.Postgres {
		seconds = "CAST(EXTRACT(EPOCH FROM %s) AS BIGINT)"
	}
	epoch := func(column string) string { return "COALESCE(" + fmt.Sprintf(seconds, column) + ", 0)" }
	const columns = "CAST(state AS TEXT) AS state, scheduled_at, finalized_at"
	parts := make([]string, len(classes))
	for i, c := range classes {
		parts[i] = someUndone(c, columns, most)
	}
	parts = append(parts, fmt.Sprintf(`SELECT * FROM (SELECT CASE WHEN queue LIKE 'mail%%' THEN 'mail' WHEN queue LIKE 'bulk%%' THEN 'bulk' ELSE 'content' END AS class,
		%s FROM river_job WHERE state = 'completed' AND finalized_at IS NOT NULL ORDER BY finalized_at DESC LIMIT %d) AS done`, columns, most))
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

// LastError gives the job of a class that failed last and is not done, of the MostListed that
// are looked at of each state; ErrNoJob if there is none.
func (q *Queue) LastError(ctx context.Context, tx *database.Tx, class Class) (Job, error) {
	var id int64
	err := tx.QueryRow(ctx, `SELECT id FROM (`+someUndone(class, "id, state, errors, attempt, attempted_at", MostListed)+`) AS some_jobs
		WHERE errors IS NOT NULL AND attempt > 0 AND state <> 'running' ORDER BY attempted_at DESC, id DESC LIMIT 1`).Scan(&id)
	if errors.Is(err, database.ErrNoRows) {
		return Job{}, ErrNoJob
	}
	if err != nil {
		return Job{}, err
	}
	return q.Get(ctx, tx, id)
}
