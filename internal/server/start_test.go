package server_test

import (
	"log/slog"
	"runtime"
	"testing"

	"vitrine/internal/config"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

// Starting on a migrated database loads no API description, catalogue, template or codec (150 MB);
// they are loaded on first use. Not parallel because it measures the allocations of the process.
func TestStartReadsLittle(t *testing.T) {
	const limit = 8 << 20 // bytes; it needs about 2 MB
	o, base := storetest.Migrated.SQLite(t), "http://vitrine.test"
	cfg := config.Config{DatabaseURL: o.URL, BaseURL: base, SiteURL: base, BodyLimit: 1, MailFrom: "vitrine@vitrine.test", DataDir: t.TempDir(),
		RateLimits: map[string]int{"guest": 1, "free": 1, "premium": 1, "supporter": 1}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := server.New(t.Context(), cfg, server.Options{Log: slog.New(slog.DiscardHandler)})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > limit {
		t.Errorf("making a server allocates %d KB, more than %d", took>>10, limit>>10)
	} else {
		t.Logf("%d KB", took>>10)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
