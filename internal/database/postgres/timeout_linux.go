package postgres

import (
	"strings"
	"syscall"
)

// tcpUserTimeout is Linux's TCP_USER_TIMEOUT (see tcp(7)), which package syscall does not define: the number
// of milliseconds after which a connection with unacknowledged data is closed. Keep-alive probes are not
// sent while there is such data.
const tcpUserTimeout = 0x12

// setUserTimeout sets tcpUserTimeout on a socket before it connects.
func setUserTimeout(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") { // a Unix socket
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(silenceTimeout.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
