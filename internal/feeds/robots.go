package feeds

import (
	"net/http"
	"strings"
)

// disallowed lists the first path segments that crawlers must not request: pages for signed-in
// users, dead ends, and expensive ones.
var disallowed = []string{"ext", "feed", "feeds", "forgot-password", "invitations", "notifications", "oauth", "operator",
	"save", "search", "settings", "sign-in", "sign-out", "sign-up", "v2", "v3"}

// robots serves robots.txt (RFC 9309). Each rule ends with its segment, because slugs may have the
// same prefix.
func (h *Handler) robots(w http.ResponseWriter, _ *http.Request) error {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	if h.o.App.Exposure.GuestsClosed {
		b.WriteString("Disallow: " + h.root + "/\n")
	} else {
		for _, segment := range disallowed {
			for _, end := range []string{"$", "/", "?"} {
				b.WriteString("Disallow: " + h.root + "/" + segment + end + "\n")
			}
		}
		b.WriteString("\nSitemap: " + h.o.Addresses.Site + "/sitemap.xml\n")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // fails only if the client is gone
	return nil
}
