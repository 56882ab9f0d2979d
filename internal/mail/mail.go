// Package mail sends mail through an SMTP server, or writes it to a folder where the operator can read it.
package mail

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"vitrine/internal/domain"
)

// Errors of Send. After any other error, the mail was not sent and can be sent again.
var (
	// ErrRefused reports that this mail will never be accepted: it is malformed, or the server rejected
	// it permanently.
	ErrRefused = errors.New("the mail was refused")
	// ErrUnclear reports that the connection was lost after the mail had been sent and before the server
	// replied, so the mail may or may not have been accepted.
	ErrUnclear = errors.New("the mail may or may not have been sent")
)

// IsFinal reports whether a mail must not be sent again after an error of Send.
func IsFinal(err error) bool { return errors.Is(err, ErrUnclear) || errors.Is(err, ErrRefused) }

// Address is a mail address. Name is the display name and may be empty.
type Address struct {
	Name  string
	Email string
}

// Message is a mail to one recipient.
type Message struct {
	// ID identifies the mail among all mails of this installation, such as "invitation-42": lower case
	// letters, digits, ".", "_" and "-". The Message-ID and the file name contain it, so that
	// duplicates of a mail are recognized.
	ID      string
	To      Address
	Subject string
	Text    string
	HTML    string // may be empty

	// Unsubscribe is the address at which the recipient stops such mails, "" for none. Mail programs send a POST request
	// there (RFC 8058); for browsers it is a page.
	Unsubscribe string
}

// Options configure a Mailer.
type Options struct {
	From   string           // "Name <address>" or an address
	SMTP   *SMTP            // nil: write to Folder
	Folder string           // created when needed
	Now    func() time.Time // clock for the Date header; nil means time.Now

	// Observe, if not nil, is called with the outcome of each mail: taken, refused, unclear or failed.
	Observe func(ctx context.Context, outcome string, took time.Duration)
}

// Mailer sends mail. It is safe for concurrent use.
type Mailer struct{ in atomic.Pointer[sender] }

// sender sends mail with fixed options.
type sender struct {
	from     *netmail.Address
	now      func() time.Time
	encoding gomail.Encoding // of text parts
	delivers func(ctx context.Context, id string, m *gomail.Msg) error
	checks   func(ctx context.Context) error
	observe  func(ctx context.Context, outcome string, took time.Duration)
}

// New checks the options. It does not connect.
func New(o Options) (*Mailer, error) {
	m := new(Mailer)
	return m, m.Configure(o)
}

// Configure replaces the options, or changes nothing if they are wrong. Mails that are being sent keep the previous ones.
func (m *Mailer) Configure(o Options) error {
	s, err := newSender(o)
	if err == nil {
		m.in.Store(s)
	}
	return err
}

// Send sends a mail, or writes it to the folder. If ctx ends before the server has accepted it, the connection is closed.
func (m *Mailer) Send(ctx context.Context, msg Message) error { return m.in.Load().send(ctx, msg) }

// Check connects to the mail server and logs in. It sends nothing.
func (m *Mailer) Check(ctx context.Context) error { return m.in.Load().checks(ctx) }

func newSender(o Options) (*sender, error) {
	from, err := netmail.ParseAddress(o.From)
	if err != nil {
		return nil, fmt.Errorf("mail: the sender %q is not a valid address: %w", o.From, err)
	}
	if from.Address, err = envelope(from.Address); err != nil {
		return nil, fmt.Errorf("mail: the sender: %w", err)
	}
	m := &sender{from: from, now: o.Now, observe: o.Observe, encoding: gomail.NoEncoding, // files must be readable, with links that can be copied
		delivers: folder(o.Folder).deliver, checks: func(context.Context) error { return nil }}
	if m.now == nil {
		m.now = time.Now
	}
	if o.SMTP != nil {
		m.encoding, m.delivers = gomail.EncodingQP, o.SMTP.deliver
		m.checks = o.SMTP.check
	}
	return m, nil
}

func (m *sender) send(ctx context.Context, msg Message) error {
	composed, err := m.compose(msg)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	start := time.Now()
	err = m.delivers(ctx, msg.ID, composed)
	if m.observe != nil {
		m.observe(ctx, outcome(err), time.Since(start))
	}
	return err
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "taken"
	case errors.Is(err, ErrRefused):
		return "refused"
	case errors.Is(err, ErrUnclear):
		return "unclear"
	}
	return "failed"
}

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

func (m *sender) compose(msg Message) (*gomail.Msg, error) {
	if !idPattern.MatchString(msg.ID) {
		return nil, fmt.Errorf("mail: %q is not a valid id", msg.ID)
	}
	for _, header := range []string{msg.Subject, msg.To.Name, msg.To.Email} {
		if strings.ContainsFunc(header, unicode.IsControl) {
			return nil, fmt.Errorf("mail: %q contains control characters", header)
		}
	}
	to, err := envelope(msg.To.Email)
	if err != nil {
		return nil, err
	}
	_, host, _ := strings.Cut(m.from.Address, "@")
	g := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(m.encoding))
	g.FromMailAddress(m.from)
	g.ToMailAddress(&netmail.Address{Name: msg.To.Name, Address: to})
	g.Subject(msg.Subject)
	g.SetDateWithValue(m.now())
	g.SetMessageIDWithValue(msg.ID + "@" + host)
	g.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: prevents vacation replies
	if msg.Unsubscribe != "" {
		g.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+msg.Unsubscribe+">")
		g.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	g.SetBodyString(gomail.TypeTextPlain, msg.Text)
	if msg.HTML != "" {
		g.AddAlternativeString(gomail.TypeTextHTML, msg.HTML)
	}
	return g, nil
}

// envelope validates an address and converts its domain to ASCII.
func envelope(address string) (string, error) {
	if _, err := domain.CanonicalEmail(address); err != nil {
		return "", fmt.Errorf("mail: %w", err)
	}
	return domain.EmailInASCII(address), nil
}
