package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivershared/baseservice"
	"github.com/riverqueue/river/rivershared/riverpilot"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
)

// fetched is the result of a fetch.
type fetched struct {
	jobs int
	err  error
}

// pilot customizes River's statements.
type pilot struct {
	riverpilot.StandardPilot
	db     *database.DB // nil in a client that only inserts
	due    string       // query for queues with a due job
	first  chan fetched // receives the first fetch of a draining client; nil for others
	notify func(ctx context.Context, res []*rivertype.JobInsertResult)

	handlers *Handlers // nil in a client that only inserts
}

// lookTimeout limits a notification by look.
const lookTimeout = 5 * time.Second

func newPilot(db *database.DB, h *Handlers) *pilot {
	return &pilot{db: db, due: dueQuery(db.Dialect()), handlers: h}
}

// PilotInit is called by River before the client starts.
func (p *pilot) PilotInit(_ *baseservice.Archetype, params *riverpilot.PilotInitParams) {
	p.notify = params.NotifyNonTxJobInsert
}

// wake makes River fetch jobs of some classes soon, if its driver cannot listen.
func (p *pilot) wake(some ...Class) {
	woken := make([]*rivertype.JobInsertResult, len(some))
	for i, c := range some {
		woken[i] = &rivertype.JobInsertResult{Job: &rivertype.JobRow{Queue: string(c)}}
	}
	p.notify(context.Background(), woken)
}

// look makes River fetch jobs of a class soon. A driver that listens gets the same notification as for a
// new job.
func (p *pilot) look(class Class, exec riverdriver.Executor) {
	if p.db.Dialect() != database.Postgres {
		p.wake(class)
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
		defer cancel()
		_ = exec.NotifyMany(ctx, &riverdriver.NotifyManyParams{ // after a failure, the next poll finds the jobs
			Topic: "river_insert", Payload: []string{fmt.Sprintf(`{"queue": %q}`, class)}})
	}()
}

// JobInsertMany inserts jobs. It then replaces the queue names with the class, which is the name
// that producers are notified by.
func (p *pilot) JobInsertMany(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobInsertFastManyParams) ([]*riverdriver.JobInsertFastResult, error) {
	res, err := p.StandardPilot.JobInsertMany(ctx, exec, params)
	for _, job := range params.Jobs {
		job.Queue = string(classOf(job.Queue))
	}
	return res, err
}

// ProducerInit is called by River for the producer of each class.
func (p *pilot) ProducerInit(ctx context.Context, exec riverdriver.Executor, params *riverpilot.ProducerInitParams) (int64, riverpilot.ProducerState, error) {
	id, _, err := p.StandardPilot.ProducerInit(ctx, exec, params)
	return id, newPicker(p, Class(params.Queue)), err
}

// JobGetAvailable is called by River to fetch jobs.
func (p *pilot) JobGetAvailable(ctx context.Context, exec riverdriver.Executor, state riverpilot.ProducerState, params *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	jobs, err := state.(*picker).pick(ctx, exec, params)
	p.handlers.markUnknown(jobs)
	select {
	case p.first <- fetched{len(jobs), err}:
	default:
	}
	return jobs, err
}

// JobSetStateIfRunningMany stores the results of jobs. On SQLite, times are compared as text with
// millisecond precision. River passes the local time of a job with a higher precision and a time zone,
// which made "now" sort after the current time. So it converts times to UTC and rounds them down.
func (p *pilot) JobSetStateIfRunningMany(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	for i, t := range params.ScheduledAt {
		if t != nil {
			utc := t.UTC().Truncate(time.Millisecond).Add(-time.Millisecond)
			params.ScheduledAt[i] = &utc
		}
	}
	return p.StandardPilot.JobSetStateIfRunningMany(ctx, exec, params)
}
