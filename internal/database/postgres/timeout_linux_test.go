package postgres

import (
	"net"
	"syscall"
	"testing"
)

// Connections are configured so that the system closes them when the server does not answer. Unix sockets
// are not affected.
func TestConnectionsNotice(t *testing.T) {
	t.Parallel()
	config, err := ParseURL("postgres://nobody@127.0.0.1:1/nothing")
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range []string{"tcp", "unix"} {
		address := "127.0.0.1:0"
		if network == "unix" {
			address = t.TempDir() + "/socket"
		}
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		conn, err := config.ConnConfig.DialFunc(t.Context(), network, l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		tcp, ok := conn.(*net.TCPConn)
		if !ok {
			continue
		}
		raw, err := tcp.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		if err := raw.Control(func(fd uintptr) {
			for option, want := range map[int]int{tcpUserTimeout: 3000, syscall.TCP_KEEPIDLE: 1, syscall.TCP_KEEPINTVL: 1, syscall.TCP_KEEPCNT: 2} {
				if got, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option); err != nil || got != want {
					t.Errorf("option %d is %d, want %d (%v)", option, got, want, err)
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}
