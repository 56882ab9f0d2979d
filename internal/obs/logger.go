// Package obs is how the program is observed: its log and its metrics. It knows
// nothing of what the program does.
package obs

import (
	"fmt"
	"io"
	"log/slog"
)

// Logger returns a logger that writes to w, a line per record. The format is
// text or json, the level debug, info, warn or error.
func Logger(w io.Writer, format, level string) (*slog.Logger, error) {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: want debug, info, warn or error", level)
	}
	opts := &slog.HandlerOptions{Level: least}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	default:
		return nil, fmt.Errorf("log format %q: want text or json", format)
	}
}
