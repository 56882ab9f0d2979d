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

// fetched is the outcome of a fetch.
type fetched struct {
	jobs int
	err  error
}

// pilot stands between River and its statements.
type pilot struct {
	riverpilot.StandardPilot
	db     *database.DB // nil in a client that only inserts
	due    string       // the query for the queues that have a job which is due
	first  chan fetched // receives the first fetch of a client that drains; nil for others
	notify func(ctx context.Context, res []*rivertype.JobInsertResult)

	handlers *Handlers // nil in a client that only inserts
}

// lookTimeout bounds how long a client tries to wake itself.
const lookTimeout = 5 * time.Second

func newPilot(db *database.DB, h *Handlers) *pilot {
	return &pilot{db: db, due: dueQuery(db.Dialect()), handlers: h}
}

// PilotInit implements riverpilot.Pilot.
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

// look makes River fetch jobs of a class soon, whether its driver can listen or not. One
// that listens is notified as of a job that was inserted.
func (p *pilot) look(class Class, exec riverdriver.Executor) {
	if p.db.Dialect() != database.Postgres {
		p.wake(class)
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
		defer cancel()
		_ = exec.NotifyMany(ctx, &riverdriver.NotifyManyParams{ // otherwise it looks when it next would
			Topic: "river_insert", Payload: []string{fmt.Sprintf(`{"queue": %q}`, class)}})
	}()
}

// JobInsertMany implements riverpilot.Pilot. What is inserted is announced to the producer
// of its class, which River knows by that name.
func (p *pilot) JobInsertMany(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobInsertFastManyParams) ([]*riverdriver.JobInsertFastResult, error) {
	res, err := p.StandardPilot.JobInsertMany(ctx, exec, params)
	for _, job := range params.Jobs {
		job.Queue = string(classOf(job.Queue))
	}
	return res, err
}

// ProducerInit implements riverpilot.Pilot.
func (p *pilot) ProducerInit(ctx context.Context, exec riverdriver.Executor, params *riverpilot.ProducerInitParams) (int64, riverpilot.ProducerState, error) {
	id, _, err := p.StandardPilot.ProducerInit(ctx, exec, params)
	return id, newTurns(p, Class(params.Queue)), err
}

// JobGetAvailable implements riverpilot.Pilot.
func (p *pilot) JobGetAvailable(ctx context.Context, exec riverdriver.Executor, state riverpilot.ProducerState, params *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	jobs, err := state.(*turns).pick(ctx, exec, params)
	p.handlers.disown(jobs)
	select {
	case p.first <- fetched{len(jobs), err}:
	default:
	}
	return jobs, err
}

// JobSetStateIfRunningMany implements riverpilot.Pilot. SQLite compares times as
// text of milliseconds. River leaves that of a job put back local and finer, with a
// zone behind it, so that "now" came out as later than now: bring it to UTC and to
// the millisecond before.
func (p *pilot) JobSetStateIfRunningMany(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	for i, t := range params.ScheduledAt {
		if t != nil {
			utc := t.UTC().Truncate(time.Millisecond).Add(-time.Millisecond)
			params.ScheduledAt[i] = &utc
		}
	}
	return p.StandardPilot.JobSetStateIfRunningMany(ctx, exec, params)
}
