package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// forged returns a well-formed token that is not valid. Changing characters of a valid one would break its checksum, so
// it revokes a real one.
func forged(r *apptest.Rig) string {
	r.T.Helper()
	ctx := r.T.Context()
	token, t, err := r.S.App.Accounts.CreateToken(ctx, r.Person("ada").ID, accounts.TokenInput{Name: "gone", Scope: domain.ScopeWrite})
	if err != nil {
		r.T.Fatal(err)
	}
	if err := r.S.App.Accounts.RevokeToken(ctx, domain.Actor{}, t.ID); err != nil {
		r.T.Fatal(err)
	}
	return token
}

// unauthorized checks a 401 (behaviour.md section 1).
func unauthorized(t *testing.T, name string, res *apptest.Response, challenge string) {
	t.Helper()
	refused(t, name, res, http.StatusUnauthorized)
	complete(t, name, res)
	if got := res.Header.Get("WWW-Authenticate"); got != challenge {
		t.Errorf("%s: WWW-Authenticate %q, want %q", name, got, challenge)
	}
}

const invalidToken = `Bearer error="invalid_token"`

func TestAuthorizationForms(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	token := w.Person("ada").Token
	send := func(path string, lines ...string) *apptest.Response {
		req := w.Request("", "GET", path, nil)
		req.Header["Authorization"] = lines
		return w.Send(req)
	}
	for _, good := range []string{"Bearer " + token, "bearer " + token, "BEARER " + token, "Bearer   " + token} {
		if res := send("/v3/me", good); res.Status != http.StatusOK || res.Str("slug") != "ada" {
			t.Errorf("%.20q: %d %s", good, res.Status, res.Body)
		}
	}
	for _, bad := range [][]string{
		{"Bearer"}, {"Bearer "}, {token}, {"Basic YWRhOnNlY3JldA=="}, {"Token " + token}, {"Bearer:" + token}, {"Bearer\t" + token},
		{"Bearer " + token + " x"}, {"Bearer " + token + ","}, {"Bearer " + token[:len(token)-1]}, {"Bearer " + token + "x"},
		{"Bearer " + strings.ToUpper(token)}, {"Bearer " + token + "\x00"}, {"Bearer é"}, {"Bearer x"}, {"Digest a=b"}, {" "},
		{"Bearer " + forged(w.Rig)}, {"Bearer " + strings.Repeat("x", 20_000)},
		{"Bearer " + token, "Bearer " + token}, {"Bearer " + token, "Basic eDp5"}, {"", "Bearer " + token}, {"Bearer " + token, ""},
	} {
		// An invalid token is refused everywhere, even on public paths.
		for _, path := range []string{"/v3/me", "/v3/ping", at("/v3/blocks/%d", w.block), "/v3/openapi.json", "/v3/nothing",
			"/ext/v1/openapi.json", "/v3/channels/secret"} {
			unauthorized(t, at("%.60q on %s", bad, path), send(path, bad...), invalidToken)
		}
	}
	unauthorized(t, "none", send("/v3/me"), "Bearer")
	unauthorized(t, "empty", send("/v3/me", ""), "Bearer")
	unauthorized(t, "in the query", w.Do("", "GET", "/v3/me?access_token="+token+"&token="+token, nil), "Bearer")
	unauthorized(t, "in the body", w.Do("", "POST", "/v3/channels", at(`{"title":"x","access_token":%q}`, token)), "Bearer")
	w.Do("", "GET", "/v3/ping?access_token=x", nil).Want(http.StatusOK)
	if n := len(w.Log(token)); n > 0 {
		t.Errorf("the log holds a token %d times", n)
	}
}

func TestRevokedAndSuspended(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx, ada := t.Context(), w.Person("ada")
		token, kept, err := w.S.App.Accounts.CreateToken(ctx, ada.ID, accounts.TokenInput{Name: "short", Scope: domain.ScopeWrite})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(path string) *apptest.Response {
			return w.Do("", "GET", path, nil, "Authorization", "Bearer "+token)
		}
		ask("/v3/me").Want(http.StatusOK)
		w.must(0, w.S.App.Accounts.RevokeToken(ctx, domain.Actor{}, kept.ID))
		unauthorized(t, "revoked", ask("/v3/me"), invalidToken)
		unauthorized(t, "revoked, on what is public", ask("/v3/ping"), invalidToken)
		w.Do("ada", "GET", "/v3/me", nil).Want(http.StatusOK) // the others keep working

		w.Operator("op")
		w.must(w.S.App.Operating.Suspend(ctx, domain.Ref{ID: int64(ada.ID)}, true))
		before := w.Dump()
		for _, c := range append(w.touches(), touch{"GET", "/v3/nothing", ""}) {
			unauthorized(t, "suspended: "+c.method+" "+c.path, w.ask("ada", c), invalidToken)
		}
		w.unchanged(t, before, "suspended")
		w.Do("", "GET", "/v3/users/ada", nil).Want(http.StatusOK)
		w.must(w.S.App.Operating.Suspend(ctx, domain.Ref{ID: int64(ada.ID)}, false))
		w.Do("ada", "GET", "/v3/me", nil).Want(http.StatusOK)
	})
}

// Exactly the operations that the description protects require a token.
func TestEveryOperationIsGuarded(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	fill := strings.NewReplacer("{id}", "1", "{type}", "User", "{collaborator_id}", "1")
	guarded := 0
	for _, doc := range r.Descriptions() {
		for _, op := range doc.Operations() {
			if op.ID == "createOAuthToken" {
				continue // clients do not have a token yet
			}
			path := fill.Replace(op.Path)
			guest, reader := r.Do("", op.Method, path, nil), r.Do("ada/read", op.Method, path, nil)
			if writes := op.Method != "GET"; writes != (op.Scope == "write") || writes && !op.TokenRequired {
				t.Errorf("%s: token %v, scope %q", op.ID, op.TokenRequired, op.Scope)
			}
			if op.TokenRequired {
				guarded++
				unauthorized(t, op.ID, guest, "Bearer")
			} else if guest.Status == http.StatusUnauthorized {
				t.Errorf("%s wants a token and does not say so", op.ID)
			}
			if forbids := op.Scope == "write" || strings.HasPrefix(op.ID, "admin"); forbids != (reader.Status == http.StatusForbidden) {
				t.Errorf("%s with a read token: %d %s", op.ID, reader.Status, reader.Body)
			}
		}
	}
	if guarded < 10 {
		t.Errorf("only %d operations are guarded", guarded)
	}
}

// The last use of tokens is written at a flush and at shutdown, and never decreases.
func TestLastUse(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ctx, ada := t.Context(), r.Person("ada")
		last := func() (write, read *time.Time) {
			t.Helper()
			all, err := r.S.App.Accounts.Tokens(ctx, ada.ID)
			if err != nil || len(all) != 2 {
				t.Fatal(all, err)
			}
			return all[1].LastUsedAt, all[0].LastUsedAt
		}
		r.Do("ada", "GET", "/v3/me", nil).Want(http.StatusOK)
		if write, read := last(); write != nil || read != nil {
			t.Fatal("a read waited for a write")
		}
		flush := func() {
			t.Helper()
			if err := r.S.App.Accounts.FlushUsage(ctx); err != nil {
				t.Fatal(err)
			}
		}
		flush()
		first, read := last()
		if first == nil || read != nil || first.After(r.Clock.Now()) {
			t.Fatalf("last used %v and %v", first, read)
		}
		r.Clock.Advance(time.Hour)
		flush() // no token was used
		if again, _ := last(); !again.Equal(*first) {
			t.Errorf("used at %v by a flush", again)
		}
		r.Do("", "GET", "/v3/me", nil, "Authorization", "Bearer "+ada.Token).Want(http.StatusOK)
		r.Do("ada/read", "POST", "/v3/channels", `{}`).Want(http.StatusForbidden) // a refused request is a use, too
		other := r.DB()
		r.Break()
		rows, err := other.Reader().Query(ctx, "SELECT last_used_at FROM tokens ORDER BY id")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var used *int64
			if err := rows.Scan(&used); err != nil || used == nil || *used <= first.UnixMicro() {
				t.Errorf("at the end the last use is %v (%v)", used, err)
			}
		}
	})
}
