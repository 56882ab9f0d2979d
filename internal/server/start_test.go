package server_test

import (
	"log/slog"
	"runtime"
	"testing"

	"vitrine/internal/config"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

// A start on a migrated database reads no description, catalogue, template or codec: all
// that waits until it is needed. It would be 150 MB. Since it counts what the process
// allocates, it runs beside no other test.
func TestStartReadsLittle(t *testing.T) {
	const most = 8 << 20 // bytes, of which it takes some 2
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
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("making a server allocates %d KB, more than %d", took>>10, most>>10)
	} else {
		t.Logf("%d KB", took>>10)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
