package mail_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/mail"
)

// server is an SMTP server with configurable replies.
type server struct {
	host    string
	port    int
	tls     *tls.Config
	offer   []string          // extensions
	replies map[string]string // by command, and "." for the end of a mail; "" closes the connection

	mu    sync.Mutex
	taken []letter
}

// letter is a received mail.
type letter struct {
	from, to, login, data string
	encrypted             bool
}

// serve starts a server. With implicit, it uses TLS from the start.
func serve(t *testing.T, s *server, implicit bool) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	addr := listener.Addr().(*net.TCPAddr)
	s.host, s.port = addr.IP.String(), addr.Port
	s.tls = &tls.Config{Certificates: []tls.Certificate{certificate(t)}}
	if implicit {
		listener = tls.NewListener(listener, s.tls)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.talk(conn, implicit)
		}
	}()
	return s
}

// letters returns the mails received so far.
func (s *server) letters() []letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

func (s *server) talk(conn net.Conn, encrypted bool) {
	defer func() { _ = conn.Close() }()
	l, in := letter{encrypted: encrypted}, textproto.NewReader(bufio.NewReader(conn))
	_, _ = fmt.Fprint(conn, "220 test\r\n")
	for {
		line, err := in.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		reply, told := s.replies[verb]
		switch {
		case told && reply == "":
			return
		case told:
		case verb == "EHLO":
			reply = "250-test\r\n"
			for _, extension := range s.offer {
				if extension != "STARTTLS" || !l.encrypted {
					reply += "250-" + extension + "\r\n"
				}
			}
			reply += "250 8BITMIME"
		case verb == "STARTTLS":
			_, _ = fmt.Fprint(conn, "220 go on\r\n")
			conn = tls.Server(conn, s.tls)
			l, in = letter{encrypted: true}, textproto.NewReader(bufio.NewReader(conn))
			continue
		case verb == "AUTH":
			_, code, _ := strings.Cut(rest, " ")
			plain, _ := base64.StdEncoding.DecodeString(code)
			l.login, reply = strings.Trim(strings.ReplaceAll(string(plain), "\x00", ":"), ":"), "235 welcome"
		case verb == "MAIL":
			l.from, reply = rest, "250 fine"
		case verb == "RCPT":
			l.to, reply = rest, "250 fine"
		case verb == "DATA":
			_, _ = fmt.Fprint(conn, "354 tell me\r\n")
			data, err := in.ReadDotBytes()
			if err != nil {
				return
			}
			l.data = string(data)
			if reply, told = s.replies["."]; told && reply == "" {
				return
			}
			if !told {
				s.mu.Lock()
				s.taken = append(s.taken, l)
				s.mu.Unlock()
				reply = "250 taken"
			}
		default:
			reply = "250 if you like"
		}
		_, _ = fmt.Fprint(conn, reply+"\r\n")
	}
}

// options returns client options that trust the server.
func (s *server) options(security mail.Security) *mail.SMTP {
	roots := x509.NewCertPool()
	roots.AddCert(s.tls.Certificates[0].Leaf)
	return &mail.SMTP{Host: s.host, Port: s.port, Security: security, TLS: &tls.Config{RootCAs: roots}}
}

func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key, Leaf: leaf}
}
