package config_test

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"vitrine/internal/config"
)

// parse runs args through kong as a command that embeds the flags would.
func parse(t *testing.T, args ...string) config.Flags {
	t.Helper()
	var cli struct {
		Serve struct{ config.Flags } `cmd:""`
	}
	parser, err := kong.New(&cli, config.AddFlags(), kong.Exit(func(int) { t.Error("kong wants to exit") }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(append([]string{"serve"}, args...)); err != nil {
		t.Fatal(err)
	}
	return cli.Serve.Flags
}

func resolve(t *testing.T, flags interface {
	Resolve() (config.Config, []error)
}) config.Config {
	t.Helper()
	cfg, found := flags.Resolve()
	if len(found) > 0 {
		t.Fatalf("problems: %v", found)
	}
	return cfg
}

func defaults() config.Config {
	return config.Config{
		DataDir: "./data", SQLiteSynchronous: "full", DefaultTier: "supporter", LogFormat: "text", LogLevel: "info",
		Addr: "127.0.0.1:8080", SocketMode: 0o660, BaseURL: "http://127.0.0.1:8080", SiteURL: "http://127.0.0.1:8080", Work: true, BrowserExtension: true, MCP: true,
		TrashDays: 30, LinkChecks: true, Archive: "https://web.archive.org/web/{time}/{url}",
		RateLimits:     map[string]int{"guest": 30, "free": 120, "premium": 300, "supporter": 600},
		RequestTimeout: 15 * time.Second, BodyLimit: 1 << 20, ShutdownTimeout: 30 * time.Second, WaitFor: time.Minute, InvitationTTL: 14 * 24 * time.Hour, AuditKeep: 365 * 24 * time.Hour,
		JobTimeout: 3 * time.Minute, FilesURL: "http://127.0.0.1:8080", UploadLimit: 1 << 30, Language: "en", ImageMemory: 128 << 20,
		MemoryLimit:    config.AutoMemory,
		Backup:         config.Backup{Every: 24 * time.Hour, Keep: 14},
		JobConcurrency: 4, ResponseMemory: 64 << 20, CacheSize: 32 << 20, MinSendRate: 4 << 10, MaxStreams: 3000, MailFrom: "Vitrine <no-reply@localhost>", Traces: config.Traces{Ratio: 1},
		Snapshots: "on-request", SnapshotLimit: 50 << 20, SnapshotQuota: map[string]int64{"free": 1 << 30, "premium": 10 << 30, "supporter": 100 << 30},
		QuotaUnused: map[string]int64{"free": 2 << 30, "premium": 4 << 30, "supporter": 4 << 30},
		Quota:       map[string]int64{"free": 5 << 30, "premium": 50 << 30, "supporter": 500 << 30},
		DiskReserve: config.DiskReserve{Bytes: 512 << 20},
		Replicas:    config.Replicas{MaxLag: 5 * time.Second},
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string]interface {
		Resolve() (config.Config, []error)
	}{"parsed": parse(t), "zero": config.Flags{}, "texts": config.Texts{}} {
		if got := resolve(t, flags); !reflect.DeepEqual(got, defaults()) {
			t.Errorf("%s: %+v, want %+v", name, got, defaults())
		}
	}
}

func TestEachFlag(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*config.Config){
		"--data-dir=/srv/v":                         func(c *config.Config) { c.DataDir = "/srv/v" },
		"--database-url=postgres://h/d":             func(c *config.Config) { c.DatabaseURL = "postgres://h/d" },
		"--database-url=postgresql://h/d":           func(c *config.Config) { c.DatabaseURL = "postgresql://h/d" },
		"--database-url=postgres:///d?host=/run/pg": func(c *config.Config) { c.DatabaseURL = "postgres:///d?host=/run/pg" },
		"--sqlite-synchronous=normal":               func(c *config.Config) { c.SQLiteSynchronous = "normal" },
		"--default-tier=free":                       func(c *config.Config) { c.DefaultTier = "free" },
		"--log-format=json":                         func(c *config.Config) { c.LogFormat = "json" },
		"--log-level=debug":                         func(c *config.Config) { c.LogLevel = "debug" },
		"--addr=:9000":                              addr(":9000", "http://127.0.0.1:9000"),
		"--addr=0.0.0.0:9000":                       addr("0.0.0.0:9000", "http://127.0.0.1:9000"),
		"--addr=[::]:9000":                          addr("[::]:9000", "http://127.0.0.1:9000"),
		"--addr=[::1]:9000":                         addr("[::1]:9000", "http://[::1]:9000"),
		"--addr=host.example:80": func(c *config.Config) {
			addr("host.example:80", "http://host.example:80")(c)
			c.MailFrom = "Vitrine <no-reply@host.example>"
		},
		"--base-url=https://api.example": func(c *config.Config) {
			addr("127.0.0.1:8080", "https://api.example")(c)
			c.MailFrom = "Vitrine <no-reply@api.example>"
		},
		"--site-url=http://example.org:81/sub": func(c *config.Config) {
			addr("127.0.0.1:8080", "http://example.org:81/sub")(c)
			c.MailFrom = "Vitrine <no-reply@example.org>"
		},
		"--site-url=http://example.org/a-b/c_d/~e.f": func(c *config.Config) {
			addr("127.0.0.1:8080", "http://example.org/a-b/c_d/~e.f")(c)
			c.MailFrom = "Vitrine <no-reply@example.org>"
		},
		"--socket-mode=600":          func(c *config.Config) { c.SocketMode = 0o600 },
		"--metrics-addr=unix:/run/m": func(c *config.Config) { c.MetricsAddr = "unix:/run/m" },
		"--security-contact=it@example.org, https://example.org/security": func(c *config.Config) {
			c.SecurityContacts = []string{"mailto:it@example.org", "https://example.org/security"}
		},
		"--database-replica-max-lag=30s":    func(c *config.Config) { c.Replicas.MaxLag = 30 * time.Second },
		"--redis-url=redis://host:6379":     func(c *config.Config) { c.RedisURL = "redis://host:6379" },
		"--wait-for=2m":                     func(c *config.Config) { c.WaitFor = 2 * time.Minute },
		"--otel-endpoint=https://otel/x":    func(c *config.Config) { c.Traces.Endpoint = "https://otel/x" },
		"--otel-sample-ratio=0.01":          func(c *config.Config) { c.Traces.Ratio = 0.01 },
		"--drain-delay=10s":                 func(c *config.Config) { c.DrainDelay = 10 * time.Second },
		"--drain-delay=0s":                  func(*config.Config) {},
		"--response-memory=1GiB":            func(c *config.Config) { c.ResponseMemory = 1 << 30 },
		"--cache-size=1MiB":                 func(c *config.Config) { c.CacheSize = 1 << 20 },
		"--cache-size=0":                    func(c *config.Config) { c.CacheSize = 0 },
		"--min-send-rate=500":               func(c *config.Config) { c.MinSendRate = 500 },
		"--max-streams=500":                 func(c *config.Config) { c.MaxStreams = 500 },
		"--job-timeout=1m":                  func(c *config.Config) { c.JobTimeout = time.Minute },
		"--files-url=https://f.example.org": func(c *config.Config) { c.FilesURL = "https://f.example.org" },
		"--upload-limit=5MiB":               func(c *config.Config) { c.UploadLimit = 5 << 20 },
		"--image-memory=64MiB":              func(c *config.Config) { c.ImageMemory = 64 << 20 },
		"--memory-limit=1GiB":               func(c *config.Config) { c.MemoryLimit = 1 << 30 },
		"--backup-to=/srv/backups":          func(c *config.Config) { c.Backup.To = "/srv/backups" },
		"--backup-every=6h":                 func(c *config.Config) { c.Backup.Every = 6 * time.Hour },
		"--backup-keep=3":                   func(c *config.Config) { c.Backup.Keep = 3 },
		"--memory-limit=off":                func(c *config.Config) { c.MemoryLimit = 0 },
		"--memory-limit=0":                  func(c *config.Config) { c.MemoryLimit = 0 },
		"--fetch-allow=10.0.0.0/8,::1": func(c *config.Config) {
			c.FetchAllow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
		},
		"--trash-days=0":     func(c *config.Config) { c.TrashDays = 0 },
		"--snapshots=always": func(c *config.Config) { c.Snapshots = "always" },
		"--snapshot-sites=News.example.com=always, bücher.example.=never": func(c *config.Config) {
			c.SnapshotSites = map[string]string{"news.example.com": "always", "xn--bcher-kva.example": "never"}
		},
		"--link-checks=false":                           func(c *config.Config) { c.LinkChecks = false },
		"--archive-url=https://a.example/{url}":         func(c *config.Config) { c.Archive = "https://a.example/{url}" },
		"--archive-url=off":                             func(c *config.Config) { c.Archive = "" },
		"--language=de-at, EN":                          func(c *config.Config) { c.Language = "de-AT,en" },
		"--blob-url=s3://b":                             func(c *config.Config) { c.Blob.URL = "s3://b" },
		"--browser-extension=false":                     func(c *config.Config) { c.BrowserExtension = false },
		"--mcp=false":                                   func(c *config.Config) { c.MCP = false },
		"--work=false":                                  func(c *config.Config) { c.Work = false },
		"--job-concurrency=20":                          func(c *config.Config) { c.JobConcurrency = 20 },
		"--mail-from=me@a.example":                      func(c *config.Config) { c.MailFrom = "me@a.example" },
		"--smtp-url=smtp://me@mail.example":             smtp("mail.example", 587, "me", "starttls"),
		"--smtp-url=smtp://mail.example:25":             smtp("mail.example", 25, "", "starttls"),
		"--smtp-url=smtp://h:2525?starttls=never":       smtp("h", 2525, "", "none"),
		"--smtp-url=smtp://me@localhost":                smtp("localhost", 587, "me", "none"),
		"--smtp-url=smtp://127.0.0.1?starttls=required": smtp("127.0.0.1", 587, "", "starttls"),
		"--smtp-url=smtp://[::1]:26":                    smtp("::1", 26, "", "none"),
		"--smtp-url=smtps://me%40here@mail.example/":    smtp("mail.example", 465, "me@here", "tls"),
		"--rate-limits=guest=0":                         func(c *config.Config) { c.RateLimits["guest"] = 0 },
		"--rate-limits=free = 1, premium=2": func(c *config.Config) {
			c.RateLimits["free"], c.RateLimits["premium"] = 1, 2
		},
		"--trusted-proxies=10.0.0.1, fd00::1/8,": func(c *config.Config) {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32"), netip.MustParsePrefix("fd00::/8")}
		},
		"--request-timeout=1m30s":     func(c *config.Config) { c.RequestTimeout = 90 * time.Second },
		"--body-limit=512KiB":         func(c *config.Config) { c.BodyLimit = 512 << 10 },
		"--body-limit=2 GiB":          func(c *config.Config) { c.BodyLimit = 2 << 30 },
		"--body-limit=1000":           func(c *config.Config) { c.BodyLimit = 1000 },
		"--body-limit=7B":             func(c *config.Config) { c.BodyLimit = 7 },
		"--shutdown-timeout=5s":       func(c *config.Config) { c.ShutdownTimeout = 5 * time.Second },
		"--audit-keep=720h":           func(c *config.Config) { c.AuditKeep = 720 * time.Hour },
		"--audit-keep=0s":             func(c *config.Config) { c.AuditKeep = 0 },
		"--invitation-ttl=24h":        func(c *config.Config) { c.InvitationTTL = 24 * time.Hour },
		"--metrics-addr=localhost:90": func(c *config.Config) { c.MetricsAddr = "localhost:90" },
		"--guests=closed":             func(c *config.Config) { c.GuestsClosed = true },
		"--guests=open":               func(*config.Config) {},
		"--index-closed=true":         func(c *config.Config) { c.IndexClosed = true },
		"--index-closed=false":        func(*config.Config) {},
	}
	for arg, change := range tests {
		t.Run(arg, func(t *testing.T) {
			t.Parallel()
			want := defaults()
			change(&want)
			if !strings.HasPrefix(arg, "--files-url") {
				want.FilesURL = want.BaseURL
			}
			if got := resolve(t, parse(t, arg)); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func smtp(host string, port int, user, security string) func(*config.Config) {
	return func(c *config.Config) {
		c.SMTP = &config.SMTP{Host: host, Port: port, User: user, Security: security}
	}
}

func addr(listen, url string) func(*config.Config) {
	return func(c *config.Config) { c.Addr, c.BaseURL, c.SiteURL = listen, url, url }
}

func TestBadValues(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"--database-direct-url=postgres://h/d":           "set --database-url",
		"--database-direct-url=mysql://h/d":              "want postgres://",
		"--database-url=mysql://h/d":                     "want postgres://",
		"--database-url=postgres://u:s3cret%zz@h/d":      "percent-encode",
		"--database-url=postgres:///d":                   "host is missing",
		"--browser-url=chromium:9222":                    "the address of a browser",
		"--browser-url=file:///x":                        "the address of a browser",
		"--sqlite-synchronous=off":                       "full or normal",
		"--default-tier=guest":                           "free, premium or supporter",
		"--log-format=xml":                               "text or json",
		"--guests=some":                                  "open or closed",
		"--index-closed=maybe":                           "true or false",
		"--log-level=loud":                               "debug, info, warn or error",
		"--addr=8080":                                    "host:port",
		"--addr=host:http":                               "host:port",
		"--addr=host:70000":                              "host:port",
		"--base-url=example.org":                         "absolute address",
		"--base-url=ftp://example.org":                   "absolute address",
		"--base-url=https://":                            "absolute address",
		"--base-url=https://example.org/a%20b":           "write the path with",
		"--base-url=https://example.org/ä":               "write the path with",
		"--base-url=https://example.org//a":              "write the path with",
		"--base-url=https://example.org/../a":            "write the path with",
		"--base-url=https://example.org/a;b":             "write the path with",
		"--socket-mode=0678":                             "permissions in octal",
		"--socket-mode=0060":                             "permissions in octal",
		"--socket-mode=1777":                             "permissions in octal",
		"--security-contact=call me":                     "an e-mail address",
		"--security-contact=http://example.org":          "an e-mail address",
		"--base-url=https://example.org/":                "slash",
		"--base-url=https://example.org/a/":              "slash",
		"--site-url=https://example.org?a=b":             "a query or fragment",
		"--site-url=https://example.org?":                "a query or fragment",
		"--site-url=https://example.org#":                "a query or fragment",
		"--site-url=https://u:s3cret@example.org":        "user name",
		"--database-replica-urls=postgres://h/d":         "SQLite has no replicas",
		"--database-replica-urls-file=/no/such/file":     "/no/such/file",
		"--database-replica-max-lag=500ms":               "want 1s or more",
		"--database-replica-max-lag=soon":                "a duration",
		"--rate-limits=gold=5":                           "no such tier",
		"--rate-limits=free=-1":                          "whole number",
		"--rate-limits=free=many":                        "whole number",
		"--rate-limits=free=4294967296":                  "whole number",
		"--rate-limits=free=1,free=2":                    "twice",
		"--rate-limits=free":                             "TIER=NUMBER",
		"--rate-limits=free=1,":                          "TIER=NUMBER",
		"--trusted-proxies=10.0.0.0/33":                  "an address or a network",
		"--trusted-proxies=proxy.example":                "an address or a network",
		"--trusted-proxies=fe80::1%eth0":                 "an address or a network",
		"--trusted-proxies=::ffff:10.0.0.1":              "as IPv4",
		"--trusted-proxies=::ffff:10.0.0.0/104":          "as IPv4",
		"--request-timeout=15":                           "a duration",
		"--request-timeout=0s":                           "a duration",
		"--request-timeout=-1s":                          "a duration",
		"--wait-for=60":                                  "a duration",
		"--drain-delay=10":                               "a duration",
		"--drain-delay=-1s":                              "a duration",
		"--response-memory=0":                            "a size",
		"--min-send-rate=0":                              "a size",
		"--body-limit=0":                                 "a size",
		"--max-streams=0":                                "want a number from 1 to 100000",
		"--body-limit=-1KiB":                             "a size",
		"--body-limit=1.5MiB":                            "a size",
		"--body-limit=1MB":                               "a size",
		"--body-limit=MiB":                               "a size",
		"--body-limit=9223372036854775807GiB":            "a size",
		"--shutdown-timeout=soon":                        "a duration",
		"--trash-days=-1":                                "want a number of days",
		"--trash-days=3651":                              "want a number of days",
		"--audit-keep=24h":                               "want at least 720h, or 0s",
		"--audit-keep=soon":                              "want a duration",
		"--invitation-ttl=0":                             "a duration",
		"--metrics-addr=nine":                            "host:port",
		"--metrics-addr=127.0.0.1:8080":                  "must differ",
		"--otel-endpoint=127.0.0.1:4318":                 "want the collector's address",
		"--otel-endpoint=grpc://otel:4317":               "want the collector's address",
		"--otel-endpoint=http://u:s3cret%zz@otel":        "want the collector's address",
		"--otel-endpoint=http://u:s3cret@otel:4318":      "--otel-headers-file",
		"--otel-endpoint=http://otel?token=s3cret":       "--otel-headers-file",
		"--otel-sample-ratio=2":                          "from 0 to 1",
		"--otel-sample-ratio=-0.1":                       "from 0 to 1",
		"--otel-sample-ratio=NaN":                        "from 0 to 1",
		"--otel-sample-ratio=all":                        "from 0 to 1",
		"--database-url-file=/no/such/file":              "/no/such/file",
		"--work=no":                                      "want true or false",
		"--job-concurrency=0":                            "from 1 to 1000",
		"--job-concurrency=1001":                         "from 1 to 1000",
		"--job-concurrency=all":                          "from 1 to 1000",
		"--mail-from=me":                                 "want an address",
		"--mail-from=a@b\r\nX: y":                        "want an address",
		"--smtp-url=mail.example":                        "want smtp://",
		"--smtp-url=smtp://":                             "want smtp://",
		"--smtp-url=http://mail.example":                 "want smtp://",
		"--smtp-url=smtp://mail.example/x":               "want smtp://",
		"--smtp-url=smtp://mail.example?tls=no":          "want smtp://",
		"--smtp-url=smtp://mail.example?starttls=maybe":  "want starttls=required or starttls=never",
		"--smtp-url=smtps://mail.example?starttls=never": "without starttls",
		"--smtp-url=smtp://me@h?starttls=never":          "unencrypted",
		"--smtp-url=smtp://me:s3cret@mail.example":       "--smtp-password-file",
		"--smtp-url=smtp://me:s3cret%zz@mail.example":    "percent-encode",
		"--smtp-url=smtp://mail.example:0":               "port",
		"--smtp-password=s3cret":                         "requires --smtp-url",
		"--smtp-password-file=/no/such/file":             "/no/such/file",
		"--smtp-token-file=/no/such/file":                "/no/such/file",
	}
	for arg, want := range tests {
		t.Run(arg, func(t *testing.T) {
			t.Parallel()
			_, found := parse(t, arg).Resolve()
			if len(found) != 1 {
				t.Fatalf("problems = %v, want one", found)
			}
			flag, _, _ := strings.Cut(arg, "=")
			line := found[0].Error()
			if !strings.HasPrefix(line, flag+" (VITRINE_") || !strings.Contains(line, want) || strings.Contains(line, "\n") {
				t.Errorf("problem = %q, want one line on %s with %q", line, flag, want)
			}
			if strings.Contains(line, "s3cret") {
				t.Errorf("the secret is told: %q", line)
			}
		})
	}
}

// Problems do not contain the passwords of addresses, and only the beginning of long values.
func TestProblemsHidePasswords(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{
		"--base-url=ftp://u:s3cret@h", "--base-url=https://u:s3cret@h:port", "--site-url=https://u:s3/cr@et@h:port", "--files-url=https://u:s3cret@h\n:port",
		"--oidc-issuer=https://u:s3cret@id.example", "--security-contact=http://u:s3cret@h", "--tls-domain=https://u:s3cret@h",
		"--addr=http://u:s3cret@h:port", "--metrics-addr=http://u:s3cret@h:port", "--mail-from=http://u:s3cret@h",
	} {
		_, found := parse(t, arg).Resolve()
		if text := errors.Join(found...).Error(); !strings.Contains(text, "://REDACTED@") || strings.Contains(text, "s3") {
			t.Errorf("%s: %s", arg, text)
		}
	}
	_, found := parse(t, "--log-level="+strings.Repeat("x", 1<<20)).Resolve()
	if len(found) != 1 || len(found[0].Error()) > 300 {
		t.Errorf("a long value: %.400v", found)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	_, found := parse(t, "--addr=x", "--rate-limits=gold=1,free=x", "--request-timeout=x", "--log-level=x", "--trusted-proxies=x,y").Resolve()
	var flags []string
	for _, err := range found {
		problem, ok := errors.AsType[config.Problem](err)
		if !ok {
			t.Fatalf("%v is no Problem", err)
		}
		flags = append(flags, problem.Flag)
	}
	want := []string{"log-level", "addr", "rate-limits", "rate-limits", "trusted-proxies", "trusted-proxies", "request-timeout"}
	if !reflect.DeepEqual(flags, want) {
		t.Errorf("problems with %v, want %v", flags, want)
	}
}

func TestCommonAlone(t *testing.T) {
	t.Parallel()
	var cmd struct{ config.Common }
	parser, err := kong.New(&cmd, config.AddFlags())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"--data-dir=d", "--log-level=loud"}); err != nil {
		t.Fatal(err)
	}
	cfg, found := cmd.Resolve()
	if cfg.DataDir != "d" || cfg.SQLiteSynchronous != "full" || cfg.SQLitePath() != filepath.Join("d", "vitrine.db") {
		t.Errorf("config = %+v", cfg)
	}
	if len(found) != 1 {
		t.Errorf("problems = %v, want one", found)
	}
}

func TestSecretFile(t *testing.T) {
	t.Parallel()
	const url = "postgres://u:s3cret@h/d"
	tests := map[string]struct {
		content, value, want, problem string
	}{
		"plain":                {content: url, want: url},
		"newline":              {content: url + "\n", want: url},
		"carriage return":      {content: url + "\r\n", want: url},
		"both":                 {content: url, value: url, problem: "not both"},
		"empty":                {content: "\n", problem: "is empty"},
		"too large":            {content: "postgres://u:s3cret@h/" + strings.Repeat("d", 1<<20), problem: "is larger than 1 MiB"},
		"checked like a value": {content: "mysql://u:s3cret@h/d", problem: "want postgres://", want: "mysql://u:s3cret@h/d"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "url")
			if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, found := config.Texts{"database-url": tt.value, "database-url-file": file}.Resolve()
			if cfg.DatabaseURL != tt.want {
				t.Errorf("URL = %q, want %q", cfg.DatabaseURL, tt.want)
			}
			text := errors.Join(found...)
			if tt.problem == "" && text != nil || tt.problem != "" && (text == nil || !strings.Contains(text.Error(), tt.problem)) {
				t.Errorf("problems = %v, want %q", text, tt.problem)
			}
			if text != nil && strings.Contains(text.Error(), "s3cret") {
				t.Errorf("the secret is told: %v", text)
			}
		})
	}
}

// Replicas can be on one line or on several, and each address is checked.
func TestReplicas(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "replicas")
	if err := os.WriteFile(file, []byte("postgres://a/d\r\n\npostgres://b/d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{"--database-replica-urls=postgres://a/d, postgres://b/d,", "--database-replica-urls-file=" + file} {
		got := resolve(t, parse(t, "--database-url=postgres://h/d", arg)).Replicas.URLs
		if !reflect.DeepEqual(got, []string{"postgres://a/d", "postgres://b/d"}) {
			t.Errorf("%s: %q", arg, got)
		}
	}
	_, found := parse(t, "--database-url=postgres://h/d", "--database-replica-urls=postgres://a/d,mysql://u:s3cret@b/d").Resolve()
	if len(found) != 1 || !strings.Contains(found[0].Error(), "want postgres://") || strings.Contains(found[0].Error(), "s3cret") {
		t.Errorf("problems = %v", found)
	}
	cfg := config.Config{Replicas: config.Replicas{URLs: []string{"postgres://u:s3cret@a/d", "postgres://b/d?password=s3cret"}}}
	if lines := cfg.Redacted().String(); !strings.Contains(lines, "REPLICA_URLS=postgres://u:REDACTED@a/d,postgres://b/d?password=REDACTED\n") {
		t.Errorf("printed as\n%s", lines)
	}
}

// With a Unix socket, the operator must set the address that the proxy serves.
func TestSocketAddress(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"":                               {"--addr=unix:/run/v.sock", "--base-url=https://example.org/vitrine"},
		"--base-url (VITRINE_BASE_URL):": {"--addr=unix:/run/v.sock"},
		"the absolute path of a socket":  {"--addr=unix:v.sock", "--base-url=https://example.org"},
		"the path is too long":           {"--addr=unix:/" + strings.Repeat("v", 107), "--base-url=https://example.org"},
		"a Unix socket is for a proxy":   {"--addr=unix:/run/v.sock", "--base-url=https://example.org", "--tls-domain=example.org"},
		"must differ from --addr":        {"--addr=unix:/run/v.sock", "--metrics-addr=unix:/run/v.sock", "--base-url=https://example.org"},
	} {
		cfg, found := parse(t, args...).Resolve()
		if want == "" && len(found) == 0 {
			if cfg.SiteURL != "https://example.org/vitrine" || cfg.LocalURL() != "http://localhost" {
				t.Errorf("%q: %+v", args, cfg)
			}
			continue
		}
		if len(found) != 1 || !strings.Contains(found[0].Error(), want) {
			t.Errorf("%q: %v, want %q", args, found, want)
		}
	}
}
