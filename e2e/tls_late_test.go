package e2e

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// road forwards connections to an address of this machine, and can be closed.
type road struct {
	port   int
	mu     sync.Mutex
	closed bool
	conns  []net.Conn
}

func newRoad(t *testing.T, to string) *road {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	r := &road{port: l.Addr().(*net.TCPAddr).Port}
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go r.pass(from, to)
		}
	}()
	return r
}

func (r *road) pass(from net.Conn, addr string) {
	defer from.Close()
	to, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer to.Close()
	r.mu.Lock()
	closed := r.closed
	r.conns = append(r.conns, from, to)
	r.mu.Unlock()
	if closed {
		return
	}
	go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
	_, _ = io.Copy(from, to) // either may end it
}

// close drops all connections, and refuses new ones until open is called.
func (r *road) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, c := range r.conns {
		_ = c.Close() // it may have ended
	}
}

func (r *road) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = false
}

// expiryLine matches the metric of a domain's certificate.
var expiryLine = regexp.MustCompile(`(?m)^vitrine_certificate_expiry_timestamp_seconds\{domain="one\.test"\} ([0-9.e+]+)$`)

// expiry returns when the certificate expires according to the metrics.
func expiry(t *testing.T, port int) int64 {
	t.Helper()
	res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", port))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := expiryLine.FindSubmatch(text)
	if found == nil {
		t.Fatalf("no time of expiry in\n%s", text)
	}
	at, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(at)
}

// A certificate expires while the authority is unreachable: metrics and log show it, before and
// after a restart. Once the authority is reachable, a restart gets a new certificate at once, as
// described in docs/operations.md.
func TestCertificateThatIsNotRenewed(t *testing.T) {
	t.Parallel()
	s := newSecured(t, build(t), "", "one.test", 12*time.Second)
	way := newRoad(t, strings.TrimSuffix(strings.TrimPrefix(s.authority.directory, "https://"), "/dir"))
	metrics := freePort(t)
	s.env = append(s.env, fmt.Sprintf("VITRINE_TLS_DIRECTORY_URL=https://127.0.0.1:%d/dir", way.port), fmt.Sprintf("VITRINE_METRICS_ADDR=127.0.0.1:%d", metrics))
	anyhow := &tls.Config{ServerName: "one.test", InsecureSkipVerify: true}

	first := s.serve()
	state, err := s.greet(anyhow)
	if err != nil {
		t.Fatal(err)
	}
	way.close()
	until := state.PeerCertificates[0].NotAfter
	var says int64
	for says == 0 { // until the expiry is noticed
		says = expiry(t, metrics)
	}
	if says != until.Unix() {
		t.Errorf("the metrics say %v, the certificate %v", time.Unix(says, 0), until)
	}
	for time.Now().Before(until) {
		time.Sleep(time.Until(until))
	}
	if state, err = s.greet(anyhow); err != nil || !state.PeerCertificates[0].NotAfter.Equal(until) {
		t.Errorf("when it has expired: %v", err)
	}
	if says := expiry(t, metrics); says != until.Unix() {
		t.Errorf("the metrics say %v of a certificate that expired at %v", time.Unix(says, 0), until)
	}
	end(t, first)
	if log := first.log.String(); !strings.Contains(log, "the certificate authority does not answer") {
		t.Errorf("the log does not say why it is not renewed\n%s", log)
	}

	second := s.serve()
	if _, err := s.greet(anyhow); err == nil {
		t.Error("a certificate from nowhere")
	}
	if says := expiry(t, metrics); says != 0 {
		t.Errorf("the metrics say %v where there is none", time.Unix(says, 0))
	}
	way.open()
	if _, err := s.greet(anyhow); err == nil {
		t.Error("the authority is asked again at once")
	}
	end(t, second)
	if log := second.log.String(); strings.Count(log, "no certificate obtained: ") != 1 {
		t.Errorf("the log says\n%s", log)
	}

	third := s.serve()
	if state, err = s.greet(anyhow); err != nil || !state.PeerCertificates[0].NotAfter.After(until) {
		t.Errorf("after a restart: %v", err)
	}
	end(t, third)
}
