package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/loss"
	"vitrine/internal/domain"
)

// ErrNoRows is what Row.Scan returns when there is no row.
var ErrNoRows = sql.ErrNoRows

// IsUnique reports whether a statement failed because a value that must be unique
// is there already.
func IsUnique(err error) bool {
	return hasCode(err, "23505", lite.Unique, lite.PrimaryKey)
}

// IsRetryable reports whether a transaction failed only because others ran beside
// it: SQLITE_BUSY and SQLITE_LOCKED in all their forms, and PostgreSQL's 40001
// (serialization_failure) and 40P01 (deadlock_detected). Transact and View retry
// these themselves.
func IsRetryable(err error) bool {
	if e, ok := errors.AsType[*lite.Error](err); ok {
		primary := e.Code.Primary()
		return primary == lite.Busy || primary == lite.Locked
	}
	return hasCode(err, "40001") || hasCode(err, "40P01")
}

// hasCode compares with the SQLSTATE or with extended result codes of SQLite.
func hasCode(err error, state string, codes ...lite.Code) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == state
	}
	e, ok := errors.AsType[*lite.Error](err)
	return ok && slices.Contains(codes, e.Code)
}

// Classify makes an error of a driver say that a context is done: whatever
// the driver calls it ("interrupted", 57014, a closed connection), the result
// satisfies errors.Is(err, ctx.Err()). Where the database is away or full it is of the
// kind domain.Unavailable. Everything in this package has done so already; it is for
// errors that come straight from Rows.
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

// unavailable gives errors that say that the database is away, or has no room, their
// kind, once.
func unavailable(err error) error {
	outage := loss.Away(err) || IsRetryable(err) // after all patience
	if !outage || domain.KindOf(err) == domain.Unavailable {
		return err
	}
	return domain.NewUnavailable(err)
}

// classifyCallback is Classify for what a caller's function returned: an error
// that is none of a driver's is the caller's own verdict and stays.
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
	return errors.Is(err, sql.ErrTxDone) || loss.Lost(err)
}
