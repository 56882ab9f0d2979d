package database

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/database/lite"
	"vitrine/internal/domain"
)

// While the table of Options.ReadOnlyTable has a row, write transactions fail, except those that call AllowReadOnly. The
// check is part of the fence (fence.go), so it is as strict: once the transaction that inserts the row has returned, no
// other process commits a change, even if it does not know yet.
//
//   - On SQLite a transaction reads the row while it holds the write lock.
//   - On PostgreSQL it does so with its commit, after the lock that the inserting transaction takes in conflict
//     (LockOutWriters).

// AllowReadOnly lets the transaction commit while the site is read-only.
func (t *Tx) AllowReadOnly() { t.always = true }

// LockOutWriters waits until the transactions that are about to commit have done so, and holds up the others until this
// one ends. Call it last in a transaction, because the others may hold locks on rows. It has no effect on SQLite, where a
// transaction has the write lock; there it must not share its commit. If a transaction does not end within half a second, it
// fails (IsLockTimeout), since all writers wait as long.
func (t *Tx) LockOutWriters(ctx context.Context) error {
	if t.line == nil {
		return nil
	}
	if _, err := t.Exec(ctx, "SET LOCAL lock_timeout = '500ms'"); err != nil {
		return err
	}
	_, err := t.Exec(ctx, migrationsLock)
	return err
}

// readOnly returns the mode, nil if the site is writable.
func (db *DB) readOnly(ctx context.Context, q handle) (*domain.ReadOnly, error) {
	if db.readOnlyTable == "" {
		return nil, nil
	}
	var m domain.ReadOnly
	var since int64
	var until *int64
	err := q.queryRow(ctx, "SELECT reason, since, until FROM "+db.readOnlyTable, nil).Scan(&m.Reason, &since, &until)
	if errors.Is(err, ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m.Since = time.UnixMicro(since).UTC()
	if until != nil {
		at := time.UnixMicro(*until).UTC()
		m.Until = &at
	}
	return &m, nil
}

// closedLite returns the error for the changes of an SQLite transaction, nil if the site is writable.
func (db *DB) closedLite(conn *lite.Conn) (closed, err error) {
	m, err := db.readOnly(context.Background(), liteHandle{conn})
	if err != nil || m == nil {
		return nil, err
	}
	return m.Refusal(time.Now()), nil
}
