package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
	"vitrine/internal/jobs/adapter"
)

// State is the state of a job.
type State string

// The job states.
const (
	Waiting State = "waiting" // for a worker, its scheduled time, or a retry
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed" // will not be retried
)

// MaxListed is the maximum number of jobs that List returns.
const MaxListed = 10_000

// Errors of Get, Retry and Forget.
var (
	ErrNoJob      = errors.New("there is no such job")
	ErrNotRetried = errors.New("only a job that failed, waits or was cut off can be run again")
	ErrAlive      = errors.New("it is running, and its process is alive")
)

// Job is a job as shown to operators.
type Job struct {
	ID          int64
	Kind        string
	Args        json.RawMessage
	State       State
	Attempts    int // number of attempts so far
	MaxAttempts int
	At          time.Time // when it ended, started its attempt, or is due
	Error       string    // first line of the last error; may be empty
	Process     string    // name of the process that runs it or ran it last; may be empty
}

// states returns the corresponding states of River. The first one determines the sort order.
func (s State) states() ([]rivertype.JobState, error) {
	switch s {
	case Waiting:
		return []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStateRetryable,
			rivertype.JobStateScheduled, rivertype.JobStatePending}, nil
	case Running:
		return []rivertype.JobState{rivertype.JobStateRunning}, nil
	case Done:
		return []rivertype.JobState{rivertype.JobStateCompleted}, nil
	case Failed:
		return []rivertype.JobState{rivertype.JobStateDiscarded, rivertype.JobStateCancelled}, nil
	}
	return nil, fmt.Errorf("jobs: unknown state %q", string(s))
}

// List returns up to limit jobs in a state, newest first, from the beginning or after a cursor, and the cursor after them, ""
// at the end. limit must be between 1 and MaxListed. Finished jobs are deleted after a while.
func (q *Queue) List(ctx context.Context, tx *database.Tx, state State, cursor string, limit int) (list []Job, next string, err error) {
	states, err := state.states()
	if err != nil {
		return nil, "", err
	}
	params := river.NewJobListParams().States(states...).OrderBy(river.JobListOrderByTime, river.SortOrderDesc).First(limit)
	if cursor != "" {
		var after river.JobListCursor
		if err := after.UnmarshalText([]byte(cursor)); err != nil {
			return nil, "", fmt.Errorf("jobs: cursor: %w", err)
		}
		params = params.After(&after)
	}
	found, err := q.inserter.JobListTx(ctx, tx.SQL(), params)
	if err != nil {
		return nil, "", fmt.Errorf("jobs: list: %w", database.Classify(ctx, err))
	}
	list = make([]Job, len(found.Jobs))
	for i, row := range found.Jobs {
		list[i] = newJob(row)
	}
	if len(list) == limit && found.LastCursor != nil {
		text, err := found.LastCursor.MarshalText()
		return list, string(text), err
	}
	return list, "", nil
}

// Get returns a job, or ErrNoJob.
func (q *Queue) Get(ctx context.Context, tx *database.Tx, id int64) (Job, error) {
	row, err := q.inserter.JobGetTx(ctx, tx.SQL(), id)
	if err != nil {
		return Job{}, explained(ctx, "get", err)
	}
	return newJob(row), nil
}

// Retry makes a failed or waiting job due. A job without attempts left gets another one. A running job is
// put back if its process has ended. Otherwise Retry returns ErrAlive unless force is set, in which case
// the job may run twice concurrently. For finished jobs it returns ErrNotRetried. Call Wake after the
// commit.
func (q *Queue) Retry(ctx context.Context, tx *database.Tx, id int64, force bool) error {
	job, err := q.Get(ctx, tx, id)
	if err != nil {
		return err
	}
	switch job.State {
	case Running:
		return q.retryRunning(ctx, tx, job, force)
	case Done:
		return ErrNotRetried
	}
	if _, err := q.inserter.JobRetryTx(ctx, tx.SQL(), id); err != nil {
		return explained(ctx, "retry", err)
	}
	return nil
}

func (q *Queue) retryRunning(ctx context.Context, tx *database.Tx, job Job, force bool) error {
	if !force {
		dead, err := q.db.Dead(ctx, []string{job.Process})
		if err != nil {
			return err
		}
		if len(dead) == 0 {
			return ErrAlive
		}
	}
	_, err := tx.Exec(ctx, `UPDATE river_job SET state = 'available', max_attempts = CASE WHEN attempt < max_attempts
		THEN max_attempts ELSE attempt + 1 END WHERE id = $1 AND state = 'running'`, job.ID)
	return err
}

// Forget deletes a job that is not running.
func (q *Queue) Forget(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := q.inserter.JobDeleteTx(ctx, tx.SQL(), id)
	if err != nil {
		return explained(ctx, "forget", err)
	}
	return nil
}

func explained(ctx context.Context, what string, err error) error {
	if errors.Is(err, rivertype.ErrNotFound) {
		return ErrNoJob
	}
	return fmt.Errorf("jobs: %s: %w", what, database.Classify(ctx, err))
}

func newJob(row *rivertype.JobRow) Job {
	job := Job{ID: row.ID, Kind: row.Kind, Args: row.EncodedArgs, Attempts: row.Attempt,
		MaxAttempts: row.MaxAttempts, State: Waiting, At: row.ScheduledAt}
	switch row.State {
	case rivertype.JobStateRunning:
		job.State = Running
		if row.AttemptedAt != nil {
			job.At = *row.AttemptedAt
		}
	case rivertype.JobStateCompleted:
		job.State = Done
	case rivertype.JobStateCancelled, rivertype.JobStateDiscarded:
		job.State = Failed
	}
	if row.FinalizedAt != nil {
		job.At = *row.FinalizedAt
	}
	if n := len(row.AttemptedBy); n > 0 {
		job.Process = row.AttemptedBy[n-1]
	}
	if n := len(row.Errors); n > 0 {
		text := adapter.ErrorText(row.Errors[n-1].Error)
		job.Error, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	}
	return job
}

// Counts returns the number of waiting, running and failed jobs.
func (q *Queue) Counts(ctx context.Context) (map[State]int64, error) {
	counts := map[State]int64{Waiting: 0, Running: 0, Failed: 0}
	rows, err := q.db.Reader().Query(ctx, `SELECT CASE WHEN state = 'running' THEN 'running'
			WHEN state IN ('discarded', 'cancelled') THEN 'failed' ELSE 'waiting' END, count(*)
		FROM river_job WHERE state IN ('available', 'pending', 'scheduled', 'retryable', 'running', 'discarded', 'cancelled')
		GROUP BY state`)
	if err != nil {
		return nil, fmt.Errorf("jobs: count: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var state State
		var n int64
		if err := rows.Scan(&state, &n); err != nil {
			return nil, fmt.Errorf("jobs: count: %w", err)
		}
		counts[state] += n
	}
	return counts, database.Classify(ctx, rows.Err())
}

// Deferred returns how many jobs of an owner in a class wait for their time or for another attempt. It
// counts up to limit.
func (q *Queue) Deferred(ctx context.Context, class Class, owner int64, limit int) (n int, err error) {
	err = q.db.Reader().QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM river_job
		WHERE state IN ('scheduled', 'retryable') AND queue = $1 LIMIT $2) AS deferred`, class.queueOf(owner), limit).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("jobs: deferred: %w", err)
	}
	return n, nil
}

// OldestDue returns for each class how long the oldest due job has been waiting, or 0.
func (q *Queue) OldestDue(ctx context.Context) (map[Class]time.Duration, error) {
	waits := map[Class]time.Duration{}
	for _, c := range classes {
		waits[c] = 0
	}
	age, now := "(julianday('now') - julianday(min(scheduled_at))) * 86400.0", "datetime('now', 'subsec')"
	if q.db.Dialect() == database.Postgres {
		age, now = "CAST(extract(epoch FROM now() - min(scheduled_at)) AS double precision)", "now()"
	}
	rows, err := q.db.Reader().Query(ctx, `SELECT queue, `+age+` FROM river_job
		WHERE state IN ('available', 'scheduled', 'retryable') AND scheduled_at <= `+now+` GROUP BY queue`)
	if err != nil {
		return nil, fmt.Errorf("jobs: oldest due: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var queue string
		var seconds float64
		if err := rows.Scan(&queue, &seconds); err != nil {
			return nil, fmt.Errorf("jobs: oldest due: %w", err)
		}
		c := classOf(queue)
		waits[c] = max(waits[c], time.Duration(seconds*float64(time.Second)))
	}
	return waits, database.Classify(ctx, rows.Err())
}
