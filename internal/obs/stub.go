// Package obs is a stub until the real one is merged.
package obs

import (
	"io"
	"log/slog"
	"net/http"
	"time"
)

func Request(method, op string, status int, d time.Duration) {}
func Handler() http.Handler                                  { return http.NotFoundHandler() }

func Logger(w io.Writer, format, level string) (*slog.Logger, error) {
	return slog.New(slog.NewTextHandler(w, nil)), nil
}
