package jobs

import (
	"context"

	"vitrine/internal/database"
	"vitrine/internal/jobs/adapter"
)

// Migrate creates or migrates the tables of the queue. It waits while another program migrates.
func Migrate(ctx context.Context, db *database.DB) (database.MigrateResult, error) {
	lib, err := adapter.Library(db)
	if err != nil {
		return database.MigrateResult{}, err
	}
	return db.MigrateLibrary(ctx, lib)
}

// CheckSchema returns nil if the tables of the queue have the version of this program, or else an error
// that wraps database.ErrOlderSchema or database.ErrNewerSchema.
func CheckSchema(ctx context.Context, db *database.DB) error {
	lib, err := adapter.Library(db)
	if err != nil {
		return err
	}
	return db.CheckLibrary(ctx, lib)
}
