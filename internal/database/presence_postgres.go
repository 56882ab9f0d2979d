package database

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// presenceClass marks the advisory locks of processes; the second number of a lock is
// that of the process.
const presenceClass = 0x76697470 // "vitp" in ASCII

// presenceTimeout bounds each look at one's own lock.
const presenceTimeout = 10 * time.Second

// presenceLocks is what pg_locks says of these locks.
const presenceLocks = `FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// announceToServer takes an advisory lock on a connection outside the pool.
func (db *DB) announceToServer(ctx context.Context, p *Presence, number uint32) error {
	config := db.Session()
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // for poolers
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()} // a server that does not answer cannot cancel
	}
	begin, cancel := context.WithTimeout(ctx, presenceTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(begin, config)
	if err != nil {
		return err
	}
	p.release = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = conn.Close(ctx) // which ends the lock
	})
	if err := lockPresence(begin, conn, number); err != nil {
		p.release()
		return err
	}
	p.check = func(ctx context.Context) error {
		look, cancel := context.WithTimeout(ctx, presenceTimeout)
		defer cancel()
		var held bool
		err := conn.QueryRow(look, "SELECT EXISTS (SELECT 1 "+presenceLocks+" AND objid = $2 AND pid = pg_backend_pid())",
			int64(presenceClass), int64(number)).Scan(&held)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("%w: %w", ErrAbsent, err)
		case !held:
			return ErrAbsent
		}
		return nil
	}
	return nil
}

// lockPresence locks for the session. A pooler may lend a server's session for each
// transaction to another client; it gives its clients process ids of its own making, by
// which it is known. Behind one the lock is that of a transaction which stays open: it
// has neither a snapshot nor a transaction id, so it keeps nothing from being vacuumed.
func lockPresence(ctx context.Context, conn *pgx.Conn, number uint32) error {
	lock := "SELECT pg_advisory_lock($1, $2)"
	var pid uint32
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		return err
	}
	if pid == conn.PgConn().PID() {
		// So that the server soon misses a machine that is gone without a word.
		for _, setting := range []string{"idle = 3", "interval = 1", "count = 3"} {
			_, _ = conn.Exec(ctx, "SET tcp_keepalives_"+setting) // not every system can
		}
	} else {
		lock = "SELECT pg_advisory_xact_lock($1, $2)"
		for _, begin := range []string{"BEGIN", "SET LOCAL idle_in_transaction_session_timeout = 0"} {
			if _, err := conn.Exec(ctx, begin); err != nil {
				return err
			}
		}
	}
	_, err := conn.Exec(ctx, lock, int32(presenceClass), int32(number))
	return err
}

// aliveOnServer asks for all locks at once.
func (db *DB) aliveOnServer(ctx context.Context) (func(context.Context, uint32) (bool, error), error) {
	rows, err := db.Reader().Query(ctx, "SELECT CAST(objid AS BIGINT) "+presenceLocks, presenceClass)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	held := map[uint32]bool{}
	for rows.Next() {
		var number int64
		if err := rows.Scan(&number); err != nil {
			return nil, Classify(ctx, err)
		}
		held[uint32(number)] = true
	}
	alive := func(_ context.Context, number uint32) (bool, error) { return held[number], nil }
	return alive, Classify(ctx, rows.Err())
}
