package config_test

import (
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/config"
)

func settings() []reflect.StructField {
	var out []reflect.StructField
	for _, group := range []reflect.Type{reflect.TypeFor[config.Common](), reflect.TypeFor[config.Server]()} {
		out = append(out, reflect.VisibleFields(group)...)
	}
	return out
}

func TestFlagAndVariableShareAName(t *testing.T) {
	t.Parallel()
	for _, field := range settings() {
		flag, env := field.Tag.Get("name"), field.Tag.Get("env")
		if want := "VITRINE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")); flag == "" || env != want {
			t.Errorf("%s: flag %q, variable %q, want %q", field.Name, flag, env, want)
		}
		if field.Tag.Get("help") == "" {
			t.Errorf("--%s has no help", flag)
		}
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
	for _, field := range settings() {
		flag := field.Tag.Get("name")
		topic := config.Topic(flag)
		if topic == "" {
			t.Errorf("--%s is in no group of topics.go", flag)
		}
		used[topic] = true
		choices := config.Choices(flag)
		if placeholder := field.Tag.Get("placeholder"); placeholder == "BOOL" && len(choices) == 0 {
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
	if len(printed) != len(settings())-10 {
		t.Errorf("%d settings are printed, want all %d but the files", len(printed), len(settings()))
	}
	for line := range strings.Lines(printed.String()) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		t.Setenv(name, value)
	}
	if got := resolve(t, parse(t)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
