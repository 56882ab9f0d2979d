package e2e

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/database/dbtest"
)

// secured is a program that serves TLS with the certificates of an authority.
type secured struct {
	program
	authority         *authority
	httpPort, tlsPort int
}

// newSecured returns a program for some names, whose certificates are valid for life.
func newSecured(t *testing.T, path, databaseURL, names string, life time.Duration) *secured {
	t.Helper()
	s := &secured{httpPort: freePort(t), tlsPort: freePort(t)}
	s.authority = newAuthority(t, life, s.httpPort, s.tlsPort)
	s.program = newProgram(t, path, databaseURL)
	s.env = append(s.env, "VITRINE_TLS_DOMAIN="+names, "VITRINE_TLS_EMAIL=ada@example.org",
		"VITRINE_TLS_DIRECTORY_URL="+s.authority.directory, "VITRINE_TLS_DIRECTORY_CA="+s.authority.ca,
		fmt.Sprintf("VITRINE_ADDR=127.0.0.1:%d", s.tlsPort), fmt.Sprintf("VITRINE_TLS_HTTP_ADDR=127.0.0.1:%d", s.httpPort))
	return s
}

// greet connects and returns the negotiated TLS state.
func (s *secured) greet(config *tls.Config) (tls.ConnectionState, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", s.tlsPort))
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState(), nil
}

// serial connects with a name, trusts only the authority, and returns the certificate's serial
// number.
func (s *secured) serial(t *testing.T, name string) string {
	t.Helper()
	state, err := s.greet(&tls.Config{ServerName: name, RootCAs: s.authority.roots})
	if err != nil {
		t.Fatal(err)
	}
	return state.PeerCertificates[0].SerialNumber.String()
}

// client returns a client that connects to the server for any address, and does not follow
// redirects.
func (s *secured) client() *http.Client {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		port := s.httpPort
		if strings.HasSuffix(addr, ":443") {
			port = s.tlsPort
		}
		return new(net.Dialer).DialContext(ctx, network, fmt.Sprintf("127.0.0.1:%d", port))
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: dial, ForceAttemptHTTP2: true, DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{RootCAs: s.authority.roots}},
	}
}

func (s *secured) ask(t *testing.T, method, url string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

// end stops a server, which must end gracefully.
func end(t *testing.T, s *process) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := s.ended(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.log)
	}
}

// A server gets a certificate for each of its names, serves them, and redirects http:// to
// https://. After a restart, or on another server with the same database, the stored certificates
// are used: the authority is gone by then.
func TestTLS(t *testing.T) {
	t.Parallel()
	path := build(t)
	for name, url := range map[string]func(testing.TB) string{
		"sqlite":   func(testing.TB) string { return "" },
		"postgres": dbtest.PostgresURL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSecured(t, path, url(t), "one.test,two.test", 90*24*time.Hour)
			first := s.serve()
			if first.url != "https://one.test" {
				t.Errorf("the server is at %s", first.url)
			}
			one, two := s.serial(t, "one.test"), s.serial(t, "two.test")
			s.verifyAnswers(t)
			s.verifyRedirects(t)
			s.verifyHandshakes(t)
			if said := s.run("healthcheck"); said != "ready" {
				t.Errorf("healthcheck: %s", said)
			}
			end(t, first)
			s.authority.stop()
			if name == "postgres" {
				s.env = append(s.env, "VITRINE_DATA_DIR="+t.TempDir()) // like another machine
			}
			second := s.serve()
			if again := s.serial(t, "one.test"); again != one || s.serial(t, "two.test") != two {
				t.Error("a restarted server has other certificates")
			}
			end(t, second)
			s.run("check")
		})
	}
}

func (s *secured) verifyAnswers(t *testing.T) {
	t.Helper()
	for _, url := range []string{"https://one.test/v3/ping", "https://two.test/readyz"} {
		res, body := s.ask(t, http.MethodGet, url)
		if res.StatusCode != http.StatusOK || res.ProtoMajor != 2 || res.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf("%s: %s %s %v %s", url, res.Status, res.Proto, res.Header, body)
		}
	}
}

func (s *secured) verifyRedirects(t *testing.T) {
	t.Helper()
	for _, ask := range []struct {
		method, url, to string
		status          int
	}{
		{"GET", "http://one.test/a%20b//c?d=%2F", "https://one.test/a%20b//c?d=%2F", 301},
		{"HEAD", "http://TWO.test:80", "https://two.test/", 301},
		{"POST", "http://one.test//evil.test/v3/blocks", "https://one.test//evil.test/v3/blocks", 308},
		{"GET", "http://one.test/.well-known/acme-challenge/../x", "https://one.test/.well-known/acme-challenge/../x", 301},
		{"GET", "http://one.test/.well-known/acme-challenge/none", "", 404},
		{"GET", "http://evil.test/", "", 421},
		{"GET", "http://evil.test/.well-known/acme-challenge/none", "", 421},
		{"GET", "http://one.test.evil.test/", "", 421},
		{"GET", "http://127.0.0.1/", "", 421},
	} {
		res, body := s.ask(t, ask.method, ask.url)
		if res.StatusCode != ask.status || res.Header.Get("Location") != ask.to {
			t.Errorf("%s %s: %d %s %s", ask.method, ask.url, res.StatusCode, res.Header.Get("Location"), body)
		}
	}
}

func (s *secured) verifyHandshakes(t *testing.T) {
	t.Helper()
	for name, config := range map[string]*tls.Config{
		"TLS 1.1":      {ServerName: "one.test", MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11, InsecureSkipVerify: true},
		"another name": {ServerName: "evil.test", InsecureSkipVerify: true},
	} {
		if state, err := s.greet(config); err == nil {
			t.Errorf("%s: %+v", name, state.PeerCertificates)
		}
	}
	state, err := s.greet(&tls.Config{ServerName: "127.0.0.1", InsecureSkipVerify: true}) // clients send no server name for an IP address
	if err != nil {
		t.Fatal(err)
	}
	if err := state.PeerCertificates[0].VerifyHostname("one.test"); err != nil {
		t.Errorf("without a name: %v", err)
	}
}

// A certificate is renewed when a third of its life is left. During the renewal, every request
// succeeds, on an existing connection and on new ones.
func TestRenewal(t *testing.T) {
	t.Parallel()
	s := newSecured(t, build(t), "", "one.test", 9*time.Second)
	running := s.serve()
	before := s.serial(t, "one.test")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	kept, fresh := s.client(), s.client()
	for _, c := range []*http.Client{kept, fresh} {
		c.Transport.(*http.Transport).TLSClientConfig.InsecureSkipVerify = true
	}
	kept.Transport.(*http.Transport).DisableKeepAlives = false
	for now := before; now == before; {
		for _, c := range []*http.Client{kept, fresh} {
			res, err := c.Get("https://one.test/v3/ping")
			if err != nil {
				t.Fatal(err)
			}
			if res.Body.Close(); res.StatusCode != http.StatusOK {
				t.Errorf("a request was answered with %s", res.Status)
			}
		}
		// On a busy machine the test may end before the next certificate is issued.
		state, err := s.greet(&tls.Config{ServerName: "one.test", InsecureSkipVerify: true})
		if err != nil || ctx.Err() != nil {
			t.Fatalf("the certificate stays: %v", err)
		}
		now = state.PeerCertificates[0].SerialNumber.String()
	}
	s.serial(t, "one.test")
	end(t, running)
}

// If challenges cannot reach the server, it still runs, and reports why it has no certificate. It
// does not retry in a loop.
func TestNoCertificate(t *testing.T) {
	t.Parallel()
	s := newSecured(t, build(t), "", "one.test", time.Hour)
	s.tlsPort, s.httpPort = freePort(t), freePort(t)
	s.env = append(s.env, fmt.Sprintf("VITRINE_ADDR=127.0.0.1:%d", s.tlsPort), fmt.Sprintf("VITRINE_TLS_HTTP_ADDR=127.0.0.1:%d", s.httpPort))
	running := s.serve()
	for range 3 {
		if state, err := s.greet(&tls.Config{ServerName: "one.test", InsecureSkipVerify: true}); err == nil {
			t.Errorf("a certificate from nowhere: %+v", state.PeerCertificates)
		}
	}
	if res, _ := s.ask(t, "GET", "http://one.test/"); res.StatusCode != http.StatusMovedPermanently {
		t.Errorf("http:// answers %s", res.Status)
	}
	end(t, running)
	log := running.log.String()
	if !strings.Contains(log, "the certificate authority could not verify the domain") || !strings.Contains(log, "connection refused") ||
		strings.Count(log, "no certificate obtained: ") != 1 {
		t.Errorf("the log says\n%s", log)
	}
}
