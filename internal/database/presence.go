package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"vitrine/internal/database/lockfile"
)

// A process is known to others on its database by a name, and to be alive by a lock
// that the operating system, or PostgreSQL, releases when the process ends in whatever
// way. A process that is slow, or stopped by a signal, keeps its lock. A heartbeat that
// others judge by the clock could not distinguish such a process from a dead one.
//
//   - On SQLite the lock is on a file of its own beside the database, by SQLite itself.
//     The name is never used again, so a file that is gone is that of a dead process.
//   - On PostgreSQL it is an advisory lock, held by a connection of its own.

// presencePrefix begins the names of processes that hold such a lock.
const presencePrefix = "vitrine/"

// ErrAbsent says that the lock of this process is gone: others take it to be dead.
var ErrAbsent = errors.New("the lock that says that this process is alive is lost")

// Presence is the name of this process, and the lock that goes with it.
type Presence struct {
	name    string
	check   func(ctx context.Context) error
	release func()
}

// Announce gives this process a new name, by which others know whether it is alive
// until Release.
func (db *DB) Announce(ctx context.Context) (*Presence, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	number := rand.Uint32()
	p := &Presence{name: fmt.Sprintf("%s%.40s/%d/%08x", presencePrefix, strings.ReplaceAll(host, "/", "-"), os.Getpid(), number)}
	if db.dialect == Postgres {
		err = db.announceToServer(ctx, p, number)
	} else {
		err = db.announceByFile(ctx, p, number)
	}
	if err != nil {
		return nil, fmt.Errorf("database: take the lock of this process: %w", err)
	}
	return p, nil
}

// Name is unique to this presence, and never used again.
func (p *Presence) Name() string { return p.name }

// Check returns an error that is ErrAbsent if the lock is lost.
func (p *Presence) Check(ctx context.Context) error { return p.check(ctx) }

// Release ends the presence. Others then take the process of that name to be dead.
func (p *Presence) Release() { p.release() }

// Dead gives those of some names whose processes have ended. Of a name that is none of
// Announce's nothing is known: its process is not among them.
func (db *DB) Dead(ctx context.Context, names []string) (dead []string, err error) {
	alive := db.aliveByFile
	if db.dialect == Postgres {
		if alive, err = db.aliveOnServer(ctx); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		number, ok := presenceOf(name)
		if !ok {
			continue
		}
		lives, err := alive(ctx, number)
		if err != nil {
			return nil, fmt.Errorf("database: see whether %s is alive: %w", name, err)
		}
		if !lives {
			dead = append(dead, name)
		}
	}
	return dead, nil
}

// presenceOf is the number of the process of a name.
func presenceOf(name string) (number uint32, ok bool) {
	rest, ok := strings.CutPrefix(name, presencePrefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(rest[strings.LastIndexByte(rest, '/')+1:], 16, 32)
	return uint32(n), err == nil
}

// presencePath is the file of a process. The database may be known by several paths,
// so it is the one without symbolic links, as it is for SQLite's own files.
func (db *DB) presencePath(number uint32) string {
	return fmt.Sprintf("%s%08x", db.presencePaths(), number)
}

func (db *DB) presencePaths() string {
	path, err := filepath.EvalSymlinks(db.path)
	if err != nil {
		path = db.path
	}
	return path + ".alive-"
}

// announceByFile makes the file of this process and locks it, and removes those of
// processes that have ended. Both are done by one process at a time: else a file could
// be removed between its making and its locking.
func (db *DB) announceByFile(ctx context.Context, p *Presence, number uint32) error {
	unlock, err := db.lockFile(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := db.removeAbsent(ctx); err != nil {
		return err
	}
	path := db.presencePath(number)
	release, err := lockfile.Hold(ctx, path)
	if err != nil {
		return err
	}
	p.check = func(context.Context) error {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s has been removed", ErrAbsent, path)
		}
		return nil
	}
	p.release = sync.OnceFunc(func() {
		_ = os.Remove(path) // while it is locked; where that cannot be, the next to look does it
		release()
	})
	return nil
}

// removeAbsent removes the files of processes that have ended.
func (db *DB) removeAbsent(ctx context.Context) error {
	prefix := db.presencePaths()
	files, err := os.ReadDir(filepath.Dir(prefix))
	if err != nil {
		return err
	}
	for _, f := range files {
		number, ok := strings.CutPrefix(f.Name(), filepath.Base(prefix))
		if n, err := strconv.ParseUint(number, 16, 32); ok && err == nil && len(number) == 8 {
			// One that cannot be looked at, being another user's, is left.
			_, _ = db.aliveByFile(ctx, uint32(n))
		}
	}
	return nil
}

// aliveByFile reports whether a process holds its file, and removes the file if not.
func (db *DB) aliveByFile(ctx context.Context, number uint32) (bool, error) {
	path := db.presencePath(number)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	release, err := lockfile.Hold(ctx, path)
	if errors.Is(err, lockfile.ErrInUse) {
		return true, nil // or another process looks at it as well, and finds out
	}
	if err != nil {
		return true, err
	}
	defer release()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, nil //nolint:nilerr // it is dead; the file stays
	}
	return false, nil
}
