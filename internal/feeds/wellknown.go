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

// securityDays is for how many days security.txt says that it can be relied on. The date moves on
// every day, so it never expires while the server runs.
const securityDays = 90

// changePassword leads password managers to the page where a password is changed.
func (d *Door) changePassword(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Location", d.root+"/settings/password")
	w.WriteHeader(http.StatusFound)
	return nil
}

// security says where to report security problems (RFC 9116).
func (d *Door) security(w http.ResponseWriter, _ *http.Request) error {
	var b strings.Builder
	for _, contact := range d.o.SecurityContacts {
		b.WriteString("Contact: " + contact + "\n")
	}
	expires := d.o.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, securityDays)
	b.WriteString("Expires: " + expires.Format(time.RFC3339) + "\n")
	site := d.o.Addresses.Site
	b.WriteString("Canonical: " + strings.TrimSuffix(site, d.root) + securityPath + "\n")
	if d.root != "" { // the host may pass on its own address or not
		b.WriteString("Canonical: " + site + securityPath + "\n")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // the client has gone; nothing to do
	return nil
}
