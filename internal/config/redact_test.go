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

// No secret setting is left in a text.
func TestConceal(t *testing.T) {
	t.Parallel()
	cfg, problems := config.Texts{
		"database-url": "postgres://v:hush1@pool/v", "database-direct-url": "postgres://v@db/v?password=hush2", "database-replica-urls": "postgres://v:hush3@db2/v",
		"redis-url": "rediss://:hush4@redis", "blob-url": "s3://b?endpoint=https://s3", "blob-access-key": "k", "blob-secret-key": "hush5",
		"backup-to": "s3://c?endpoint=https://s3", "backup-access-key": "k", "backup-secret-key": "hush6", "smtp-url": "smtp://a@mail", "smtp-password": "hush7",
		"setup-code": "hush8-hush8-hush8", "oidc-issuer": "https://id", "oidc-client-id": "x", "oidc-client-secret": "hush9",
		"embeddings-url": "https://e/v1/embeddings", "embeddings-model": "m", "embeddings-key": "hush0",
	}.Resolve()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	said := 0
	for _, d := range config.Declarations() {
		if d.Secret() {
			said++
		}
	}
	if said != 12 {
		t.Errorf("%d settings are secret: add new ones to this test", said)
	}
	text := "hush1 hush2 hush3 hush4 hush5 hush6 hush7 hush8-hush8-hush8 hush9 hush0 and no more"
	if got := cfg.Conceal(text); strings.Contains(got, "hush") || !strings.HasSuffix(got, " and no more") {
		t.Errorf("got %q", got)
	}
	if got := (config.Config{}).Conceal(text); got != text {
		t.Errorf("without secrets: %q", got)
	}
}
