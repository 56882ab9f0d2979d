package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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

// Hold takes a lock by the name of a file, which stays empty, until it is released or the
// program ends in whatever way; ErrInUse while another has it.
func Hold(ctx context.Context, path string) (release func(), err error) {
	if release, err = hold(ctx, path); IsRetryable(err) {
		return nil, ErrInUse
	}
	return release, err
}

// hold takes an SQLite lock on an empty file; the system ends it with the process, and
// the end of ctx does not. The error is retryable while somebody else has it. The file
// stays: if it were removed, a program that waits for it and one that makes it anew
// could both go on.
func hold(ctx context.Context, path string) (release func(), err error) {
	if err := createFile(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	conn, err := lite.Connect(path, 0)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(context.WithoutCancel(ctx), "BEGIN EXCLUSIVE", nil); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return func() {
		conn.Rollback()
		_ = conn.Close()
	}, nil
}
