package middleware

import (
	"net/http"
	"strings"
)

// Shared by all responses; see SecureHeaders.
var (
	cachePublic  = []string{"max-age=300, public"}
	cachePrivate = []string{"private, no-cache"}
	cacheNever   = []string{"no-store"}
	varyUsual    = []string{"Authorization, Accept-Encoding"}
)

// CacheHeaders sets Cache-Control and Vary on every response (behaviour.md section 1). Responses to
// GET and HEAD with 200, 206 or 304 may be cached: by shared caches if the request has no
// Authorization header, otherwise only by the client, with revalidation. All others are no-store. A
// handler's own Cache-Control is kept, except on errors.
func CacheHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hook := &headerHook{ResponseWriter: w}
		hook.before = func(status int) { setCacheHeaders(w.Header(), r, status) }
		next.ServeHTTP(hook, r)
		hook.ensure()
	})
}

func setCacheHeaders(h http.Header, r *http.Request, status int) {
	addVary(h)
	if h.Get("Cache-Control") == "" || status >= http.StatusBadRequest {
		h["Cache-Control"] = cachePolicy(r, status)
	}
}

func cachePolicy(r *http.Request, status int) []string {
	kept := status == http.StatusOK || status == http.StatusPartialContent || status == http.StatusNotModified
	switch {
	case !kept || !isRead(r.Method):
		return cacheNever
	case r.Header.Get("Authorization") != "":
		return cachePrivate
	default:
		return cachePublic
	}
}

// addVary merges all Vary values into one line without duplicates, and adds the two fields that
// every response depends on.
func addVary(h http.Header) {
	fields := []string{"Authorization", "Accept-Encoding"}
	for _, line := range h.Values("Vary") {
		for field := range strings.SplitSeq(line, ",") {
			field = strings.TrimSpace(field)
			if field != "" && !containsFold(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	if len(fields) == 2 {
		h["Vary"] = varyUsual
		return
	}
	h.Set("Vary", strings.Join(fields, ", "))
}

func containsFold(list []string, s string) bool {
	for _, item := range list {
		if strings.EqualFold(item, s) {
			return true
		}
	}
	return false
}
