package server

import (
	"log/slog"
	"os"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// Only the owner can read the file with the setup code, and it is removed once there is an account.
func TestSetupCodeFile(t *testing.T) {
	t.Parallel()
	cfg := config.Config{DataDir: t.TempDir()}
	s := &Server{cfg: cfg, log: slog.New(slog.DiscardHandler)}
	path := cfg.SetupCodePath()
	if err := os.WriteFile(path, []byte("earlier"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeSecret(path, "code"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info.Mode(), err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "code\n" {
		t.Errorf("%q, %v", text, err)
	}
	for range 2 {
		s.setup(cfg).Done()
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestWhoIsAskedForSetupCode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cfg           config.Config
		local, remote bool
	}{
		"loopback": {config.Config{Addr: "127.0.0.1:1", BaseURL: "http://127.0.0.1:1", SiteURL: "http://127.0.0.1:1"}, false, true},
		"public":   {config.Config{Addr: ":1", BaseURL: "http://127.0.0.1:1", SiteURL: "http://127.0.0.1:1"}, true, true},
		"chosen":   {config.Config{Addr: "127.0.0.1:1", BaseURL: "http://127.0.0.1:1", SiteURL: "http://127.0.0.1:1", SetupCode: "twelve letters"}, true, true},
	} {
		a := accounts.New(nil, nil, nil, accounts.Options{Setup: (&Server{}).setup(tt.cfg)})
		if a.AsksForSetupCode(domain.Visitor{Local: true}) != tt.local || a.AsksForSetupCode(domain.Visitor{}) != tt.remote {
			t.Errorf("%s: the wrong visitors need the code", name)
		}
	}
}
