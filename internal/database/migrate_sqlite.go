package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/lockfile"
)

// openForMigration opens a single connection that does not enforce foreign keys:
// DROP TABLE would otherwise delete what refers to the table being rebuilt.
func (db *DB) openForMigration() *sql.DB {
	return lite.Own("BEGIN IMMEDIATE", func() (*lite.Conn, error) {
		return lite.Connect(db.path, 30*time.Second, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = "+db.synchronous)
	})
}

// checkForeignKeys fails if a row refers to none; what is what has left it so.
func checkForeignKeys(ctx context.Context, tx interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, what string) error {
	var table, parent string
	var row sql.NullInt64
	var key int
	err := tx.QueryRowContext(ctx, `SELECT "table", rowid, parent, fkid FROM pragma_foreign_key_check LIMIT 1`).Scan(&table, &row, &parent, &key)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%s leaves row %d of %s without its row in %s", what, row.Int64, table, parent)
	}
	return err
}

// lockFile waits until this program alone holds the file for migrations.
func (db *DB) lockFile(ctx context.Context) (unlock func(), err error) {
	for {
		if unlock, err = lockfile.Hold(ctx, db.path+".lock"); !errors.Is(err, lockfile.ErrInUse) {
			return unlock, err
		}
		if err := pauseFor(ctx, longestPause); err != nil {
			return nil, err
		}
	}
}

// backup copies a database that has any tables to a new file beside it, whose name
// says what it comes before.
func (db *DB) backup(ctx context.Context, before string) (path string, err error) {
	if db.dialect != SQLite {
		return "", nil
	}
	var used bool
	if err := db.Reader().QueryRow(ctx, "SELECT COUNT(*) > 0 FROM sqlite_schema").Scan(&used); err != nil || !used {
		return "", err
	}
	path, err = reserve(db.path + ".before-" + before)
	if err != nil {
		return "", err
	}
	if _, err := db.writer.Exec(ctx, "VACUUM INTO $1", []any{path}); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, SyncFile(path)
}

// reserve makes an empty private file of that name, or with a number behind it
// when there is one already; SQLite accepts it as the target of a copy.
func reserve(name string) (path string, err error) {
	path = name
	for n := 2; ; n++ {
		if err := lockfile.Create(path); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
		path = fmt.Sprintf("%s.%d", name, n)
	}
}

// SyncFile makes a file, and its name, survive a loss of power.
func SyncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close(), lockfile.SyncDir(filepath.Dir(path)))
}
