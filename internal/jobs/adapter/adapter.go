// Package adapter contains everything of the job queue that depends on River's internals: a plug-in of its
// drivers that replaces how jobs are fetched, its migrations, and the texts that it logs and stores. River
// does not promise to keep these. The tests of this package name each part that the job queue relies on.
package adapter

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivershared/baseservice"
	"github.com/riverqueue/river/rivershared/riverpilot"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
)

// Producers returns the name of the producer of a queue. River creates a producer for each queue of a
// client and notifies it of new jobs by that name. The queues of our jobs have other names.
type Producers func(queue string) string

// Fetcher chooses the jobs of a producer.
type Fetcher interface {
	// Fetch returns at most free jobs, which it has locked.
	Fetch(ctx context.Context, free int, lock Lock) ([]*rivertype.JobRow, error)
	// Finish is called when a fetched job has ended.
	Finish(job *rivertype.JobRow)
}

// Lock marks at most limit due jobs of a queue as running, and returns them.
type Lock func(ctx context.Context, queue string, limit int) ([]*rivertype.JobRow, error)

// Plugin replaces parts of a River client.
type Plugin struct {
	riverpilot.StandardPilot
	db        *database.DB // nil if the client only inserts
	producers Producers
	fetcher   func(producer string) Fetcher
	Ahead     func() time.Duration // how far the database's clock is ahead of this machine's; nil: not at all
	exec      riverdriver.Executor
	notify    func(ctx context.Context, res []*rivertype.JobInsertResult)
}

// New returns a plug-in for one client, which calls fetcher for each producer.
func New(db *database.DB, producers Producers, fetcher func(producer string) Fetcher) *Plugin {
	return &Plugin{db: db, producers: producers, fetcher: fetcher}
}

// Inserter lists the methods of river.Client that work in a transaction of their caller. The client itself
// is generic, and would be compiled again in every package that uses a type with it in a field.
type Inserter interface {
	InsertTx(ctx context.Context, tx *sql.Tx, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	InsertManyTx(ctx context.Context, tx *sql.Tx, params []river.InsertManyParams) ([]*rivertype.JobInsertResult, error)
	JobListTx(ctx context.Context, tx *sql.Tx, params *river.JobListParams) (*river.JobListResult, error)
	JobGetTx(ctx context.Context, tx *sql.Tx, id int64) (*rivertype.JobRow, error)
	JobRetryTx(ctx context.Context, tx *sql.Tx, id int64) (*rivertype.JobRow, error)
	JobDeleteTx(ctx context.Context, tx *sql.Tx, id int64) (*rivertype.JobRow, error)
}

// NewInserter returns a client that only works in transactions of its caller, and runs no jobs.
func NewInserter(d database.Dialect, producers Producers, config *river.Config) (Inserter, error) {
	driver := inserting{silent{riversqlite.New(nil)}, &Plugin{producers: producers}}
	if d == database.Postgres {
		driver.Driver = riverdatabasesql.New(nil)
	}
	return river.NewClient(driver, config)
}

// PilotInit keeps the function that notifies River's producers.
func (p *Plugin) PilotInit(_ *baseservice.Archetype, params *riverpilot.PilotInitParams) {
	p.notify = params.NotifyNonTxJobInsert
}

// Wake makes River fetch jobs of some producers soon, if its driver cannot listen.
func (p *Plugin) Wake(producers ...string) {
	woken := make([]*rivertype.JobInsertResult, len(producers))
	for i, name := range producers {
		woken[i] = &rivertype.JobInsertResult{Job: &rivertype.JobRow{Queue: name}}
	}
	p.notify(context.Background(), woken)
}

// notifyTimeout limits a notification by Refetch.
const notifyTimeout = 5 * time.Second

// insertTopic is the topic on which River's producers are notified of new jobs.
const insertTopic = "river_insert"

// Refetch makes River fetch jobs of a producer soon. A driver that listens gets the same notification as
// for a new job.
func (p *Plugin) Refetch(producer string) {
	if p.db.Dialect() != database.Postgres {
		p.Wake(producer)
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), notifyTimeout)
		defer cancel()
		_ = p.exec.NotifyMany(ctx, &riverdriver.NotifyManyParams{ // after a failure, the next poll finds the jobs
			Topic: insertTopic, Payload: []string{fmt.Sprintf(`{"queue": %q}`, producer)}})
	}()
}

// JobInsertMany inserts jobs. It then replaces the queue names with those of the producers to notify.
func (p *Plugin) JobInsertMany(ctx context.Context, exec riverdriver.ExecutorTx, params *riverdriver.JobInsertFastManyParams) ([]*riverdriver.JobInsertFastResult, error) {
	res, err := p.StandardPilot.JobInsertMany(ctx, exec, params)
	for _, job := range params.Jobs {
		job.Queue = p.producers(job.Queue)
	}
	return res, err
}

// producer is the state of a producer.
type producer struct{ Fetcher }

// JobFinish implements riverpilot.ProducerState.
func (p producer) JobFinish(job *rivertype.JobRow) { p.Finish(job) }

// ProducerInit gives a producer its Fetcher.
func (p *Plugin) ProducerInit(ctx context.Context, exec riverdriver.Executor, params *riverpilot.ProducerInitParams) (int64, riverpilot.ProducerState, error) {
	id, _, err := p.StandardPilot.ProducerInit(ctx, exec, params)
	return id, producer{p.fetcher(params.Queue)}, err
}

// fetchTimeout limits a fetch, like that of StandardPilot, so that a stalled one does not stop its producer.
const fetchTimeout = 10 * time.Second

// JobGetAvailable lets the Fetcher of the producer choose the jobs.
func (p *Plugin) JobGetAvailable(ctx context.Context, exec riverdriver.Executor, state riverpilot.ProducerState, params *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	broken := map[int64]error{}
	jobs, err := state.(producer).Fetch(ctx, params.MaxToLock, func(ctx context.Context, queue string, limit int) ([]*rivertype.JobRow, error) {
		some := *params
		some.Queue, some.MaxToLock = queue, limit
		got, err := exec.JobGetAvailable(ctx, &some)
		if err != nil {
			return nil, err
		}
		maps.Copy(broken, got.DecodeErrors)
		return got.Jobs, nil
	})
	return &riverdriver.JobGetAvailableResult{Jobs: jobs, DecodeErrors: broken}, err
}

// JobSetStateIfRunningMany stores the results of jobs. On SQLite, River rounds times to milliseconds, so that
// "now" may be later than the current time. So it rounds them down.
func (p *Plugin) JobSetStateIfRunningMany(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	for i, t := range params.ScheduledAt {
		if t != nil {
			past := t.Truncate(time.Millisecond)
			params.ScheduledAt[i] = &past
		}
	}
	return p.StandardPilot.JobSetStateIfRunningMany(ctx, exec, params)
}

// newClient returns a client of River, or an error if River ignores the plug-in.
func newClient[T any](driver riverdriver.Driver[T], p *Plugin, config *river.Config) (Client, error) {
	c, err := river.NewClient(driver, config)
	if err == nil && p.notify == nil {
		err = errors.New("jobs: this version of River does not support plug-ins of drivers")
	}
	return c, err
}

func (p *Plugin) ahead() time.Duration {
	if p.Ahead == nil {
		return 0
	}
	return p.Ahead()
}

// JobGetStuck implements riverpilot.PilotJobRescuer. River compares with this machine's clock, so this converts
// the horizon to the database's clock, and the start of each job to the machine's.
func (p *Plugin) JobGetStuck(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobGetStuckParams) ([]*rivertype.JobRow, error) {
	ahead, adjusted := p.ahead(), *params
	adjusted.StuckHorizon = params.StuckHorizon.Add(ahead)
	stuck, err := p.StandardPilot.JobGetStuck(ctx, exec, &adjusted)
	for _, job := range stuck {
		if job.AttemptedAt != nil {
			at := job.AttemptedAt.Add(-ahead)
			job.AttemptedAt = &at
		}
	}
	return stuck, err
}

// JobRescueMany implements riverpilot.PilotJobRescuer; see JobGetStuck.
func (p *Plugin) JobRescueMany(ctx context.Context, exec riverdriver.Executor, params *riverdriver.JobRescueManyParams) (*struct{}, error) {
	adjusted := *params
	adjusted.StuckHorizon = params.StuckHorizon.Add(p.ahead())
	return p.StandardPilot.JobRescueMany(ctx, exec, &adjusted)
}
