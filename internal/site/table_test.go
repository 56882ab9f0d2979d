package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// address is a page with the statuses that guests and users get for GET and for POST with an empty
// form.
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
	{"/explore", 200, 405, 200, 405, getOnly},
	{"/search", 200, 405, 200, 405, getOnly},
	{"/eve", 200, 405, 200, 405, getOnly},
	{"/nobody", 404, 405, 404, 405, getOnly},
	{"/group/x", 404, 405, 404, 405, getOnly},
	{"/about/x", 404, 405, 404, 405, getOnly},
	{"/channel/1/pin", 405, signIn, 405, 400, postOnly},
	{"/sign-up", 200, 422, 303, 422, both},
	{"/confirm/x", 404, 404, 404, 404, both},
	{"/sign-in", 200, 422, 303, 422, both},
	{"/sign-in/second-factor", 303, 303, 303, 303, both},
	{"/sign-in/second-factor/options", 303, 405, 303, 405, getOnly},
	{"/sign-in/passkey", 200, 422, 200, 422, both},
	{"/sign-in/sso", 404, 405, 303, 405, getOnly},
	{"/sign-in/sso/callback", 404, 405, 404, 405, getOnly},
	{"/sign-in/sso/confirm/x", 404, signIn, 404, 404, both},
	{"/sign-in/sso/signed-out", 404, 405, 303, 405, getOnly},
	{"/sign-in/sso/sign-out", 404, 405, 404, 405, getOnly},
	{"/sign-in/link/x", 404, 404, 404, 404, both},
	{"/settings/single-sign-on", signIn, signIn, 404, 404, both},
	{"/sign-out", 405, 303, 405, 303, postOnly},
	{"/ada/nothing", 404, 405, 404, 405, getOnly},
	{"/ada/nothing/slideshow", 404, 405, 404, 405, getOnly},
	{"/ada/nothing/print", 404, 405, 404, 405, getOnly},
	{"/ada/nothing/embed", 404, 405, 404, 405, getOnly},
	{"/ada/nothing/export", 404, 405, 404, 405, getOnly},
	{"/ada/nothing/export/zip", 404, 405, 404, 405, getOnly},
	{"/block/1", 404, 405, 404, 405, getOnly},
	{"/block/1/similar", 404, 405, 404, 405, getOnly},
	{"/block/1/read", 404, 405, 404, 405, getOnly},
	{"/block/1/article.epub", 404, 405, 404, 405, getOnly},
	{"/ada/nothing/articles.epub", 404, 405, 404, 405, getOnly},
	{"/ada/nothing/copies.wacz", 404, 405, 404, 405, getOnly},
	{"/block/1/read/place", 405, signIn, 405, 400, postOnly},
	{"/block/1/highlights", 405, signIn, 405, 404, postOnly},
	{"/settings/highlights", signIn, 405, 200, 405, getOnly},
	{"/settings/highlights/1", signIn, signIn, 404, 400, both},
	{"/search/duplicates", signIn, 405, 200, 405, getOnly},
	{"/save/twins", 405, signIn, 405, 200, postOnly},
	{"/block/1/retry", 405, signIn, 405, 404, postOnly},
	{"/settings/language", 405, 400, 405, 400, postOnly},
	{"/settings/announcement", 405, 400, 405, 400, postOnly},
	{"/forgot-password", 200, 422, 200, 422, both},
	{"/reset-password/x", 404, 404, 404, 404, both},
	{"/settings", signIn, 405, 303, 405, getOnly},
	{"/settings/profile", signIn, signIn, 200, 422, both},
	{"/settings/email", signIn, signIn, 200, 422, both},
	{"/settings/email/x", 404, 404, 404, 404, both},
	{"/settings/password", signIn, signIn, 200, 422, both},
	{"/settings/sessions", signIn, signIn, 200, 404, both},
	{"/settings/passkeys", signIn, signIn, 200, 422, both},
	{"/settings/passkeys/add", signIn, signIn, 303, 422, both},
	{"/settings/confirm", signIn, signIn, 200, 400, both},
	{"/settings/confirm/options", signIn, 405, 200, 405, getOnly},
	{"/settings/confirm/x", signIn, signIn, 404, 404, both},
	{"/settings/passkeys/1", signIn, signIn, 404, 404, both},
	{"/settings/recovery-codes", signIn, signIn, 200, 422, both},
	{"/settings/storage", signIn, 405, 200, 405, getOnly},
	{"/settings/import", signIn, signIn, 200, 400, both},
	{"/settings/export", signIn, signIn, 200, 400, both},
	{"/settings/export/1/file", signIn, 405, 404, 405, getOnly},
	{"/settings/import/1", signIn, signIn, 404, 404, both},
	{"/settings/personal-access-tokens", signIn, signIn, 200, 422, both},
	{"/settings/applications", signIn, signIn, 200, 404, both},
	{"/settings/feeds", signIn, signIn, 200, 400, both},
	{"/block/1/comments/1", 404, 405, 404, 405, getOnly},
	{"/block/1/comments", 404, signIn, 404, 404, both},
	{"/comments/mentions", signIn, 405, 200, 405, getOnly},
	{"/comments/1", signIn, signIn, 404, 404, both},
	{"/groups", signIn, 405, 200, 405, getOnly},
	{"/groups/new", signIn, signIn, 200, 422, both},
	{"/group/x/edit", signIn, signIn, 404, 404, both},
	{"/group/x/delete", signIn, signIn, 404, 404, both},
	{"/group/x/members", 404, signIn, 404, 404, both},
	{"/x/y/collaborators", 404, signIn, 404, 404, both},
	{"/feed", signIn, 405, 200, 405, getOnly},
	{"/notifications", signIn, signIn, 200, 400, both},
	{"/notifications/1", signIn, 405, 404, 405, getOnly},
	{"/search/saved", signIn, signIn, 200, 400, both},
	{"/search/saved/1", signIn, signIn, 404, 400, both},
	{"/unsubscribe/x", 404, 404, 404, 404, both},
	{"/follow", 405, 303, 405, 400, postOnly},
	{"/settings/delete", signIn, signIn, 200, 422, both},
	{"/oauth/applications", signIn, signIn, 200, 422, both},
	{"/oauth/applications/1", signIn, signIn, 404, 404, both},
	{"/oauth/authorize", 400, signIn, 400, 400, both},
	{"/invitations/x", 404, 400, 404, 400, both},
	{"/group/x/invite/y", 404, 404, 404, 404, both},
	{"/new", signIn, signIn, 200, 422, both},
	{"/save", signIn, signIn, 200, 422, both},
	{"/save/share", signIn, signIn, 200, 200, both},
	{"/save/file", 405, signIn, 405, 400, postOnly},
	{"/x/y/add", signIn, signIn, 404, 404, both},
	{"/x/y/edit", signIn, signIn, 404, 404, both},
	{"/x/y/arrange", signIn, signIn, 404, 404, both},
	{"/channel/999/connect", signIn, signIn, 404, 404, both},
	{"/channel/x/delete", signIn, signIn, 404, 404, both},
	{"/block/999/edit", signIn, signIn, 404, 404, both},
	{"/block/0/connect", signIn, signIn, 404, 404, both},
	{"/block/999/delete", signIn, signIn, 404, 404, both},
	{"/connection/999", signIn, signIn, 404, 404, both},
	{"/connections/choices", signIn, 405, 200, 405, getOnly},
	{"/connections/undo", 405, signIn, 405, 303, postOnly},
	{"/operator", signIn, 405, 404, 405, getOnly},
	{"/operator/site", signIn, signIn, 404, 404, both},
	{"/operator/read-only", signIn, signIn, 404, 404, both},
	{"/operator/pages", signIn, signIn, 404, 404, both},
	{"/operator/pages/imprint", signIn, signIn, 404, 404, both},
	{"/operator/storage", signIn, 405, 404, 405, getOnly},
	{"/operator/accounts", signIn, 405, 404, 405, getOnly},
	{"/operator/accounts/eve", signIn, signIn, 404, 404, both},
	{"/operator/invitations", signIn, signIn, 404, 404, both},
	{"/operator/sign-up", signIn, signIn, 404, 404, both},
	{"/report/block/1", signIn, signIn, 404, 404, both},
	{"/report/nothing/1", signIn, signIn, 404, 404, both},
	{"/settings/notices", signIn, signIn, 200, 303, both},
	{"/operator/blocklist", signIn, signIn, 404, 404, both},
	{"/operator/hidden", signIn, signIn, 404, 404, both},
	{"/operator/hide/block/1", signIn, signIn, 404, 404, both},
	{"/operator/look/block/1", signIn, 405, 404, 405, getOnly},
	{"/operator/look/block/1/picture", signIn, 405, 404, 405, getOnly},
	{"/operator/look/block/1/file", signIn, 405, 404, 405, getOnly},
	{"/operator/reports", signIn, signIn, 404, 404, both},
	{"/operator/reports/1", signIn, signIn, 404, 404, both},
	{"/operator/audit", signIn, 405, 404, 405, getOnly},
	{"/operator/audit/file", signIn, 405, 404, 405, getOnly},
	{"/operator/jobs", signIn, signIn, 404, 404, both},
}

func TestEveryAddress(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.SignUp = "open" })
	first(t, r)
	for _, at := range table {
		r.Clock.Advance(time.Second) // forms are limited per minute
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

// memberOnce returns the address of the only account that is not an operator.
func memberOnce(t *testing.T, r *apptest.Rig) string {
	t.Helper()
	if _, err := r.S.App.People.User(t.Context(), refOf("eve")); err != nil {
		account(t, r, "eve")
	}
	return "eve@example.org"
}
