package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

func TestUserCreate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		ada := p.ada()
		if ada.ID == 0 || ada.Slug != "ada" || ada.Name != "Ada Lovelace" || ada.Email != "ada@example.org" || ada.Tier != "supporter" || ada.Suspended {
			t.Errorf("%+v", ada)
		}
		if made, err := time.Parse(time.RFC3339, ada.CreatedAt); err != nil || time.Since(made) > time.Hour {
			t.Errorf("created_at %q", ada.CreatedAt)
		}
		r := p.run("user", "create", "--name", "Bob Ébauche", "--email", "Bob@Example.org", "--tier", "free").ok()
		if !strings.HasPrefix(r.out, "Created account bob-ebauche (ID ") || !strings.HasSuffix(r.out, ", tier free).\n") {
			t.Errorf("%q", r.out)
		}
		var all []user
		p.run("user", "list", "--json").json(&all)
		if len(all) != 2 || all[0] != ada || all[1].Slug != "bob-ebauche" || all[1].Email != "bob@example.org" || all[1].Tier != "free" {
			t.Errorf("%+v", all)
		}
		lines := strings.Split(p.run("user", "list").ok().out, "\n")
		if len(lines) != 4 || !regexp.MustCompile(`^\d+ +ada +Ada Lovelace +ada@example.org +supporter +operator +false +0 bytes$`).MatchString(lines[1]) {
			t.Errorf("%q", lines)
		}
	})
}

func TestUserCreateRefusals(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		var before, after []user
		p.run("user", "list", "--json").json(&before)
		create := func(args ...string) result { return p.run(append([]string{"user", "create"}, args...)...) }
		create("--slug", "Not a slug", "--name", " ", "--email", "nobody", "--tier", "gold", "--password", "short").fails(2,
			"slug: must be lower-case letters, digits and single dashes, and not all digits",
			"name: must be 1 to 255 characters long", "email: must be an address such as ada@example.org",
			"password: must be 8 to 200 bytes long", "tier: must be one of free, premium, supporter")
		create("--slug", "12", "--name", "X", "--email", "x@example.org").fails(2,
			"slug: must be lower-case letters, digits and single dashes, and not all digits")
		create("--slug", "ada", "--name", "X", "--email", "x@example.org").fails(2, "slug: is already taken")
		create("--slug", "me", "--name", "X", "--email", "x@example.org").fails(2, "slug: is reserved")
		create("--slug", "x", "--name", "X", "--email", "ADA@example.org").fails(2, "email: is already in use")
		create("--name", "X", "--email", "X <x@example.org>").fails(2, "email: must be an address such as ada@example.org")
		create("--name", "X", "--email", "x@example.org", "--password", strings.Repeat("x", 201)).fails(2, "password: must be 8 to 200 bytes long")
		create("--name", "X", "--email", "x@example.org", "--tier", "guest").fails(2, "tier: must be one of free, premium, supporter")
		create("--name", strings.Repeat("x", 256), "--email", "x@example.org").fails(2, "name: must be 1 to 255 characters long")
		create("--name", "a\x00b", "--email", "x@example.org").fails(2, "name: must not contain control characters")
		p.run("user", "list", "--json").json(&after)
		if len(after) != len(before) {
			t.Errorf("accounts were made: %+v", after)
		}
		// A failed command does not reserve the slug.
		create("--slug", "x", "--name", "X", "--email", "x@example.org").ok()
	})
}

func TestPasswordFile(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("migrate").ok()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	create := func(email string, args ...string) result {
		return p.run(append([]string{"user", "create", "--name", "X", "--email", email}, args...)...)
	}
	create("a@example.org", "--password-file", file("good", "a good long one\n")).ok()
	create("b@example.org", "--password-file", file("short", "short\n")).fails(2, "password: must be 8 to 200 bytes long")
	create("c@example.org", "--password-file", file("empty", "\n")).fails(2, "--password-file: the file "+dir+"/empty is empty")
	create("d@example.org", "--password-file", dir+"/missing").fails(2, "--password-file: open "+dir+"/missing: no such file or directory")
	create("e@example.org", "--password-file", dir+"/good", "--password", "a good long one").
		fails(2, "--password-file: set the password or the file, not both")
}

func TestSetTierAndSuspend(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		ada := p.ada()
		var u user
		p.run("user", "set-tier", "ada", "premium", "--json").json(&u)
		if u.Tier != "premium" || u.ID != ada.ID {
			t.Errorf("%+v", u)
		}
		id := strconv.FormatInt(ada.ID, 10)
		if r := p.run("user", "set-tier", id, "free").ok(); r.out != "Account ada (ID "+id+") now has the tier free.\n" {
			t.Errorf("%q", r.out)
		}
		p.run("user", "set-tier", "ada", "gold").fails(2, "tier: must be one of free, premium, supporter")
		p.run("user", "set-tier", "bob", "free").fails(1, `there is no account "bob"`)
		p.run("user", "set-tier", "99999999999999999999", "free").fails(1, `there is no account "99999999999999999999"`)

		p.operator()
		p.run("user", "suspend", "ada", "--json").json(&u)
		if !u.Suspended || u.Tier != "free" {
			t.Errorf("%+v", u)
		}
		if r := p.run("user", "suspend", "ada", "--undo").ok(); r.out != "Lifted the suspension of account ada (ID "+id+", tier free).\n" {
			t.Errorf("%q", r.out)
		}
		if r := p.run("user", "suspend", id).ok(); r.out != "Suspended account ada (ID "+id+", tier free).\n" {
			t.Errorf("%q", r.out)
		}
		p.run("user", "suspend", "bob").fails(1, `there is no account "bob"`)
		var all []user
		p.run("user", "list", "--json").json(&all)
		if len(all) != 2 || !all[0].Suspended || all[1].Suspended {
			t.Errorf("%+v", all)
		}
	})
}

// TestLimitedTokens: a token has the limits and the lifetime of its flags, and nothing is created for a channel that the account cannot see.
func TestLimitedTokens(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		r := apptest.Boot(t, p.database())
		moss, rust := r.Channel("ada", "Moss", "private"), r.Channel("eve", "Rust", "private")
		var made token
		p.run("token", "create", "--user", "ada", "--scope", "write:comment,write:save", "--channel", "moss", "--days", "7", "--json").json(&made)
		if made.Scope != fmt.Sprint("read write:save write:comment channel:", moss) || made.ExpiresAt == nil {
			t.Errorf("%+v", made)
		}
		actor, err := r.S.App.Accounts.Authenticate(t.Context(), made.Token)
		if err != nil || actor.Scope != domain.ScopeWrite || actor.Limits.String() != fmt.Sprint("write:save write:comment channel:", moss) {
			t.Errorf("%+v, %v", actor, err)
		}
		for _, a := range domain.Abilities {
			p.run("token", "create", "--user", "ada", "--scope", "write:"+string(a), "--json").json(&made)
			if made.Scope != "read write:"+string(a) || made.ExpiresAt != nil {
				t.Errorf("%s: %+v", a, made)
			}
		}
		if p.run("token", "create", "--user", "ada", "--scope", "write,write:save", "--json").json(&made); made.Scope != "write" {
			t.Errorf("%+v", made)
		}
		before := p.run("token", "list", "--user", "ada").ok().out
		for _, c := range []struct{ name, value, text string }{
			{"--channel", fmt.Sprint(rust), "there is no channel"}, {"--channel", "rust", "there is no channel"}, {"--channel", "", "there is no channel"},
			{"--channel", "a\xffb", "must be valid UTF-8"}, {"--days", "-1", "days"}, {"--days", "3651", "days: must be at most 3650"},
		} {
			if res := p.run("token", "create", "--user", "ada", c.name+"="+c.value); res.code == 0 || !strings.Contains(res.err, c.text) {
				t.Errorf("%s=%q: %d %s", c.name, c.value, res.code, res.err)
			}
		}
		if after := p.run("token", "list", "--user", "ada").ok().out; after != before {
			t.Errorf("%s\nwas\n%s", after, before)
		}
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		secret := regexp.MustCompile(`^vitrine_pat_[0-9A-Za-z]{46}\n$`)
		write := p.run("token", "create", "--user", "ada", "--scope", "write").ok()
		if !secret.MatchString(write.out) {
			t.Errorf("standard output is %q, want the token alone", write.out)
		}
		var made token
		p.run("token", "create", "--user", "ada", "--name", "for a script", "--json").json(&made)
		if !secret.MatchString(made.Token+"\n") || made.Scope != "read" || made.Name != "for a script" || made.RevokedAt != nil {
			t.Errorf("%+v", made)
		}
		list := func() (all []token) {
			t.Helper()
			r := p.run("token", "list", "--user", "ada", "--json")
			r.json(&all)
			if strings.Contains(r.out, made.Token) || strings.Contains(r.out, strings.TrimSpace(write.out)) {
				t.Error("the list shows a token")
			}
			return all
		}
		all := list()
		if len(all) != 2 || all[0].ID != made.ID || all[0].Hint != made.Hint || all[1].Scope != "write" || all[1].Name != "command line" ||
			all[1].LastUsedAt != nil || !strings.HasPrefix(write.out, all[1].Hint) {
			t.Errorf("%+v", all)
		}
		if lines := strings.Split(p.run("token", "list", "--user", "ada").ok().out, "\n"); len(lines) != 4 || !strings.Contains(lines[1], "for a script") {
			t.Errorf("%q", lines)
		}
		id := strconv.FormatInt(made.ID, 10)
		for range 2 {
			if r := p.run("token", "revoke", id).ok(); r.out != "Revoked token "+id+".\n" {
				t.Errorf("%q", r.out)
			}
		}
		if all := list(); all[0].RevokedAt == nil || all[1].RevokedAt != nil {
			t.Errorf("%+v", all)
		}
		p.run("token", "revoke", "999").fails(1, "there is no token 999")
		p.run("token", "create", "--user", "ada", "--name", "").fails(2, "name: must be 1 to 255 characters long")
		p.run("token", "create", "--user", "ada", "--name", "a\nb").fails(2, "name: must not contain control characters")
		p.run("token", "create", "--user", "bob").fails(1, `there is no account "bob"`)
		p.run("token", "list", "--user", "bob").fails(1, `there is no account "bob"`)
	})
}

func TestSetOffice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		if ada := p.ada(); ada.Office != "operator" {
			t.Errorf("the first account's office is %q", ada.Office)
		}
		p.run("user", "set-office", "ada", "member").fails(1, "The server would be left without an operator")
		var bob user
		p.run("user", "create", "--name", "Bob", "--email", "bob@example.org", "--json").json(&bob)
		if bob.Office != "member" {
			t.Errorf("%+v", bob)
		}
		p.run("user", "set-office", "bob", "king").fails(2, "office: must be member or operator")
		p.run("user", "set-office", "nobody", "operator").fails(1, `there is no account "nobody"`)
		if r := p.run("user", "set-office", "bob", "operator").ok(); !strings.HasSuffix(r.out, "is an operator's.\n") {
			t.Errorf("%q", r.out)
		}
		p.run("user", "set-office", "ada", "member", "--json").json(&bob)
		if bob.Slug != "ada" || bob.Office != "member" {
			t.Errorf("%+v", bob)
		}
		p.run("user", "create", "--name", "X", "--email", "x@example.org", "--password", "iloveyou").
			fails(2, "password: is one of the commonest and would be guessed")
	})
}
