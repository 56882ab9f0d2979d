package feeds_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

func TestChangePassword(t *testing.T) {
	t.Parallel()
	for root, closed := range map[string]bool{"": true, "/vitrine": false} {
		r := apptest.New(t, func(c *config.Config) { c.SiteURL, c.GuestsClosed = apptest.Base+root, closed })
		res := r.Do("", "GET", "/.well-known/change-password", nil).Want(http.StatusFound)
		if got := res.Header.Get("Location"); got != root+"/settings/password" {
			t.Errorf("below %q it leads to %s", root, got)
		}
		r.Do("", "POST", "/.well-known/change-password", nil).Want(http.StatusMethodNotAllowed)
	}
}

// security.txt exists if there is a contact, and is never about to expire.
func TestSecurity(t *testing.T) {
	t.Parallel()
	apptest.New(t).Do("", "GET", "/.well-known/security.txt", nil).Want(http.StatusNotFound)
	r := apptest.New(t, func(c *config.Config) {
		c.SiteURL, c.GuestsClosed = apptest.Base+"/vitrine", true
		c.SecurityContacts = []string{"mailto:security@vitrine.test", "https://vitrine.test/report"}
	})
	for range 3 {
		res := r.Do("", "GET", "/.well-known/security.txt", nil).Want(http.StatusOK)
		if got := res.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
			t.Errorf("it is %s", got)
		}
		fields := map[string][]string{}
		for line := range strings.Lines(string(res.Body)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			fields[name] = append(fields[name], value)
		}
		if got := strings.Join(fields["Contact"], " "); got != "mailto:security@vitrine.test https://vitrine.test/report" {
			t.Errorf("contacts %s", got)
		}
		if got := strings.Join(fields["Canonical"], " "); got != "https://vitrine.test/.well-known/security.txt https://vitrine.test/vitrine/.well-known/security.txt" {
			t.Errorf("canonical %s", got)
		}
		expires, err := time.Parse(time.RFC3339, strings.Join(fields["Expires"], " "))
		if left := expires.Sub(r.Clock.Now()); err != nil || left < 80*24*time.Hour || left > 365*24*time.Hour {
			t.Errorf("expires %v, in %s (%v)", fields["Expires"], left, err)
		}
		r.Clock.Advance(200 * 24 * time.Hour)
	}
}
