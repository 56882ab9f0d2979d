package middleware

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestAccessLogLine(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Unix(0, 0) }
	tests := map[string]struct {
		status  int
		refused Refusal
		level   string
		cause   any
	}{
		"success":      {http.StatusOK, "", "INFO", nil},
		"client error": {http.StatusNotFound, "", "INFO", nil},
		"too fast":     {http.StatusTooManyRequests, TooFast, "INFO", nil},
		"too many":     {http.StatusServiceUnavailable, TooManyAtOnce, "WARN", "disk on fire"},
		"server error": {http.StatusInternalServerError, "", "ERROR", "disk on fire"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			h := Begin(now, AccessLog(slog.New(slog.NewJSONHandler(&out, nil))))(
				http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					x := From(r.Context())
					x.RequestID, x.Operation, x.UserID, x.Refused = "req", "getChannel", 7, tt.refused
					x.Error = errors.New("disk on fire")
					w.WriteHeader(tt.status)
					_, _ = w.Write([]byte("abc"))
				}))
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/v3/x?code=secret", nil))
			if strings.Contains(out.String(), "secret") {
				t.Errorf("the query was logged: %s", &out)
			}
			var line map[string]any
			if err := json.Unmarshal(out.Bytes(), &line); err != nil {
				t.Fatalf("not one JSON line: %v: %s", err, &out)
			}
			want := map[string]any{
				"level": tt.level, "msg": "request", "method": "GET", "path": "/v3/x",
				"status": float64(tt.status), "bytes": 3.0, "duration": 0.0, "request_id": "req",
				"operation": "getChannel", "user_id": 7.0, "client": "192.0.2.1", "error": tt.cause,
			}
			for key, value := range want {
				if line[key] != value {
					t.Errorf("%s = %v, want %v", key, line[key], value)
				}
			}
		})
	}
}

func TestAccessLogUnknownClient(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := get()
	r.RemoteAddr = "@"
	Begin(time.Now, AccessLog(slog.New(slog.NewTextHandler(&out, nil))))(text("")).ServeHTTP(httptest.NewRecorder(), r)
	if !strings.Contains(out.String(), "client=unknown") {
		t.Errorf("line = %s, want client=unknown", &out)
	}
}
