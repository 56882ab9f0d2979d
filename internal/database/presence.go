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
)

// Processes on the same database identify each other by name, and detect whether a process is alive by
// a lock. The operating system or PostgreSQL releases the lock whenever the process ends, for any
// reason. A process that is slow, or stopped by a signal, keeps its lock. A heartbeat with timestamps
// could not distinguish such a process from a dead one.
//
//   - On SQLite the lock is on a separate file next to the database, and taken by SQLite itself.
//     Names are never reused, so a missing file belongs to a dead process.
//   - On PostgreSQL it is an advisory lock, held by a separate connection.

// presencePrefix is the prefix of the names of processes with such a lock.
const presencePrefix = "vitrine/"

// ErrAbsent reports that this process has lost its lock, so others consider it dead.
var ErrAbsent = errors.New("this process has lost its liveness lock")

// Presence is the name of this process together with its lock.
type Presence struct {
	name    string
	check   func(ctx context.Context) error
	release func()
}

// Announce chooses a new name for this process and acquires its lock. Other processes consider it alive until
// Release.
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

// Name returns the name of the process, which is never reused.
func (p *Presence) Name() string { return p.name }

// Check returns ErrAbsent if the lock is lost.
func (p *Presence) Check(ctx context.Context) error { return p.check(ctx) }

// Release releases the lock. Other processes then consider this one dead.
func (p *Presence) Release() { p.release() }

// Dead returns the names whose processes have ended. Names that do not come from Announce are omitted,
// because nothing is known about them.
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
			return nil, fmt.Errorf("database: check whether %s is alive: %w", name, err)
		}
		if !lives {
			dead = append(dead, name)
		}
	}
	return dead, nil
}

// presenceOf parses the number of a process from its name.
func presenceOf(name string) (number uint32, ok bool) {
	rest, ok := strings.CutPrefix(name, presencePrefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(rest[strings.LastIndexByte(rest, '/')+1:], 16, 32)
	return uint32(n), err == nil
}

// presencePath returns the lock file of a process. The database may be reachable by several paths, so
// symbolic links are resolved, as SQLite does for its own files.
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

// announceByFile creates and locks the file of this process, and removes those of processes that have
// ended. It holds the migration lock, because otherwise another process could remove the file before
// it is locked.
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
	release, err := HoldLock(ctx, path)
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
		_ = os.Remove(path) // while it is locked; if this fails, the next process to check removes it
		release()
	})
	return nil
}

// removeAbsent removes the lock files of processes that have ended.
func (db *DB) removeAbsent(ctx context.Context) error {
	prefix := db.presencePaths()
	files, err := os.ReadDir(filepath.Dir(prefix))
	if err != nil {
		return err
	}
	for _, f := range files {
		number, ok := strings.CutPrefix(f.Name(), filepath.Base(prefix))
		if n, err := strconv.ParseUint(number, 16, 32); ok && err == nil && len(number) == 8 {
			// Files that cannot be checked, because they belong to another user, are kept.
			_, _ = db.aliveByFile(ctx, uint32(n))
		}
	}
	return nil
}

// aliveByFile reports whether a process holds its lock file, and removes the file if not.
func (db *DB) aliveByFile(ctx context.Context, number uint32) (bool, error) {
	path := db.presencePath(number)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	release, err := HoldLock(ctx, path)
	if errors.Is(err, ErrInUse) {
		return true, nil // or another process is checking it right now and will remove it
	}
	if err != nil {
		return true, err
	}
	defer release()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, nil //nolint:nilerr // the process is dead even if its file remains
	}
	return false, nil
}
