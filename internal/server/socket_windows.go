package server

import (
	"fmt"
	"io/fs"
	"net"
)

// listenSocket fails: the permissions of a socket cannot be set on Windows.
func listenSocket(flag, _ string, _ fs.FileMode) (net.Listener, error) {
	return nil, fmt.Errorf("--%s: Unix sockets are not supported on Windows: use host:port", flag)
}
