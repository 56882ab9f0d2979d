package httpedge

import (
	"net/http"
	"strings"
)

// WithoutSlash returns the path that a request for a page should have used, if it is GET or
// HEAD and its path has a slash too many at the end. The empty path becomes the slash itself.
// Paths that begin with two slashes, or hold a backslash or an empty segment, have no such
// counterpart: browsers may read a redirect to them as one to another host.
func WithoutSlash(r *http.Request) (path string, ok bool) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return "", false
	}
	path = r.URL.Path
	switch {
	case path == "":
		return "/", true
	case path == "/", path[0] != '/', path[len(path)-1] != '/', strings.Contains(path, "//"), strings.Contains(path, `\`):
		return "", false
	case r.URL.RawPath != "" && !strings.HasSuffix(r.URL.RawPath, "/"): // the slash is a %2F of the last segment
		return "", false
	}
	return path[:len(path)-1], true
}

// EscapedWithoutSlash returns the address below the site's root to redirect a request to, for
// which WithoutSlash is true. It keeps the query.
func EscapedWithoutSlash(r *http.Request) string {
	address := strings.TrimSuffix(r.URL.EscapedPath(), "/")
	if address == "" {
		address = "/"
	}
	if r.URL.RawQuery != "" {
		address += "?" + r.URL.RawQuery
	}
	return address
}
