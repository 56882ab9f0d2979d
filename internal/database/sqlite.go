package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"vitrine/internal/database/lite"
)

// Busy timeouts for locks held by other processes. SQLite cannot interrupt the wait, so it is short,
// and Transact retries as long as its context allows.
const (
	readerBusy = 5 * time.Second
	writerBusy = 1 * time.Second
)

func (db *DB) openSQLite(ctx context.Context, path string, o Options) error {
	db.synchronous = strings.ToUpper(cmp.Or(o.Synchronous, "FULL"))
	if !slices.Contains([]string{"FULL", "NORMAL", "OFF"}, db.synchronous) {
		return fmt.Errorf("synchronous must be FULL, NORMAL or OFF, not %q", o.Synchronous)
	}
	var err error
	if db.path, err = filepath.Abs(path); err != nil {
		return err
	}
	if !o.AnyDisk {
		if err := CheckFileSystem(filepath.Dir(db.path)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(db.path), 0o700); err != nil {
		return err
	}
	if err := createLockFile(db.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	db.writer = lite.NewPool(1, func() (*lite.Conn, error) { return db.connect(true) })
	db.handle = lite.Borrow(db.writer)
	n := o.MaxConns
	if n <= 0 {
		n = max(4, 2*runtime.GOMAXPROCS(0))
	}
	db.views = make(chan struct{}, max(1, n-1)) // leaves one reader for single statements
	db.readers = lite.NewPool(n, func() (*lite.Conn, error) { return db.connect(false) })
	db.checkpoints = lite.StartCheckpoints(func() (*lite.Conn, error) { return lite.Connect(db.path, readerBusy, db.setup()...) })
	db.close = func() error {
		err := errors.Join(db.readers.Close(), db.checkpoints.Close())
		// The writer is closed last, so that it checkpoints the write-ahead log.
		return errors.Join(err, db.handle.Close(), db.writer.Close())
	}
	if err := errors.Join(db.requireWAL(ctx), db.dropStatistics(ctx)); err != nil {
		return errors.Join(err, db.close())
	}
	return nil
}

// requireWAL opens the first connection, which switches the file to WAL mode. Readers cannot do that.
// It retries because SQLite does not wait for other programs here. Without WAL, which some network
// file systems do not support, readers and the writer would block each other.
func (db *DB) requireWAL(ctx context.Context) error {
	return db.retry(ctx, func() error {
		var mode string
		err := querier{liteHandle{db.writer}}.QueryRow(ctx, "PRAGMA journal_mode").Scan(&mode)
		if err == nil && mode != "wal" {
			err = fmt.Errorf("the disk of %s does not allow WAL (journal_mode is %s)", db.path, mode)
		}
		return err
	})
}

// setup returns the settings for all connections.
func (db *DB) setup() []string {
	return []string{
		"PRAGMA foreign_keys = on",
		"PRAGMA synchronous = " + db.synchronous,
		"PRAGMA temp_store = memory",
		"PRAGMA mmap_size = 0",                 // get an error from a failing disk, not SIGBUS
		"PRAGMA journal_size_limit = 67108864", // give space back after a burst of writes
	}
}

// connect opens a connection for writing or for reading.
func (db *DB) connect(write bool) (*lite.Conn, error) {
	setup := db.setup()
	// Cache sizes are in KiB per connection. SQLite uses twice as much memory, because it rounds a page
	// with its header up to the next power of two. The operating system caches pages, too.
	if write {
		return lite.Connect(db.path, writerBusy, append([]string{"PRAGMA journal_mode = WAL", "PRAGMA cache_size = -16000", lite.AutoCheckpoint}, setup...)...)
	}
	return lite.Connect(db.path, readerBusy, append(setup, "PRAGMA cache_size = -8000", "PRAGMA query_only = on")...)
}

// dropStatistics removes the planner statistics of ANALYZE and PRAGMA optimize. They describe the site
// when they were collected: if it has grown since, SQLite scans whole tables to find one row. Without
// statistics it assumes that every table is large, and the plans are those that the tests check.
// PostgreSQL updates its statistics automatically.
func (db *DB) dropStatistics(ctx context.Context) error {
	return db.retry(ctx, func() error {
		for _, table := range []string{"sqlite_stat1", "sqlite_stat4"} {
			exists := false
			err := querier{liteHandle{db.writer}}.QueryRow(ctx, "SELECT count(*) > 0 FROM sqlite_schema WHERE name = $1", table).Scan(&exists)
			if err != nil {
				return err
			}
			if !exists {
				continue
			}
			if _, err := db.writer.Exec(ctx, "DROP TABLE IF EXISTS "+table, nil); err != nil {
				return Classify(ctx, err)
			}
		}
		return nil
	})
}
