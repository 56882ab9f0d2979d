package mail_test

import (
	"strings"
	"testing"

	"vitrine/internal/mail"
)

// Domains are sent in ASCII. SMTPUTF8 is asked for only if a local part requires it.
func TestInternationalAddresses(t *testing.T) {
	t.Parallel()
	const asks = " BODY=8BITMIME SMTPUTF8"
	for _, c := range []struct {
		name, sender, to string
		offer            []string
		from, rcpt       string // as the server receives them
		outcome          string
	}{
		{"domain", "", "ada@bücher.example", nil, "FROM:<vitrine@example.org> BODY=8BITMIME", "TO:<ada@xn--bcher-kva.example>", ""},
		{"domain and SMTPUTF8", "", "ada@bücher.example", []string{"SMTPUTF8"}, "FROM:<vitrine@example.org> BODY=8BITMIME", "TO:<ada@xn--bcher-kva.example>", ""},
		{"domain of the sender", "Vitrine <vitrine@bücher.example>", "ada@example.net", nil, "FROM:<vitrine@xn--bcher-kva.example> BODY=8BITMIME", "TO:<ada@example.net>", ""},
		{"local part", "", "zoë@bücher.example", []string{"SMTPUTF8"}, "FROM:<vitrine@example.org>" + asks, "TO:<zoë@xn--bcher-kva.example>", ""},
		{"local part of the sender", "Vitrine <büro@example.org>", "ada@example.net", []string{"SMTPUTF8"}, "FROM:<büro@example.org>" + asks, "TO:<ada@example.net>", ""},
		{"local part without SMTPUTF8", "", "zoë@example.net", nil, "", "", "refused"},
		{"local part of the sender without SMTPUTF8", "Vitrine <büro@example.org>", "ada@example.net", nil, "", "", "again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, &server{offer: c.offer}, false)
			err := mailer(t, mail.Options{From: c.sender, SMTP: s.options(mail.Plain)}).Send(t.Context(), letterTo(c.to))
			if outcome(err) != c.outcome {
				t.Fatalf("%q, want %q: %v", outcome(err), c.outcome, err)
			}
			if c.outcome != "" {
				for _, part := range []string{"ë@example.net", "büro@example.org"} {
					if strings.Contains(c.to+c.sender, part) && !strings.Contains(err.Error(), part) {
						t.Errorf("the error does not name the address: %v", err)
					}
				}
				if !strings.Contains(err.Error(), "SMTPUTF8") || len(s.letters()) > 0 {
					t.Errorf("%v, %d mails arrived", err, len(s.letters()))
				}
				return
			}
			got := s.letters()
			if len(got) != 1 || got[0].from != c.from || got[0].to != c.rcpt {
				t.Fatalf("arrived as %+v", got)
			}
			_, address, _ := strings.Cut(c.rcpt, ":")
			if !strings.Contains(got[0].data, "To: "+address+"\n") {
				t.Errorf("arrived as\n%s", got[0].data)
			}
		})
	}
}
