// Package redistest starts Redis servers for tests.
package redistest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
)

// startTries is the number of attempts to find a port: another program may take a free one first.
const startTries = 5

// Server is a running server.
type Server struct {
	Address   string // host and port
	Authority string // file with the certificate to trust, for ServeTLS
	Stop      func() // stops it immediately; can be called more than once
}

// Start starts a server like Serve, and returns its address.
func Start(t testing.TB) (address string) {
	t.Helper()
	return Serve(t).Address
}

// Serve starts a server with command line settings, and stops it at the end of the test. If redis-server is
// not installed, it skips the test, or fails it if VITRINE_TEST_REQUIRE_REDIS is set.
func Serve(t testing.TB, settings ...string) *Server {
	t.Helper()
	return serve(t, "--port", settings)
}

// ServeTLS is like Serve, but the server only accepts TLS, with a self-signed certificate for 127.0.0.1.
func ServeTLS(t testing.TB, settings ...string) *Server {
	t.Helper()
	certificate, key := certify(t)
	s := serve(t, "--tls-port", append([]string{"--port", "0", "--tls-cert-file", certificate, "--tls-key-file", key,
		"--tls-ca-cert-file", certificate, "--tls-auth-clients", "no"}, settings...))
	s.Authority = certificate
	return s
}

// serve starts a server. port is the setting for its port.
func serve(t testing.TB, port string, settings []string) *Server {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("VITRINE_TEST_REQUIRE_REDIS") != "" {
			t.Fatal(err)
		}
		t.Skip("redis-server is not installed")
	}
	for range startTries {
		if s := start(t, program, port, settings); s != nil {
			return s
		}
	}
	t.Fatal("redis-server does not start")
	return nil
}

// start returns nil if another program took the port.
func start(t testing.TB, program, named string, settings []string) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // frees the port for the server
	cmd := exec.Command(program, append([]string{named, strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
		"--dir", t.TempDir()}, settings...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // fails because it is killed
		close(ended)
	}()
	stop := func() {
		_ = cmd.Process.Kill()
		<-ended
	}
	t.Cleanup(stop)
	for {
		if conn, err := redis.Dial("tcp", address, redis.DialUseTLS(named != "--port"), redis.DialTLSSkipVerify(true)); err == nil {
			_, err = conn.Do("PING")
			_ = conn.Close()
			if _, refused := errors.AsType[redis.Error](err); err == nil || refused { // it may require a password
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

// certify writes a self-signed certificate for 127.0.0.1 and its key.
func certify(t testing.TB) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	public, err := x509.CreateCertificate(rand.Reader, form, form, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	certificate, key = filepath.Join(folder, "certificate.pem"), filepath.Join(folder, "key.pem")
	for file, block := range map[string]pem.Block{certificate: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(&block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}
