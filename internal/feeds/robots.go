package feeds

import (
	"net/http"
	"strings"
)

// kept are the first segments of addresses that crawlers are to leave alone: they are for
// people who are signed in, lead nowhere, or cost much.
var kept = []string{"ext", "feed", "feeds", "forgot-password", "invitations", "notifications", "oauth", "operator",
	"save", "search", "settings", "sign-in", "sign-out", "sign-up", "v2", "v3"}

// robots says what crawlers may ask for (RFC 9309). A rule ends where the segment does,
// since slugs may begin like one of them.
func (d *Door) robots(w http.ResponseWriter, _ *http.Request) error {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	if d.o.App.Exposure.GuestsClosed {
		b.WriteString("Disallow: " + d.root + "/\n")
	} else {
		for _, segment := range kept {
			for _, end := range []string{"$", "/", "?"} {
				b.WriteString("Disallow: " + d.root + "/" + segment + end + "\n")
			}
		}
		b.WriteString("\nSitemap: " + d.o.Addresses.Site + "/sitemap.xml\n")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // the client has gone; nothing to do
	return nil
}
