package adapter

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
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

// Client lists the methods of river.Client that do not depend on the database.
type Client interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
	JobList(ctx context.Context, params *river.JobListParams) (*river.JobListResult, error)
	JobRetry(ctx context.Context, id int64) (*rivertype.JobRow, error)
}

// Client returns a client that runs jobs. With config.PollOnly it does not listen for notifications.
func (p *Plugin) Client(config *river.Config) (Client, error) {
	if p.db.Dialect() == database.SQLite {
		config.ReindexerSchedule = river.NeverSchedule() // only for PostgreSQL
		d := liteDriver{silent{riversqlite.New(p.db.SQL())}, p}
		p.exec = d.GetExecutor()
		return newClient(d, p, config)
	}
	d := pgDriver{Driver: riverpgxv5.New(database.Pool(p.db)), plugin: p}
	p.exec = d.GetExecutor()
	if config.PollOnly {
		return newClient(d, p, config)
	}
	var err error
	if d.listeners, err = listenerPool(p.db); err != nil {
		return nil, err
	}
	c, err := newClient(d, p, config)
	if err != nil {
		d.listeners.Close()
		return nil, err
	}
	return listening{c, d.listeners}, nil
}

// The drivers add the plug-in and our statements through the interfaces that River expects.
type (
	inserting struct {
		riverdriver.Driver[*sql.Tx]
		plugin *Plugin
	}
	pgDriver struct {
		*riverpgxv5.Driver
		plugin    *Plugin
		listeners *pgxpool.Pool
	}
	liteDriver struct {
		silent
		plugin *Plugin
	}
)

// silent is SQLite's driver without notifications. River stores them in a table and reads it all the time.
// Wake replaces them within a process, and other processes poll.
type silent struct{ *riversqlite.Driver }

// SupportsListener implements riverdriver.Driver.
func (silent) SupportsListener() bool { return false }

// SupportsListenNotify implements riverdriver.Driver.
func (silent) SupportsListenNotify() bool { return false }

func (d inserting) PluginInit(*baseservice.Archetype)  {}
func (d inserting) PluginPilot() riverpilot.Pilot      { return d.plugin }
func (d pgDriver) PluginInit(*baseservice.Archetype)   {}
func (d pgDriver) PluginPilot() riverpilot.Pilot       { return d.plugin }
func (d liteDriver) PluginInit(*baseservice.Archetype) {}
func (d liteDriver) PluginPilot() riverpilot.Pilot     { return d.plugin }

// GetExecutor implements riverdriver.Driver.
func (d pgDriver) GetExecutor() riverdriver.Executor {
	return executor{d.Driver.GetExecutor(), d.plugin}
}

// GetExecutor implements riverdriver.Driver.
func (d liteDriver) GetExecutor() riverdriver.Executor {
	return executor{d.Driver.GetExecutor(), d.plugin}
}

// executor changes some statements of a client.
type executor struct {
	riverdriver.Executor
	plugin *Plugin
}

// Begin implements riverdriver.Executor.
func (e executor) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	tx, err := e.Executor.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return executorTx{tx, e.plugin}, nil
}

// NotificationDeleteBefore implements riverdriver.Executor. River calls it on SQLite although its driver is
// silent, and schemaVersion has no such table.
func (executor) NotificationDeleteBefore(context.Context, *riverdriver.NotificationDeleteBeforeParams) (int, error) {
	return 0, nil
}

type executorTx struct {
	riverdriver.ExecutorTx
	plugin *Plugin
}

// JobSchedule implements riverdriver.Executor. River notifies the producers of due jobs by queue name, so it
// replaces the names.
func (tx executorTx) JobSchedule(ctx context.Context, params *riverdriver.JobScheduleParams) ([]*riverdriver.JobScheduleResult, error) {
	scheduled, err := tx.ExecutorTx.JobSchedule(ctx, params)
	for _, res := range scheduled {
		res.Job.Queue = tx.plugin.producers(res.Job.Queue)
	}
	return scheduled, err
}

// listenerPool returns a pool with a single connection for LISTEN. The database's own connections send a
// cancel request to end a wait, which the server ignores while a connection only listens. Each stop would
// take seconds.
func listenerPool(db *database.DB) (*pgxpool.Pool, error) {
	config := database.Pool(db).Config()
	config.MinConns, config.MaxConns = 0, 1
	config.ConnConfig = db.Session()
	config.ConnConfig.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()}
	}
	return pgxpool.NewWithConfig(context.Background(), config)
}

// GetListener implements riverdriver.Driver.
func (d pgDriver) GetListener(params *riverdriver.GetListenenerParams) riverdriver.Listener {
	return riverpgxv5.New(d.listeners).GetListener(params)
}

// listening is a client that closes its listener pool when it stops.
type listening struct {
	Client
	pool *pgxpool.Pool
}

// Start implements Client.
func (l listening) Start(ctx context.Context) error {
	err := l.Client.Start(ctx)
	if err != nil {
		l.pool.Close()
	}
	return err
}

// Stop implements Client.
func (l listening) Stop(ctx context.Context) error { return l.closeAfter(l.Client.Stop(ctx)) }

// StopAndCancel implements Client.
func (l listening) StopAndCancel(ctx context.Context) error {
	return l.closeAfter(l.Client.StopAndCancel(ctx))
}

func (l listening) closeAfter(err error) error {
	if err == nil {
		l.pool.Close()
	}
	return err
}
