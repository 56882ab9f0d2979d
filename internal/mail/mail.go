// Package mail sends mail: through an SMTP server, or into a folder where a person
// without one can read it.
package mail

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"regexp"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"vitrine/internal/domain"
)

// Errors of Send besides those that leave everything as it was, after which the mail
// may be sent again.
var (
	// ErrRefused says that this mail will never be taken: it is malformed, or the
	// server said so for good.
	ErrRefused = errors.New("the mail was refused")
	// ErrUnclear says that the connection was lost after the mail had been sent and
	// before the server's answer: it may have been taken or not.
	ErrUnclear = errors.New("the mail may have been sent or not")
)

// Address is that of a person. Name is for show and may be empty.
type Address struct {
	Name  string
	Email string
}

// Message is a mail to one person.
type Message struct {
	// ID names the mail among all that this installation sends, such as
	// "invitation-42": lower case letters, digits, ".", "_" and "-". The Message-ID
	// and the name in the folder follow from it, so that one mail sent twice is
	// known for one.
	ID      string
	To      Address
	Subject string
	Text    string
	HTML    string // empty for none
}

// Options say how mail is sent.
type Options struct {
	From   string           // "Name <address>" or an address
	SMTP   *SMTP            // nil: into Folder
	Folder string           // made when it is first written to
	Now    func() time.Time // for the Date of mails; nil means time.Now

	// Observe, if not nil, is told what came of each mail that was handed over: taken,
	// refused, unclear or failed.
	Observe func(ctx context.Context, outcome string, took time.Duration)
}

// Mailer sends mail. It is safe for concurrent use.
type Mailer struct {
	from     *netmail.Address
	now      func() time.Time
	encoding gomail.Encoding // of texts
	delivers func(ctx context.Context, id string, m *gomail.Msg) error
	observe  func(ctx context.Context, outcome string, took time.Duration)
}

// New checks the options. It does not connect.
func New(o Options) (*Mailer, error) {
	from, err := netmail.ParseAddress(o.From)
	if err != nil {
		return nil, fmt.Errorf("mail: the sender %q is no address: %w", o.From, err)
	}
	if from.Address, err = envelope(from.Address); err != nil {
		return nil, fmt.Errorf("mail: the sender: %w", err)
	}
	m := &Mailer{from: from, now: o.Now, observe: o.Observe, encoding: gomail.NoEncoding, // people read the files, and copy links from them
		delivers: folder(o.Folder).deliver}
	if m.now == nil {
		m.now = time.Now
	}
	if o.SMTP != nil {
		m.encoding, m.delivers = gomail.EncodingQP, o.SMTP.deliver
	}
	return m, nil
}

// Send hands a mail over. When ctx ends before the server has taken it, the
// connection is dropped.
func (m *Mailer) Send(ctx context.Context, msg Message) error {
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

func (m *Mailer) compose(msg Message) (*gomail.Msg, error) {
	if !idPattern.MatchString(msg.ID) {
		return nil, fmt.Errorf("mail: %q is no id", msg.ID)
	}
	for _, header := range []string{msg.Subject, msg.To.Name, msg.To.Email} {
		if strings.ContainsFunc(header, unicode.IsControl) {
			return nil, fmt.Errorf("mail: %q has control characters", header)
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
	g.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no holiday notes, please
	g.SetBodyString(gomail.TypeTextPlain, msg.Text)
	if msg.HTML != "" {
		g.AddAlternativeString(gomail.TypeTextHTML, msg.HTML)
	}
	return g, nil
}

// envelope checks an address and returns it with its domain in ASCII.
func envelope(address string) (string, error) {
	if _, err := domain.CanonicalEmail(address); err != nil {
		return "", fmt.Errorf("mail: %w", err)
	}
	return domain.EmailInASCII(address), nil
}
