package feeds

import (
	"net/http"
	"strings"
	"time"
)

const (
	changePasswordPath = "/.well-known/change-password"
	securityPath       = "/.well-known/security.txt"
)

// securityDays is the number of days until security.txt expires. The date moves on every day, so it
// never expires while the server runs.
const securityDays = 90

// changePassword redirects password managers to the page for changing the password.
func (d *Door) changePassword(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Location", d.root+"/settings/password")
	w.WriteHeader(http.StatusFound)
	return nil
}

// security writes the contacts for security problems (RFC 9116).
func (d *Door) security(w http.ResponseWriter, _ *http.Request) error {
	var b strings.Builder
	for _, contact := range d.o.SecurityContacts {
		b.WriteString("Contact: " + contact + "\n")
	}
	expires := d.o.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, securityDays)
	b.WriteString("Expires: " + expires.Format(time.RFC3339) + "\n")
	site := d.o.Addresses.Site
	b.WriteString("Canonical: " + strings.TrimSuffix(site, d.root) + securityPath + "\n")
	if d.root != "" { // the host may also forward the path at its root
		b.WriteString("Canonical: " + site + securityPath + "\n")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // the client has gone; nothing to do
	return nil
}
