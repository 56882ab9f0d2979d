package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/config"
)

func TestRedactedHidesPasswords(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                               "",
		"postgres://h/d":                 "postgres://h/d",
		"postgres://u@h:5432/d":          "postgres://u@h:5432/d",
		"postgres://u:s3cret@h/d?a=b":    "postgres://u:REDACTED@h/d?a=b",
		"postgres://h/d?password=s3cret": "postgres://h/d?password=REDACTED",
		"postgres://h/d?sslPassword=s3c%72et&user=u": "postgres://h/d?sslPassword=REDACTED&user=u",
		"postgres://h/d?password=s3cret%zz":          "REDACTED",
		"postgres://h/d?password=s3cret;x":           "REDACTED",
		"postgres:s3cret":                            "REDACTED",
		"host=h password=s3cret":                     "REDACTED",
		"postgres://u:s3cret%zz@h":                   "REDACTED",
	}
	for url, want := range tests {
		cfg := config.Config{DatabaseURL: url}
		lines := cfg.Redacted().String()
		if !strings.Contains(lines, "\nVITRINE_DATABASE_URL="+want+"\n") {
			t.Errorf("%s is printed as\n%s", url, lines)
		}
		if strings.Contains(lines, "s3cret") {
			t.Errorf("the secret is told:\n%s", lines)
		}
	}
}

func TestRedactedForms(t *testing.T) {
	t.Parallel()
	printed := config.Settings{{Flag: "data-dir", Value: `a "b"`}, {Flag: "addr", Value: ":1"}}
	if got, want := printed.String(), "VITRINE_DATA_DIR=a \"b\"\nVITRINE_ADDR=:1\n"; got != want {
		t.Errorf("environment form = %q, want %q", got, want)
	}
	got, err := json.Marshal(printed)
	if want := `{"data-dir":"a \"b\"","addr":":1"}`; err != nil || string(got) != want {
		t.Errorf("JSON form = %s, %v, want %s", got, err, want)
	}
}

func TestRedactedMail(t *testing.T) {
	t.Parallel()
	flags := config.Texts{"smtp-url": "smtp://me@mail.example", "smtp-password": "s3cret"}
	cfg := resolve(t, flags)
	if cfg.SMTP.Password != "s3cret" {
		t.Errorf("the password is %q", cfg.SMTP.Password)
	}
	lines := cfg.Redacted().String()
	for _, want := range []string{"VITRINE_SMTP_URL=smtp://me@mail.example:587?starttls=required\n", "VITRINE_SMTP_PASSWORD=REDACTED\n"} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is missing from\n%s", want, lines)
		}
	}
	if strings.Contains(lines, "s3cret") {
		t.Errorf("the secret is told:\n%s", lines)
	}
}

func TestTokenFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const url = "--smtp-url=smtp://me@mail.example"
	cfg := resolve(t, parse(t, url, "--smtp-token-file="+file))
	lines := cfg.Redacted().String()
	if cfg.SMTP.TokenFile != file || !strings.Contains(lines, "VITRINE_SMTP_TOKEN_FILE="+file+"\n") || strings.Contains(lines, "s3cret") {
		t.Errorf("%+v is printed as\n%s", cfg.SMTP, lines)
	}
	for want, args := range map[string][]string{
		"needs --smtp-url":      nil,
		"requires a user":       {"--smtp-url=smtp://mail.example"},
		"a password or a token": {url, "--smtp-password=s3cret"},
	} {
		_, found := parse(t, append(args, "--smtp-token-file="+file)...).Resolve()
		if len(found) != 1 || !strings.HasPrefix(found[0].Error(), "--smtp-token-file (VITRINE_") || !strings.Contains(found[0].Error(), want) {
			t.Errorf("%q: problems = %v, want one with %q", args, found, want)
		}
	}
}
