package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/cli"
	"vitrine/internal/database/dbtest"
)

// onDatabase are all commands that use the database, with arguments that are valid.
func onDatabase(t *testing.T) [][]string {
	t.Helper()
	links := inFile(t, "links.csv", "url,title\nhttps://example.org/,One\n")
	people := inFile(t, "people.csv", "email\nx@example.org\n")
	out := func(name string) string { return filepath.Join(t.TempDir(), name) }
	return [][]string{
		{"user", "invite", "x@example.org"}, {"user", "import", people}, {"user", "link", "create"}, {"user", "link", "list"}, {"user", "link", "end", "1"},
		{"user", "list"}, {"user", "show", "ada"}, {"user", "usage"}, {"user", "set-tier", "ada", "free"}, {"user", "suspend", "ada"},
		{"user", "set-email", "ada", "x@example.org"}, {"user", "set-password", "ada", "--generate"}, {"user", "set-password", "ada", "--reset"},
		{"user", "sign-in", "ada"}, {"user", "sign-out", "ada"}, {"user", "remove-second-factor", "ada"}, {"user", "delete", "ada", "--yes"},
		{"user", "set-office", "ada", "operator"},
		{"token", "create", "--user", "ada"}, {"token", "list", "--user", "ada"}, {"token", "revoke", "1"},
		{"app", "create", "--user", "ada", "--name", "x", "--redirect-uri", "https://x.example/"}, {"app", "list"}, {"app", "delete", "x"},
		{"reports", "list"}, {"reports", "show", "1"}, {"reports", "close", "1", "dismissed"},
		{"hidden", "list"}, {"hidden", "add", "block", "1"}, {"hidden", "remove", "1"},
		{"blocklist", "list"}, {"blocklist", "add", "domain", "spam.example"}, {"blocklist", "remove", "1"},
		{"audit"}, {"jobs"}, {"jobs", "retry", "--all"}, {"jobs", "backfills"}, {"check"}, {"check", "--files"},
		{"import", "file", links, "--user", "ada"}, {"import", "folder", filepath.Dir(links), "--user", "ada"},
		{"export", "--user", "ada", "--out", out("ada.zip")}, {"backup", out("backups")}, {"work"},
	}
}

// Without a database, and with one that was not migrated, every command reports what to do in one
// line, and creates nothing.
func TestCommandsWithoutTheirDatabase(t *testing.T) {
	t.Parallel()
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		for _, args := range onDatabase(t) {
			p := folder(t)
			p.run(args...).fails(1, "there is no database in "+p.flags[1]+": set its folder with --data-dir, or create one with `vitrine serve` or `vitrine migrate`")
			if _, err := os.Stat(p.flags[1]); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q leaves a folder: %v", args, err)
			}
		}
	})
	t.Run("not migrated", func(t *testing.T) {
		t.Parallel()
		p := place{t, []string{"--database-url", dbtest.PostgresURL(t), "--data-dir", t.TempDir()}}
		for _, args := range onDatabase(t) {
			r := p.run(args...)
			if r.code != 1 || r.out != "" || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, "vitrine migrate") {
				t.Errorf("%q: exit code %d\n%s%s", args, r.code, r.out, r.err)
			}
		}
	})
	t.Run("no SQLite file", func(t *testing.T) {
		t.Parallel()
		p := folder(t)
		if err := os.MkdirAll(p.flags[1], 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.flags[1], "vitrine.db"), []byte(strings.Repeat("This is a text. ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range append(onDatabase(t), []string{"migrate"}) {
			if r := p.run(args...); r.code != 1 || r.out != "" || !strings.Contains(r.err, "file is not a database") {
				t.Errorf("%q: exit code %d\n%s%s", args, r.code, r.out, r.err)
			}
		}
	})
}

// A command that is interrupted before it begins fails, prints nothing to standard output, and
// changes nothing.
func TestInterruptedCommands(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("migrate").ok()
	p.ada()
	r := apptest.Boot(t, p.database())
	before := r.Dump()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range onDatabase(t) {
		var out, errs bytes.Buffer
		code := cli.Run(interrupted, append(append([]string{"vitrine"}, args...), p.flags...), &out, &errs)
		if args[0] == "work" && code == 0 { // it stops at once, as it should
			continue
		}
		if code != 1 || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out.String(), errs.String())
		}
	}
	if diff := before.Diff(r.Dump()); len(diff) > 0 {
		t.Errorf("interrupted commands changed\n%s", strings.Join(diff, "\n"))
	}
}

// Commands refuse wrong values with the reasons, one per line, and change nothing. With --json, the
// reasons are the same and standard output is empty too.
func TestCommandsRefuse(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		r := apptest.Boot(t, p.database())
		for _, name := range []string{"olga", "ada", "eve"} { // olga is the operator
			r.Person(name)
		}
		moss := r.Channel("ada", "Moss", "public")
		block := fmt.Sprint(r.Block("ada", "A text", moss))
		r.Channel("eve", "Rust", "private")
		p.run("user", "suspend", "eve").ok()
		r.WorkJobs()
		before := r.Dump()
		links, nowhere := inFile(t, "links.csv", "url,title\nhttps://example.org/,One\n"), filepath.Join(t.TempDir(), "none")
		const nobody = `there is no account "nobody"`
		type refusal struct {
			code int
			why  []string
			args string // separated by spaces
		}
		why := func(lines ...string) []string { return lines }
		for _, c := range []refusal{
			{1, why(nobody), "user set-office nobody operator"},
			{1, why(nobody), "user sign-out nobody"},
			{1, why(nobody), "user remove-second-factor nobody"},
			{1, why(nobody), "user delete nobody --yes"},
			{1, why(nobody), "user set-password nobody --generate"},
			{1, why(nobody), "user set-password nobody --reset"},
			{1, why(nobody), "token create --user nobody"},
			{1, why(nobody), "token list --user nobody --json"},
			{1, why(nobody), "app create --user nobody --name x"},
			{1, why(nobody), "import file " + links + " --user nobody"},
			{1, why(nobody), "export --user nobody --out " + nowhere},
			{2, why("tier: must be one of free, premium, supporter"), "user set-tier ada guest --json"},
			{2, why("office: must be member or operator"), "user set-office ada king --json"},
			{2, why("--hide: can only be used when suspending"), "user suspend ada --undo --hide"},
			{1, why("The server would be left without an operator"), "user suspend olga --hide"},
			{2, why("email: must be an address such as ada@example.org"), "user set-email ada ada --json"},
			{2, why("email: is already in use"), "user set-email ada olga@example.org"},
			{1, why("The account has no second factor"), "user remove-second-factor ada"},
			{2, why("--days: must be at least 1"), "user invite x@example.org --days -1"},
			{2, why("--days: must be at least 1"), "user import " + links + " --days 0"},
			{2, why("--places: must be at least 1", "--days: must be at least 1"), "user link create --places 0 --days 0"},
			{2, why("places: must be at most 1000"), "user link create --places 1001"},
			{2, why("group: is no group"), "user link create --group nobody --json"},
			{1, why("there is no active link 1"), "user link end 1"},
			{2, why("name: must be 1 to 255 characters long"), "token create --user ada --name="},
			{1, why("there is no token 999"), "token revoke 999"},
			{1, why(`the account "eve" is suspended or deleted`), "app create --user eve --name x --redirect-uri https://x.example/"},
			{2, why("redirect_uris: at least one is required of an application without a secret"), "app create --user ada --name x --public"},
			{2, why("redirect_uris[0]: must not have a fragment"), "app create --user ada --name x --redirect-uri https://x.example/#y --json"},
			{1, why(`there is no application "x"`), "app delete x"},
			{2, why("--limit: want 1 to 1000; --below: an id"), "reports list --below -1"},
			{1, why("there is no report 1"), "reports show 1 --json"},
			{2, why("outcome: must be one of dismissed, warned, hidden, deleted, suspended"), "reports close 1 pardoned"},
			{2, why("--yes: is required to delete or suspend"), "reports close 1 deleted"},
			{1, why("there is no report 1"), "reports close 1 dismissed"},
			{2, why("type: must be one of Block, Channel, Comment"), "hidden add user 1"},
			{1, why("there is no block 999"), "hidden add block 999"},
			{2, why("text: must be at most 2000 characters long"), "hidden add block " + block + " --text=" + strings.Repeat("x", 2001)},
			{1, why("there is no entry 1"), "hidden remove 1"},
			{2, why("kind: must be one of domain, mail, file, network"), "blocklist add colour red"},
			{2, why("value: must be a domain such as example.org"), "blocklist add domain spam"},
			{2, why("value: must be a SHA-256 of 64 hexadecimal digits"), "blocklist add file abc"},
			{2, why("value: must be an address, or a network such as 192.0.2.0/24"), "blocklist add network 10.0.0.0/33"},
			{2, why("note: must be at most 255 characters long"), "blocklist add domain spam.example --note=" + strings.Repeat("x", 256)},
			{1, why("there is no entry 1"), "blocklist remove 1"},
			{2, why("--since: want a day such as 2026-03-31, a time such as 2026-03-31T08:00:00Z, or a duration such as 24h"), "audit --since yesterday"},
			{2, why("--since: want a day such as 2026-03-31, a time such as 2026-03-31T08:00:00Z, or a duration such as 24h"), "audit --since=-24h"},
			{2, why("--limit: 10001: want a number from 1 to 10000"), "jobs --limit 10001 --json"},
			{2, why("want the IDs of jobs, or --all"), "jobs retry"},
			{2, why("--quick: requires --files"), "check --quick"},
			{1, why(`the account "eve" is suspended`), "import file " + links + " --user eve"},
			{1, why("there is no channel nothing to which ada may add"), "import file " + links + " --user ada --channel nothing"},
			{2, why("--token-file: open " + nowhere + ": no such file or directory"), "import arena moss --user ada --token-file " + nowhere},
			{2, why("--token-file: the file " + links + " must hold one word"), "import arena moss --user ada --token-file " + inFile(t, "two.txt", "two words")},
			{1, why("open " + nowhere + ": no such file or directory"), "user import " + nowhere},
			{2, why("--keep: -1: want a number above zero"), "backup " + nowhere + " --keep -1"},
			{2, why("--keep: a file contains only one backup; use a folder"), "backup " + nowhere + ".tar.zst --keep 2"},
		} {
			got := p.run(strings.Fields(c.args)...)
			if strings.Contains(c.args, "two.txt") {
				_, file, _ := strings.Cut(c.args, "--token-file ")
				c.why[0] = "--token-file: the file " + file + " must hold one word"
			}
			got.fails(c.code, c.why...)
		}
		if diff := before.Diff(r.Dump()); len(diff) > 0 {
			t.Errorf("refused commands changed\n%s", strings.Join(diff, "\n"))
		}
		if _, err := os.Stat(nowhere); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a refused command left a file: %v", err)
		}
	})
}

// typed runs a command in a process of its own, with a text on standard input.
func (p place) typed(text string, args ...string) result {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(p.t.Context(), self, append(args, p.flags...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return result{p.t, args, cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// Passwords and confirmations are read from the first line of standard input.
func TestCommandsReadStandardInput(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("migrate").ok()
	p.ada()
	p.run("user", "create", "--slug", "bob", "--name", "Bob", "--email", "bob@example.org").ok()
	const asks = "This cannot be undone. Type bob to delete the account: "
	for _, c := range []struct {
		typed    string
		args     []string
		code     int
		out, err string // a part of the output
	}{
		{"a good long one\nand more\n", []string{"user", "set-password", "bob"}, 0, "Set the password of account bob and signed it out everywhere.\n", ""},
		{"a good long one, without a line end", []string{"user", "set-password", "bob"}, 0, "Set the password of account bob", ""},
		{"a good one of Windows\r\n", []string{"user", "set-password", "bob"}, 0, "Set the password of account bob", ""},
		{"", []string{"user", "set-password", "bob"}, 2, "", "vitrine: password: must be 8 to 200 bytes long\n"},
		{strings.Repeat("x", 5000) + "\n", []string{"user", "set-password", "bob"}, 2, "", "vitrine: password: must be 8 to 200 bytes long\n"},
		{"a good long one\n", []string{"user", "set-password", "nobody"}, 1, "", "vitrine: there is no account \"nobody\"\n"},
		{"email\nnew@example.org\n", []string{"user", "import", "-"}, 0, "line 2: new@example.org: invited, until ", ""},
		{"name\nNew\n", []string{"user", "import", "-"}, 2, "", "vitrine: "},
		{"yes\n", []string{"user", "delete", "bob"}, 1, asks, "vitrine: nothing was deleted\n"},
		{"", []string{"user", "delete", "bob"}, 1, asks, "vitrine: nothing was deleted\n"},
		{"bob\n", []string{"user", "delete", "bob"}, 0, asks + "Deleted account bob, receipt ", ""},
		{"bob\n", []string{"user", "delete", "bob"}, 1, "", "vitrine: there is no account \"bob\"\n"},
	} {
		r := p.typed(c.typed, c.args...)
		if r.code != c.code || !strings.Contains(r.out, c.out) || !strings.HasPrefix(r.err, c.err) || c.err == "" && r.err != "" {
			t.Errorf("%q with %.20q: exit code %d, want %d\n%s%s", c.args, c.typed, r.code, c.code, r.out, r.err)
		}
	}
}
