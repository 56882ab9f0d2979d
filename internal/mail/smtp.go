package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"vitrine/internal/domain"
)

// Security determines how the connection to the server is protected.
type Security string

// There is no opportunistic mode, because an attacker on the network could disable TLS in it.
const (
	StartTLS Security = "starttls" // switch to TLS or fail
	Implicit Security = "tls"      // TLS from the start
	Plain    Security = "none"     // passwords and mails can be read in transit
)

// smtpTimeout limits connecting, including the login, and then sending.
const smtpTimeout = 20 * time.Second

// SMTP configures a mail server.
type SMTP struct {
	Host     string
	Port     int
	User     string // empty: no login
	Password string
	// TokenFile, if not empty, is a file with an OAuth access token for a login with XOAUTH2 instead of
	// a password. It is read for each connection, because tokens expire.
	TokenFile string
	Security  Security
	TLS       *tls.Config // nil: trust the system's certificates
}

// deliver sends a message over a new connection.
func (s *SMTP) deliver(ctx context.Context, _ string, m *gomail.Msg) error {
	foreign := foreignLocalPart(m)
	client, session, finish, err := s.connect(ctx, foreign != "")
	defer finish()
	if err != nil {
		return err
	}
	if ok, _ := session.Extension("SMTPUTF8"); foreign != "" && !ok {
		_ = session.Quit()
		err := fmt.Errorf("%q has letters outside ASCII before the @, and the mail server %s does not support them (SMTPUTF8)", foreign, s.Host)
		if foreign == m.GetFrom()[0].Address { // the operator can correct the setting
			return fmt.Errorf("mail: the sender %w", err)
		}
		return fmt.Errorf("mail: %w: %w", ErrRefused, err)
	}
	if err := client.SendWithSMTPClient(session, m); err != nil {
		// Do not send QUIT: it would complete a mail that is only partly sent.
		return judge(err)
	}
	_ = session.Quit() // the mail has been accepted
	return nil
}

// connect opens a session and logs in. The caller calls finish at the end, also after an error.
func (s *SMTP) connect(ctx context.Context, utf8 bool) (client *gomail.Client, session *smtp.Client, finish func(), err error) {
	end := func() {}
	finish = func() { end() }
	client, err = s.client(utf8, func(dialling context.Context, network, addr string) (net.Conn, error) {
		conn, err := s.dial(dialling, network, addr)
		if err == nil { // the library does not observe the context after this, and does not close the connection
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			end = func() { stop(); _ = conn.Close() }
		}
		return conn, err
	})
	if err != nil {
		return nil, nil, finish, fmt.Errorf("mail: %w", err)
	}
	session, err = client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		err = fmt.Errorf("mail: connect to %s: %w", client.ServerAddr(), err)
	}
	return client, session, finish, err
}

// check connects and logs in, and sends nothing.
func (s *SMTP) check(ctx context.Context) error {
	_, session, finish, err := s.connect(ctx, false)
	defer finish()
	if err == nil {
		_ = session.Quit() // the login has succeeded
	}
	return err
}

// foreignLocalPart returns the sender or recipient of a message whose local part has letters
// outside ASCII, or "".
func foreignLocalPart(m *gomail.Msg) string {
	for _, a := range slices.Concat(m.GetFrom(), m.GetTo()) {
		if domain.NeedsSMTPUTF8(a.Address) {
			return a.Address
		}
	}
	return ""
}

func (s *SMTP) client(utf8 bool, dial gomail.DialContextFunc) (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(s.Port), gomail.WithTimeout(smtpTimeout), gomail.WithDialContextFunc(dial),
		gomail.WithoutNoop(), gomail.WithoutRset(),
		gomail.WithTLSPolicy(s.policy()), gomail.WithTLSConfig(s.tls()),
	}
	if !utf8 {
		options = append(options, gomail.WithoutSMTPUTF8())
	}
	switch {
	case s.User == "":
	case s.TokenFile != "":
		token, err := readToken(s.TokenFile)
		if err != nil {
			return nil, err
		}
		options = append(options, gomail.WithUsername(s.User), gomail.WithPassword(token), gomail.WithSMTPAuth(gomail.SMTPAuthXOAUTH2))
	default:
		options = append(options, gomail.WithUsername(s.User), gomail.WithPassword(s.Password),
			gomail.WithOpportunisticSMTPAuth(s.mechanisms()...))
	}
	return gomail.NewClient(s.Host, options...)
}

// maxToken limits the size of a token file. Servers limit the line that contains it to 12,288 bytes in
// Base64 (RFC 4954 section 4).
const maxToken = 8 << 10

// readToken reads the access token in a file. Errors never contain the token.
func readToken(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("the access token: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxToken { // reading from a pipe could block
		return "", fmt.Errorf("the access token: %s is not a file of at most %d bytes", path, maxToken)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the access token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("the access token: %s must contain one token and nothing else", path)
	}
	return token, nil
}

func (s *SMTP) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if s.Security == Implicit {
		return (&tls.Dialer{Config: s.tls()}).DialContext(ctx, network, addr)
	}
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}

func (s *SMTP) policy() gomail.TLSPolicy {
	if s.Security == StartTLS {
		return gomail.TLSMandatory
	}
	return gomail.NoTLS
}

func (s *SMTP) tls() *tls.Config {
	c := s.TLS.Clone()
	if c == nil {
		c = &tls.Config{}
	}
	c.ServerName, c.MinVersion = s.Host, tls.VersionTLS12
	return c
}

// mechanisms returns the login mechanisms, best first.
func (s *SMTP) mechanisms() []gomail.SMTPAuthType {
	if s.Security == Plain {
		return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
			gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
	}
	return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
		gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
}

// judge determines from the error of a session whether the mail was refused, may be sent, or can be retried.
func judge(err error) error {
	failure, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		return fmt.Errorf("mail: %w", err)
	}
	code := failure.ErrorCode() // 0 if the server has not replied
	switch failure.Reason {
	case gomail.ErrSMTPDataClose:
		if code == 0 {
			return fmt.Errorf("mail: %w: %w", ErrUnclear, err)
		}
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData:
	default: // a rejected sender depends on settings, which can be corrected
		return fmt.Errorf("mail: %w", err)
	}
	if code >= 500 {
		return fmt.Errorf("mail: %w: %w", ErrRefused, err)
	}
	return fmt.Errorf("mail: %w", err)
}
