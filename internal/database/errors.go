package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/postgres"
	"vitrine/internal/domain"
)

// ErrNoRows is returned by Row.Scan when there is no row.
var ErrNoRows = sql.ErrNoRows

// IsUnique reports whether a statement violated a unique constraint.
func IsUnique(err error) bool {
	return hasCode(err, "23505", lite.Unique, lite.PrimaryKey)
}

// IsRetryable reports whether a transaction failed only because of concurrent transactions:
// all forms of SQLITE_BUSY and SQLITE_LOCKED, and 40001 (serialization_failure) and
// 40P01 (deadlock_detected) on PostgreSQL. Transact and View already retry these.
func IsRetryable(err error) bool {
	if e, ok := errors.AsType[*lite.Error](err); ok {
		primary := e.Code.Primary()
		return primary == lite.Busy || primary == lite.Locked
	}
	return hasCode(err, "40001") || hasCode(err, "40P01")
}

// hasCode reports whether err has an SQLSTATE or one of the extended result codes of SQLite.
func hasCode(err error, state string, codes ...lite.Code) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == state
	}
	e, ok := errors.AsType[*lite.Error](err)
	return ok && slices.Contains(codes, e.Code)
}

// Classify translates a driver error. If ctx is done, the result satisfies errors.Is(err, ctx.Err()),
// no matter how the driver reports it ("interrupted", 57014, a closed connection). If the database
// is unreachable or full, the result has the kind domain.Unavailable. All errors of this package are
// already classified, except those of Rows.
func Classify(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil:
		return unavailable(err)
	case errors.Is(err, ctx.Err()):
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

// unavailable marks an error as domain.Unavailable if the database is unreachable or out of space.
func unavailable(err error) error {
	away := postgres.IsOutage(err) || IsRetryable(err) // retries are exhausted
	if !away || domain.KindOf(err) == domain.Unavailable {
		return err
	}
	return domain.NewUnavailable(err)
}

// classifyCallback classifies an error returned by a caller's function. Errors that do not come from
// a driver are returned unchanged.
func classifyCallback(ctx context.Context, err error) error {
	if err == nil || !fromDriver(err) {
		return err
	}
	return Classify(ctx, err)
}

func fromDriver(err error) bool {
	if _, ok := errors.AsType[*lite.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*pgconn.PgError](err); ok {
		return true
	}
	return errors.Is(err, sql.ErrTxDone) || postgres.Lost(err)
}
