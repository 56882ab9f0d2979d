package oauth_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
)

// expiring registers an application with tokens that expire.
func (w *world) expiring(name string, public bool) client {
	in := accounts.ApplicationInput{Name: name, Public: public, Expiring: true, RedirectURIs: []string{back}}
	if public {
		in.RedirectURIs = []string{"http://127.0.0.1/back"}
	}
	return w.register("grace", in)
}

// signIn returns the first response of the token endpoint to a client.
func (w *world) signIn(as string, c client) *apptest.Response {
	w.T.Helper()
	r := asks(c)
	return w.post(tokenPath, exchanges(c, r, w.code(as, r))).Want(http.StatusOK)
}

// renews returns a valid request with a refresh token.
func renews(c client, token string) url.Values {
	v := url.Values{"grant_type": {"refresh_token"}, "client_id": {c.ClientID}, "refresh_token": {token}}
	if c.secret != "" {
		v.Set("client_secret", c.secret)
	}
	return v
}

// families returns the number of live families and of access tokens of applications.
func (w *world) families() (families, tokens int) {
	w.T.Helper()
	d := w.Dump()
	for _, row := range d["tokens"] {
		if strings.Contains(row, "vitrine_oat_") {
			tokens++
		}
	}
	return len(d["refresh_tokens"]), tokens
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for _, c := range []client{w.expiring("Confidential", false), w.expiring("Native", true)} {
			first := w.signIn("ada", c)
			if first.Int("expires_in") != 3600 || first.Str("scope") != "write" {
				t.Errorf("%s", first.Body)
			}
			old, refresh := first.Str("access_token"), first.Str("refresh_token")
			if kind, _ := auth.TokenKind(refresh); kind != auth.Refresh || w.works(refresh) || !w.works(old) {
				t.Errorf("refresh token %s", refresh)
			}
			w.Clock.Advance(time.Hour - time.Second)
			if !w.works(old) {
				t.Error("expired too early")
			}
			w.Clock.Advance(time.Second)
			late := w.as(old, http.MethodGet, "/v3/me", nil).Want(http.StatusUnauthorized)
			if !strings.Contains(late.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
				t.Errorf("WWW-Authenticate %s", late.Header.Get("WWW-Authenticate"))
			}
			second := w.post(tokenPath, renews(c, refresh)).Want(http.StatusOK)
			if second.Str("refresh_token") == refresh || second.Int("expires_in") != 3600 || !w.works(second.Str("access_token")) {
				t.Errorf("renewed: %s", second.Body)
			}
			narrow := w.post(tokenPath, with(renews(c, second.Str("refresh_token")), "scope", "read")).Want(http.StatusOK)
			if narrow.Str("scope") != "read" {
				t.Errorf("narrowed: %s", narrow.Body)
			}
			if wide := w.post(tokenPath, renews(c, narrow.Str("refresh_token"))).Want(http.StatusOK); wide.Str("scope") != "write" {
				t.Errorf("the refresh token was narrowed, too: %s", wide.Body)
			}
		}
		for _, row := range slices.Concat(w.Dump()["refresh_tokens"], w.Dump()["tokens"]) {
			if strings.Contains(row, "vitrine_rft_") {
				t.Errorf("stored in clear: %s", row)
			}
		}
	})
}

// Existing applications get what they got before, even if they ask for offline_access.
func TestTokensDoNotExpireByDefault(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		r := asks(w.native)
		r.Scope = "write offline_access"
		res := w.post(tokenPath, exchanges(w.native, r, w.code("ada", r))).Want(http.StatusOK)
		for _, name := range []string{"expires_in", "refresh_token"} {
			if _, ok := res.Lookup(name); ok {
				t.Errorf("%s: %s", name, res.Body)
			}
		}
		r.Resource = apptest.Base + "/mcp"
		if res := w.post(tokenPath, exchanges(w.native, r, w.code("ada", r))).Want(http.StatusOK); res.Str("refresh_token") == "" {
			t.Errorf("an assistant got no refresh token: %s", res.Body)
		}
	})
}

// A refresh token that is used again ends the family, except once and shortly after its first use.
func TestReuse(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		c := w.expiring("Reader", false)
		bystander := w.signIn("ada", c)
		first := w.signIn("ada", c)
		second := w.post(tokenPath, renews(c, first.Str("refresh_token"))).Want(http.StatusOK)
		again := w.post(tokenPath, renews(c, first.Str("refresh_token"))).Want(http.StatusOK)
		if again.Str("refresh_token") != second.Str("refresh_token") || !w.works(again.Str("access_token")) {
			t.Errorf("repeated: %s, first %s", again.Body, second.Body)
		}
		mailed := len(w.Dump()["river_job"])
		refused(t, "a third time", w.post(tokenPath, renews(c, first.Str("refresh_token"))), 400, "invalid_grant")
		for _, res := range []*apptest.Response{first, second, again} {
			if w.works(res.Str("access_token")) {
				t.Error("an access token of the family works")
			}
		}
		refused(t, "the current one", w.post(tokenPath, renews(c, second.Str("refresh_token"))), 400, "invalid_grant")
		if !w.works(bystander.Str("access_token")) {
			t.Error("another family has ended")
		}
		if !strings.Contains(strings.Join(w.Dump()["audit_entries"], "\n"), string(domain.ActTokenReused)) {
			t.Error("the audit log lacks it")
		}
		if len(w.Dump()["river_job"]) != mailed+1 {
			t.Error("nobody is told")
		}

		third := w.post(tokenPath, renews(c, bystander.Str("refresh_token"))).Want(http.StatusOK)
		w.Clock.Advance(30 * time.Second)
		refused(t, "too late", w.post(tokenPath, renews(c, bystander.Str("refresh_token"))), 400, "invalid_grant")
		refused(t, "its successor", w.post(tokenPath, renews(c, third.Str("refresh_token"))), 400, "invalid_grant")
		if families, tokens := w.families(); families != 0 || tokens != 0 {
			t.Errorf("left %d families, %d tokens", families, tokens)
		}
	})
}

// Bad requests change nothing.
func TestBadRefresh(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		c, other := w.expiring("Reader", false), w.expiring("Other", false)
		token := w.signIn("ada", c).Str("refresh_token")
		right := renews(c, token)
		for name, bad := range map[string]struct {
			form   url.Values
			status int
			code   string
		}{
			"no token":         {with(right, "refresh_token", ""), 400, "invalid_request"},
			"no secret":        {with(right, "client_secret", ""), 401, "invalid_client"},
			"another client":   {renews(other, token), 400, "invalid_grant"},
			"a changed token":  {with(right, "refresh_token", token[:len(token)-1]+"!"), 400, "invalid_grant"},
			"an access token":  {with(right, "refresh_token", w.token("ada", w.web)), 400, "invalid_grant"},
			"a foreign token":  {with(right, "refresh_token", unissued(t)), 400, "invalid_grant"},
			"NUL":              {with(right, "refresh_token", token+"\x00"), 400, "invalid_request"},
			"another resource": {with(right, "resource", "https://else.test/"), 400, "invalid_request"},
		} {
			refused(t, name, w.post(tokenPath, bad.form), bad.status, bad.code)
		}
		refused(t, "in the address", w.post(tokenPath+"?refresh_token="+token, with(right, "refresh_token", "")), 400, "invalid_request")
		reading := asks(c)
		reading.Scope = "read"
		read := w.post(tokenPath, exchanges(c, reading, w.code("ada", reading))).Want(http.StatusOK).Str("refresh_token")
		refused(t, "more scope", w.post(tokenPath, with(renews(c, read), "scope", "write")), 400, "invalid_scope")
		w.post(tokenPath, right).Want(http.StatusOK)
		w.post(tokenPath, renews(c, read)).Want(http.StatusOK)
	})
}

func unissued(t *testing.T) string {
	t.Helper()
	token, _, _ := auth.NewToken(auth.Refresh)
	return token
}

// Of several concurrent requests with one token, one replaces it. Another one may get the same successor, any further one
// ends the family.
func TestParallelRefreshes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		c := w.expiring("Reader", false)
		for _, n := range []int{2, 4} {
			token := w.signIn("ada", c).Str("refresh_token")
			got := make([]string, n)
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() {
					if res := w.post(tokenPath, renews(c, token)); res.Status == http.StatusOK {
						got[i] = res.Str("refresh_token")
					}
				})
			}
			all.Wait()
			slices.Sort(got)
			if got[n-1] != got[n-2] || n > 2 && got[n-3] != "" {
				t.Errorf("%d requests got %q", n, got)
			}
			if families, _ := w.families(); families != 1 { // only the first one is left
				t.Errorf("%d families after %d requests", families, n)
			}
		}
	})
}

func TestRefreshTokensEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx, c := t.Context(), w.expiring("Reader", false)
		const day = 24 * time.Hour
		token := w.signIn("ada", c).Str("refresh_token")
		for range 13 { // 364 days
			w.Clock.Advance(28 * day)
			token = w.post(tokenPath, renews(c, token)).Want(http.StatusOK).Str("refresh_token")
		}
		w.Clock.Advance(day - time.Minute)
		last := w.post(tokenPath, renews(c, token)).Want(http.StatusOK)
		if last.Int("expires_in") > 60 {
			t.Errorf("an access token outlives its family: %s", last.Body)
		}
		w.Clock.Advance(time.Minute)
		refused(t, "after a year", w.post(tokenPath, renews(c, last.Str("refresh_token"))), 400, "invalid_grant")
		idle := w.signIn("ada", c).Str("refresh_token")
		w.Clock.Advance(30 * day)
		refused(t, "after 30 days", w.post(tokenPath, renews(c, idle)), 400, "invalid_grant")
		if err := w.S.App.Accounts.SweepAccounts(ctx); err != nil {
			t.Fatal(err)
		}
		if families, tokens := w.families(); families != 0 || tokens != 0 {
			t.Errorf("not swept: %d families, %d tokens", families, tokens)
		}

		ends := map[string]func(first *apptest.Response){
			"revoking the refresh token": func(first *apptest.Response) {
				w.post(revokePath, with(with(renews(c, ""), "token", first.Str("refresh_token")), "grant_type", "")).Want(http.StatusOK)
			},
			"revoking the access token": func(first *apptest.Response) {
				w.post(revokePath, with(with(renews(c, ""), "token", first.Str("access_token")), "grant_type", "")).Want(http.StatusOK)
			},
			"revoking the grant": func(*apptest.Response) {
				grants, err := w.S.App.Accounts.Grants(ctx, w.actor("ada"))
				if err != nil || len(grants) != 1 {
					t.Fatal(grants, err)
				}
				if err := w.S.App.Accounts.RevokeGrant(ctx, w.actor("ada"), grants[0].ID); err != nil {
					t.Fatal(err)
				}
			},
			"deleting the application": func(*apptest.Response) {
				if err := w.S.App.Accounts.DeleteApplication(ctx, w.actor("grace"), c.ID); err != nil {
					t.Fatal(err)
				}
			},
		}
		for _, name := range []string{"revoking the refresh token", "revoking the access token", "revoking the grant", "deleting the application"} {
			first := w.signIn("ada", c)
			ends[name](first)
			if res := w.post(tokenPath, renews(c, first.Str("refresh_token"))); res.Status == http.StatusOK || w.works(first.Str("access_token")) {
				t.Errorf("%s: %s", name, res.Body)
			}
			if families, tokens := w.families(); families != 0 || tokens != 0 {
				t.Errorf("%s: left %d families, %d tokens", name, families, tokens)
			}
		}
	})
}

func TestIntrospectRefreshTokens(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		c := w.expiring("Reader", false)
		first := w.signIn("ada", c)
		form := url.Values{"client_id": {c.ClientID}, "client_secret": {c.secret}}
		about := func(token string) *apptest.Response {
			return w.post(introspectPath, with(form, "token", token)).Want(http.StatusOK)
		}
		now := w.Clock.Now().Unix()
		if res := about(first.Str("access_token")); res.Int("exp") != now+3600 {
			t.Errorf("access token: %s", res.Body)
		}
		if res := about(first.Str("refresh_token")); res.Int("exp") != now+30*24*3600 {
			t.Errorf("refresh token: %s", res.Body)
		}
		w.post(tokenPath, renews(c, first.Str("refresh_token"))).Want(http.StatusOK)
		w.Clock.Advance(time.Hour)
		for _, name := range []string{"access_token", "refresh_token"} {
			if active, _ := about(first.Str(name)).Lookup("active"); active != false {
				t.Errorf("%s is active", name)
			}
		}
	})
}
