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

// presenceClass is the first key of the advisory locks of processes. The second key is the number of
// the process.
const presenceClass = 0x76697470 // "vitp" in ASCII

// presenceTimeout bounds each check of the lock.
const presenceTimeout = 10 * time.Second

// presenceLocks selects these locks from pg_locks.
const presenceLocks = `FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// announceToServer acquires an advisory lock on a connection outside the pool.
func (db *DB) announceToServer(ctx context.Context, p *Presence, number uint32) error {
	config := db.Session()
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // works behind poolers
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()} // an unresponsive server would not process a cancel request
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
		_ = conn.Close(ctx) // releases the lock
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

// lockPresence acquires a session-level lock. Behind a pooler, which assigns a server session per
// transaction, it takes a transaction-level lock and keeps the transaction open. That transaction has
// neither a snapshot nor a transaction id, so it does not hold back vacuum. A pooler is detected by the
// process ids that it invents for its clients.
func lockPresence(ctx context.Context, conn *pgx.Conn, number uint32) error {
	lock := "SELECT pg_advisory_lock($1, $2)"
	var pid uint32
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		return err
	}
	if pid == conn.PgConn().PID() {
		// Lets the server detect quickly that this machine has disappeared.
		for _, setting := range []string{"idle = 3", "interval = 1", "count = 3"} {
			_, _ = conn.Exec(ctx, "SET tcp_keepalives_"+setting) // unsupported on some systems
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

// aliveOnServer queries all locks at once.
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
