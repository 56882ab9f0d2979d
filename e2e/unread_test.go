package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// Readers that ask for the longest pages and take nothing of them.
const (
	unreadSockets = 200
	unreadBlocks  = 100
	unreadLength  = 200_000   // characters of a block, the most there may be
	unreadCost    = 300 << 20 // bytes that they may cost the server altogether
)

// Two hundred sockets that ask for a page of long blocks and do not read it cost little
// memory, and others notice nothing.
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

	s = p.serve() // with a peak that is not that of writing
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

// ask sends a request on a connection of its own that takes little.
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

// firstLine reads the version and the status of a response, and no more.
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

// peak is the most memory that a process has ever had, in bytes.
func peak(t *testing.T, s *process) int64 {
	t.Helper()
	return memoryOf(t, fmt.Sprintf("/proc/%d/", s.cmd.Process.Pid), "VmHWM")
}
