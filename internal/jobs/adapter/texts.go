package adapter

import (
	"context"
	"log/slog"
	"strings"
)

// cancelPrefix is River's prefix for the text of an error after which a job is not retried.
const cancelPrefix = "JobCancelError: "

// ErrorText returns the text of an error without River's prefix.
func ErrorText(stored string) string { return strings.TrimPrefix(stored, cancelPrefix) }

// Quiet forwards River's warnings and errors, except those caused by a shutdown. River logs failures of jobs at
// a lower level, because the job queue logs them itself.
type Quiet struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h Quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h Quiet) Handle(ctx context.Context, r slog.Record) error {
	stopping := false
	r.Attrs(func(a slog.Attr) bool {
		stopping = strings.HasSuffix(a.Value.String(), context.Canceled.Error())
		return !stopping
	})
	if stopping {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h Quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return Quiet{h.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (h Quiet) WithGroup(name string) slog.Handler { return Quiet{h.Handler.WithGroup(name)} }
