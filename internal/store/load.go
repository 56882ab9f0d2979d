package store

import (
	"context"
	"slices"

	"vitrine/internal/database"
)

// NewLoader gives what loads rows into some tables of an empty database, past everything
// that derives one from another. Nobody else may use it until the loader has finished.
func (s *Store) NewLoader(ctx context.Context, tables ...string) (*database.Loader, error) {
	return s.pool.NewLoader(ctx, func(table string) bool { return !slices.Contains(tables, table) })
}

// Analyze tells the query planner what the tables hold now, where it asks.
func (s *Store) Analyze(ctx context.Context) error {
	return s.InTx(ctx, func(tx *Tx) error {
		if analyze := tx.db.Analyze(); analyze != "" {
			return tx.db.Exec(ctx, analyze)
		}
		return nil
	})
}
