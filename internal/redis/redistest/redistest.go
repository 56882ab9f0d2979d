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

// Start starts a server that ends with the test, and gives its address. Where there is no
// redis-server, the test is skipped, or fails if VITRINE_TEST_REQUIRE_REDIS is set.
func Start(t testing.TB) (address string) {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("VITRINE_TEST_REQUIRE_REDIS") != "" {
			t.Fatal(err)
		}
		t.Skip("no redis-server to test on")
	}
	for range startTries {
		if address, ok := start(t, program); ok {
			return address
		}
	}
	t.Fatal("no redis-server would start")
	return ""
}

func start(t testing.TB, program string) (address string, ok bool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
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
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	for {
		if conn, err := redis.Dial("tcp", address); err == nil {
			_, err = conn.Do("PING")
			_ = conn.Close()
			if err == nil {
				return address, true
			}
		}
		select {
		case <-ended:
			return "", false
		case <-time.After(10 * time.Millisecond):
		}
	}
}
