package middleware

import (
	"log/slog"
	"net/http"
	"time"
)

// AccessLog returns an Observer that writes one line per request. It omits the query, which may
// contain tokens and codes, and writes LogPath instead of the path if it is set. The level is Error
// for 5xx, with the cause, Warn for 5xx because of a limit, and Info otherwise.
func AccessLog(log *slog.Logger) Observer {
	return func(r *http.Request, x *Exchange, took time.Duration) {
		level, path := slog.LevelInfo, r.URL.Path
		if x.LogPath != "" {
			path = x.LogPath
		}
		attrs := make([]slog.Attr, 0, 11)
		attrs = append(attrs,
			slog.String("method", r.Method),
			slog.String("path", path),
			slog.Int("status", x.Status),
			slog.Int64("bytes", x.Bytes),
			slog.Duration("duration", took),
			slog.String("request_id", x.RequestID),
			slog.String("operation", x.Operation),
			slog.Int64("user_id", x.UserID),
			slog.String("client", clientText(x)),
		)
		if x.Trace != "" {
			attrs = append(attrs, slog.String("trace_id", x.Origin().TraceID()))
		}
		if x.Status >= http.StatusInternalServerError {
			if level = slog.LevelError; x.Refused != "" {
				level = slog.LevelWarn
			}
			if x.Error != nil {
				attrs = append(attrs, slog.String("error", x.Error.Error()))
			}
		}
		log.LogAttrs(r.Context(), level, "request", attrs...)
	}
}

func clientText(x *Exchange) string {
	if !x.ClientIP.IsValid() {
		return "unknown"
	}
	return x.ClientIP.String()
}
