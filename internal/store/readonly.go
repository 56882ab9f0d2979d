package store

import (
	"context"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// ReadOnlyTable is the table of the mode, for database.Options.
const ReadOnlyTable = "read_only"

// ReadOnly returns the mode as this process last read it, nil if the site is writable. It takes no statement.
func (s *Store) ReadOnly() *domain.ReadOnly { return s.mode.Load() }

// NoteReadOnly sets what ReadOnly returns.
func (s *Store) NoteReadOnly(m *domain.ReadOnly) { s.mode.Store(m) }

// PutReadOnly sets the mode in the database, or ends it if m is nil. When it returns nil, no other process commits a change
// any more. fn is called in the transaction with the mode before, and may refuse.
func (s *Store) PutReadOnly(ctx context.Context, m *domain.ReadOnly, fn func(tx *Tx, was *domain.ReadOnly) error) error {
	err := s.tryReadOnly(ctx, m, fn)
	for try := 1; try < readOnlyTries && database.IsLockTimeout(err); try++ {
		select {
		case <-time.After(readOnlyPause): // others write in the meantime
		case <-ctx.Done():
			return ctx.Err()
		}
		err = s.tryReadOnly(ctx, m, fn)
	}
	if database.IsLockTimeout(err) {
		err = domain.Wrap(domain.Unavailable, "Another program holds a lock on the database and does not end its transaction: try again", err)
	}
	if err == nil {
		s.NoteReadOnly(m)
	}
	return err
}

// How often, and after which pauses, the mode is tried.
const (
	readOnlyTries = 10
	readOnlyPause = 500 * time.Millisecond
)

func (s *Store) tryReadOnly(ctx context.Context, m *domain.ReadOnly, fn func(tx *Tx, was *domain.ReadOnly) error) error {
	return s.always(ctx, true, func(tx *Tx) error {
		was, err := tx.Account().ReadOnly(ctx)
		if err != nil {
			return err
		}
		if err := fn(tx, was); err != nil {
			return err
		}
		if err := tx.Account().PutReadOnly(ctx, m); err != nil || m == nil {
			return err
		}
		return tx.tx.LockOutWriters(ctx)
	})
}
