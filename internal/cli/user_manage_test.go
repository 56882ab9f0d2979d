package cli_test

import (
	"regexp"
	"strings"
	"testing"
)

func TestUserLookedAfter(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		p.run("user", "create", "--name", "Bob", "--email", "bob@example.org").ok()
		if r := p.run("user", "set-email", "bob", "Robert@Example.org").ok(); !strings.Contains(r.out, "now has the address robert@example.org.") {
			t.Errorf("%q", r.out)
		}
		p.run("user", "set-email", "bob", "ada@example.org").fails(2, "email: is already in use")
		p.run("user", "set-email", "bob", "nothing").fails(2, "email: must be an address such as ada@example.org")
		p.run("user", "set-email", "nobody", "x@example.org").fails(1, `there is no account "nobody"`)
		if r := p.run("user", "set-password", "bob", "--generate").ok(); !regexp.MustCompile(`^[0-9A-Za-z]{22}\n$`).MatchString(r.out) {
			t.Errorf("%q", r.out)
		}
		if r := p.run("user", "set-password", "bob", "--reset", "--site-url", "https://site.example").ok(); !regexp.MustCompile(`^https://site\.example/reset-password/vitrine_lnk_[0-9A-Za-z]{46}\n$`).MatchString(r.out) {
			t.Errorf("%q", r.out)
		}
		if r := p.run("user", "sign-in", "bob", "--site-url", "https://site.example").ok(); !regexp.MustCompile(`^https://site\.example/sign-in/link/vitrine_lnk_[0-9A-Za-z]{46}\n$`).MatchString(r.out) {
			t.Errorf("%q", r.out)
		}
		p.run("user", "sign-in", "nobody").fails(1, `there is no account "nobody"`)
		secret := p.run("token", "create", "--user", "bob").ok()
		if r := p.run("user", "sign-out", "bob", "--tokens").ok(); r.out != "Signed account bob out everywhere. Revoked its tokens.\n" {
			t.Errorf("%q", r.out)
		}
		var tokens []token
		p.run("token", "list", "--user", "bob", "--json").json(&tokens)
		if len(tokens) != 1 || tokens[0].RevokedAt == nil || secret.out == "" {
			t.Errorf("%+v", tokens)
		}
		if lines := strings.Split(p.run("user", "usage", "--search", "ROBERT").ok().out, "\n"); len(lines) != 3 || !strings.Contains(lines[1], "robert@example.org  0       0         0 bytes") {
			t.Errorf("%q", lines)
		}
		for _, args := range [][]string{{"suspend", "ada"}, {"set-office", "ada", "member"}} {
			p.run(append([]string{"user"}, args...)...).fails(1, "The server would be left without an operator")
		}
		p.run("user", "show", "nobody").fails(1, `there is no account "nobody"`)
		if r := p.run("user", "show", "bob").ok(); !regexp.MustCompile(`(?s)slug +bob\n.*email +robert@example\.org\n.*suspended +no\n.*password +set\npasskeys +0, with 0 unused.*tokens +0, and 0 applications\n.*stored +0 bytes`).MatchString(r.out) {
			t.Errorf("%s", r.out)
		}
		var shown map[string]any
		p.run("user", "show", "ada", "--json").json(&shown)
		if ids, ok := shown["identities"].([]any); shown["slug"] != "ada" || shown["office"] != "operator" || shown["bytes"] != 0.0 || shown["last_seen_at"] != nil || !ok || len(ids) != 0 {
			t.Errorf("%+v", shown)
		}
		if r := p.run("user", "delete", "ada", "--yes"); r.code != 1 || !strings.Contains(r.err, "The server would be left without an operator") {
			t.Errorf("%d %q", r.code, r.err)
		}
		if r := p.run("user", "delete", "bob", "--yes").ok(); !regexp.MustCompile(`\nDeleted account bob, receipt [A-Z2-7]{26}\.\n$`).MatchString(r.out) || !strings.Contains(r.out, "0 channels") {
			t.Errorf("%q", r.out)
		}
		var all []user
		p.run("user", "list", "--json").json(&all)
		if len(all) != 1 || all[0].Slug != "ada" {
			t.Errorf("%+v", all)
		}
	})
}
