package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/cli"
	"vitrine/internal/config"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/server"
)

// `serve` prints where it listens and what to do next, quoted for a shell, and exits with 0 when
// stopped.
func TestServe(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "Ada's data")
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- cli.Run(ctx, []string{"vitrine", "serve", "--addr", "127.0.0.1:0", "--data-dir", dir}, in, &errs)
		_ = in.Close()
	}()
	lines := bufio.NewReader(out)
	ready, _ := lines.ReadString('\n')
	first, err := lines.ReadString('\n')
	if !regexp.MustCompile(`^Vitrine \S+ is ready: open http://127\.0\.0\.1:\d+\n$`).MatchString(ready) {
		t.Errorf("it begins with %q", ready)
	}
	found := listens.FindStringSubmatch(first)
	if found == nil || !strings.HasSuffix(first, " in SQLite in "+dir+"/vitrine.db.\n") {
		t.Fatalf("%q (%v): %s", first, err, &errs)
	}
	res, err := http.Get(found[1] + "/readyz")
	if err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("%v %v", res, err)
	}
	stop()
	rest, err := io.ReadAll(lines)
	if err != nil || <-code != 0 {
		t.Errorf("%v: %s", err, &errs)
	}
	again := "VITRINE_DATA_DIR='" + strings.ReplaceAll(dir, "'", `'\''`) + "' vitrine "
	for _, want := range []string{again + `user create --slug ada --name "Ada" --email ada@example.org --password "a good long one"` + "\n",
		`export TOKEN="$(` + again + `token create --user ada --scope write)"` + "\n",
		`curl -H "Authorization: Bearer $TOKEN" ` + found[1] + "/v3/me\n"} {
		if !strings.Contains(string(rest), want) {
			t.Errorf("no %q in\n%s", want, rest)
		}
	}
	if log := errs.String(); strings.Count(log, "shutting down") != 1 || strings.Count(log, "msg=serving addr="+strings.TrimPrefix(found[1], "http://")+" ") != 1 {
		t.Errorf("the log is %s", &errs)
	}
}

// On PostgreSQL the suggested commands contain the database setting, or they would create an SQLite
// file, but not the password.
func TestServeOnPostgres(t *testing.T) {
	t.Parallel()
	url := dbtest.PostgresURL(t)
	run(t, "migrate", "--database-url", url).ok()
	first, rest := greeting(t, "--database-url", url)
	if !strings.HasSuffix(first, " in PostgreSQL.\n") {
		t.Error(first)
	}
	again := "VITRINE_DATABASE_URL='postgres://…' vitrine "
	if !strings.Contains(rest, again+"user create ") || !strings.Contains(rest, again+"token create ") || strings.Contains(rest, url) {
		t.Errorf("the next steps are\n%s", rest)
	}
}

// Behind a proxy, `serve` prints the listen address and the public address.
func TestServeBehindProxy(t *testing.T) {
	t.Parallel()
	first, rest := greeting(t, "--base-url", "https://vitrine.test/api")
	if !regexp.MustCompile(`^It listens on http://127\.0\.0\.1:\d+ \(to clients: https://vitrine\.test/api\) and keeps `).MatchString(first) ||
		!strings.Contains(rest, " https://vitrine.test/api/v3/me\n") {
		t.Errorf("%s%s", first, rest)
	}
}

// greeting serves for a moment on a free port. It returns the line with the address, and the lines
// after it.
func greeting(t *testing.T, flags ...string) (first, rest string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	args := append([]string{"vitrine", "serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir()}, flags...)
	go func() {
		code <- cli.Run(ctx, args, in, &errs)
		_ = in.Close()
	}()
	lines := bufio.NewReader(out)
	if ready, _ := lines.ReadString('\n'); !strings.Contains(ready, " is ready: open ") {
		t.Errorf("it begins with %q", ready)
	}
	first, _ = lines.ReadString('\n')
	stop()
	others, err := io.ReadAll(lines)
	if <-code != 0 || err != nil {
		t.Fatalf("%q (%v): %s", first, err, &errs)
	}
	return first, string(others)
}

// A second server on the same file is refused with one line, before it changes the file; commands
// are not. When the first server has ended, another may start.
func TestServeOnlyOnce(t *testing.T) {
	t.Parallel()
	p := folder(t)
	cfg, _ := config.Texts{"data-dir": p.flags[1]}.Resolve()
	release, err := server.Claim(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.flags[1], "vitrine.db")
	for range 2 {
		p.run("serve", "--addr", "127.0.0.1:0").fails(1, "another server uses the database in "+file+
			": stop it, or use another --data-dir")
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", file, err)
	}
	p.run("migrate").ok()
	p.ada()
	release()
	if first, _ := greeting(t, p.flags...); !strings.HasPrefix(first, "It listens on ") {
		t.Error(first)
	}
}

// Errors at start contain a remedy.
func TestServeFails(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p := folder(t)
	p.run("migrate").ok()
	for _, tt := range []struct{ addr, metrics, want string }{
		{taken.Addr().String(), "", taken.Addr().String() + " is in use by another program: stop it, or set another address with --addr\n"},
		{"127.0.0.1:0", taken.Addr().String(), "set another address with --metrics-addr\n"},
		{"192.0.2.1:8080", "", "this machine does not have the address 192.0.2.1:8080: set one that it has with --addr"},
	} {
		if r := p.run("serve", "--addr", tt.addr, "--metrics-addr", tt.metrics); r.code != 1 || r.out != "" || !strings.Contains(r.err, tt.want) {
			t.Errorf("%+v: exit code %d\n%s%s", tt, r.code, r.out, r.err)
		}
	}
	if wal, err := os.Stat(filepath.Join(p.flags[1], "vitrine.db-wal")); err == nil {
		t.Errorf("the database was left open: %v", wal)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("no database, but text that is long enough to be looked at"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "serve", "--addr", "127.0.0.1:0", "--data-dir", file); r.code != 1 || !strings.Contains(r.err, "cannot write to the data folder "+file) || !strings.Contains(r.err, "set another folder with --data-dir") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
}

// Settings can come from the environment. Flags take precedence, and blank variables count as
// unset.
func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("VITRINE_DATA_DIR", dir)
	t.Setenv("VITRINE_DEFAULT_TIER", "free")
	t.Setenv("VITRINE_LOG_LEVEL", "")
	t.Setenv("VITRINE_PASSWORD", "short")
	p := place{t: t}
	p.run("migrate").ok()
	p.run("user", "create", "--name", "Ada", "--email", "ada@example.org").fails(2, "password: must be 8 to 200 bytes long")
	t.Setenv("VITRINE_PASSWORD", "")
	if u := p.ada(); u.Tier != "free" {
		t.Errorf("%+v", u)
	}
	var u user
	p.run("user", "create", "--name", "Bob", "--email", "bob@example.org", "--default-tier", "premium", "--json").json(&u)
	if u.Tier != "premium" {
		t.Errorf("%+v", u)
	}
	if _, err := os.Stat(filepath.Join(dir, "vitrine.db")); err != nil {
		t.Error(err)
	}
	t.Setenv("VITRINE_DEFAULT_TIER", "gold")
	p.run("user", "list").fails(2, `--default-tier (VITRINE_DEFAULT_TIER): "gold": want free, premium or supporter`)
}
