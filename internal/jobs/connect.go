package jobs

import (
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
	"vitrine/internal/jobs/adapter"
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

// fetched is the result of a fetch.
type fetched struct {
	jobs int
	err  error
}

// connection is a client and the parts of it that its user needs.
type connection struct {
	adapter.Client
	plugin *adapter.Plugin
	first  chan fetched // receives the first fetch of a draining client; nil for others
}

// connect creates a client that works jobs under the name of this process. Without a name,
// the client drains the queue and reports the result of its first fetch.
func (w *Workers) connect(name string) (c connection, err error) {
	draining := name == ""
	if draining {
		c.first = make(chan fetched, 1)
	}
	c.plugin = adapter.New(w.queue.db, producerOf, func(producer string) adapter.Fetcher {
		return w.newPicker(Class(producer), c.plugin, c.first)
	})
	c.plugin.Ahead = func() time.Duration { return time.Until(w.options.Now()) }
	poll := pollSQLite
	if w.queue.db.Dialect() == database.Postgres {
		poll = pollPostgres
	}
	c.Client, err = c.plugin.Client(w.config(poll, name))
	return c, err
}

// siteTime is a clock as River's rivertype.TimeGenerator.
type siteTime func() time.Time

// Now implements rivertype.TimeGenerator.
func (t siteTime) Now() time.Time { return t() }

// NowOrNil returns nil, so that statements use the clock of the database.
func (siteTime) NowOrNil() *time.Time { return nil }

// producerOf returns the class of a queue, because each class has one producer.
func producerOf(queue string) string { return string(classOf(queue)) }

func (w *Workers) config(poll time.Duration, name string) *river.Config {
	c := &river.Config{
		ID:                          name,       // stored as attempted_by
		CancelledJobRetentionPeriod: givenUpFor, // same as jobs without attempts left
		DiscardedJobRetentionPeriod: givenUpFor,
		CompletedJobRetentionPeriod: doneFor,
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           poll,
		JobTimeout:                  w.options.Timeout,
		Logger:                      slog.New(adapter.Quiet{Handler: w.log.Handler()}),
		MaxAttempts:                 MaxAttempts,
		Middleware:                  []rivertype.Middleware{&runLogger{log: w.log, observe: w.options.Observe, tracer: w.options.Tracer}},
		Queues:                      map[string]river.QueueConfig{},
		RescueStuckJobsAfter:        w.options.RescueAfter + rescueMargin, // for jobs that our rescuer skips
		RetryPolicy:                 retryPolicy{w.options.Backoff, w.options.Now},
		Workers:                     w.handlers.workers,
		Test:                        river.TestConfig{Time: siteTime(w.options.Now)}, // its only way to set the clock
	}
	if name == "" { // stops after one fetch, and needs no leader
		c.PollOnly, c.LeaderElectionDisabled = true, true
		c.Queues[string(drainClass)] = river.QueueConfig{MaxWorkers: w.options.Concurrency}
		return c
	}
	for _, class := range classes {
		c.Queues[string(class)] = river.QueueConfig{MaxWorkers: class.workers(w.options.Concurrency)}
	}
	c.PeriodicJobs = w.handlers.periodic
	return c
}
