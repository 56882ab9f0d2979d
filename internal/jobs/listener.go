package jobs

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"vitrine/internal/database"
)

// listenerPool returns a pool with a single connection for LISTEN. The database's own connections send a
// cancel request to end a wait, which the server ignores while a connection only listens. Each stop would
// take seconds.
func listenerPool(db *database.DB) (*pgxpool.Pool, error) {
	config := db.Pool().Config()
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
	client
	pool *pgxpool.Pool
}

// Start implements client.
func (l listening) Start(ctx context.Context) error {
	err := l.client.Start(ctx)
	if err != nil {
		l.pool.Close()
	}
	return err
}

// Stop implements client.
func (l listening) Stop(ctx context.Context) error { return l.closeAfter(l.client.Stop(ctx)) }

// StopAndCancel implements client.
func (l listening) StopAndCancel(ctx context.Context) error {
	return l.closeAfter(l.client.StopAndCancel(ctx))
}

func (l listening) closeAfter(err error) error {
	if err == nil {
		l.pool.Close()
	}
	return err
}
