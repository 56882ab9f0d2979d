package mail_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/mail"
)

func mailer(t *testing.T, o mail.Options) *mail.Mailer {
	t.Helper()
	if o.From == "" {
		o.From = "Vitrine <vitrine@example.org>"
	}
	m, err := mail.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func letterTo(email string) mail.Message {
	return mail.Message{ID: "test-1", To: mail.Address{Email: email}, Subject: "Hello", Text: "Good day\n.\n"}
}

func TestSMTP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		security  mail.Security
		offer     []string
		login     bool
		encrypted bool
	}{
		{"plain", mail.Plain, nil, false, false},
		{"plain with login", mail.Plain, []string{"AUTH LOGIN PLAIN"}, true, false},
		{"starttls", mail.StartTLS, []string{"STARTTLS"}, false, true},
		{"starttls with login", mail.StartTLS, []string{"STARTTLS", "AUTH PLAIN"}, true, true},
		{"tls", mail.Implicit, nil, false, true},
		{"tls with login", mail.Implicit, []string{"AUTH PLAIN LOGIN"}, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, &server{offer: c.offer}, c.security == mail.Implicit)
			o := s.options(c.security)
			want := letter{from: "FROM:<vitrine@example.org> BODY=8BITMIME", to: "TO:<ada@example.net>", encrypted: c.encrypted}
			if c.login {
				o.User, o.Password, want.login = "me", "s3cret", "me:s3cret"
			}
			if err := mailer(t, mail.Options{SMTP: o}).Send(t.Context(), letterTo("ada@example.net")); err != nil {
				t.Fatal(err)
			}
			got := s.letters()
			if len(got) != 1 {
				t.Fatalf("%d mails arrived", len(got))
			}
			if !strings.Contains(got[0].data, "Good day\n.\n") {
				t.Errorf("arrived as\n%s", got[0].data)
			}
			got[0].data = ""
			if got[0] != want {
				t.Errorf("got  %+v\nwant %+v", got[0], want)
			}
		})
	}
}

// The error of a mail determines whether it is sent again.
func TestFailures(t *testing.T) {
	t.Parallel()
	const again, refused, unclear = "again", "refused", "unclear"
	for _, c := range []struct {
		verb, reply, want string
	}{
		{"EHLO", "", again},
		{"MAIL", "451 busy", again},
		{"MAIL", "530 log in first", again},
		{"MAIL", "", again},
		{"RCPT", "450 mailbox is full", again},
		{"RCPT", "550 nobody of that name", refused},
		{"RCPT", "", again},
		{"DATA", "451 not now", again},
		{"DATA", "554 never", refused},
		{"DATA", "", again},
		{".", "451 no room", again},
		{".", "554 no, thank you", refused},
		{".", "", unclear},
		{"QUIT", "", ""},
		{"QUIT", "500 what", ""},
		{"AUTH", "535 wrong password", again},
		{"STARTTLS", "454 no keys", again},
	} {
		t.Run(c.verb+" "+c.reply, func(t *testing.T) {
			t.Parallel()
			security := mail.Plain
			if c.verb == "STARTTLS" {
				security = mail.StartTLS
			}
			s := serve(t, &server{offer: []string{"AUTH PLAIN", "STARTTLS"}, replies: map[string]string{c.verb: c.reply}}, false)
			o := s.options(security)
			o.User, o.Password = "me", "s3cret"
			if c.verb == "EHLO" {
				s.replies["HELO"] = ""
			}
			var observed []string
			observe := func(_ context.Context, outcome string, _ time.Duration) { observed = append(observed, outcome) }
			err := mailer(t, mail.Options{SMTP: o, Observe: observe}).Send(t.Context(), letterTo("ada@example.net"))
			if got := outcome(err); got != c.want {
				t.Errorf("%q, want %q: %v", got, c.want, err)
			}
			told := map[string]string{"": "taken", again: "failed", refused: "refused", unclear: "unclear"}[c.want]
			if !slices.Equal(observed, []string{told}) {
				t.Errorf("observed %q, want %q", observed, told)
			}
			if taken := len(s.letters()); taken > 0 != (c.want == "") {
				t.Errorf("%d mails arrived", taken)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

func outcome(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, mail.ErrRefused):
		return "refused"
	case errors.Is(err, mail.ErrUnclear):
		return "unclear"
	}
	return "again"
}

// A mail is never sent without TLS unless allowed, and never to a wrong server.
func TestInsecure(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(s *server, o *mail.SMTP){
		"server without STARTTLS":   func(s *server, _ *mail.SMTP) { s.offer = []string{"AUTH PLAIN"} },
		"unknown certificate":       func(_ *server, o *mail.SMTP) { o.TLS = nil },
		"certificate of other host": func(_ *server, o *mail.SMTP) { o.Host = "localhost" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, &server{offer: []string{"STARTTLS", "AUTH PLAIN"}}, false)
			o := s.options(mail.StartTLS)
			o.User, o.Password = "me", "s3cret"
			change(s, o)
			err := mailer(t, mail.Options{SMTP: o}).Send(t.Context(), letterTo("ada@example.net"))
			if outcome(err) != "again" || len(s.letters()) > 0 {
				t.Errorf("%v, %d mails arrived", err, len(s.letters()))
			}
		})
	}
}

// The context ends the wait for a server that does not respond.
func TestCancel(t *testing.T) {
	t.Parallel()
	s := serve(t, &server{}, true) // waits for a TLS handshake that never comes
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan error)
	go func() {
		sent <- mailer(t, mail.Options{SMTP: s.options(mail.Plain)}).Send(ctx, letterTo("ada@example.net"))
	}()
	cancel()
	if err := <-sent; outcome(err) != "again" {
		t.Errorf("got %v", err)
	}
}
