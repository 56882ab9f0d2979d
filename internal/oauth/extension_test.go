package oauth_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

func withExtension(c *config.Config) { c.BrowserExtension = true }

// extensionRequest is the authorization request of the browser extension in Chromium.
func extensionRequest() accounts.AuthorizationRequest {
	return accounts.AuthorizationRequest{ClientID: domain.ExtensionClient, RedirectURI: domain.ExtensionApplication().RedirectURIs[0],
		ResponseType: "code", Scope: "write", State: "x", CodeChallenge: challenge(verifier), CodeChallengeMethod: "S256"}
}

// People sign in with the browser extension without registering it. Its answers go to exactly two addresses, and only
// with PKCE.
func TestBrowserExtension(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		described := w.Get("", metadataPath)
		if id, uri := described.Str("vitrine_browser_extension.client_id"), described.Str("vitrine_browser_extension.redirect_uris.1"); id != domain.ExtensionClient ||
			uri != domain.ExtensionApplication().RedirectURIs[1] {
			t.Errorf("%s, %s", id, uri)
		}
		token := func(uri string) string {
			r := extensionRequest()
			r.RedirectURI = uri
			form := url.Values{"grant_type": {"authorization_code"}, "client_id": {r.ClientID}, "code": {w.code("ada", r)}, "redirect_uri": {uri}, "code_verifier": {verifier}}
			return w.post(tokenPath, form).Want(http.StatusOK).Str("access_token")
		}
		var tokens []string
		for _, uri := range domain.ExtensionApplication().RedirectURIs {
			tokens = append(tokens, token(uri))
		}
		if !w.works(tokens[0]) || !w.works(tokens[1]) {
			t.Error("a token does not work")
		}
		w.post(revokePath, url.Values{"client_id": {domain.ExtensionClient}, "token": {tokens[0]}}).Want(http.StatusOK)
		if w.works(tokens[0]) || !w.works(tokens[1]) {
			t.Error("revoked another token")
		}
		first := domain.ExtensionApplication().RedirectURIs[0]
		for _, uri := range []string{"", first + "x", first[:len(first)-1], "https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.chromiumapp.org/", "http" + first[len("https"):],
			"https://x." + first[len("https://"):], "http://127.0.0.1/", domain.OutOfBand} {
			r := extensionRequest()
			r.RedirectURI = uri
			if e := refusedConsent(t, w, uri, r); e.Redirect != "" {
				t.Errorf("%q: sent to %s", uri, e.Redirect)
			}
		}
		plain := extensionRequest()
		plain.CodeChallenge, plain.CodeChallengeMethod = "", ""
		refusedConsent(t, w, "without PKCE", plain)

		// An operator ends all access. People may sign in again.
		if err := w.S.App.Accounts.EndApplication(t.Context(), domain.Actor{}, domain.ExtensionClient); err != nil {
			t.Fatal(err)
		}
		if w.works(tokens[1]) {
			t.Error("the token works after the application was deleted")
		}
		if again := token(first); !w.works(again) {
			t.Error("the token does not work after signing in again")
		}
		all, err := w.S.App.Accounts.AllApplications(t.Context(), 0, 100)
		if n := len(slices.DeleteFunc(all, func(a domain.Application) bool { return a.ClientID != domain.ExtensionClient })); err != nil || n != 1 {
			t.Errorf("%d rows, %v", n, err)
		}
	}, withExtension)
}

// With --browser-extension=false, the extension is an unknown client.
func TestBrowserExtensionIsOff(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	if _, there := w.Get("", metadataPath).Lookup("vitrine_browser_extension"); there {
		t.Error("it is announced")
	}
	if e := refusedConsent(t, w, "off", extensionRequest()); e.Code != "invalid_client" || e.Redirect != "" {
		t.Errorf("%+v", e)
	}
	refused(t, "token", w.post(tokenPath, url.Values{"grant_type": {"authorization_code"}, "client_id": {domain.ExtensionClient}, "code": {"x"}}), 401, "invalid_client")
	if err := w.S.App.Accounts.EndApplication(t.Context(), domain.Actor{}, domain.ExtensionClient); domain.KindOf(err) != domain.NotFound {
		t.Errorf("%v", err)
	}
}
