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

// Poll intervals. Workers are notified of new jobs, on PostgreSQL by the server and on SQLite within the
// process. Polling finds missed jobs, jobs that have become due, and on SQLite jobs of other processes.
const (
	pollPostgres  = time.Second
	pollSQLite    = 200 * time.Millisecond
	fetchCooldown = 5 * time.Millisecond
)

// Retention of finished jobs.
const (
	doneFor    = 24 * time.Hour
	givenUpFor = 7 * 24 * time.Hour
)

// connect creates a client that works jobs under the name of this process. Without a name,
// the client drains the queue and reports the result of its first fetch.
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
	config.ReindexerSchedule = river.NeverSchedule() // only for PostgreSQL
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
		err = errors.New("jobs: this version of River does not support pilots")
	}
	return made, err
}

func (w *Workers) config(poll time.Duration, name string) *river.Config {
	c := &river.Config{
		ID:                          name,       // stored as attempted_by
		CancelledJobRetentionPeriod: givenUpFor, // same as jobs without attempts left
		DiscardedJobRetentionPeriod: givenUpFor,
		CompletedJobRetentionPeriod: doneFor,
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           poll,
		JobTimeout:                  w.options.Timeout,
		Logger:                      slog.New(quiet{w.log.Handler()}),
		MaxAttempts:                 MaxAttempts,
		Middleware:                  []rivertype.Middleware{&runLogger{log: w.log, observe: w.options.Observe, tracer: w.options.Tracer}},
		Queues:                      map[string]river.QueueConfig{},
		RescueStuckJobsAfter:        w.options.RescueAfter + rescueMargin, // for jobs that our rescuer skips
		RetryPolicy:                 retryPolicy{w.options.Backoff},
		Workers:                     w.handlers.workers,
	}
	if name == "" {
		c.PollOnly = true
		c.Queues[string(drainClass)] = river.QueueConfig{MaxWorkers: w.options.Concurrency}
		return c
	}
	for _, class := range classes {
		c.Queues[string(class)] = river.QueueConfig{MaxWorkers: class.workers(w.options.Concurrency)}
	}
	c.PeriodicJobs = w.handlers.periodic
	return c
}

// The drivers provide our statements through the interface that River expects.
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
