package cli_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// In a folder without a database, commands report that and create none. Only serve, migrate and user
// create create one.
func TestNoDatabase(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"user", "list"}, {"user", "set-tier", "ada", "free"},
		{"token", "list", "--user", "ada"}, {"app", "list"}, {"jobs"}, {"jobs", "retry", "--all"}, {"check"}, {"work"},
	} {
		p := folder(t)
		p.run(args...).fails(1, "there is no database in "+p.flags[1]+": set its folder with --data-dir, or create one with `vitrine serve` or `vitrine migrate`")
		if _, err := os.Stat(p.flags[1]); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q leaves a folder: %v", args, err)
		}
		p.run("migrate").ok()
		if args[0] == "user" && args[1] == "list" {
			p.run(args...).ok()
		}
	}
}

// The first command of docs/hosting.md works in an empty folder, and creates an operator.
func TestFirstCommand(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("user", "create", "--name", "Ada", "--email", "ada@example.org").ok()
	if out := p.run("user", "list").ok().out; !strings.Contains(out, "operator") {
		t.Error(out)
	}
}
