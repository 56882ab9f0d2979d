package obs_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"vitrine/internal/obs"
)

func TestLoggerFormats(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"text": `level=INFO msg=hello n=1`,
		"json": `"level":"INFO","msg":"hello","n":1}`,
	}
	for format, want := range tests {
		var out bytes.Buffer
		log, err := obs.Logger(&out, format, "info")
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("quiet")
		log.Info("hello", "n", 1)
		if got := out.String(); !strings.HasSuffix(got, want+"\n") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: log = %q, want one line that ends in %q", format, got, want)
		}
	}
}

func TestLoggerLevels(t *testing.T) {
	t.Parallel()
	levels := []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	for i, name := range []string{"debug", "info", "warn", "error"} {
		log, err := obs.Logger(&bytes.Buffer{}, "text", name)
		if err != nil {
			t.Fatal(err)
		}
		for j, level := range levels {
			if got := log.Enabled(t.Context(), level); got != (j >= i) {
				t.Errorf("at %s, %v is enabled: %v", name, level, got)
			}
		}
	}
}

func TestLoggerRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{{"xml", "info"}, {"", "info"}, {"text", "loud"}, {"text", ""}} {
		if log, err := obs.Logger(&bytes.Buffer{}, tt[0], tt[1]); err == nil || log != nil {
			t.Errorf("Logger(%q, %q) = %v, %v, want an error", tt[0], tt[1], log, err)
		}
	}
}
