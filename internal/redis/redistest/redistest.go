// Package redistest starts servers of Redis for tests.
package redistest

import (
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
)

// startTries is how many ports are tried: another program may take one that was free.
const startTries = 5

// Server is one that runs.
type Server struct {
	Address string // host and port
	Stop    func() // ends it at once; it may be called again
}

// Start starts a server that ends with the test, and gives its address, as Serve does.
func Start(t testing.TB) (address string) {
	t.Helper()
	return Serve(t).Address
}

// Serve starts a server that ends with the test at the latest. Where there is no redis-server,
// the test is skipped, or fails if VITRINE_TEST_REQUIRE_REDIS is set.
func Serve(t testing.TB) *Server {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("VITRINE_TEST_REQUIRE_REDIS") != "" {
			t.Fatal(err)
		}
		t.Skip("no redis-server to test on")
	}
	for range startTries {
		if s := start(t, program); s != nil {
			return s
		}
	}
	t.Fatal("no redis-server would start")
	return nil
}

// start is nil where the port was taken meanwhile.
func start(t testing.TB, program string) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // so that the server can have the port
	cmd := exec.Command(program, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(ended)
	}()
	stop := func() {
		_ = cmd.Process.Kill()
		<-ended
	}
	t.Cleanup(stop)
	for {
		if conn, err := redis.Dial("tcp", address); err == nil {
			_, err = conn.Do("PING")
			_ = conn.Close()
			if err == nil {
				return &Server{Address: address, Stop: stop}
			}
		}
		select {
		case <-ended:
			return nil
		case <-time.After(10 * time.Millisecond):
		}
	}
}
