package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"vitrine/internal/cli"
	"vitrine/internal/config"
	"vitrine/internal/store/storetest"
)

// result is the result of a command line.
type result struct {
	t        *testing.T
	args     []string
	code     int
	out, err string
}

// place is a data location for commands.
type place struct {
	t     *testing.T
	flags []string
}

// each runs f with a migrated SQLite database and with a migrated PostgreSQL database.
func each(t *testing.T, f func(t *testing.T, p place)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		p := folder(t)
		p.run("migrate").ok()
		f(t, p)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, place{t, []string{"--database-url", storetest.Migrated.Postgres(t).URL, "--data-dir", t.TempDir()}})
	})
}

func folder(t *testing.T) place { return place{t, []string{"--data-dir", t.TempDir() + "/data"}} }

// run runs a command with the place's flags.
func (p place) run(args ...string) result {
	p.t.Helper()
	return run(p.t, append(args, p.flags...)...)
}

func run(t *testing.T, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(t.Context(), append([]string{"vitrine"}, args...), &out, &errs)
	return result{t, args, code, out.String(), errs.String()}
}

// ok fails the test unless the command succeeded.
func (r result) ok() result {
	r.t.Helper()
	if r.code != 0 {
		r.t.Fatalf("%q: exit code %d\n%s%s", r.args, r.code, r.out, r.err)
	}
	return r
}

// fails checks the exit code of a failed command and its exact error lines. Standard output must be
// empty.
func (r result) fails(code int, complaints ...string) {
	r.t.Helper()
	want := ""
	for _, c := range complaints {
		want += "vitrine: " + c + "\n"
	}
	if r.code != code || r.err != want || r.out != "" {
		r.t.Errorf("%q: exit code %d, want %d\n%s%s\nwant\n%s", r.args, r.code, code, r.out, r.err, want)
	}
}

// json decodes standard output, which must be one JSON value and nothing else.
func (r result) json(into any) {
	r.t.Helper()
	d := json.NewDecoder(strings.NewReader(r.ok().out))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil || d.More() {
		r.t.Fatalf("%q: %v in %s", r.args, err, r.out)
	}
}

// user and token are JSON forms of the output.
type user struct {
	ID                      int64
	Slug, Name, Email, Tier string
	Office                  string
	Suspended               bool
	CreatedAt               string `json:"created_at"`
	Bytes                   int64
}

type token struct {
	ID                       int64
	Token, Name, Hint, Scope string
	CreatedAt                string  `json:"created_at"`
	ExpiresAt                *string `json:"expires_at"`
	LastUsedAt               *string `json:"last_used_at"`
	RevokedAt                *string `json:"revoked_at"`
}

func (p place) ada() user {
	p.t.Helper()
	var u user
	p.run("user", "create", "--slug", "ada", "--name", "Ada Lovelace", "--email", "ada@example.org", "--json").json(&u)
	return u
}

// operator creates a second operator, because the last one cannot be suspended.
func (p place) operator() {
	p.t.Helper()
	p.run("user", "create", "--slug", "op", "--name", "Op", "--email", "op@example.org").ok()
	p.run("user", "set-office", "op", "operator").ok()
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"user", "create", "--help"}} {
		if r := run(t, args...).ok(); !strings.Contains(r.out, "Usage: vitrine") || r.err != "" {
			t.Errorf("%q: %s%s", args, r.out, r.err)
		}
	}
	for _, args := range [][]string{{}, {"nonsense"}, {"user"}, {"user", "create"}, {"serve", "--nonsense"}, {"serve", "x"},
		{"token", "revoke"}, {"token", "revoke", "x"}, {"jobs", "--state", "lost"}, {"jobs", "retry", "x"}, {"providers"}, {"work", "x"}, {"token", "create", "--user", "ada", "--scope", "admin"}, {"token", "create", "--user", "ada", "--scope", "write:everything"}} {
		r := run(t, args...)
		if r.code != 2 || !strings.HasPrefix(r.err, "vitrine: ") || !strings.HasSuffix(r.err, "\nTry `vitrine --help`.\n") ||
			strings.Count(r.err, "\n") != 2 || r.out != "" {
			t.Errorf("%q: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
}

// Invalid UTF-8 is refused instead of being stored with replacement characters.
func TestArgumentsAreText(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("user", "create", "--name", "Ada\xff", "--email", "ada@example.org").fails(2, "argument 4: must be valid UTF-8")
	p.run("user", "import", "\xff.csv").fails(2, "argument 3: must be valid UTF-8")
}

// A bad or missing value of a setting is reported in one line with the name of the setting, for
// every form of the flag.
func TestBadSetting(t *testing.T) {
	t.Parallel()
	refused := 0
	for i, d := range config.Declarations() {
		flag := "--" + d.Flag
		value := []string{"-5s", "-.5", "%"}[i%3]
		apart, together := run(t, "config", flag, value), run(t, "config", flag+"="+value)
		if apart.code != together.code || apart.err != together.err || apart.out != together.out {
			t.Errorf("%s %s: exit code %d\n%sbut with = %d\n%s", flag, value, apart.code, apart.err, together.code, together.err)
		}
		if together.code != 0 {
			if refused++; together.code != 2 || strings.Count(together.err, "\n") != 1 || !strings.HasPrefix(together.err, "vitrine: --") {
				t.Errorf("%s=%s: exit code %d\n%s", flag, value, together.code, together.err)
			}
		}
		args := [][]string{{"config", flag}, {"config", flag, "--json"}, {"config", flag, "-x"}}[i%3]
		run(t, args...).fails(2, flag+": want a value; write one that begins with a hyphen as "+flag+"=VALUE")
	}
	if refused < 12 {
		t.Errorf("only %d bad values", refused)
	}
	p := folder(t)
	p.run("migrate").ok()
	if r := run(t, append(append([]string{"token", "revoke"}, p.flags...), "--", "-5")...); r.code != 1 || !strings.HasSuffix(r.err, "there is no token -5\n") {
		t.Errorf("exit code %d\n%s", r.code, r.err)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if r := run(t, "version").ok(); !strings.HasPrefix(r.out, "vitrine ") || strings.Count(r.out, "\n") != 1 {
		t.Errorf("%q", r.out)
	}
	var v map[string]string
	run(t, "version", "--json").json(&v)
	if v["go"] == "" || v["version"] == "" || v["commit"] == "" {
		t.Errorf("%v", v)
	}
}

// Every bad setting is reported in one line, and the command does nothing.
func TestBadSettings(t *testing.T) {
	t.Parallel()
	data := t.TempDir() + "/data"
	common := []string{
		`--sqlite-synchronous (VITRINE_SQLITE_SYNCHRONOUS): "off": want full or normal`,
		`--default-tier (VITRINE_DEFAULT_TIER): "guest": want free, premium or supporter`,
		`--log-format (VITRINE_LOG_FORMAT): "xml": want text or json`,
		`--log-level (VITRINE_LOG_LEVEL): "loud": want debug, info, warn or error`,
	}
	flags := []string{"--data-dir", data, "--sqlite-synchronous", "off", "--default-tier", "guest", "--log-format", "xml", "--log-level", "loud"}
	for _, args := range [][]string{{"user", "list"}, {"migrate"}, {"check"}, {"token", "list", "--user", "ada"}} {
		run(t, append(args, flags...)...).fails(2, common...)
	}
	flags = append(flags, "--addr", "8080", "--base-url", "example.org", "--site-url", "https://example.org/", "--rate-limits", "guest=x,gold=1",
		"--trusted-proxies", "10.0.0.0/8,proxy", "--request-timeout", "0", "--body-limit", "many", "--shutdown-timeout", "soon")
	server := append(common,
		`--addr (VITRINE_ADDR): "8080": want host:port with a numeric port, such as 127.0.0.1:8080`,
		`--base-url (VITRINE_BASE_URL): "example.org": want an absolute address such as https://example.org`,
		`--site-url (VITRINE_SITE_URL): "https://example.org/": must not end in a slash`,
		`--rate-limits (VITRINE_RATE_LIMITS): "guest=x": want a whole number from 0 (unlimited)`,
		`--rate-limits (VITRINE_RATE_LIMITS): "gold": no such tier, want guest, free, premium or supporter`,
		`--trusted-proxies (VITRINE_TRUSTED_PROXIES): "proxy": want an address or a network, such as 10.0.0.0/8`,
		`--request-timeout (VITRINE_REQUEST_TIMEOUT): "0": want a duration above zero, such as 15s or 1m30s`,
		`--body-limit (VITRINE_BODY_LIMIT): "many": want a size above zero, such as 1048576, 512KiB or 1MiB`,
		`--shutdown-timeout (VITRINE_SHUTDOWN_TIMEOUT): "soon": want a duration above zero, such as 15s or 1m30s`)
	for _, command := range [][]string{{"serve"}, {"work"}, {"config"}, {"healthcheck"}, {"providers", "update"}} {
		run(t, append(command, flags...)...).fails(2, server...)
	}
	for _, command := range []string{"serve", "work", "config"} {
		for url, complaint := range map[string]string{
			"https://bucket":            "the S3 address does not begin with s3://",
			"s3://bucket?endpoint=host": "the S3 address: endpoint: it must be http:// or https:// and a host, without a path",
			"s3://ada:hush@bucket":      "the S3 address must not contain credentials: use the settings for them",
		} {
			run(t, command, "--data-dir", data, "--blob-url", url, "--blob-access-key", "ada", "--blob-secret-key", "x").
				fails(2, "--blob-url (VITRINE_BLOB_URL): "+complaint)
		}
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was made (%v)", data, err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	flags := []string{"config", "--database-url", "postgres://vitrine:hush@db.example.org/vitrine?sslpassword=hush", "--addr", "127.0.0.1:9999"}
	r := run(t, flags...).ok()
	if strings.Contains(r.out, "hush") || !strings.Contains(r.out, "VITRINE_DATABASE_URL=postgres://vitrine:REDACTED@db.example.org/vitrine") ||
		!strings.Contains(r.out, "\nVITRINE_BASE_URL=http://127.0.0.1:9999\n") || !strings.Contains(r.out, "VITRINE_DEFAULT_TIER=supporter\n") {
		t.Errorf("%s", r.out)
	}
	var settings map[string]string
	r = run(t, append(flags, "--json")...)
	r.json(&settings)
	if strings.Contains(r.out, "hush") || settings["addr"] != "127.0.0.1:9999" || settings["rate-limits"] != "guest=30,free=120,premium=300,supporter=600" {
		t.Errorf("%s", r.out)
	}
}
