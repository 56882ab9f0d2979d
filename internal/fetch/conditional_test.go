package fetch_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"vitrine/internal/fetch"
)

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/", http.StatusMovedPermanently)
		case r.URL.Path == "/busy":
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.Header.Get("If-None-Match") == `"a"` || r.Header.Get("If-Modified-Since") == "Tue, 10 Nov 2026 08:00:00 GMT":
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Cache-Control", "max-age=60")
			w.WriteHeader(http.StatusNotModified)
		default:
			_, _ = io.WriteString(w, "body")
		}
	})
	c := client(t, fetch.Options{})
	for name, r := range map[string]fetch.Request{
		"ETag": {URL: url, ETag: `"a"`}, "date": {URL: url, LastModified: "Tue, 10 Nov 2026 08:00:00 GMT"}, "redirect": {URL: url + "/moved", ETag: `"a"`},
	} {
		resp, err := c.Get(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body, err := io.ReadAll(resp.Body)
		if resp.Status != http.StatusNotModified || len(body) > 0 || err != nil || resp.Header.Get("Cache-Control") != "max-age=60" || resp.Moved {
			t.Errorf("%s: %d, %q, %v", name, resp.Status, body, err)
		}
		_ = resp.Body.Close()
	}
	if e := failure(t, c, fetch.Request{URL: url + "/busy", MaxRetryAfter: 24 * time.Hour}); e.RetryAfter != 2*time.Hour {
		t.Errorf("the server requested two hours, got %v", e.RetryAfter)
	}
}
