package jobs

import (
	"database/sql"
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

// How often workers look for jobs. On PostgreSQL they are notified of new ones, and on
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

// connect makes a client that works jobs as a process of that name, and the pilot in
// it. One without a name drains: it reports the outcome of its first fetch.
func (w *Workers) connect(name string) (client, *pilot, error) {
	db := w.queue.db
	draining := name == ""
	p := newPilot(db, w.handlers)
	if draining {
		p.first = make(chan fetched, 1)
	}
	if db.Dialect() == database.Postgres {
		c, err := w.connectPostgres(p, name)
		return c, p, err
	}
	config := w.config(pollSQLite, name)
	config.ReindexerSchedule = river.NeverSchedule() // its indexes are PostgreSQL's
	c, err := open(liteDriver{riversqlite.New(db.SQL()), p}, p, config)
	return c, p, err
}

func (w *Workers) connectPostgres(p *pilot, name string) (client, error) {
	db := w.queue.db
	config := w.config(pollPostgres, name)
	if config.PollOnly {
		return open(pgDriver{Driver: riverpgxv5.New(db.Pool()), pilot: p}, p, config)
	}
	listeners, err := listenerPool(db)
	if err != nil {
		return nil, err
	}
	c, err := open(pgDriver{riverpgxv5.New(db.Pool()), p, listeners}, p, config)
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

func (w *Workers) config(poll time.Duration, name string) *river.Config {
	c := &river.Config{
		ID:                          name,       // attempted_by of the jobs
		CancelledJobRetentionPeriod: givenUpFor, // as of those whose tries are used up
		DiscardedJobRetentionPeriod: givenUpFor,
		CompletedJobRetentionPeriod: doneFor,
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           poll,
		JobTimeout:                  w.options.Timeout,
		Logger:                      slog.New(quiet{w.log.Handler()}),
		MaxAttempts:                 MaxAttempts,
		Middleware:                  []rivertype.Middleware{&witness{log: w.log, observe: w.options.Observe, tracer: w.options.Tracer}},
		Queues:                      map[string]river.QueueConfig{},
		RescueStuckJobsAfter:        w.options.RescueAfter + rescueMargin, // of what the rescuer leaves
		RetryPolicy:                 retryPolicy{w.options.Backoff},
		Workers:                     w.handlers.workers,
	}
	if name == "" {
		c.PollOnly = true
		c.Queues[string(drained)] = river.QueueConfig{MaxWorkers: w.options.Concurrency}
		return c
	}
	for _, class := range classes {
		c.Queues[string(class)] = river.QueueConfig{MaxWorkers: class.workers(w.options.Concurrency)}
	}
	c.PeriodicJobs = w.handlers.periodic
	return c
}

// The drivers bring the pilot along, in the form River asks for.
type (
	inserting struct{ riverdriver.Driver[*sql.Tx] }
	pgDriver  struct {
		*riverpgxv5.Driver
		pilot     *pilot
		listeners *pgxpool.Pool
	}
	liteDriver struct {
		*riversqlite.Driver
		pilot *pilot
	}
)

func (d inserting) PluginInit(*baseservice.Archetype)  {}
func (d inserting) PluginPilot() riverpilot.Pilot      { return new(pilot) }
func (d pgDriver) PluginInit(*baseservice.Archetype)   {}
func (d pgDriver) PluginPilot() riverpilot.Pilot       { return d.pilot }
func (d liteDriver) PluginInit(*baseservice.Archetype) {}
func (d liteDriver) PluginPilot() riverpilot.Pilot     { return d.pilot }
