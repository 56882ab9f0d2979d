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

// schemaVersion is the version of River's tables that this program migrates to. It also works with later ones
// that its version of River has. Programs of the previous version only work with this one, so raise it in the
// version after the one that works with a later version.
//
// Versions 7 and 8 change nothing that the queue needs: a table of notifications, which only SQLite's driver
// uses and which silent turns off; JSON as JSONB on SQLite, which database/lite prevents, since programs of the
// previous version read text; and ids that SQLite does not use again.
const schemaVersion = 6

// Library describes the tables and migrations of River.
func Library(db *database.DB) (database.Library, error) {
	if db.Dialect() == database.Postgres {
		return describe(riverpgxv5.New(database.Pool(db)))
	}
	return describe(riversqlite.New(db.SQL()))
}

func describe[T any](driver riverdriver.Driver[T]) (database.Library, error) {
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return database.Library{}, err
	}
	lib := database.Library{Name: "jobs", Table: "river_migration", Target: schemaVersion}
	for _, m := range migrator.AllVersions() {
		lib.Latest = max(lib.Latest, int64(m.Version))
	}
	lib.Up = func(ctx context.Context) error {
		_, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: schemaVersion})
		return err
	}
	return lib, nil
}
