package middleware

import (
	"net/http"
	"strings"
	"testing"
)

func TestCORSPreflight(t *testing.T) {
	t.Parallel()
	forbidden := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a preflight reached the handler") })
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		w := serve(CORS(forbidden), request(http.MethodOptions, "Origin", "https://app.example",
			"Access-Control-Request-Method", method,
			"Access-Control-Request-Headers", "authorization,content-type,if-none-match,x-anything"))
		if w.Code != http.StatusNoContent {
			t.Errorf("%s: status = %d, want 204", method, w.Code)
		}
		wantHeader(t, w.Header(), "Access-Control-Allow-Origin", "*")
		wantHeader(t, w.Header(), "Access-Control-Allow-Methods", method)
		wantHeader(t, w.Header(), "Access-Control-Allow-Headers", "authorization,content-type,if-none-match,x-anything")
		wantHeader(t, w.Header(), "Access-Control-Allow-Credentials", "")
		wantHeader(t, w.Header(), "Access-Control-Max-Age", "86400")
	}
}

func TestCORSActualRequest(t *testing.T) {
	t.Parallel()
	for _, headers := range [][]string{{"Origin", "https://app.example"}, nil} {
		w := serve(Chain(text("ok"), CacheHeaders, CORS), get(headers...))
		wantHeader(t, w.Header(), "Access-Control-Allow-Origin", "*")
		wantHeader(t, w.Header(), "Access-Control-Allow-Credentials", "")
		wantHeader(t, w.Header(), "Vary", "Authorization, Accept-Encoding")
		exposed := strings.Split(w.Header().Get("Access-Control-Expose-Headers"), ", ")
		for _, name := range []string{
			"ETag", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Tier", "X-RateLimit-Window",
			"X-RateLimit-Reset", "X-RateLimit-Remaining", "X-Request-Id", "Link", "Location",
		} {
			if !containsFold(exposed, name) {
				t.Errorf("%s is not exposed", name)
			}
		}
	}
}

func TestCORSPlainOptionsPasses(t *testing.T) {
	t.Parallel()
	if w := serve(CORS(status(http.StatusMethodNotAllowed)), request(http.MethodOptions)); w.Code != 405 {
		t.Errorf("status = %d, want the handler's 405", w.Code)
	}
}
