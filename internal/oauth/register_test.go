package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		public := w.Do("", "POST", registerPath, `{"client_name": "Tool", "redirect_uris": ["http://127.0.0.1/cb", "com.example.tool:/cb"],
			"token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"], "scope": "openid write offline_access", "logo_uri": 7}`).Want(http.StatusCreated)
		if _, secret := public.Lookup("client_secret"); secret || public.Str("scope") != "read write" || public.Len("grant_types") != 2 || public.Len("redirect_uris") != 2 {
			t.Errorf("%s", public.Body)
		}
		tool := client{domain.Application{ClientID: public.Str("client_id"), Public: true}, ""}
		r := asks(addressed(tool))
		r.RedirectURI = "http://127.0.0.1:99/cb"
		token := w.post(tokenPath, exchanges(tool, r, w.code("ada", r))).Want(http.StatusOK).Str("access_token")
		if !w.works(token) {
			t.Error("its token does not work")
		}
		secret := w.Do("", "POST", registerPath, map[string]any{"redirect_uris": []string{back}, "scope": "openid"}).Want(http.StatusCreated)
		if secret.Str("token_endpoint_auth_method") != "client_secret_basic" || secret.Int("client_secret_expires_at") != 0 ||
			secret.Int("client_id_issued_at") == 0 || secret.Str("client_name") == "" || secret.Str("scope") != "read" {
			t.Errorf("%s", secret.Body)
		}
		own := url.Values{"grant_type": {"client_credentials"}}
		refused(t, "nobody answers for it", w.post(tokenPath, own, "Authorization", basic(secret.Str("client_id"), secret.Str("client_secret"))), 400, "unauthorized_client")
		w.onlyHashes()
		if mine, err := w.S.App.Accounts.Applications(t.Context(), domain.Actor{}); err != nil || len(mine) != 0 {
			t.Errorf("a guest has %v, %v", mine, err)
		}
		if err := w.S.App.Accounts.EndApplication(t.Context(), domain.Actor{}, tool.ClientID); err != nil || w.works(token) {
			t.Errorf("its token lives on: %v", err)
		}
	}, registering)
}

// addressed sets the redirect address of an application, for asks.
func addressed(c client) client {
	c.RedirectURIs = []string{"http://127.0.0.1/cb"}
	return c
}

func TestRegisterBad(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t, registering))
	before := w.Dump()
	const meta, redirect, request = "invalid_client_metadata", "invalid_redirect_uri", "invalid_request"
	for body, code := range map[string]string{
		``: request, `[]`: request, `{`: request, `{} {}`: request, `{"client_name":"a","client_name":"b"}`: request, "{\"a\":\"\xff\"}": request,
		`{}`: redirect, `{"redirect_uris":[]}`: redirect, `{"redirect_uris":null}`: redirect, `{"redirect_uris":"https://app.test"}`: meta,
		`{"redirect_uris":[1]}`: meta, `{"redirect_uris":["javascript:alert(1)"]}`: redirect, `{"redirect_uris":["https://app.test/#x"]}`: redirect,
		`{"redirect_uris":["https://*.app.test/"]}`: redirect, `{"redirect_uris":["http://app.test/"]}`: redirect, `{"redirect_uris":[""]}`: redirect,
		`{"redirect_uris":["https://app.test/\u0000"]}`: redirect, `{"redirect_uris":["https://app.test","https://app.test"]}`: redirect,
		`{"redirect_uris":[` + strings.Repeat(`"https://app.test",`, 10) + `"https://app.test/x"]}`: redirect,
		`{"Redirect_URIs":["https://app.test"]}`:                                                    redirect,
		`{"redirect_uris":["https://app.test"],"token_endpoint_auth_method":"private_key_jwt"}`:     meta,
		`{"redirect_uris":["https://app.test"],"token_endpoint_auth_method":1}`:                     meta,
		`{"redirect_uris":["https://app.test"],"grant_types":["client_credentials"]}`:               meta,
		`{"redirect_uris":["https://app.test"],"response_types":["token"]}`:                         meta,
		`{"redirect_uris":["https://app.test"],"client_name":"a\u0000b"}`:                           meta,
		`{"redirect_uris":["https://app.test"],"client_name":"` + strings.Repeat("x", 256) + `"}`:   meta,
	} {
		refused(t, body, w.send(registerPath, "application/json", body), 400, code)
	}
	refused(t, "a form", w.send(registerPath, "application/x-www-form-urlencoded", "client_name=x"), 415, request)
	if diff := before.Diff(w.Dump()); len(diff) > 0 {
		t.Errorf("changed %v", diff)
	}
	good := `{"redirect_uris":["https://app.test"]}`
	for range 20 {
		w.send(registerPath, "application/json", good).Want(http.StatusCreated)
	}
	refused(t, "too many", w.send(registerPath, "application/json", good), 429, "temporarily_unavailable")
}

func TestApplications(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx, grace := t.Context(), w.actor("grace")
		for name, in := range map[string]accounts.ApplicationInput{
			"name: must be 1 to 255 characters long":                                               {Name: " ", RedirectURIs: []string{back}},
			"name: must not contain control characters; redirect_uris[1]: is there already":        {Name: "a\x00", RedirectURIs: []string{back, back}},
			"redirect_uris: must have at most 10 addresses":                                        {Name: "x", RedirectURIs: make([]string, 11)},
			"redirect_uris[0]: must not have a fragment":                                           {Name: "x", RedirectURIs: []string{back + "#"}},
			"redirect_uris: at least one is required of an application without a secret":           {Name: "x", Public: true},
			"redirect_uris[0]: must be https, http at a loopback address, or a scheme of your own": {Name: "x", RedirectURIs: []string{"javascript:x"}},
		} {
			_, _, err := w.S.App.Accounts.CreateApplication(ctx, grace, in)
			if err == nil || err.Error() != name {
				t.Errorf("%v, want %s", err, name)
			}
			if _, err := w.S.App.Accounts.UpdateApplication(ctx, grace, w.native.ID, in); err == nil {
				t.Errorf("%+v: changed", in)
			}
		}
		for _, who := range []domain.Actor{{}, w.actor("ada")} {
			_, read := w.S.App.Accounts.Application(ctx, who, w.web.ID)
			_, change := w.S.App.Accounts.UpdateApplication(ctx, who, w.web.ID, accounts.ApplicationInput{Name: "x"})
			_, rotate := w.S.App.Accounts.RotateSecret(ctx, who, w.web.ID)
			for _, err := range []error{read, change, rotate, w.S.App.Accounts.DeleteApplication(ctx, who, w.web.ID)} {
				if domain.KindOf(err) != domain.NotFound {
					t.Errorf("%+v: %v", who, err)
				}
			}
		}
		if _, err := w.S.App.Accounts.RotateSecret(ctx, grace, w.native.ID); domain.KindOf(err) != domain.Unprocessable {
			t.Errorf("a secret for a public application: %v", err)
		}
		changed, err := w.S.App.Accounts.UpdateApplication(ctx, grace, w.web.ID, accounts.ApplicationInput{Name: " New ", RedirectURIs: []string{back}, Public: true})
		if err != nil || changed.Name != "New" || changed.Public || len(changed.RedirectURIs) != 1 || !changed.UpdatedAt.After(changed.CreatedAt) {
			t.Errorf("%+v, %v", changed, err)
		}
		inParallel(8, func(i int) {
			for n := range 15 {
				_, _, err := w.S.App.Accounts.CreateApplication(ctx, grace, accounts.ApplicationInput{Name: fmt.Sprint(i, n)})
				if err != nil && domain.KindOf(err) != domain.Unprocessable {
					t.Error(err)
				}
			}
		})
		mine, err := w.S.App.Accounts.Applications(ctx, grace)
		if err != nil || len(mine) != 100 || mine[99].ID != w.web.ID || mine[0].Owner != "grace" {
			t.Errorf("%d, %v", len(mine), err)
		}
	})
}
