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

// What Windows calls these errors of sockets; Go has other numbers for the names there.
const (
	windowsAccess = syscall.Errno(10013)
	windowsInUse  = syscall.Errno(10048)
	windowsNoAddr = syscall.Errno(10049)
)

// Listen listens on the address of a flag. mode is the permissions of a Unix socket. Errors name the
// flag and the remedy.
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
		return nil, fmt.Errorf("%s is taken by another program: stop it, or give another address with --%s", addr, flag)
	case is(syscall.EADDRNOTAVAIL, windowsNoAddr):
		return nil, fmt.Errorf("this machine does not have the address %s: give one of its own with --%s, such as 127.0.0.1:8080, or :8080 for all", addr, flag)
	case is(syscall.EACCES, windowsAccess):
		return nil, fmt.Errorf("this user may not listen on %s: give a port from 1024 with --%s, or the program the right to lower ones (setcap cap_net_bind_service=+ep)", addr, flag)
	}
	return nil, fmt.Errorf("--%s: %w", flag, err)
}

// withRemedy says what to do about a data folder that cannot be made or written to, and a
// database that is reached in another way than it was said to be.
func withRemedy(dataDir string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("data cannot be kept in %s (%w): let this user write there, or name another folder with --data-dir", dataDir, path)
	}
	if errors.Is(err, database.ErrPooler) {
		return fmt.Errorf("%w: name the server's own address with --database-direct-url", err)
	}
	return err
}
