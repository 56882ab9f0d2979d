package server_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/oidc/oidctest"
	"vitrine/internal/store/storetest"
)

// Requests to the sign-on provider are part of the sign-in's trace, without the code and the
// secret.
func TestTracesOfSignOn(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		c := newCollector(t)
		var r *apptest.Rig
		fake := oidctest.New(t, func() time.Time { return r.Clock.Now() })
		r = apptest.Boot(t, o, func(cfg *config.Config) {
			cfg.Traces = config.Traces{Endpoint: c.URL, Ratio: 1}
			cfg.OIDC = config.OIDC{Issuer: fake.Issuer(), ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret,
				Name: "Town Hall", Scopes: []string{"openid", "email"}, SignUp: "yes", Email: "ask"}
		})
		fake.Is("1", "email", "nina@example.org", "name", "Nina")
		started := r.Do("", "GET", "/sign-in/sso", nil).Want(http.StatusSeeOther)
		back, ok := strings.CutPrefix(fake.Visit(started.Header.Get("Location")), apptest.Base)
		if !ok {
			t.Fatalf("the provider leads back to %s", back)
		}
		cookie, _, _ := strings.Cut(started.Header.Get("Set-Cookie"), ";")
		r.Do("", "GET", back, nil, "Cookie", cookie).Want(http.StatusSeeOther)
		if err := r.Stop(context.WithoutCancel(t.Context())); err != nil { // sends the remaining spans
			t.Fatal(err)
		}

		issuer, err := url.Parse(fake.Issuer())
		if err != nil {
			t.Fatal(err)
		}
		landed, err := url.Parse(back)
		if err != nil {
			t.Fatal(err)
		}
		for path, name := range map[string]string{"/sign-in/sso": "sign_on GET", landed.Path: "sign_on POST"} {
			var request *span
			for i, s := range c.spans {
				if s.Kind == 2 && s.attr("url.path") == path {
					request = &c.spans[i]
				}
			}
			if request == nil {
				t.Fatalf("no request of %s in %+v", path, c.spans)
			}
			asked := c.one(t, name, request)
			if asked.Kind != 3 || asked.attr("server.address") != issuer.Hostname() || asked.attr("vitrine.outcome") != "2xx" {
				t.Errorf("%s: %+v", path, asked)
			}
		}
		for _, secret := range []string{landed.Query().Get("code"), landed.Query().Get("state"), oidctest.ClientSecret} {
			if secret == "" || strings.Contains(c.text.String(), secret) {
				t.Errorf("%q is told", secret)
			}
		}
	})
}
