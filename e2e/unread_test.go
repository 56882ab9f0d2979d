package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// Readers that request the longest pages and read nothing.
const (
	unreadSockets = 200
	unreadBlocks  = 100
	unreadLength  = 200_000   // maximum characters of a block
	unreadCost    = 300 << 20 // maximum total bytes of memory
)

// Two hundred sockets that request a page of long blocks and do not read it cost little memory, and
// other clients are not affected.
func TestUnreadResponses(t *testing.T) {
	alone(t)
	p := newProgram(t, build(t), "")
	token := p.user("ada")
	s := p.serve()
	c := client{token: token}
	c.to(s.url, &http.Transport{})
	var made struct{ ID int64 }
	if err := c.send(http.MethodPost, "/v3/channels", fields{"title": "Long"}, &made); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("many words ", unreadLength/11)
	for i := range unreadBlocks {
		if err := c.send(http.MethodPost, "/v3/blocks", fields{"value": fmt.Sprint(i, text), "channel_ids": []int64{made.ID}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.ended(t)

	s = p.serve() // resets the peak after writing
	c.to(s.url, &http.Transport{})
	if err := c.send(http.MethodGet, "/v3/me", nil, nil); err != nil {
		t.Fatal(err)
	}
	idle := peak(t, s)
	sockets := make([]net.Conn, unreadSockets)
	for i := range sockets {
		sockets[i] = ask(t, s, fmt.Sprintf("/v3/channels/%d/contents?per=%d", made.ID, unreadBlocks))
	}
	answers := map[string]int{}
	for _, conn := range sockets {
		answers[firstLine(t, conn)]++
		if err := c.send(http.MethodGet, "/v3/me", nil, nil); err != nil {
			t.Errorf("another one, meanwhile: %v", err)
		}
	}
	if answers["HTTP/1.1 200"] == 0 || answers["HTTP/1.1 503"] == 0 || len(answers) != 2 {
		t.Errorf("they were answered %v", answers)
	}
	cost := peak(t, s) - idle
	t.Logf("idle %d MiB, cost %d MiB, answers %v", idle>>20, cost>>20, answers)
	if cost > unreadCost {
		t.Errorf("they cost %d MiB", cost>>20)
	}
}

// ask sends a request on a new connection with a small receive buffer.
func ask(t *testing.T, s *process, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
	return conn
}

// firstLine reads only the version and the status of a response.
func firstLine(t *testing.T, conn net.Conn) string {
	t.Helper()
	line := make([]byte, len("HTTP/1.1 200"))
	for n := 0; n < len(line); {
		m, err := conn.Read(line[n:])
		if err != nil {
			t.Fatal(err)
		}
		n += m
	}
	return string(line)
}

// peak returns the peak memory of a process in bytes.
func peak(t *testing.T, s *process) int64 {
	t.Helper()
	return memoryOf(t, fmt.Sprintf("/proc/%d/", s.cmd.Process.Pid), "VmHWM")
}
