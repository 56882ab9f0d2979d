package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/database/lite"
	"vitrine/internal/domain"
	"vitrine/internal/durable"
)

// openForMigration opens a single connection that does not enforce foreign keys. Otherwise DROP TABLE
// would delete the rows that reference the table being rebuilt.
func (db *DB) openForMigration() *sql.DB {
	return lite.Own("BEGIN IMMEDIATE", func() (*lite.Conn, error) {
		return lite.Connect(db.path, 30*time.Second, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = "+db.synchronous)
	})
}

// checkForeignKeys fails if a row references a missing row. what names the change that caused it.
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
		err = fmt.Errorf("%s leaves row %d of %s without the row in %s that it references", what, row.Int64, table, parent)
	}
	return err
}

// lockFile waits until this program holds the lock file for migrations.
func (db *DB) lockFile(ctx context.Context) (unlock func(), err error) {
	for {
		if unlock, err = HoldLock(ctx, db.path+".lock"); !errors.Is(err, ErrInUse) {
			return unlock, err
		}
		if err := pauseFor(ctx, longestPause); err != nil {
			return nil, err
		}
	}
}

// backup copies a database that has any tables to a new file next to it, named after the migration
// that follows. The copy gets its final name only when it is complete and synced. Only one program
// migrates at a time.
func (db *DB) backup(ctx context.Context, before string) (path string, err error) {
	if db.dialect != SQLite {
		return "", nil
	}
	var used bool
	if err := db.Reader().QueryRow(ctx, "SELECT COUNT(*) > 0 FROM sqlite_schema").Scan(&used); err != nil || !used {
		return "", err
	}
	path = db.path + ".before-" + before
	unfinished := path + durable.Unfinished
	if err := createLockFile(unfinished); err != nil { // not readable by others; VACUUM INTO accepts an empty file
		return "", err
	}
	_, err = db.writer.Exec(ctx, "VACUUM INTO $1", []any{unfinished})
	if err == nil {
		err = durable.SyncFile(unfinished)
	}
	if err == nil {
		if path, err = unused(path); err == nil {
			err = durable.Rename(unfinished, path)
		}
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(unfinished))
	}
	return path, nil
}

// unused returns a path that does not exist yet, with a number appended if necessary.
func unused(name string) (path string, err error) {
	path = name
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return path, nil
			}
			return "", err
		}
		path = fmt.Sprintf("%s.%d", name, n)
	}
}

// dropUnfinished removes unfinished copies left by programs that were killed.
func (db *DB) dropUnfinished(ctx context.Context) error {
	if db.dialect != SQLite {
		return nil
	}
	dir, name := filepath.Split(db.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var left []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name+".before-") && strings.Contains(e.Name(), durable.Unfinished) { // includes its journal
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	if left == nil {
		return nil
	}
	unlock, err := HoldLock(ctx, db.path+".lock")
	if errors.Is(err, ErrInUse) { // another program is making a copy
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	for _, path := range left {
		if e := os.Remove(path); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// explainFull returns an error with the folder and the space that a migration needs if err means that the
// disk is full. Otherwise it returns err classified.
func (db *DB) explainFull(ctx context.Context, err error) error {
	e, ok := errors.AsType[*lite.Error](err)
	if !(ok && e.Code.Primary() == lite.Full) && !errors.Is(err, syscall.ENOSPC) {
		return Classify(ctx, err)
	}
	var size int64
	for _, path := range []string{db.path, db.path + "-wal"} {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	return fmt.Errorf("not enough space in %s: the copy of the database needs up to %s, and the migration up to as much again; free some space and start again (%w)",
		filepath.Dir(db.path), domain.FormatBytes(size), err)
}
