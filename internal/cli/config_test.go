package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// `config show` prints each setting with its origin and hides secrets.
func TestConfigShow(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "vitrine.toml")
	text := "# my site\naddr = \"127.0.0.1:9000\"\nlog-level = \"warn\"\ndatabase-url = \"postgres://vitrine:hush@db.example.org/vitrine\"\nbody-limit = \"2MiB\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "code")
	if err := os.WriteFile(secret, []byte("hush-hush-hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VITRINE_CONFIG", file)
	t.Setenv("VITRINE_LOG_LEVEL", "error")
	t.Setenv("VITRINE_SETUP_CODE_FILE", secret)
	r := run(t, "config", "show", "--addr", ":9001").ok()
	for _, line := range []string{
		`addr = ":9001"  # flag --addr`, `log-level = "error"  # environment VITRINE_LOG_LEVEL`, `body-limit = "2MiB"  # file ` + file + `:5`,
		`database-url = "postgres://vitrine:REDACTED@db.example.org/vitrine"  # file ` + file + `:4`, `setup-code = "REDACTED"  # file named by VITRINE_SETUP_CODE_FILE`,
		`work = true  # default`,
	} {
		if !strings.Contains("\n"+r.out, "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, r.out)
		}
	}
	if strings.Contains(r.out, "hush") || r.err != "" {
		t.Errorf("%s%s", r.out, r.err)
	}
	var shown map[string]struct{ Value, Origin string }
	run(t, "config", "show", "--json").json(&shown)
	if shown["addr"].Origin != "file "+file+":2" || shown["addr"].Value != "127.0.0.1:9000" || shown["work"].Origin != "default" {
		t.Errorf("%v", shown)
	}
	// The environment form has the same values.
	if r := run(t, "config").ok(); !strings.Contains(r.out, "\nVITRINE_ADDR=127.0.0.1:9000\n") || strings.Contains(r.out, "hush") {
		t.Errorf("%s", r.out)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VITRINE_LOG_LEVEL", "")
	if r := run(t, "config", "show").ok(); !strings.Contains(r.err, "every user of this machine can read the secrets in the configuration file") || !strings.Contains(r.err, file) {
		t.Errorf("%q", r.err)
	}
}

// Commands read the configuration file, and report all its errors before they do anything.
func TestConfigFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	file := filepath.Join(dir, "vitrine.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("data-dir = \""+data+"\"\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("default-tier = \"free\"\nsite-url = \"https://vitrine.test\"\nadr = \":1\"\nblob-url = \"https://bucket\"\n")
	unknown := file + ":4: adr: no such setting, did you mean addr?"
	bucket := file + ":5: blob-url: the S3 address does not begin with s3://"
	for _, args := range [][]string{{"user", "list"}, {"migrate"}, {"user", "invite", "bob@example.org"}, {"jobs"}, {"check"}, {"serve"}, {"work"}, {"config"}, {"config", "show"}, {"healthcheck"}} {
		want := []string{unknown}
		if name := args[0]; name == "serve" || name == "work" || name == "config" || name == "check" {
			want = append(want, bucket)
		}
		run(t, append(args, "--config", file)...).fails(2, want...)
	}
	if _, err := os.Stat(data); err == nil {
		t.Errorf("%s was created", data)
	}
	write("default-tier = \"free\"\nsite-url = \"https://vitrine.test\"\n")
	p := place{t, []string{"--config", file}}
	p.run("migrate").ok()
	if u := p.ada(); u.Tier != "free" {
		t.Errorf("%+v", u)
	}
	if r := p.run("user", "invite", "bob@example.org").ok(); !strings.Contains(r.out, "https://vitrine.test/") {
		t.Errorf("%s", r.out)
	}
	if r := run(t, "config", "show", "--config", file, "--data-dir", "").ok(); !strings.HasPrefix(r.out, `data-dir = "./data"  # default`+"\n") {
		t.Errorf("%s", r.out) // an empty flag means the default
	}
}

// The configuration file can be a pipe, which can only be read once.
func TestConfigFromPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte("log-format = \"json\"\n"), 0o600) }()
	if r := run(t, "config", "show", "--config", pipe).ok(); !strings.Contains(r.out, `log-format = "json"  # file `+pipe+":1\n") {
		t.Errorf("%s", r.out)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
