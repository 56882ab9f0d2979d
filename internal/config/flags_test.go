package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"vitrine/internal/config"
)

func TestFlagAndVariableShareAName(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range config.Declarations() {
		if want := "VITRINE_" + strings.ToUpper(strings.ReplaceAll(d.Flag, "-", "_")); d.Flag == "" || d.Env() != want {
			t.Errorf("flag %q, variable %q, want %q", d.Flag, d.Env(), want)
		}
		if d.Help == "" {
			t.Errorf("--%s has no help", d.Flag)
		}
		if seen[d.Flag] {
			t.Errorf("--%s is declared twice", d.Flag)
		}
		seen[d.Flag] = true
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("VITRINE_ADDR", "127.0.0.1:9999")
	t.Setenv("VITRINE_LOG_LEVEL", "warn")
	t.Setenv("VITRINE_DATA_DIR", "")
	cfg := resolve(t, parse(t, "--log-level=error"))
	if cfg.Addr != "127.0.0.1:9999" || cfg.LogLevel != "error" || cfg.DataDir != "./data" {
		t.Errorf("addr %s, log level %s, data folder %q; want the variable, the flag, the default", cfg.Addr, cfg.LogLevel, cfg.DataDir)
	}
}

// Every setting has a topic, and each choice offered to shells is accepted.
func TestTopics(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, d := range config.Declarations() {
		flag := d.Flag
		if !slices.Contains(config.Topics(), d.Topic) {
			t.Errorf("--%s is in none of the topics", flag)
		}
		used[d.Topic] = true
		choices := config.Choices(flag)
		if d.Placeholder == "BOOL" && len(choices) == 0 {
			t.Errorf("--%s has no choices", flag)
		}
		for _, choice := range choices {
			// With a provider, because some choices are invalid without one.
			if _, found := parse(t, "--oidc-issuer=https://id.example", "--oidc-client-id=us", "--"+flag+"="+choice).Resolve(); len(found) > 0 {
				t.Errorf("--%s=%s: %v", flag, choice, found)
			}
		}
	}
	for _, topic := range config.Topics() {
		if !used[topic] {
			t.Errorf("nothing is in %q", topic)
		}
	}
}

// The printed settings, used as environment variables, result in the same configuration.
func TestRedactedRoundTrip(t *testing.T) {
	want := resolve(t, parse(t, "--data-dir=/srv/my data", "--rate-limits=guest=0", "--trusted-proxies=10.1.2.3,fd00::/8",
		"--body-limit=1500", "--request-timeout=90s", "--metrics-addr=:9090", "--otel-endpoint=http://otel:4318", "--otel-sample-ratio=0.01", "--database-url=postgres://u@h/d?sslmode=disable", "--database-direct-url=postgres://u@h2/d",
		"--database-replica-urls=postgres://u@i/d,postgres://u@j/d",
		"--smtp-url=smtps://me%40here@mail.example", "--mail-from=Ours <a@example.org>", "--work=false", "--job-concurrency=2",
		"--fetch-allow=10.0.0.0/8", "--upload-limit=5MiB", "--files-url=https://f.example", "--job-timeout=1m",
		"--oidc-issuer=https://id.example/realm", "--oidc-client-id=us", "--oidc-group-map=cn=a\\,ou=b=editors, staff = all", "--oidc-sign-up=yes",
		"--tls-domain=example.org, WWW.example.org", "--tls-email=me@example.org", "--tls-http-addr=none", "--tls-directory-url=https://ca.example/dir"))
	printed := want.Redacted()
	if all := config.Declarations(); len(printed) != len(all)-11 {
		t.Errorf("%d settings are printed, want all %d but the configuration file and ten that name files with secrets", len(printed), len(all))
	}
	for line := range strings.Lines(printed.String()) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		t.Setenv(name, value)
	}
	if got := resolve(t, parse(t)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A command cannot have a flag of its own with the name of a setting.
func TestFlagOfASetting(t *testing.T) {
	t.Parallel()
	var cmd struct {
		Serve struct {
			config.Common
			LogLevel string
		} `cmd:""`
	}
	if _, err := kong.New(&cmd, config.AddFlags()); err == nil || !strings.Contains(err.Error(), "serve: the flag --log-level is also a setting") {
		t.Errorf("error %v", err)
	}
}
