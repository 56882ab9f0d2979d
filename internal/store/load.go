package store

import (
	"context"
	"slices"

	"vitrine/internal/database"
)

// NewLoader returns a loader that writes rows of some tables into an empty database, without
// updating derived tables. Nobody else may use the database until the loader has finished.
func (s *Store) NewLoader(ctx context.Context, tables ...string) (*database.Loader, error) {
	return s.pool.NewLoader(ctx, func(table string) bool { return !slices.Contains(tables, table) })
}

// Analyze updates the statistics of the query planner, if it uses any.
func (s *Store) Analyze(ctx context.Context) error {
	return s.InTx(ctx, func(tx *Tx) error {
		if analyze := tx.db.Analyze(); analyze != "" {
			return tx.db.Exec(ctx, analyze)
		}
		return nil
	})
}
