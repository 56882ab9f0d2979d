package database

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
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
	if err := createFile(db.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if db.writer, err = openFile(db.dsn(true), 1); err != nil {
		return err
	}
	n := o.MaxConns
	if n <= 0 {
		n = max(4, 2*runtime.GOMAXPROCS(0))
	}
	db.views = make(chan struct{}, max(1, n-1)) // one is left for statements that stand alone
	if db.readers, err = openFile(db.dsn(false), n); err != nil {
		return errors.Join(err, db.writer.Close())
	}
	db.close = sync.OnceValue(func() error {
		err := db.readers.Close()
		// Last, so that it moves the write-ahead log into the file.
		return errors.Join(err, db.writer.Close())
	})
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
		err := querier{db.writer}.QueryRow(ctx, "PRAGMA journal_mode").Scan(&mode)
		if err == nil && mode != "wal" {
			err = fmt.Errorf("the disk of %s does not allow WAL (journal_mode is %s)", db.path, mode)
		}
		return err
	})
}

// openFile makes a pool of n connections that stay open.
func openFile(dsn string, n int) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(cachingConnector{connector})
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool, nil
}

// dsn describes a connection in the words of modernc.org/sqlite's Driver, which
// sets busy_timeout before everything else and query_only last.
func (db *DB) dsn(write bool) string {
	q := url.Values{}
	q.Set("_foreign_keys", "on")
	q.Set("_synchronous", db.synchronous)
	q.Set("_dqs", "0")       // "word" is a name, never a string, as in PostgreSQL
	q.Set("_defensive", "1") // no statement may damage the file's structure
	q.Set("_error_rc", "1")
	q.Set("_time_format", "sqlite")
	q["_pragma"] = []string{
		"temp_store(memory)",
		"mmap_size(0)",                 // a failing disk should be an error, not SIGBUS
		"journal_size_limit(67108864)", // give space back after a burst of writes
	}
	// KiB per connection, of which the engine takes twice as much: it rounds a page with its
	// header up to the next power of two. The system keeps what is read often, too.
	cache := "cache_size(-8000)"
	if write {
		cache = "cache_size(-16000)"
		q.Set("_busy_timeout", milliseconds(writerBusy))
		q.Set("_journal_mode", "WAL")
		q.Set("_txlock", "immediate")
	} else {
		q.Set("_busy_timeout", milliseconds(readerBusy))
		q.Set("_query_only", "1")
	}
	q["_pragma"] = append(q["_pragma"], cache)
	return fileURI(db.path) + "?" + q.Encode()
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// fileURI escapes a path, which may hold '?' or '%', as SQLite's URIs want it.
func fileURI(path string) string {
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
}

// createFile makes an empty private file and fails with fs.ErrExist if there is
// one. An existing file is never opened here: closing any descriptor of it would
// drop the locks this process holds on it (POSIX fcntl).
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), syncDir(filepath.Dir(path)))
}

// syncDir makes new names in a folder survive a loss of power.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if runtime.GOOS == "windows" {
		err = nil // folders cannot be synced there
	}
	return errors.Join(err, d.Close())
}

// dropStatistics removes what ANALYZE and PRAGMA optimize keep for the query planner. They
// describe how a site was when it last looked: one that has grown since has whole tables read
// for a row. Without them SQLite takes every table for a large one, always, and plans as
// the tests have it. PostgreSQL keeps its statistics up to date by itself.
func (db *DB) dropStatistics(ctx context.Context) error {
	return db.retry(ctx, func() error {
		for _, table := range []string{"sqlite_stat1", "sqlite_stat4"} {
			exists := false
			err := querier{db.writer}.QueryRow(ctx, "SELECT count(*) > 0 FROM sqlite_schema WHERE name = $1", table).Scan(&exists)
			if err != nil {
				return err
			}
			if !exists {
				continue
			}
			if _, err := db.writer.ExecContext(ctx, "DROP TABLE IF EXISTS "+table); err != nil {
				return Classify(ctx, err)
			}
		}
		return nil
	})
}
