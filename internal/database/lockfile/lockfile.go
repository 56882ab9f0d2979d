// Package lockfile has files that only one program holds at a time, as SQLite locks them, and
// makes files so that they survive a loss of power.
package lockfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vitrine/internal/database/lite"
	"vitrine/internal/durable"
)

// ErrInUse says that another server uses the SQLite file.
var ErrInUse = errors.New("another server uses the database")

// Claim makes this program the only server on an SQLite file, until it is released or
// the program ends in whatever way; ErrInUse if there is one. It makes the folder if
// that is missing. Other programs are free to work on the file: only claims exclude
// each other.
func Claim(ctx context.Context, path string) (release func(), err error) {
	return claim(ctx, path, Hold)
}

// ClaimBriefly is Claim, but leaves no lock file behind.
func ClaimBriefly(ctx context.Context, path string) (release func(), err error) {
	return claim(ctx, path, HoldBriefly)
}

func claim(ctx context.Context, path string, hold func(context.Context, string) (func(), error)) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if release, err = hold(ctx, path+".serving"); errors.Is(err, ErrInUse) {
		return nil, fmt.Errorf("%w in %s", ErrInUse, path)
	}
	return release, err
}

// HoldBriefly is Hold, but removes the file on release.
func HoldBriefly(ctx context.Context, path string) (release func(), err error) {
	held, err := Hold(ctx, path)
	if err != nil {
		return nil, err
	}
	return func() {
		// Removed while locked, so that a waiting program notices. If removing fails, the file stays empty.
		_ = os.Remove(path)
		held()
	}, nil
}

// Hold takes an SQLite lock on a file, which it makes empty, until it is released or the
// program ends, but not with ctx. It returns ErrInUse while another program holds it. The file stays.
func Hold(ctx context.Context, path string) (release func(), err error) {
	for {
		release, same, err := hold(ctx, path)
		if err != nil || same {
			return release, err
		}
		release() // the lock is on a file that HoldBriefly has removed
	}
}

// hold also reports whether the path still names the locked file.
func hold(ctx context.Context, path string) (release func(), same bool, err error) {
	if err := Create(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, false, err
	}
	before, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return func() {}, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	conn, err := lite.Connect(path, 0)
	if err != nil {
		return nil, false, err
	}
	if _, err := conn.Exec(context.WithoutCancel(ctx), "BEGIN EXCLUSIVE", nil); err != nil {
		e, ok := errors.AsType[*lite.Error](err)
		after, statErr := os.Stat(path)
		switch {
		case ok && (e.Code.Primary() == lite.Busy || e.Code.Primary() == lite.Locked):
			err = ErrInUse
		case statErr != nil || !os.SameFile(before, after), ok && e.Code == lite.IOErrStat:
			// The file was removed while it was being locked. SQLite's code matters because a new
			// file at the same path may have the inode number of the removed one.
			return func() { _ = conn.Close() }, false, nil
		}
		return nil, false, errors.Join(err, conn.Close())
	}
	after, err := os.Stat(path)
	return func() {
		conn.Rollback()
		_ = conn.Close()
	}, err == nil && os.SameFile(before, after), nil
}

// Create makes an empty private file and fails with fs.ErrExist if there is
// one. An existing file is never opened here: closing any descriptor of it would
// drop the locks this process holds on it (POSIX fcntl).
func Create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), durable.SyncDir(filepath.Dir(path)))
}
