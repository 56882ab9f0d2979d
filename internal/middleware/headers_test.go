package middleware

import (
	"net/http"
	"strings"
	"testing"
)

func TestCacheControl(t *testing.T) {
	t.Parallel()
	const public, private, never = "max-age=300, public", "private, no-cache", "no-store"
	tests := map[string]struct {
		method, authorization string
		status                int
		want                  string
	}{
		"guest":                  {"GET", "", 200, public},
		"guest head":             {"HEAD", "", 200, public},
		"guest not modified":     {"GET", "", 304, public},
		"guest part":             {"GET", "", 206, public},
		"signed in":              {"GET", "Bearer x", 200, private},
		"signed in not modified": {"GET", "Bearer x", 304, private},
		"redirect":               {"GET", "", 302, never},
		"not found":              {"GET", "", 404, never},
		"server error":           {"GET", "Bearer x", 500, never},
		"created":                {"POST", "Bearer x", 201, never},
		"posted":                 {"POST", "", 200, never},
		"deleted":                {"DELETE", "Bearer x", 204, never},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request(tt.method)
			if tt.authorization != "" {
				r.Header.Set("Authorization", tt.authorization)
			}
			w := serve(CacheHeaders(status(tt.status)), r)
			wantHeader(t, w.Header(), "Cache-Control", tt.want)
			wantHeader(t, w.Header(), "Vary", "Authorization, Accept-Encoding")
			if w.Code != tt.status {
				t.Errorf("status = %d, want %d", w.Code, tt.status)
			}
		})
	}
}

func TestCacheControlOfTheHandler(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{200: "public, immutable", 404: "no-store"} {
		w := serve(CacheHeaders(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "public, immutable")
			w.WriteHeader(code)
		})), get())
		wantHeader(t, w.Header(), "Cache-Control", want)
	}
}

func TestCacheHeadersWithoutAWrite(t *testing.T) {
	t.Parallel()
	w := serve(CacheHeaders(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})), get())
	wantHeader(t, w.Header(), "Cache-Control", "max-age=300, public")
}

func TestVaryIsMerged(t *testing.T) {
	t.Parallel()
	h := Chain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Vary", "Accept-Language, accept-encoding,")
	}), CacheHeaders, Compress)
	got := serve(h, get()).Header().Values("Vary")
	if len(got) != 1 || got[0] != "Authorization, Accept-Encoding, Accept-Language" {
		t.Errorf("Vary = %q", got)
	}
}

func TestSecureHeaders(t *testing.T) {
	t.Parallel()
	h := serve(SecureHeaders(text("{}")), get()).Header()
	wantHeader(t, h, "X-Content-Type-Options", "nosniff")
	wantHeader(t, h, "Referrer-Policy", "no-referrer")
	wantHeader(t, h, "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

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
