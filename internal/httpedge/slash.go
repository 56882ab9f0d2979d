package httpedge

import (
	"net/http"
	"strings"
)

// WithoutSlash returns the path of a GET or HEAD request without a superfluous slash at the end. The
// empty path becomes the slash itself. It rejects paths that begin with two slashes, or contain a
// backslash or an empty segment, because browsers may treat a redirect to them as a redirect to
// another host.
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

// EscapedWithoutSlash returns the URL, below the site's root, to redirect a request to if WithoutSlash
// accepted it. It keeps the query.
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
