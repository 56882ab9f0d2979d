package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"vitrine/internal/database/replica"
	"vitrine/internal/reads"
)

// Replicas configures the PostgreSQL standbys to read from.
type Replicas struct {
	URLs   []string
	MaxLag time.Duration
	Has    string                                  // query: whether a replica has the first $2 writes of account $1
	Check  func(ctx context.Context, db *DB) error // returns why a replica must not be used, such as a different schema
	Log    *slog.Logger
}

// openReplicas starts monitoring the replicas, which may be unreachable.
func (db *DB) openReplicas(ctx context.Context, o Replicas) error {
	if len(o.URLs) == 0 {
		return nil
	}
	set := replica.Options{Primary: db.handle, MaxLag: o.MaxLag, Has: o.Has, Log: o.Log}
	for _, url := range o.URLs {
		at := &DB{dialect: Postgres, observe: db.observe, trace: db.trace, retryTime: db.retryTime}
		conns := new(replica.Conns)
		if err := at.openPostgres(ctx, Options{URL: url, dial: conns.Dial}); err != nil {
			return errors.Join(fmt.Errorf("database: replicas: %w", err), replica.Close(set.Servers), db.Close())
		}
		c := at.pool.Config().ConnConfig
		set.Servers = append(set.Servers, replica.Server{Name: net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))), Handle: at.handle,
			Conns: conns, Reset: at.pool.Reset, Close: at.Close, Check: func(ctx context.Context) error { return o.Check(ctx, at) }})
	}
	db.replicas = replica.New(set)
	primary := db.close
	db.close = sync.OnceValue(func() error { return errors.Join(db.replicas.Close(), primary()) })
	return nil
}

// Replicas returns the replicas, or nil without replicas.
func (db *DB) Replicas() *replica.Set { return db.replicas }

// viewReplica runs a View on a replica. It does not retry: if it fails, the request is repeated on the
// primary.
func (db *DB) viewReplica(ctx context.Context, r *replica.Replica, request *reads.Request, fn func(q Querier) error) error {
	err := db.viewPostgres(ctx, r.Handle, fn)
	if err != nil && fromDriver(err) {
		r.Fail(ctx, request, err)
	}
	return err
}

// routedHandle runs each statement on the database chosen for its request.
type routedHandle struct {
	handle // of the primary
	set    *replica.Set
	of     func(context.Context) *reads.Request
}

func (h routedHandle) query(ctx context.Context, query string, args []any) (Rows, error) {
	request := h.of(ctx)
	r := h.set.For(ctx, request)
	if r == nil {
		return h.handle.query(ctx, query, args)
	}
	return r.Query(ctx, request, query, args)
}

func (h routedHandle) queryRow(ctx context.Context, query string, args []any) Row {
	request := h.of(ctx)
	r := h.set.For(ctx, request)
	if r == nil {
		return h.handle.queryRow(ctx, query, args)
	}
	return r.QueryRow(ctx, request, query, args)
}
