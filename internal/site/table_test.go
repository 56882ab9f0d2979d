package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// address is a page with what a guest and a user get of it by GET and by POST, with an
// empty form.
type address struct {
	path                                   string
	guestGet, guestPost, userGet, userPost int
	allow                                  string
}

const (
	getOnly  = "GET, HEAD, OPTIONS"
	postOnly = "POST, OPTIONS"
	both     = "GET, HEAD, POST, OPTIONS"
	signIn   = http.StatusSeeOther // for guests of settings
)

var table = []address{
	{"/", 200, 405, 200, 405, getOnly},
	{"/sign-up", 200, 422, 303, 422, both},
	{"/confirm/x", 404, 404, 404, 404, both},
	{"/sign-in", 200, 422, 303, 422, both},
	{"/sign-out", 405, 303, 405, 303, postOnly},
	{"/forgot-password", 200, 422, 200, 422, both},
	{"/reset-password/x", 404, 404, 404, 404, both},
	{"/settings", signIn, 405, 303, 405, getOnly},
	{"/settings/profile", signIn, signIn, 200, 422, both},
	{"/settings/email", signIn, signIn, 200, 422, both},
	{"/settings/email/x", 404, 404, 404, 404, both},
	{"/settings/password", signIn, signIn, 200, 422, both},
	{"/settings/sessions", signIn, signIn, 200, 404, both},
	{"/settings/storage", signIn, 405, 200, 405, getOnly},
	{"/settings/personal-access-tokens", signIn, signIn, 200, 422, both},
	{"/settings/applications", signIn, signIn, 200, 404, both},
	{"/settings/delete", signIn, signIn, 200, 422, both},
	{"/oauth/applications", signIn, signIn, 200, 422, both},
	{"/oauth/applications/1", signIn, signIn, 404, 404, both},
	{"/oauth/authorize", 400, signIn, 400, 400, both},
	{"/invitations/x", 404, 400, 404, 400, both},
	{"/group/x/invite/y", 404, 404, 404, 404, both},
	{"/operator", signIn, 405, 404, 405, getOnly},
	{"/operator/accounts", signIn, 405, 404, 405, getOnly},
	{"/operator/accounts/eve", signIn, signIn, 404, 404, both},
	{"/operator/sign-up", signIn, signIn, 404, 404, both},
	{"/operator/jobs", signIn, signIn, 404, 404, both},
}

func TestEveryAddress(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.SignUp = "open" })
	first(t, r)
	for _, at := range table {
		guest, user := newBrowser(t, r), newBrowser(t, r)
		user.post("/sign-in", "email", memberOnce(t, r), "password", password).leads("/")
		for _, tt := range []struct {
			as     string
			b      *browser
			method string
			want   int
		}{{"guest", guest, "GET", at.guestGet}, {"guest", guest, "HEAD", at.guestGet}, {"guest", guest, "POST", at.guestPost},
			{"user", user, "GET", at.userGet}, {"user", user, "POST", at.userPost},
			{"guest", guest, "PUT", 405}, {"guest", guest, "DELETE", 405}, {"guest", guest, "PATCH", 405}, {"guest", guest, "TRACE", 405}, {"guest", guest, "OPTIONS", 204}} {
			p := tt.b.send(tt.method, at.path, "")
			if p.status != tt.want {
				t.Errorf("%s by a %s: %d, want %d: %s", p.from, tt.as, p.status, tt.want, p.body)
			}
			if allow := p.header.Get("Allow"); (tt.want == 405 || tt.want == 204) && allow != at.allow {
				t.Errorf("%s allows %q, want %q", p.from, allow, at.allow)
			}
			if to := p.header.Get("Location"); strings.HasPrefix(at.path, "/settings") && tt.as == "guest" && tt.want == signIn && to != "/sign-in?next="+url.QueryEscape(at.path) {
				t.Errorf("%s leads to %s", p.from, to)
			}
			if tt.method == "HEAD" && p.body != "" {
				t.Errorf("%s has a body", p.from)
			}
		}
	}
}

// memberOnce gives the address of one account that is no operator's.
func memberOnce(t *testing.T, r *apptest.Rig) string {
	t.Helper()
	if _, err := r.S.App.User(t.Context(), refOf("eve")); err != nil {
		account(t, r, "eve")
	}
	return "eve@example.org"
}
