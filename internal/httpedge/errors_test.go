package httpedge_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
)

// All errors of an API are written in its shape, including those of APIHandler and the rate limit.
func TestErrorsOfAnotherShape(t *testing.T) {
	t.Parallel()
	own := httpedge.Errors{Write: func(w http.ResponseWriter, _ *http.Request, status int, e *domain.Error) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "%d %s", status, e.Message)
	}}
	now := time.Unix(1_000_000, 0)
	gate := &httpedge.APIHandler{Errors: own, Next: http.HandlerFunc(own.NotFound),
		Callers: httpedge.NewCallers(nil, middleware.NewLimiter(map[string]int{"guest": 3}), func() time.Time { return now }, httpedge.AtOnce{}),
		Route:   func(string, *url.URL) (string, bool) { return "", false }}
	fails := func(err error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { own.Fail(r.Context(), w, r, err) }
	}
	takes := func(w http.ResponseWriter, r *http.Request) { own.MethodNotAllowed(w, r, "GET") }
	tests := []struct {
		name, method, token string
		handler             http.Handler
		want                string
		field, value        string // response header
	}{
		{"unknown", "GET", "", gate, "404 There is nothing at this address", "X-Ratelimit-Remaining", "2"},
		{"bad token", "GET", "x y", gate, "401 The Authorization header is not `Bearer <token>`", "X-Ratelimit-Remaining", "0"},
		{"over the limit", "GET", "", gate, "429 Too many requests: wait until the limit is reset", "Retry-After", "60"},
		{"method", "PUT", "", http.HandlerFunc(takes), "405 This address does not take PUT", "Allow", "GET, HEAD, OPTIONS"},
		{"body", "PUT", "", fails(&http.MaxBytesError{Limit: 9}), "413 The body may have at most 9 bytes", "", ""},
		{"away", "GET", "", fails(domain.NewUnavailableFor(7*time.Second, "Busy")), "503 Busy", "Retry-After", "7"},
		{"defect", "GET", "", fails(http.ErrBodyNotAllowed), "500 Something went wrong on the server. Request id: ", "", ""},
	}
	for _, tt := range tests {
		req := httptest.NewRequestWithContext(t.Context(), tt.method, "/", nil)
		if tt.token != "" {
			req.Header.Set("Authorization", "Bearer "+tt.token)
		}
		w := httptest.NewRecorder()
		tt.handler.ServeHTTP(w, req)
		if got := w.Body.String(); got != tt.want || tt.field != "" && w.Header().Get(tt.field) != tt.value {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, w.Header(), tt.want)
		}
	}
}
