package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/config"
)

// writeFile writes a file that only its owner can read.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// originOf returns the value and the origin of a setting in effect.
func originOf(t *testing.T, flags config.Flags, flag string) (value, origin string) {
	t.Helper()
	all := flags.Settings(resolve(t, flags))
	i := slices.IndexFunc(all, func(s config.Setting) bool { return s.Flag == flag })
	return all[i].Value, all[i].Origin
}

// A flag takes precedence over a variable, a variable over the configuration file, and that over the
// default.
func TestPrecedence(t *testing.T) {
	const unset = "unset"
	for name, tt := range map[string]struct{ flag, env, file, value, origin string }{
		"nothing":                {unset, unset, unset, "info", "default"},
		"file":                   {unset, unset, "warn", "warn", "file PATH:2"},
		"variable":               {unset, "error", unset, "error", "environment VITRINE_LOG_LEVEL"},
		"flag":                   {"debug", unset, unset, "debug", "flag --log-level"},
		"variable and file":      {unset, "error", "warn", "error", "environment VITRINE_LOG_LEVEL"},
		"flag and file":          {"debug", unset, "warn", "debug", "flag --log-level"},
		"flag and variable":      {"debug", "error", unset, "debug", "flag --log-level"},
		"all":                    {"debug", "error", "warn", "debug", "flag --log-level"},
		"empty variable":         {unset, "", "warn", "warn", "file PATH:2"},
		"empty in the file":      {unset, unset, "", "info", "default"},
		"empty flag: default":    {"", "error", "warn", "info", "default"},
		"empty flag and no file": {"", "error", unset, "info", "default"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "# settings\n"
			if tt.file != unset {
				text += "log-level = \"" + tt.file + "\"\n"
			}
			path := writeFile(t, "v.toml", text)
			args := []string{"--config=" + path}
			if tt.flag != unset {
				args = append(args, "--log-level="+tt.flag)
			}
			if tt.env != unset {
				t.Setenv("VITRINE_LOG_LEVEL", tt.env)
			}
			value, origin := originOf(t, parse(t, args...), "log-level")
			if want := strings.ReplaceAll(tt.origin, "PATH", path); value != tt.value || origin != want {
				t.Errorf("%s from %s, want %s from %s", value, origin, tt.value, want)
			}
		})
	}
}

// A secret and the file that contains it are one setting: either can replace the other from the
// configuration file, and the origin is that of the one in effect.
func TestPrecedenceOfSecrets(t *testing.T) {
	one, two := writeFile(t, "one", "first-secret-1\n"), writeFile(t, "two", "second-secret\n")
	direct := writeFile(t, "direct.toml", `setup-code = "direct-secret"`)
	named := writeFile(t, "named.toml", `setup-code-file = "`+one+`"`)
	both := writeFile(t, "both.toml", "setup-code = \"direct-secret\"\nsetup-code-file = \""+one+`"`)
	for name, tt := range map[string]struct {
		args          []string
		env           map[string]string
		value, origin string
		problem       string
	}{
		"in the file":              {args: []string{"--config=" + direct}, value: "direct-secret", origin: "file " + direct + ":1"},
		"named by the file":        {args: []string{"--config=" + named}, value: "first-secret-1", origin: "file named by " + named + ":1"},
		"variable, before named":   {args: []string{"--config=" + named}, env: map[string]string{"VITRINE_SETUP_CODE": "from-variable"}, value: "from-variable", origin: "environment VITRINE_SETUP_CODE"},
		"named by variable":        {args: []string{"--config=" + direct}, env: map[string]string{"VITRINE_SETUP_CODE_FILE": two}, value: "second-secret", origin: "file named by VITRINE_SETUP_CODE_FILE"},
		"named by flag":            {args: []string{"--config=" + direct, "--setup-code-file=" + two}, value: "second-secret", origin: "file named by --setup-code-file"},
		"both in the file":         {args: []string{"--config=" + both}, problem: both + ":2: setup-code-file: set the value or the file, not both"},
		"both, flag and variable":  {args: []string{"--setup-code=from-the-flag"}, env: map[string]string{"VITRINE_SETUP_CODE_FILE": two}, problem: "--setup-code-file (VITRINE_SETUP_CODE_FILE): set the value or the file, not both"},
		"configuration by another": {args: []string{"--config=" + direct}, env: map[string]string{"VITRINE_CONFIG": named}, value: "direct-secret", origin: "file " + direct + ":1"},
		"configuration by a variable": {env: map[string]string{"VITRINE_CONFIG": named}, value: "first-secret-1",
			origin: "file named by " + named + ":1"},
		"no configuration": {args: []string{"--config="}, env: map[string]string{"VITRINE_CONFIG": named}, origin: "default"},
	} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range tt.env {
				t.Setenv(variable, value)
			}
			flags := parse(t, tt.args...)
			cfg, found := flags.Resolve()
			if tt.problem != "" {
				if len(found) != 1 || found[0].Error() != tt.problem {
					t.Errorf("problems = %v, want %s", found, tt.problem)
				}
				return
			}
			printed, origin := originOf(t, flags, "setup-code")
			if len(found) > 0 || cfg.SetupCode != tt.value || origin != tt.origin {
				t.Errorf("%q from %s (%v), want %q from %s", cfg.SetupCode, origin, found, tt.value, tt.origin)
			}
			if printed != "" && printed != "REDACTED" {
				t.Errorf("printed as %q", printed)
			}
		})
	}
}

// example returns a value that a setting accepts and that is not its default, and the other settings
// that it needs.
func example(t *testing.T, d config.Declaration) (value string, needs map[string]string) {
	t.Helper()
	for _, choice := range d.Choices() {
		if choice != d.Default {
			value = choice
		}
	}
	tls := map[string]string{"tls-domain": "example.org"}
	oidc := map[string]string{"oidc-issuer": "https://id.example", "oidc-client-id": "us"}
	mail := map[string]string{"smtp-url": "smtp://me@mail.example"}
	keys := map[string]string{"blob-url": "s3://b", "blob-access-key": "a", "blob-secret-key": "s"}
	other := map[string]struct {
		value string
		needs map[string]string
	}{
		"data-dir": {"/srv/v", nil}, "database-url": {"postgres://u@h/d", nil}, "addr": {":9000", nil}, "socket-mode": {"0600", nil},
		"database-direct-url": {"postgres://h2/d", map[string]string{"database-url": "postgres://h/d"}},
		"base-url":            {"https://a.example", nil}, "site-url": {"https://s.example", nil}, "files-url": {"https://f.example", nil},
		"tls-domain": {"a.example,b.example", nil}, "tls-email": {"me@example.org", tls}, "tls-http-addr": {":81", tls},
		"tls-directory-url": {"https://ca.example/dir", tls}, "tls-directory-ca": {"", tls},
		"rate-limits": {"guest=1,free=2,premium=3,supporter=4", nil}, "trusted-proxies": {"10.0.0.1,fd00::/8", nil}, "fetch-allow": {"10.0.0.0/8", nil}, "webhook-hosts": {"bot.internal,10.0.0.0/8", nil},
		"database-replica-urls":    {"postgres://a/d,postgres://b/d", map[string]string{"database-url": "postgres://h/d"}},
		"database-replica-max-lag": {"7s", nil}, "redis-url": {"redis://h:1", nil}, "metrics-addr": {":9090", nil}, "otel-endpoint": {"http://otel:4318", nil},
		"embeddings-url": {"http://o/v1/embeddings", map[string]string{"embeddings-model": "small"}}, "embeddings-model": {"small", nil}, "embeddings-key": {"k", nil},
		"otel-headers-file": {"", map[string]string{"otel-endpoint": "http://otel:4318"}}, "otel-sample-ratio": {"0.25", nil}, "audit-keep": {"1000h0m0s", nil}, "trash-days": {"7", nil},
		"blob-url": {"s3://b", nil}, "blob-access-key": {"a2", keys}, "blob-secret-key": {"s2", keys},
		"quota-unused": {"free=0,premium=1MiB,supporter=3KiB", nil}, "quota": {"free=0,premium=1MiB,supporter=3KiB", nil}, "snapshot-sites": {"a.example=never,b.example=always", nil}, "snapshot-quota": {"free=0,premium=1MiB,supporter=3KiB", nil}, "disk-reserve": {"5%", nil},
		"language": {"de-AT,en", nil}, "ffmpeg": {"go", nil}, "browser-url": {"http://chromium:9222", nil}, "archive-url": {"https://a.example/{time}/{url}", nil}, "memory-limit": {"off", nil}, "backup-to": {"/srv/b", nil},
		"backup-access-key": {"k", map[string]string{"backup-secret-key": "s"}}, "backup-secret-key": {"s", map[string]string{"backup-access-key": "k"}},
		"mail-from": {"a@example.org", nil}, "mail-in": {"lmtp://127.0.0.1:2424", map[string]string{"mail-in-domain": "in.example.org"}}, "mail-in-domain": {"in.example.org", map[string]string{"mail-in": "/var/mail/in"}}, "smtp-url": {"smtp://me@mail.example:25?starttls=required", nil}, "smtp-password": {"p", mail},
		"smtp-token-file": {"", mail}, "setup-code": {"twelve-letters", nil}, "security-contact": {"https://a.example,tel:1", nil},
		"oidc-issuer": {"https://id.example", map[string]string{"oidc-client-id": "us"}}, "oidc-client-id": {"me", oidc}, "oidc-client-secret": {"s", oidc},
		"oidc-name": {"Club", oidc}, "oidc-scopes": {"openid,groups", oidc}, "oidc-groups-claim": {"roles", map[string]string{
			"oidc-issuer": "https://id.example", "oidc-client-id": "us", "oidc-group-map": "a=b"}}, "oidc-group-map": {`a\,b=c,d=e`, oidc},
	}
	if o, ok := other[d.Flag]; ok {
		if strings.HasSuffix(d.Flag, "-file") {
			o.value = writeFile(t, d.Flag, "Name: s3cret\n")
		} else if d.Flag == "tls-directory-ca" {
			o.value = authority(t)
		}
		return o.value, o.needs
	}
	if strings.HasPrefix(d.Flag, "oidc-") {
		needs = oidc
	}
	switch {
	case value != "":
	case d.Placeholder == "DURATION":
		value = "1h2m3s"
	case d.Placeholder == "SIZE":
		value = "3MiB"
	case d.Placeholder == "N":
		value = "7"
	default:
		t.Fatalf("--%s: add an example to this test", d.Flag)
	}
	return value, needs
}

// inTOML returns a line of a configuration file.
func inTOML(d config.Declaration, value string) string {
	if d.Placeholder != "BOOL" && d.Placeholder != "N" && d.Placeholder != "RATIO" {
		quoted, _ := json.Marshal(value)
		value = string(quoted)
	}
	return d.Flag + " = " + value + "\n"
}

// Every setting can be set by its flag, its variable and its key in the configuration file, with the
// same result and its origin. `vitrine config show` prints it as it was written.
func TestEverySetting(t *testing.T) {
	declared := map[string]config.Declaration{}
	for _, d := range config.Declarations() {
		declared[d.Flag] = d
	}
	for _, d := range config.Declarations() {
		if d.Flag == "config" {
			continue
		}
		t.Run(d.Flag, func(t *testing.T) {
			shown, named := d.Flag, false
			var value string
			var needs map[string]string
			if secret, ok := declared[strings.TrimSuffix(d.Flag, "-file")]; ok && secret.Flag != d.Flag {
				shown, named = secret.Flag, true
				value, needs = example(t, secret)
				value = writeFile(t, "secret", value)
			} else {
				value, needs = example(t, d)
			}
			var args []string
			for flag, other := range needs {
				if flag != shown {
					args = append(args, "--"+flag+"="+other)
				}
			}
			slices.Sort(args)
			plain, _ := parse(t, args...).Resolve()
			want := resolve(t, parse(t, append(args, "--"+d.Flag+"="+value)...))
			if reflect.DeepEqual(plain, want) {
				t.Errorf("%s changes nothing", value)
			}
			check := func(source string, flags config.Flags, origin string) {
				t.Helper()
				if got := resolve(t, flags); !reflect.DeepEqual(got, want) {
					t.Errorf("%s:\ngot  %+v\nwant %+v", source, got, want)
				}
				printed, from := originOf(t, flags, shown)
				if _, name, _ := strings.Cut(origin, " "); named {
					origin = "file named by " + name
				}
				if from != origin {
					t.Errorf("%s: the origin is %s, want %s", source, from, origin)
				}
				if secret := declared[shown].Secret() && printed == "REDACTED"; !secret && printed != value && !named {
					t.Errorf("%s: printed as %q, want %q", source, printed, value)
				}
			}
			check("flag", parse(t, append(args, "--"+d.Flag+"="+value)...), "flag --"+d.Flag)
			file := writeFile(t, "v.toml", inTOML(d, value))
			check("file", parse(t, append(args, "--config="+file)...), "file "+file+":1")
			t.Setenv(d.Env(), value)
			check("variable", parse(t, args...), "environment "+d.Env())
		})
	}
}

// Every problem in the configuration file is reported with its line and key, together with others.
func TestBadFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`adr = ":1"`:                                   {":1: adr: no such setting, did you mean addr?"},
		`completely-different = 1`:                     {":1: completely-different: no such setting"},
		`config = "other.toml"`:                        {":1: config: no such setting"},
		"log.level = \"warn\"":                         {":1: log.level: no such setting"},
		"\"log-level\" = \"warn\"":                     nil,
		"[server]\naddr = \":1\"":                      {":1: server: tables are not supported: write all settings without a [heading]"},
		`"a\nb" = 1`:                                   {`:1: "a\nb": no such setting`},
		"[[server]]":                                   {":1: server: tables are not supported: write all settings without a [heading]"},
		"addr = \":1\"\n\naddr = \":2\"":               {":3: addr: also set in line 1"},
		"addr = 80":                                    {":1: addr: want a text in quotes"},
		"addr = [\":1\"]":                              {":1: addr: want a text in quotes"},
		"addr = {host = \"x\"}":                        {":1: addr: want a text in quotes"},
		"request-timeout = 15":                         {":1: request-timeout: want a text in quotes"},
		"request-timeout = 2020-01-01":                 {":1: request-timeout: want a text in quotes"},
		"work = \"true\"":                              {":1: work: want true or false, without quotes"},
		"work = 1":                                     {":1: work: want true or false, without quotes"},
		"job-concurrency = \"4\"":                      {":1: job-concurrency: want a whole number, without quotes"},
		"job-concurrency = 4.5":                        {":1: job-concurrency: want a whole number, without quotes"},
		"job-concurrency = " + strings.Repeat("9", 99): {":1: job-concurrency: the number is too large"},
		"otel-sample-ratio = \"1\"":                    {":1: otel-sample-ratio: want a number, without quotes"},
		"body-limit = 1.5":                             {`:1: body-limit: want a size in quotes, such as "1MiB", or a whole number of bytes`},
		"\"\" = 1":                                     {`:1: "": no such setting`},
		// Settings with errors do not count as missing.
		"tls-domain = 1\ntls-email = \"me@example.org\"":             {":1: tls-domain: want a text"},
		"oidc-issuer = 1\noidc-client-id = \"us\"":                   {":1: oidc-issuer: want a text"},
		"database-url = 1\ndatabase-direct-url = \"postgres://h/d\"": {":1: database-url: want a text"},
		"job-concurrency = 0":                                        {`:1: job-concurrency: "0": want a number from 1 to 1000`},
		"otel-sample-ratio = 2":                                      {`:1: otel-sample-ratio: "2": want a share from 0 to 1, such as 0.01`},
		"trusted-proxies = 1":                                        {":1: trusted-proxies: want a text in quotes, or a list of texts in brackets"},
		"trusted-proxies = [1]":                                      {":1: trusted-proxies: want a list of texts in quotes"},
		"trusted-proxies = [[\"::1\"]]":                              {":1: trusted-proxies: want a list of texts in quotes"},
		"oidc-group-map = [\"cn=a,ou=b=c\"]":                         {`:1: oidc-group-map: an item of the list must not contain a comma: write it as \, if it is part of a name, or write two items`},
		"oidc-name = \"a\\u0000\"":                                   {":1: oidc-name: must not contain NUL"},
		"log-level = \"loud\"\nbody-limit = \"x\"\nadr = \"y\"\n":    {":3: adr: no such setting, did you mean addr?", `:1: log-level: "loud": want debug, info, warn or error`, `:2: body-limit: "x": want a size`},
		"log-level = \"warn\"\naddr = s3cret\n":                      {":2: not valid TOML: "},
		"log-level = \"warn":                                         {":1: not valid TOML: "},
		"database-url = \"mysql://u:s3cret@h/d\"":                    {":1: database-url: want postgres://"},
		"tls-email = \"me@example.org\"":                             {":1: tls-email: requires --tls-domain"},
		"log-level = \"\xff\"":                                       {"is not valid UTF-8"},
		"# " + strings.Repeat("x", 1<<20):                            {"is larger than 1 MiB"},
	} {
		path := writeFile(t, "v.toml", text)
		_, found := parse(t, "--config="+path).Resolve()
		ok := len(found) == len(want)
		for i := range min(len(found), len(want)) {
			line := found[i].Error()
			prefix := ""
			if strings.HasPrefix(want[i], ":") {
				prefix = path
			}
			ok = ok && strings.Contains(line, prefix+want[i]) && !strings.Contains(line, "s3cret") && !strings.Contains(line, "\n")
		}
		if !ok {
			t.Errorf("%.80q: %v, want %q", text, found, want)
		}
	}
	many := writeFile(t, "v.toml", strings.Repeat("x = 1\n", 100_000))
	if _, found := parse(t, "--config="+many).Resolve(); len(found) != 21 || !strings.HasSuffix(found[20].Error(), "the rest of the file was not checked because of these errors") {
		t.Errorf("%d problems of a file with many: %v", len(found), found)
	}
	for path, want := range map[string]string{"/no/such/file.toml": "--config (VITRINE_CONFIG): open /no/such/file.toml", "/": "--config (VITRINE_CONFIG): read /"} {
		if _, found := parse(t, "--config="+path, "--log-level=loud").Resolve(); len(found) != 1 || !strings.Contains(found[0].Error(), want) {
			t.Errorf("%s: %v", path, found)
		}
	}
}

// Lists may be arrays over several lines with comments, numbers may have separators, and sizes may be
// numbers of bytes.
func TestFileForms(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "v.toml", "\ufefflog-level = \"warn\"\r\n"+`
trusted-proxies = [ # ours
  "10.0.0.1", # one
  "fd00::/8",
]
fetch-allow = []
rate-limits = ["guest=0", "free=5"]
oidc-issuer = 'https://id.example'
oidc-client-id = "us"
oidc-group-map = ['cn=a\,ou=b=editors', "staff=all"]
job-concurrency = 1_0
otel-sample-ratio = 0.2_5
body-limit = 1_048_577
memory-limit = "auto"
setup-code = """
twelve "letters\""""
`)
	cfg := resolve(t, parse(t, "--config="+path))
	want := defaults()
	other := resolve(t, parse(t, "--trusted-proxies=10.0.0.1,fd00::/8", "--rate-limits=guest=0,free=5", "--oidc-issuer=https://id.example", "--oidc-client-id=us",
		`--oidc-group-map=cn=a\,ou=b=editors,staff=all`, "--job-concurrency=10", "--otel-sample-ratio=0.25", "--body-limit=1048577", `--setup-code=twelve "letters"`, "--log-level=warn"))
	if !reflect.DeepEqual(cfg, other) || cfg.Quota["free"] != want.Quota["free"] {
		t.Errorf("got  %+v\nwant %+v", cfg, other)
	}
}

// Commands with the common flags ignore other settings of the file, except that unknown keys are
// errors.
func TestFileOfOtherSettings(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "v.toml", "addr = \"nonsense\"\nlog-level = \"warn\"\n")
	flags := config.Common(parse(t, "--config="+path))
	if cfg, found := flags.Resolve(); len(found) > 0 || cfg.LogLevel != "warn" || cfg.Addr != "" {
		t.Errorf("%+v, %v", cfg, found)
	}
}

// The output of `vitrine config show` is a configuration file with the same settings.
func TestShownIsFile(t *testing.T) {
	t.Parallel()
	flags := parse(t, "--oidc-issuer=https://id.example/?a", "--oidc-client-id=us", `--oidc-group-map=a\,"b"=c`, "--data-dir=/srv/\"my\" data", "--work=false", "--otel-sample-ratio=0.5",
		"--tls-domain=example.org", "--tls-http-addr=none", "--rate-limits=guest=0")
	flags.Set("oidc-issuer", "https://id.example/realm")
	want := resolve(t, flags)
	text := flags.Settings(want).TOML()
	if !strings.Contains(text, "work = false  # flag --work\n") || !strings.Contains(text, "body-limit = \"1MiB\"  # default\n") {
		t.Errorf("%s", text)
	}
	if got := resolve(t, parse(t, "--config="+writeFile(t, "v.toml", text))); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v\n%s", got, want, text)
	}
	odd := parse(t, "--data-dir=a\x7f\u2028b", "--config="+writeFile(t, "a\nb", `log-level = "warn"`))
	want = resolve(t, odd)
	text = odd.Settings(want).TOML()
	if got := resolve(t, parse(t, "--config="+writeFile(t, "v.toml", text))); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v\n%s", got, want, text)
	}
	out, err := json.Marshal(flags.Settings(resolve(t, flags)).Origins())
	if err != nil || !strings.HasPrefix(string(out), `{"data-dir":{"value":"/srv/\"my\" data","origin":"flag --data-dir"},"database-url":`) {
		t.Errorf("%v: %s", err, out)
	}
}

// A configuration file with secrets that every user can read is reported. A file that names files
// with secrets is not.
func TestExposedFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`setup-code = "twelve-letters"`:                                         true,
		`database-url = "postgres://u:s3cret@h/d"`:                              true,
		`database-url = "postgres://u@h/d"`:                                     false,
		`database-url-file = "/run/secrets/db"`:                                 false,
		"log-level = \"warn\"":                                                  false,
		`database-replica-urls = ["postgres://a/d", "postgres://u:s3cret@b/d"]`: true,
	} {
		path := writeFile(t, "v.toml", text)
		for mode, readable := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			exposed := ""
			if want && readable {
				exposed = path
			}
			if got := parse(t, "--config="+path).ExposedFile(); got != exposed {
				t.Errorf("%s with mode %o: %q, want %q", text, mode, got, exposed)
			}
		}
	}
}
