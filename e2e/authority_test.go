package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// Pebble is Let's Encrypt's small ACME server for tests.
const (
	pebbleEnv        = "VITRINE_TEST_PEBBLE"         // path of the program
	requirePebbleEnv = "VITRINE_TEST_REQUIRE_PEBBLE" // fails tests that would be skipped without it
)

// authority issues certificates for names that resolve to two ports of this machine.
type authority struct {
	directory string         // its URL
	ca        string         // file with its own certificate
	roots     *x509.CertPool // of the issued certificates
	cmd       *exec.Cmd
}

// newAuthority starts an ACME server. Its certificates are valid for life; it validates challenges
// at the ports.
func newAuthority(t *testing.T, life time.Duration, httpPort, tlsPort int) *authority {
	t.Helper()
	program := os.Getenv(pebbleEnv)
	if program == "" {
		reason := pebbleEnv + " holds no path of Pebble, an authority for tests"
		if os.Getenv(requirePebbleEnv) != "" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	dir := t.TempDir()
	listen, manage := freePort(t), freePort(t)
	a := &authority{directory: fmt.Sprintf("https://127.0.0.1:%d/dir", listen), ca: filepath.Join(dir, "cert.pem")}
	trusted := makeCertificate(t, a.ca, filepath.Join(dir, "key.pem"))
	settings, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": fmt.Sprintf("127.0.0.1:%d", listen), "managementListenAddress": fmt.Sprintf("127.0.0.1:%d", manage),
		"certificate": a.ca, "privateKey": filepath.Join(dir, "key.pem"), "httpPort": httpPort, "tlsPort": tlsPort,
		"retryAfter": map[string]any{"authz": 1, "order": 1}, // in seconds
		"profiles":   map[string]any{"default": map[string]any{"description": "the only one", "validityPeriod": int(life.Seconds())}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, settings, 0o600); err != nil {
		t.Fatal(err)
	}
	a.cmd = exec.CommandContext(t.Context(), program, "-config", config, "-dnsserver", newNames(t))
	a.cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1")
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.stop)
	a.roots = x509.NewCertPool()
	if !a.roots.AppendCertsFromPEM(a.ask(t, trusted, fmt.Sprintf("https://127.0.0.1:%d/roots/0", manage))) {
		t.Fatal("no root certificate")
	}
	a.ask(t, trusted, a.directory)
	return a
}

// stop ends the server. It must be called only once.
func (a *authority) stop() {
	_ = a.cmd.Process.Kill()
	_ = a.cmd.Wait()
}

// ask requests a URL of the server, once it listens.
func (a *authority) ask(t *testing.T, trusted *x509.CertPool, url string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(req)
		if ctx.Err() != nil {
			t.Fatalf("Pebble does not answer: %v", err)
		}
		if err != nil {
			continue
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s %v", url, res.StatusCode, body, err)
		}
		return body
	}
}

// makeCertificate writes a self-signed certificate for this machine.
func makeCertificate(t *testing.T, certFile, keyFile string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Pebble's own"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool.AppendCertsFromPEM(public)
	for file, text := range map[string][]byte{certFile: public, keyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return pool
}

// newNames starts a DNS server that resolves every name to this machine. Pebble queries it over
// TCP.
func newNames(t *testing.T) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answerNames(conn)
		}
	}()
	return l.Addr().String()
}

// answerNames answers the queries of one connection, each preceded by its length.
func answerNames(conn net.Conn) {
	defer conn.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		packet := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, packet); err != nil {
			return
		}
		answer := answerName(packet)
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// answerName answers queries for IPv4 addresses, and all others with no records.
func answerName(packet []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	if q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	answer, err := m.Pack()
	if err != nil {
		return nil
	}
	return answer
}

// firstPort is where freePort begins, and portsTried is how many ports it has tried.
var (
	firstPort  = mathrand.Int64N(10000)
	portsTried atomic.Int64
)

// freePort returns an unused port outside of the range of ephemeral ports. It never returns a port twice,
// because nothing listens on one until the program that gets it has started.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20000 + int((firstPort+portsTried.Add(1))%10000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}
