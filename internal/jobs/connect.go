package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivershared/baseservice"
	"github.com/riverqueue/river/rivershared/riverpilot"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
)

// How often workers look for jobs. On PostgreSQL they are told of new ones, and on
// SQLite those of the same process are woken; looking finds what was missed, what
// has become due, and on SQLite what other processes have enqueued.
const (
	pollPostgres  = time.Second
	pollSQLite    = 200 * time.Millisecond
	fetchCooldown = 5 * time.Millisecond
)

// How long jobs that are over are kept.
const (
	doneFor    = 24 * time.Hour
	givenUpFor = 7 * 24 * time.Hour
)

// connect makes a client that works jobs, and the pilot in it. A draining one tells
// the outcome of its first fetch.
func (w *Workers) connect(draining bool) (client, *pilot, error) {
	p := &pilot{}
	if draining {
		p.first = make(chan fetched, 1)
	}
	db := w.queue.db
	if db.Dialect() == database.Postgres {
		c, err := w.connectPostgres(p, draining)
		return c, p, err
	}
	p.look = db.Reader()
	config := w.config(pollSQLite, draining)
	config.ReindexerSchedule = river.NeverSchedule() // its indexes are PostgreSQL's
	c, err := open(liteDriver{riversqlite.New(db.SQL()), p}, p, config)
	return c, p, err
}

func (w *Workers) connectPostgres(p *pilot, draining bool) (client, error) {
	db := w.queue.db
	if draining {
		return open(pgDriver{Driver: riverpgxv5.New(db.Pool()), pilot: p}, p, w.config(pollPostgres, draining))
	}
	listeners, err := listenerPool(db)
	if err != nil {
		return nil, err
	}
	c, err := open(pgDriver{riverpgxv5.New(db.Pool()), p, listeners}, p, w.config(pollPostgres, draining))
	if err != nil {
		listeners.Close()
		return nil, err
	}
	return listening{c, listeners}, nil
}

func open[T any](driver riverdriver.Driver[T], p *pilot, c *river.Config) (client, error) {
	made, err := river.NewClient(driver, c)
	if err == nil && p.notify == nil {
		err = errors.New("jobs: this version of River has no pilots")
	}
	return made, err
}

func (w *Workers) config(poll time.Duration, draining bool) *river.Config {
	c := &river.Config{
		CancelledJobRetentionPeriod: givenUpFor, // as of those whose tries are used up
		DiscardedJobRetentionPeriod: givenUpFor,
		CompletedJobRetentionPeriod: doneFor,
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           poll,
		JobTimeout:                  w.options.Timeout,
		Logger:                      slog.New(quiet{w.log.Handler()}),
		MaxAttempts:                 MaxAttempts,
		Middleware:                  []rivertype.Middleware{&witness{log: w.log, observe: w.options.Observe}},
		PollOnly:                    draining,
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: w.options.Concurrency}},
		RescueStuckJobsAfter:        w.options.RescueAfter + rescueMargin, // of what the rescuer leaves
		RetryPolicy:                 retryPolicy{w.options.Backoff},
		Workers:                     w.handlers.workers,
	}
	if !draining {
		c.PeriodicJobs = w.handlers.periodic
	}
	return c
}

// The drivers bring the pilot along, in the form River asks for.
type (
	pgDriver struct {
		*riverpgxv5.Driver
		pilot     *pilot
		listeners *pgxpool.Pool
	}
	liteDriver struct {
		*riversqlite.Driver
		pilot *pilot
	}
)

func (d pgDriver) PluginInit(*baseservice.Archetype)   {}
func (d pgDriver) PluginPilot() riverpilot.Pilot       { return d.pilot }
func (d liteDriver) PluginInit(*baseservice.Archetype) {}
func (d liteDriver) PluginPilot() riverpilot.Pilot     { return d.pilot }

// fetched is the outcome of a fetch.
type fetched struct {
	jobs int
	err  error
}

// pilot stands between River and its statements.
type pilot struct {
	riverpilot.StandardPilot
	look   database.Querier // where to look before fetching; nil for nowhere
	first  chan fetched     // told of the first fetch; may be nil
	notify func(ctx context.Context, res []*rivertype.JobInsertResult)
}

// PilotInit implements riverpilot.Pilot.
func (p *pilot) PilotInit(_ *baseservice.Archetype, params *riverpilot.PilotInitParams) {
	p.notify = params.NotifyNonTxJobInsert
}

// wake makes River fetch soon, if its driver cannot listen.
func (p *pilot) wake() {
	p.notify(context.Background(), []*rivertype.JobInsertResult{{Job: &rivertype.JobRow{Queue: river.QueueDefault}}})
}

// JobGetAvailable implements riverpilot.Pilot.
func (p *pilot) JobGetAvailable(ctx context.Context, exec riverdriver.Executor, state riverpilot.ProducerState, params *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	jobs, err := p.fetch(ctx, exec, state, params)
	select {
	case p.first <- fetched{len(jobs), err}:
	default:
	}
	return jobs, err
}

// fetch takes jobs that are due. On SQLite taking is an UPDATE and wants the only
// writer even when there is nothing to take, so it looks with a reader first: a queue
// that idles never makes a request wait.
func (p *pilot) fetch(ctx context.Context, exec riverdriver.Executor, state riverpilot.ProducerState, params *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	if p.look != nil {
		var due bool
		err := p.look.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM river_job
			WHERE state = 'available' AND queue = $1 AND scheduled_at <= datetime('now', 'subsec'))`, params.Queue).Scan(&due)
		if err != nil || !due {
			return nil, err
		}
	}
	return p.StandardPilot.JobGetAvailable(ctx, exec, state, params)
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
