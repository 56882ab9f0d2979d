package doctor

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/config"
)

// A check that hangs or panics does not affect the others, and one that still hangs is not started again.
func TestChecksThatDoNotEnd(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	var h hanging
	checks := []check{
		{id: "deaf", run: func(context.Context) []Result { <-forever; return nil }},
		{id: "polite", run: func(ctx context.Context) []Result {
			<-ctx.Done()
			return []Result{failure("polite", "It was interrupted.", "Wait.")}
		}},
		{id: "broken", costly: true, run: func(context.Context) []Result { panic("oops") }},
		{id: "fine", run: func(context.Context) []Result { return []Result{ok("fine", "Fine.")} }},
	}
	got := h.run(t.Context(), 50*time.Millisecond, checks)
	for i, want := range []struct {
		id, says string
		level    Level
	}{{"deaf", "did not end within 50ms", Error}, {"polite", "It was interrupted.", Error}, {"broken", "oops", Error}, {"fine", "Fine.", OK}} {
		if r := got[i]; r.ID != want.id || r.Level != want.level || !strings.Contains(r.Summary, want.says) {
			t.Errorf("%d: %+v, want %+v", i, r, want)
		}
	}
	if !got[2].costly || got[3].costly || Worst(got) != Error || Worst(got[3:]) != OK {
		t.Errorf("results are %+v", got)
	}
	again := h.run(t.Context(), 50*time.Millisecond, checks)
	if !strings.Contains(again[0].Summary, "still not ended") || again[3].Level != OK {
		t.Errorf("again: %+v", again)
	}
}

// Every rule applies to settings that contradict each other, and none to ordinary ones.
func TestSettings(t *testing.T) {
	t.Parallel()
	find := func(args ...string) (ids []string) {
		t.Helper()
		texts := config.Texts{"data-dir": "/srv/vitrine"}
		for i := 0; i < len(args); i += 2 {
			texts[args[i]] = args[i+1]
		}
		cfg, problems := texts.Resolve()
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, r := range New(Options{Config: cfg}).settings(t.Context()) {
			ids = append(ids, r.ID)
			if (r.Level == OK) != (r.Remedy == "") || r.Summary == "" {
				t.Errorf("%+v", r)
			}
		}
		return ids
	}
	proxied := []string{"site-url", "https://example.org", "trusted-proxies", "127.0.0.1"}
	for _, fine := range [][]string{
		nil, {"addr", ":8080", "site-url", "http://localhost:8080"}, proxied,
		{"addr", "unix:/run/v.sock", "site-url", "https://example.org"},
		{"tls-domain", "example.org,www.example.org"},
		append(proxied, "signup", "open", "smtp-url", "smtp://mail.example.org", "backup-to", "/mnt/backups", "metrics-addr", "10.0.0.1:9090"),
		append(proxied, "upload-limit", "5GiB", "quota", "free=5GiB", "memory-limit", "352MiB"),
	} {
		if got := find(fine...); !slices.Equal(got, []string{"settings"}) {
			t.Errorf("%q: %q", fine, got)
		}
	}
	for id, args := range map[string][]string{
		"settings.insecure-address": {"site-url", "http://example.org"},
		"settings.mixed-schemes":    append(proxied, "base-url", "http://api.example.org"),
		"settings.local-address":    append(proxied, "base-url", "https://127.0.0.1:8080"),
		"settings.proxy-unnamed":    {"site-url", "https://example.org"},
		"settings.proxies-everyone": append(proxied[:2:2], "trusted-proxies", "10.0.0.0/8,::/0"),
		"settings.tls-domain":       {"tls-domain", "example.org", "site-url", "https://www.example.org"},
		"settings.metrics-exposed":  append(proxied, "metrics-addr", ":9090"),
		"settings.body-memory":      append(proxied, "body-limit", "65MiB"),
		"settings.memory":           append(proxied, "memory-limit", "351MiB"),
		"settings.upload-quota":     append(proxied, "upload-limit", "6GiB"),
		"settings.timeouts":         append(proxied, "request-timeout", "31s"),
		"settings.signup-mail":      append(proxied, "signup", "open"),
		"settings.index-closed":     append(proxied, "guests", "closed", "index-closed", "true"),
		"settings.browser-unused":   append(proxied, "snapshots", "never", "browser-url", "http://chromium:9222"),
		"settings.temporary-folder": append(proxied, "data-dir", os.TempDir()+"/vitrine"),
		"settings.backup-place":     append(proxied, "backup-to", "/srv/vitrine/backups"),
	} {
		if got := find(args...); !slices.Equal(got, []string{id}) {
			t.Errorf("%q: %q, want %s", args, got, id)
		}
	}
}

// docs/doctor.md lists the ids of all results.
func TestIDsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`"((?:settings|storage|disk|database|backups|jobs|nodes|mail|address)(?:\.[a-z-]+)?|\.(?:[a-z]+))"`)
	found := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range id.FindAllStringSubmatch(strings.ReplaceAll(string(source), `".localhost"`, ""), -1) {
			found[m[1]] = true
		}
	}
	if len(found) < 40 {
		t.Errorf("found only %d ids", len(found))
	}
	for name := range found {
		if strings.HasPrefix(name, ".") {
			name = "address.…" + name
		}
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/doctor.md does not list %s", name)
		}
	}
}
