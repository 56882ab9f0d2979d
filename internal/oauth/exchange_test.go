package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
)

func TestExchange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for _, c := range []client{w.web, w.native} {
			for asked, scope := range map[string]string{"": "read", "read": "read", "write": "write", "read write": "write",
				"openid offline_access": "read", "openid write offline_access": "write", "WRITE": "read"} {
				r := asks(c)
				r.ResponseMode = "query"
				r.Scope = asked
				form := with(exchanges(c, r, w.code("ada", r)), "scope", "write") // ignored here
				res := w.post(tokenPath, form).Want(http.StatusOK)
				if res.Str("token_type") != "Bearer" || res.Str("scope") != scope || res.Int("created_at") != w.Clock.Now().Unix() {
					t.Errorf("%s", res.Body)
				}
				if all, _ := res.Get("").(map[string]any); len(all) != 4 {
					t.Errorf("%s", res.Body)
				}
				token := res.Str("access_token")
				if kind, ok := auth.TokenKind(token); !ok || kind != auth.OAuth {
					t.Errorf("%s", token)
				}
				if me := w.as(token, "GET", "/v3/me", nil).Want(http.StatusOK); me.Str("slug") != "ada" || me.Str("tier") != "supporter" {
					t.Errorf("%s", me.Body)
				}
				want := map[string]int{"read": http.StatusForbidden, "write": http.StatusCreated}[scope]
				w.as(token, "POST", "/v3/channels", map[string]any{"title": "By " + c.Name}).Want(want)
			}
		}
		w.onlyHashes()
	})
}

// onlyHashes checks that the database contains hashes but no secrets.
func (w *world) onlyHashes() {
	w.T.Helper()
	for table, rows := range w.Dump() {
		for _, row := range rows {
			for word := range strings.FieldsFuncSeq(row, func(r rune) bool { return strings.ContainsRune(" |[]\"", r) }) {
				if auth.LooksLikeToken(word) {
					w.T.Errorf("%s holds a secret: %s", table, row)
				}
			}
		}
	}
}

// Misuse of a code (RFC 6819 section 4.4.1, RFC 9700 sections 2.1, 4.5, 4.8, 4.11). No attempt yields a
// token, uses up the code, or revokes anything.
func TestCodeMisused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		pkce := asks(w.web)
		pkce.CodeChallenge, pkce.CodeChallengeMethod = challenge(verifier), "S256"
		web, native := asks(w.web), asks(w.native)
		grant := func(c client, r accounts.AuthorizationRequest) url.Values { return exchanges(c, r, w.code("ada", r)) }
		tests := map[string]struct {
			right  url.Values
			name   string
			value  string
			status int
			code   string
		}{
			"wrong verifier":            {grant(w.native, native), "code_verifier", strings.Repeat("v", 43), 400, "invalid_grant"},
			"no verifier":               {grant(w.native, native), "code_verifier", "", 400, "invalid_grant"},
			"the challenge as verifier": {grant(w.native, native), "code_verifier", challenge(verifier), 400, "invalid_grant"},
			"short verifier":            {grant(w.native, native), "code_verifier", verifier[1:], 400, "invalid_grant"},
			"long verifier":             {grant(w.native, native), "code_verifier", strings.Repeat("v", 129), 400, "invalid_grant"},
			"no verifier, confidential": {grant(w.web, pkce), "code_verifier", "", 400, "invalid_grant"},
			"verifier, no challenge":    {grant(w.web, web), "code_verifier", verifier, 400, "invalid_grant"},
			"no code":                   {grant(w.web, web), "code", "", 400, "invalid_request"},
			"no such code":              {grant(w.web, web), "code", "vitrine_cod_x", 400, "invalid_grant"},
			"a client secret as code":   {grant(w.web, web), "code", w.web.secret, 400, "invalid_grant"},
			"no address":                {grant(w.web, web), "redirect_uri", "", 400, "invalid_grant"},
			"another registered one":    {grant(w.web, web), "redirect_uri", "https://app.test/else", 400, "invalid_grant"},
			"address without query":     {grant(w.web, web), "redirect_uri", "https://app.test/back", 400, "invalid_grant"},
			"address of other case":     {grant(w.web, web), "redirect_uri", "https://app.test/BACK?a=b", 400, "invalid_grant"},
			"another loopback port":     {grant(w.native, native), "redirect_uri", "http://127.0.0.1:4712/back", 400, "invalid_grant"},
			"no client":                 {grant(w.web, web), "client_id", "", 401, "invalid_client"},
			"unknown client":            {grant(w.web, web), "client_id", "nobody", 401, "invalid_client"},
			"public one as another":     {grant(w.native, native), "client_id", w.web.ClientID, 401, "invalid_client"},
			"no secret":                 {grant(w.web, web), "client_secret", "", 401, "invalid_client"},
			"wrong secret":              {grant(w.web, web), "client_secret", w.other.secret, 401, "invalid_client"},
			"secret for a public one":   {grant(w.native, native), "client_secret", w.web.secret, 401, "invalid_client"},
			"no grant type":             {grant(w.web, web), "grant_type", "", 400, "invalid_request"},
			"unknown grant type":        {grant(w.web, web), "grant_type", "device_code", 400, "unsupported_grant_type"},
			"password":                  {grant(w.web, web), "grant_type", "password", 400, "unsupported_grant_type"},
			"implicit":                  {grant(w.web, web), "grant_type", "implicit", 400, "unsupported_grant_type"},
		}
		for name, c := range tests {
			refused(t, name, w.post(tokenPath, with(c.right, c.name, c.value)), c.status, c.code)
			w.post(tokenPath, c.right).Want(http.StatusOK)
		}
		stolen := grant(w.web, web)
		mixed := with(with(stolen, "client_id", w.other.ClientID), "client_secret", w.other.secret)
		refused(t, "a code of another client", w.post(tokenPath, mixed), 400, "invalid_grant")
		token := w.post(tokenPath, stolen).Want(http.StatusOK).Str("access_token")
		refused(t, "a used code of another client", w.post(tokenPath, mixed), 400, "invalid_grant")
		refused(t, "a used code with a wrong address", w.post(tokenPath, with(stolen, "redirect_uri", "https://app.test/else")), 400, "invalid_grant")
		if !w.works(token) {
			t.Error("a used code alone revokes tokens")
		}
	})
}

// Something that the code depends on ends between consent and exchange.
func TestEndedMeanwhile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		try := func(name, as string, c client, status int, code string, end func() error) {
			t.Helper()
			r := asks(c)
			form, token := exchanges(c, r, w.code(as, r)), w.token(as, c)
			if err := end(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			refused(t, name, w.post(tokenPath, form), status, code)
			w.as(token, "GET", "/v3/me", nil).Want(http.StatusUnauthorized)
			w.as(token, "GET", "/v3/ping", nil).Want(http.StatusUnauthorized)
		}
		try("suspended user", "bob", w.web, 400, "invalid_grant", func() error {
			_, err := w.S.App.Operating.Suspend(ctx, domain.Ref{Slug: "bob"}, true)
			return err
		})
		try("deleted user", "carl", w.web, 400, "invalid_grant", func() error {
			return w.S.App.Accounts.DeleteAccount(ctx, w.actor("carl"), w.Proved(w.actor("carl").UserID), "carl")
		})
		try("revoked grant", "ada", w.web, 400, "invalid_grant", func() error {
			grants, err := w.S.App.Accounts.Grants(ctx, w.actor("ada"))
			if err != nil {
				return err
			}
			if err := w.S.App.Accounts.RevokeGrant(ctx, w.actor("dora"), grants[0].ID); domain.KindOf(err) != domain.NotFound {
				t.Errorf("a grant of another: %v", err)
			}
			return w.S.App.Accounts.RevokeGrant(ctx, w.actor("ada"), grants[0].ID)
		})
		r := asks(w.web)
		old := exchanges(w.web, r, w.code("ada", r))
		fresh, err := w.S.App.Accounts.RotateSecret(ctx, w.actor("grace"), w.web.ID)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, "rotated secret", w.post(tokenPath, old), 401, "invalid_client")
		w.web.secret = fresh
		w.post(tokenPath, with(old, "client_secret", fresh)).Want(http.StatusOK)
		try("deleted application", "ada", w.web, 401, "invalid_client", func() error {
			return w.S.App.Accounts.DeleteApplication(ctx, w.actor("grace"), w.web.ID)
		})
		for _, who := range []string{"bob", "carl"} {
			if to, err := w.S.App.Accounts.Allow(ctx, w.actor(who), asks(w.other)); err == nil {
				t.Errorf("%s allowed it: %s", who, to)
			}
		}
	})
}

func TestCodeExpires(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		r := asks(w.web)
		late, used := exchanges(w.web, r, w.code("ada", r)), exchanges(w.web, r, w.code("ada", r))
		w.Clock.Advance(10*time.Minute - time.Second)
		token := w.post(tokenPath, used).Want(http.StatusOK).Str("access_token")
		w.Clock.Advance(time.Second)
		refused(t, "late", w.post(tokenPath, late), 400, "invalid_grant")
		w.Clock.Advance(1000 * 24 * time.Hour)
		if !w.works(token) {
			t.Error("the token has expired, too")
		}
		if err := w.S.App.Accounts.SweepAccounts(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := w.Dump()["authorization_codes"]; len(left) != 0 {
			t.Errorf("left %v", left)
		}
		refused(t, "forgotten", w.post(tokenPath, late), 400, "invalid_grant")
	})
}

// Using a code again revokes its token, and nothing else.
func TestReplay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		bystander := w.token("ada", w.web)
		r := asks(w.web)
		form := exchanges(w.web, r, w.code("ada", r))
		token := w.post(tokenPath, form).Want(http.StatusOK).Str("access_token")
		for range 2 {
			refused(t, "replay", w.post(tokenPath, form), 400, "invalid_grant")
		}
		if w.works(token) || !w.works(bystander) {
			t.Error("the wrong tokens live")
		}
	})
}

// Of several concurrent exchanges, one gets a token, and the others revoke it.
func TestParallelExchanges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for _, c := range []client{w.web, w.native} {
			r := asks(c)
			form := exchanges(c, r, w.code("ada", r))
			var mu sync.Mutex
			var tokens []string
			inParallel(8, func(int) {
				res := w.post(tokenPath, form)
				if res.Status != http.StatusOK {
					refused(t, "second", res, 400, "invalid_grant")
					return
				}
				mu.Lock()
				defer mu.Unlock()
				tokens = append(tokens, res.Str("access_token"))
			})
			if len(tokens) != 1 || w.works(tokens[0]) {
				t.Errorf("%d tokens, of which the first still works", len(tokens))
			}
		}
	})
}

// No token remains after revoking a grant or deleting an application, regardless of concurrent requests.
func TestEndsRaceExchanges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		for round := range 4 {
			c := w.register("grace", accounts.ApplicationInput{Name: "Racer", RedirectURIs: []string{back}})
			r := asks(c)
			var forms []url.Values
			for range 4 {
				forms = append(forms, exchanges(c, r, w.code("ada", r)))
			}
			grants, err := w.S.App.Accounts.Grants(t.Context(), w.actor("ada"))
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			var tokens []string
			inParallel(len(forms)+1, func(i int) {
				var err error
				switch {
				case i < len(forms):
					if res := w.post(tokenPath, forms[i]); res.Status == http.StatusOK {
						mu.Lock()
						defer mu.Unlock()
						tokens = append(tokens, res.Str("access_token"))
					} else if res.Status >= http.StatusInternalServerError {
						t.Errorf("%s", res.Body)
					}
				case round%2 == 0:
					err = w.S.App.Accounts.RevokeGrant(t.Context(), w.actor("ada"), grants[0].ID)
				default:
					err = w.S.App.Accounts.DeleteApplication(t.Context(), w.actor("grace"), c.ID)
				}
				if err != nil {
					t.Error(err)
				}
			})
			for _, token := range tokens {
				if w.works(token) {
					t.Errorf("round %d: a token lives on", round)
				}
			}
		}
		for _, row := range w.Dump()["tokens"] {
			if strings.Contains(row, "Racer") {
				t.Errorf("left %s", row)
			}
		}
	})
}

func inParallel(n int, do func(i int)) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { do(i) })
	}
	wait.Wait()
}

// An application keeps at most a hundred tokens per user, the newest ones.
func TestManyTokens(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		other, first := w.token("bob", w.web), w.token("ada", w.web)
		own := w.own(w.web)
		for range 99 {
			w.token("ada", w.web)
		}
		if !w.works(first) {
			t.Error("ended too early")
		}
		w.token("ada", w.web)
		if w.works(first) || !w.works(other) || w.as(own, "GET", "/v3/ping", nil).Status != http.StatusOK {
			t.Error("the wrong ones have ended")
		}
	})
}

// The command line client of the public service can sign in here, too.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		r := accounts.AuthorizationRequest{ClientID: domain.CommandLineClient, RedirectURI: "http://127.0.0.1:38211/callback", ResponseType: "code",
			Scope: "write", State: "x", CodeChallenge: challenge(verifier), CodeChallengeMethod: "S256"}
		body := map[string]any{"grant_type": "authorization_code", "code": w.code("ada", r), "redirect_uri": r.RedirectURI,
			"client_id": r.ClientID, "code_verifier": verifier}
		token := w.Do("", "POST", tokenPath, body).Want(http.StatusOK).Str("access_token")
		if !w.works(token) {
			t.Error("the token does not work")
		}
		for _, uri := range []string{"https://app.test/callback", "http://127.0.0.1:1/else", "http://localhost.evil.test/callback", ""} {
			bad := r
			bad.RedirectURI = uri
			if e := refusedConsent(t, w, uri, bad); e.Redirect != "" {
				t.Errorf("%q: sent to %s", uri, e.Redirect)
			}
		}
		if err := w.S.App.Accounts.EndApplication(t.Context(), domain.Actor{}, domain.CommandLineClient); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("deleted: %v", err)
		}
		all, err := w.S.App.Accounts.AllApplications(t.Context(), 0, 100)
		if err != nil || len(all) != 4 || all[0].ClientID != domain.CommandLineClient || all[0].Owner != "" || !all[0].Public {
			t.Fatalf("%+v, %v", all, err)
		}
		for _, who := range []domain.Actor{{}, w.actor("grace")} {
			if err := w.S.App.Accounts.DeleteApplication(t.Context(), who, all[0].ID); domain.KindOf(err) != domain.NotFound {
				t.Errorf("deleted by %+v: %v", who, err)
			}
		}
	})
}

// An outage is a 500 with our own message in the usual format.
func TestOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	r := asks(w.web)
	form := exchanges(w.web, r, w.code("ada", r))
	w.Break()
	refused(t, "outage", w.post(tokenPath, form), 503, "temporarily_unavailable")
}
