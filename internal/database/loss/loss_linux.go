package loss

import (
	"strings"
	"syscall"
)

// userTimeout is Linux's TCP_USER_TIMEOUT, tcp(7), which package syscall has no name for: how many milliseconds what was sent may
// stay unanswered before the connection is ended. Keep-alive probes are not sent meanwhile.
const userTimeout = 0x12

// boundUnanswered sets it on a socket that is about to connect.
func boundUnanswered(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") { // but a socket of this machine
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, int(patience.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
