package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"vitrine/internal/database/lite"
)

// FileSize returns the size of an SQLite database, with its write-ahead log.
func FileSize(path string) (size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	size = info.Size()
	if log, err := os.Stat(path + "-wal"); err == nil {
		size += log.Size()
	}
	return size, nil
}

// CopyFile copies an SQLite database of one instant to a new file. The source is only read, and servers can keep
// running.
func CopyFile(ctx context.Context, from, to string) error {
	conn, err := lite.ConnectReadOnly(from, readerBusy)
	if err != nil {
		return fmt.Errorf("database: open %s: %w", from, err)
	}
	if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
		err = createLockFile(to) // not readable by others; VACUUM INTO accepts an empty file
	}
	if err == nil {
		_, err = conn.Exec(ctx, "VACUUM INTO $1", []any{to})
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("database: copy %s: %w", from, err)
	}
	return nil
}
