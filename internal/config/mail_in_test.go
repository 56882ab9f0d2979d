package config_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/config"
)

func TestMailIn(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]config.MailIn{
		"lmtp://127.0.0.1:2424": {Address: "127.0.0.1:2424", Domain: "in.example.org"},
		"unix:/run/lmtp.sock":   {Address: "unix:/run/lmtp.sock", Domain: "in.example.org"},
		"/var/mail/vitrine":     {Folder: "/var/mail/vitrine", Domain: "in.example.org"},
		"":                      {},
	} {
		var args []string
		if source != "" {
			args = []string{"--mail-in=" + source, "--mail-in-domain=in.example.org"}
		}
		if cfg, found := parse(t, args...).Resolve(); len(found) > 0 || cfg.MailIn != want {
			t.Errorf("%s: %+v, %v", source, cfg.MailIn, found)
		}
	}
	for _, c := range []struct{ source, domain, want string }{
		{"lmtp://127.0.0.1", "in.example.org", `--mail-in (VITRINE_MAIL_IN): "lmtp://127.0.0.1": want lmtp://host:port`},
		{"smtp://127.0.0.1:25", "in.example.org", "want lmtp://host:port, unix:PATH or the path of a folder"},
		{"/var/mail", "in example", `--mail-in-domain (VITRINE_MAIL_IN_DOMAIN): "in example": want a domain`},
		{"/var/mail", "a@example.org", "want a domain"},
		{"/var/mail", "", "--mail-in-domain (VITRINE_MAIL_IN_DOMAIN): is required with --mail-in"},
		{"", "in.example.org", "has no effect without it"},
	} {
		if _, found := parse(t, "--mail-in="+c.source, "--mail-in-domain="+c.domain).Resolve(); len(found) != 1 || !strings.Contains(fmt.Sprint(found), c.want) {
			t.Errorf("%q at %q: %v, want %q", c.source, c.domain, found, c.want)
		}
	}
}
