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
	"vitrine/internal/database/lockfile"
)

// A writer waits for other processes only; the wait cannot be interrupted, so it
// is short, and Transact tries again as long as its context allows.
const (
	readerBusy = 5 * time.Second
	writerBusy = 1 * time.Second
)

func (db *DB) openSQLite(ctx context.Context, path string, o Options) error {
	db.synchronous = strings.ToUpper(cmp.Or(o.Synchronous, "FULL"))
	if !slices.Contains([]string{"FULL", "NORMAL", "OFF"}, db.synchronous) {
		return fmt.Errorf("synchronous is FULL, NORMAL or OFF, not %q", o.Synchronous)
	}
	var err error
	if db.path, err = filepath.Abs(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(db.path), 0o700); err != nil {
		return err
	}
	if err := lockfile.Create(db.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	db.writer = lite.NewPool(1, func() (*lite.Conn, error) { return db.connect(true) })
	db.handle = lite.Borrow(db.writer)
	n := o.MaxConns
	if n <= 0 {
		n = max(4, 2*runtime.GOMAXPROCS(0))
	}
	db.views = make(chan struct{}, max(1, n-1)) // one is left for statements that stand alone
	db.readers = lite.NewPool(n, func() (*lite.Conn, error) { return db.connect(false) })
	db.checkpoints = lite.StartCheckpoints(func() (*lite.Conn, error) { return lite.Connect(db.path, readerBusy, db.setup()...) })
	db.close = func() error {
		err := errors.Join(db.readers.Close(), db.checkpoints.Close())
		// Last, so that it moves the write-ahead log into the file.
		return errors.Join(err, db.handle.Close(), db.writer.Close())
	}
	if err := errors.Join(db.requireWAL(ctx), db.dropStatistics(ctx)); err != nil {
		return errors.Join(err, db.close())
	}
	return nil
}

// requireWAL makes the first connection, which turns the file to WAL: no reader
// may do it, and SQLite does not wait for other programs. Where WAL cannot be had,
// as on some network disks, readers and the writer would block each other.
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

// setup is what all connections have set.
func (db *DB) setup() []string {
	return []string{
		"PRAGMA foreign_keys = on",
		"PRAGMA synchronous = " + db.synchronous,
		"PRAGMA temp_store = memory",
		"PRAGMA mmap_size = 0",                 // a failing disk should be an error, not SIGBUS
		"PRAGMA journal_size_limit = 67108864", // give space back after a burst of writes
	}
}

// connect opens a connection that writes, or one that only reads.
func (db *DB) connect(write bool) (*lite.Conn, error) {
	setup := db.setup()
	// KiB per connection, of which the engine takes twice as much: it rounds a page with its
	// header up to the next power of two. The system keeps what is read often, too.
	if write {
		return lite.Connect(db.path, writerBusy, append([]string{"PRAGMA journal_mode = WAL", "PRAGMA cache_size = -16000", lite.AutoCheckpoint}, setup...)...)
	}
	return lite.Connect(db.path, readerBusy, append(setup, "PRAGMA cache_size = -8000", "PRAGMA query_only = on")...)
}

// dropStatistics removes what ANALYZE and PRAGMA optimize keep for the query planner. They
// describe how a site was when it last looked: one that has grown since has whole tables read
// for a row. Without them SQLite takes every table for a large one, always, and plans as
// the tests have it. PostgreSQL keeps its statistics up to date by itself.
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
