package adapter

import (
	"context"
	"log/slog"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"vitrine/internal/database"
)

// Library describes the tables and migrations of River.
func Library(db *database.DB) (database.Library, error) {
	if db.Dialect() == database.Postgres {
		return describe(riverpgxv5.New(db.Pool()))
	}
	return describe(riversqlite.New(db.SQL()))
}

func describe[T any](driver riverdriver.Driver[T]) (database.Library, error) {
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return database.Library{}, err
	}
	lib := database.Library{Name: "jobs", Table: "river_migration"}
	for _, m := range migrator.AllVersions() {
		lib.Latest = max(lib.Latest, int64(m.Version))
	}
	lib.Up = func(ctx context.Context) error {
		_, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	}
	return lib, nil
}
