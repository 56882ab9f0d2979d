package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Security is how the connection to the server is protected.
type Security string

// The ways to protect a connection. There is none that is tried and given up: whoever
// sits on the line could have it given up.
const (
	StartTLS Security = "starttls" // the connection turns to TLS or is dropped
	Implicit Security = "tls"      // TLS from the start
	Plain    Security = "none"     // passwords and mails can be read on the way
)

// smtpTimeout bounds connecting with all that belongs to it, and then sending.
const smtpTimeout = 20 * time.Second

// SMTP is a server that takes mail.
type SMTP struct {
	Host     string
	Port     int
	User     string // empty: without logging in
	Password string
	Security Security
	TLS      *tls.Config // nil: the system's certificates
}

// deliver hands a message over in a connection of its own.
func (s *SMTP) deliver(ctx context.Context, _ string, m *gomail.Msg) error {
	finish := func() {}
	defer func() { finish() }()
	client, err := s.client(func(dialling context.Context, network, addr string) (net.Conn, error) {
		conn, err := s.dial(dialling, network, addr)
		if err == nil { // the library no longer observes the context, and leaves closing to us
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			finish = func() { stop(); _ = conn.Close() }
		}
		return conn, err
	})
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("mail: connect to %s: %w", client.ServerAddr(), err)
	}
	if err := client.SendWithSMTPClient(session, m); err != nil {
		// No QUIT: it would end a half-sent mail as if it were whole.
		return judge(err)
	}
	_ = session.Quit() // taken is taken
	return nil
}

func (s *SMTP) client(dial gomail.DialContextFunc) (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(s.Port), gomail.WithTimeout(smtpTimeout), gomail.WithDialContextFunc(dial),
		gomail.WithoutNoop(), gomail.WithoutRset(), gomail.WithoutSMTPUTF8(),
		gomail.WithTLSPolicy(s.policy()), gomail.WithTLSConfig(s.tls()),
	}
	if s.User != "" {
		options = append(options, gomail.WithUsername(s.User), gomail.WithPassword(s.Password),
			gomail.WithOpportunisticSMTPAuth(s.mechanisms()...))
	}
	return gomail.NewClient(s.Host, options...)
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

// mechanisms are the ways to log in, the best first.
func (s *SMTP) mechanisms() []gomail.SMTPAuthType {
	if s.Security == Plain {
		return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
			gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
	}
	return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
		gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
}

// judge infers from how a session failed what has become of the mail.
func judge(err error) error {
	failure, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		return fmt.Errorf("mail: %w", err)
	}
	code := failure.ErrorCode() // 0 when the server has not answered
	switch failure.Reason {
	case gomail.ErrSMTPDataClose:
		if code == 0 {
			return fmt.Errorf("mail: %w: %w", ErrUnclear, err)
		}
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData:
	default: // a sender that is refused is a matter of settings, which may be mended
		return fmt.Errorf("mail: %w", err)
	}
	if code >= 500 {
		return fmt.Errorf("mail: %w: %w", ErrRefused, err)
	}
	return fmt.Errorf("mail: %w", err)
}
