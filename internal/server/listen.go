package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"

	"vitrine/internal/config"
	"vitrine/internal/database"
)

// Windows error codes. The constants of the same meaning in package syscall have other values.
const (
	windowsAccess = syscall.Errno(10013)
	windowsInUse  = syscall.Errno(10048)
	windowsNoAddr = syscall.Errno(10049)
)

// Listen listens on the address of a flag. mode is the permissions of a Unix socket. Errors contain
// the flag and a remedy.
func Listen(flag, addr string, mode fs.FileMode) (net.Listener, error) {
	if path, socket := config.SocketPath(addr); socket {
		return listenSocket(flag, path, mode)
	}
	l, err := net.Listen("tcp", addr)
	is := func(errs ...error) bool {
		for _, e := range errs {
			if errors.Is(err, e) {
				return true
			}
		}
		return false
	}
	switch {
	case err == nil:
		return l, nil
	case is(syscall.EADDRINUSE, windowsInUse):
		return nil, fmt.Errorf("%s is in use by another program: stop it, or set another address with --%s", addr, flag)
	case is(syscall.EADDRNOTAVAIL, windowsNoAddr):
		return nil, fmt.Errorf("this machine does not have the address %s: set one that it has with --%s, such as 127.0.0.1:8080, or :8080 for all", addr, flag)
	case is(syscall.EACCES, windowsAccess):
		return nil, fmt.Errorf("this user may not listen on %s: set a port from 1024 with --%s, or allow the program to use lower ones (setcap cap_net_bind_service=+ep)", addr, flag)
	}
	return nil, fmt.Errorf("--%s: %w", flag, err)
}

// withRemedy adds a remedy to errors about an unusable data folder and about a pooler.
func withRemedy(dataDir string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("cannot write to the data folder %s (%w): make it writable for this user, or set another folder with --data-dir", dataDir, path)
	}
	if errors.Is(err, database.ErrPooler) {
		return fmt.Errorf("%w: set the address of the PostgreSQL server itself with --database-direct-url", err)
	}
	if errors.Is(err, database.ErrNetworkDisk) {
		return fmt.Errorf("%w: move it to a local disk with --data-dir, use PostgreSQL with --database-url, or accept the risk with --sqlite-any-disk", err)
	}
	return err
}
