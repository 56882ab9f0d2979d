package mail_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/mail"
)

// The token is read again for each mail.
func TestToken(t *testing.T) {
	t.Parallel()
	s := serve(t, &server{offer: []string{"STARTTLS", "AUTH PLAIN XOAUTH2"}}, false)
	o := s.options(mail.StartTLS)
	o.User, o.TokenFile = "me@example.org", filepath.Join(t.TempDir(), "token")
	m := mailer(t, mail.Options{SMTP: o})
	for i, token := range []string{"first", "second"} {
		if err := os.WriteFile(o.TokenFile, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := m.Send(t.Context(), letterTo("ada@example.net")); err != nil {
			t.Fatal(err)
		}
		got := s.letters()
		if want := "user=me@example.org\x01auth=Bearer " + token + "\x01\x01"; len(got) != i+1 || got[i].login != want || !got[i].encrypted {
			t.Errorf("logged in as %+v, want %q", got, want)
		}
	}
}

// A refused login or an unusable token delays the mail. The token is in no error.
func TestTokenFailures(t *testing.T) {
	t.Parallel()
	const token = "s3cret-token"
	expired := base64.StdEncoding.EncodeToString([]byte(`{"status":"401","schemes":"bearer"}`))
	for _, c := range []struct {
		name, content, says string
		offer               string
		replies             map[string]string
	}{
		{"expired", token, "535", "AUTH XOAUTH2", map[string]string{"AUTH": "334 " + expired, "": "535 5.7.8 not accepted"}},
		{"refused at once", token, "535", "AUTH XOAUTH2", map[string]string{"AUTH": "535 5.7.8 not accepted"}},
		{"connection lost", token, "EOF", "AUTH XOAUTH2", map[string]string{"AUTH": ""}},
		{"passwords only", token, "XOAUTH2", "AUTH PLAIN LOGIN", nil},
		{"no login", token, "AUTH", "SIZE", nil},
		{"empty file", "\n", "token", "AUTH XOAUTH2", nil},
		{"two lines", token + "\n" + token, "one token", "AUTH XOAUTH2", nil},
		{"control characters", token + "\x01auth=x", "one token", "AUTH XOAUTH2", nil},
		{"long file", strings.Repeat("a", 9000), "8192", "AUTH XOAUTH2", nil},
		{"no file", "", "no such file", "AUTH XOAUTH2", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, &server{offer: []string{c.offer}, replies: c.replies}, true)
			o := s.options(mail.Implicit)
			o.User, o.TokenFile = "me", filepath.Join(t.TempDir(), "token")
			if c.content != "" {
				if err := os.WriteFile(o.TokenFile, []byte(c.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := mailer(t, mail.Options{SMTP: o}).Send(t.Context(), letterTo("ada@example.net"))
			if outcome(err) != "again" || !strings.Contains(err.Error(), c.says) || len(s.letters()) > 0 {
				t.Errorf("%v, want %q; %d mails arrived", err, c.says, len(s.letters()))
			}
			if err != nil && strings.Contains(err.Error(), token) {
				t.Errorf("the error contains the token: %v", err)
			}
		})
	}
}
