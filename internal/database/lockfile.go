package database

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

// ErrInUse reports that another server uses the SQLite file.
var ErrInUse = errors.New("another server uses the database")

// ClaimLock makes this program the only server on an SQLite file until release is called or the program
// ends for any reason. It returns ErrInUse if there is another one. It creates the folder if necessary.
// Claims only exclude each other: other programs can still use the file.
func ClaimLock(ctx context.Context, path string) (release func(), err error) {
	return claim(ctx, path, HoldLock)
}

// ClaimLockBriefly is like ClaimLock, but leaves no lock file behind.
func ClaimLockBriefly(ctx context.Context, path string) (release func(), err error) {
	return claim(ctx, path, HoldLockBriefly)
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

// HoldLockBriefly is like HoldLock, but removes the file on release.
func HoldLockBriefly(ctx context.Context, path string) (release func(), err error) {
	held, err := HoldLock(ctx, path)
	if err != nil {
		return nil, err
	}
	return func() {
		// Removed while locked, so that a waiting program notices. If this fails, the empty file remains.
		_ = os.Remove(path)
		held()
	}, nil
}

// HoldLock locks a file, which it creates empty, until release is called or the program ends. The end of ctx
// does not release it. It returns ErrInUse if another program holds the file. The file remains.
func HoldLock(ctx context.Context, path string) (release func(), err error) {
	for {
		release, same, err := hold(ctx, path)
		if err != nil || same {
			return release, err
		}
		release() // the lock is on a file that HoldLockBriefly has removed
	}
}

// hold also reports whether the path still names the locked file.
func hold(ctx context.Context, path string) (release func(), same bool, err error) {
	if err := createLockFile(path); err != nil && !errors.Is(err, fs.ErrExist) {
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

// createLockFile creates an empty private file. It returns fs.ErrExist if the file exists, and never opens an
// existing file, because closing any descriptor of it would drop the locks that this process holds on it
// (POSIX fcntl).
func createLockFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), durable.SyncDir(filepath.Dir(path)))
}
