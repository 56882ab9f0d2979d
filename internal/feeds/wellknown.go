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

// securityDays is the number of days until security.txt expires. The date moves every day, so it
// never expires while the server runs.
const securityDays = 90

// changePassword redirects password managers to the page for changing the password.
func (h *Handler) changePassword(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Location", h.root+"/settings/password")
	w.WriteHeader(http.StatusFound)
	return nil
}

// security writes the contacts for security problems (RFC 9116).
func (h *Handler) security(w http.ResponseWriter, _ *http.Request) error {
	var b strings.Builder
	for _, contact := range h.o.SecurityContacts {
		b.WriteString("Contact: " + contact + "\n")
	}
	expires := h.o.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, securityDays)
	b.WriteString("Expires: " + expires.Format(time.RFC3339) + "\n")
	site := h.o.Addresses.Site
	b.WriteString("Canonical: " + strings.TrimSuffix(site, h.root) + securityPath + "\n")
	if h.root != "" { // the host may also forward the path at its root
		b.WriteString("Canonical: " + site + securityPath + "\n")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // fails only if the client is gone
	return nil
}
