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
	"runtime"

	"vitrine/internal/database/lite"
)

// ErrInUse says that another server uses the SQLite file.
var ErrInUse = errors.New("another server uses the database")

// Claim makes this program the only server on an SQLite file, until it is released or
// the program ends in whatever way; ErrInUse if there is one. It makes the folder if
// that is missing. Other programs are free to work on the file: only claims exclude
// each other.
func Claim(ctx context.Context, path string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if release, err = Hold(ctx, path+".serving"); errors.Is(err, ErrInUse) {
		return nil, fmt.Errorf("%w in %s", ErrInUse, path)
	}
	return release, err
}

// Hold takes an SQLite lock on a file, which it makes empty, until it is released or the
// program ends in whatever way, but not with ctx; ErrInUse while another has it. The file stays: if it were removed, a program that waits for it and one that makes it anew
// could both go on.
func Hold(ctx context.Context, path string) (release func(), err error) {
	if err := Create(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	conn, err := lite.Connect(path, 0)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(context.WithoutCancel(ctx), "BEGIN EXCLUSIVE", nil); err != nil {
		if e, ok := errors.AsType[*lite.Error](err); ok && (e.Code.Primary() == lite.Busy || e.Code.Primary() == lite.Locked) {
			err = ErrInUse
		}
		return nil, errors.Join(err, conn.Close())
	}
	return func() {
		conn.Rollback()
		_ = conn.Close()
	}, nil
}

// Create makes an empty private file and fails with fs.ErrExist if there is
// one. An existing file is never opened here: closing any descriptor of it would
// drop the locks this process holds on it (POSIX fcntl).
func Create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), SyncDir(filepath.Dir(path)))
}

// SyncDir makes new names in a folder survive a loss of power.
func SyncDir(dir string) error {
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
