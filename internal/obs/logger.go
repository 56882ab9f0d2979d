// Package obs provides the program's logger, metrics and traces. It does not depend on the
// application.
//
// Spans are sent to a collector by OTLP over HTTP, encoded as JSON
// (https://opentelemetry.io/docs/specs/otlp/). We do not use the OpenTelemetry SDK because of its
// size: it adds 1.1 MB before it sends anything, has no JSON exporter and does not report dropped
// spans. With its HTTP exporter, which writes protobuf, it adds 6.4 MB.
//
// A nil *Tracer and a nil *Span do nothing and allocate nothing, so callers need not check whether
// a request is traced.
package obs

import (
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Logger returns a logger that writes one line per record to w. The format is text or json, the
// level debug, info, warn or error.
func Logger(w io.Writer, format, level string) (*slog.Logger, error) {
	log, _, err := AdjustableLogger(w, format, level)
	return log, err
}

// AdjustableLogger returns a logger like Logger, and a variable that changes its level.
func AdjustableLogger(w io.Writer, format, level string) (*slog.Logger, *slog.LevelVar, error) {
	least := new(slog.LevelVar)
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, nil, fmt.Errorf("log level %q: want debug, info, warn or error", level)
	}
	opts := &slog.HandlerOptions{Level: least, ReplaceAttr: inSeconds}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), least, nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), least, nil
	default:
		return nil, nil, fmt.Errorf("log format %q: want text or json", format)
	}
}

// inSeconds writes durations as seconds in both formats, so that log tools can compare and add
// them.
func inSeconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.Float64Value(float64(a.Value.Duration().Round(time.Microsecond)) / float64(time.Second))
	}
	return a
}
