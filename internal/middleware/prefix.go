package middleware

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// StripPrefix removes the prefixes from the paths of requests. Requests whose prefix a reverse proxy
// has already removed match no prefix and pass unchanged. If the remaining path begins with the
// prefix again, only the proxy knows that it was there twice. So if a peer in trusted (or on a
// Unix socket) sends X-Forwarded-Prefix, nothing is removed.
//
// A prefix begins with a slash, does not end in one, and needs no percent-encoding. The URL is
// changed in place, without an allocation, because it belongs to this request only.
func StripPrefix(prefixes []string, trusted []netip.Prefix) Middleware {
	return func(next http.Handler) http.Handler {
		if len(prefixes) == 0 {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, prefix := range prefixes {
				if !hasPrefix(r.URL.Path, prefix) || r.URL.RawPath != "" && !hasPrefix(r.URL.RawPath, prefix) {
					continue
				}
				if !removedBefore(r, prefixes, trusted) {
					r.URL.Path = r.URL.Path[len(prefix):]
					if r.URL.RawPath != "" {
						r.URL.RawPath = r.URL.RawPath[len(prefix):]
					}
				}
				break
			}
			next.ServeHTTP(w, r)
		})
	}
}

// hasPrefix reports whether a path is the prefix, or continues after it with a new segment.
func hasPrefix(path, prefix string) bool {
	return strings.HasPrefix(path, prefix) && (len(path) == len(prefix) || path[len(prefix)] == '/')
}

// removedBefore reports whether a trusted proxy has removed one of the prefixes, according to its header.
func removedBefore(r *http.Request, prefixes []string, trusted []netip.Prefix) bool {
	named := func(said string) bool { return slices.Contains(prefixes, strings.TrimSuffix(said, "/")) }
	if !slices.ContainsFunc(r.Header["X-Forwarded-Prefix"], named) {
		return false
	}
	return contains(trusted, peerAddr(r.RemoteAddr)) || overSocket(r)
}
