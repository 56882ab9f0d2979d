//go:build !windows

package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// listenSocket listens on a Unix socket with the given permissions. It replaces a socket that a
// killed server left behind, but no other file. The socket is removed when the listener is closed.
//
// Two servers that start at once must not replace each other's socket, so a lock on the
// directory is held from the check until the new socket listens.
func listenSocket(flag, path string, mode fs.FileMode) (l net.Listener, err error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	defer func() { _ = dir.Close() }() // releases the lock
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("--%s: locking %s: %w", flag, dir.Name(), err)
	}
	if err := removeStale(flag, path); err != nil {
		return nil, err
	}
	before := syscall.Umask(0o177) // until the permissions are set, only this user may connect
	l, err = net.Listen("unix", path)
	syscall.Umask(before)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(fmt.Errorf("--%s: %w", flag, err), l.Close())
	}
	return l, nil
}

// removeStale removes a socket that nobody listens on.
func removeStale(flag, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("--%s: %w", flag, err)
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("--%s: %s exists and is not a socket: remove it, or give another path", flag, path)
	}
	conn, err := net.Dial("unix", path)
	switch {
	case err == nil:
		_ = conn.Close()
		return fmt.Errorf("--%s: another program listens on %s: stop it, or give another path", flag, path)
	case errors.Is(err, syscall.ECONNREFUSED):
		return os.Remove(path)
	}
	return fmt.Errorf("--%s: %w", flag, err)
}
