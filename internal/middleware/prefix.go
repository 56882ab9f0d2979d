package middleware

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Below serves requests whose path begins with one of the prefixes as if it did not. A
// reverse proxy that has removed the prefix works too: its requests match none. If a
// removed prefix leaves a path that begins with the prefix again, only the proxy can say
// that it was there twice, so a peer in trusted (or behind a Unix socket) that sends
// X-Forwarded-Prefix is believed, and nothing more is removed.
//
// A prefix begins with a slash, does not end in one, and needs no percent-encoding. The
// URL is changed in place, which costs no allocation: it belongs to this request only.
func Below(prefixes []string, trusted []netip.Prefix) Piece {
	return func(next http.Handler) http.Handler {
		if len(prefixes) == 0 {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, prefix := range prefixes {
				if !below(r.URL.Path, prefix) || r.URL.RawPath != "" && !below(r.URL.RawPath, prefix) {
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

// below reports whether a path is the prefix, or continues it by a segment.
func below(path, prefix string) bool {
	return strings.HasPrefix(path, prefix) && (len(path) == len(prefix) || path[len(prefix)] == '/')
}

// removedBefore reports whether a trusted proxy says that it has removed one of the prefixes.
func removedBefore(r *http.Request, prefixes []string, trusted []netip.Prefix) bool {
	named := func(said string) bool { return slices.Contains(prefixes, strings.TrimSuffix(said, "/")) }
	if !slices.ContainsFunc(r.Header["X-Forwarded-Prefix"], named) {
		return false
	}
	return contains(trusted, peerAddr(r.RemoteAddr)) || overSocket(r)
}
