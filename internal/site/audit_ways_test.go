package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// Steps about access to accounts: creating them, signing in, tokens, passwords, passkeys.

const (
	second   = "another good one"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // of challenge
)

func (w *recorder) comingIn() {
	w.leaves(func() { w.ada = first(w.t, w.r) }, "not signed in account.created User ada | map[office:operator]", "ada session.created Session #new")
	w.leaves(func() { w.ada.post("/operator/sign-up", "do", "mode", "mode", "open").want(303) }, "ada site.sign-up | map[mode:open]")
	w.leaves(func() { w.ada.post("/operator/sign-up", "do", "mode", "mode", "everybody").want(422) })

	b, want := newBrowser(w.t, w.r), []string{"not signed in account.created User eve | map[office:member]", "eve session.created Session #new"}
	var link string
	w.leaves(func() {
		b.post("/sign-up", "name", "Eve", "slug", "ada", "email", "eve@example.org", "password", password).want(422)
		b.post("/sign-up", "name", "Eve", "slug", "eve", "email", "eve@example.org", "password", password).want(200)
		link = mailed(w.t, w.r, "eve@example.org")
		b.get(link).want(200)
		b.post(link, "password", second).want(422)
	})
	w.leaves(func() { b.post(link, "password", password).want(303) }, want...)
	w.leaves(func() { b.post(link, "password", password).want(404) })
	w.eve = b

	w.shell([]string{"user", "create", "--name", "Bob", "--slug", "bob", "--email", "bob@example.org", "--password", password}, "account.created User bob | map[office:member]")
	w.shellRefused("user", "create", "--name", "Bob", "--slug", "bob", "--email", "other@example.org")
	w.shellRefused("user", "create", "--name", "Bob", "--slug", "bobby", "--email", "bob@example.org")
	w.bob = w.enters("bob", password)
}

func (w *recorder) sessions() {
	b := newBrowser(w.t, w.r)
	w.leaves(func() { b.post("/sign-in", "email", "eve@example.org", "password", second).want(422) }, "not signed in session.refused User eve | map[why:password]")
	w.leaves(func() { b.post("/sign-in", "email", "x@example.org", "password", second).want(422) }, "not signed in session.refused | map[why:unknown address]")
	w.enters("eve", password)
	other := w.newest("Session")
	w.leaves(func() { w.bob.post("/settings/sessions", "end", number(other)).want(404) })
	w.leaves(func() { w.eve.post("/settings/sessions", "end", number(other)).want(303) }, "eve session.ended "+other)
	w.leaves(func() { w.eve.post("/settings/sessions", "end", number(other)).want(404) })
	b = w.enters("eve", password)
	ended := w.newest("Session")
	w.leaves(func() { b.post("/sign-out").want(303) }, "eve session.ended "+ended)
	w.leaves(func() { b.post("/sign-out").want(303) })
	w.leaves(func() { w.eve.post("/settings/sessions", "end", "others").want(303) }, "eve session.ended-all User eve")
}

func (w *recorder) tokens() {
	const at = "/settings/personal-access-tokens"
	w.leaves(func() { w.eve.post(at, "name", "", "scope", "read").want(422) })
	w.leaves(func() { w.eve.post(at, "name", "cli", "scope", "read").want(200) }, "eve token.created Token cli | map[scope:read]")
	made := w.newest("Token")
	w.leaves(func() { w.bob.post(at, "revoke", number(made)).want(404) })
	w.leaves(func() { w.eve.post(at, "revoke", number(made)).want(303) }, "eve token.revoked Token #new")
	w.leaves(func() { w.eve.post(at, "revoke", number(made)).want(404) })
	w.shell([]string{"token", "create", "--user", "eve", "--name", "shell"}, fmt.Sprintf("token.created Token shell | map[scope:read user:%d]", w.id("users", "slug", "eve")))
	made = w.newest("Token")
	w.shell([]string{"token", "revoke", number(made)}, "token.revoked Token #new")
	w.shell([]string{"token", "revoke", number(made)}) // revoking again does nothing
	w.shellRefused("token", "revoke", "999999")
	w.shellRefused("token", "create", "--user", "nobody")
	w.leaves(func() { w.eve.post("/settings/feeds", "do", "renew").want(303) }, "eve feeds.renewed User eve")
}

func (w *recorder) applications() {
	const at = "/oauth/applications"
	app := func(n string) string { return "Application " + n }
	var one string
	w.leaves(func() { w.eve.post(at, "name", "").want(422) })
	w.leaves(func() {
		one = w.eve.post(at, "name", "Spare", "kind", "confidential", "redirect_uris", "https://app.example/back").want(200).find(`action="(/oauth/applications/\d+)"`)
	}, "eve application.created "+app("Spare"))
	w.leaves(func() {
		w.bob.post(one, "do", "save", "name", "Mine").want(404)
		w.bob.post(one, "do", "rotate").want(404)
		w.bob.post(one, "do", "delete").want(404)
		w.eve.post(one, "do", "save", "name", "Spare", "redirect_uris", "ftp://x").want(422)
	})
	w.leaves(func() {
		w.eve.post(one, "do", "save", "name", "Spare 2", "redirect_uris", "https://app.example/").want(303)
	}, "eve application.changed "+app("Spare 2"))
	w.leaves(func() { w.eve.post(one, "do", "rotate").want(200) }, "eve application.secret "+app("Spare 2"))
	w.leaves(func() { w.eve.post(one, "do", "delete").want(303) }, "eve application.deleted "+app("Spare 2"))
	w.leaves(func() { w.eve.post(one, "do", "delete").want(404) })

	out := w.shell([]string{"app", "create", "--user", "eve", "--name", "Shell", "--redirect-uri", "https://app.example/back"}, "application.created "+app("Shell"))
	id := regexp.MustCompile(`client_id: (\S+)`).FindStringSubmatch(out)[1]
	w.shell([]string{"app", "delete", id}, "application.deleted "+app("Shell"))
	w.shellRefused("app", "delete", id)

	register := func(address string, status int) func() {
		return func() {
			w.r.Do("", "POST", "/ext/v1/oauth/register", map[string]any{"client_name": "Self", "redirect_uris": []string{address}}).Want(status)
		}
	}
	w.leaves(register("javascript:x", 400))
	w.leaves(register("https://app.example/back", 201), "not signed in application.created "+app("Self"))
}

// clients grants access to applications, exchanges tokens, and revokes both.
func (w *recorder) clients() {
	var client, secret string
	w.leaves(func() {
		p := w.eve.post("/oauth/applications", "name", "App", "kind", "confidential", "redirect_uris", "https://app.example/back").want(200)
		client, secret = p.find(`<dt>Client id</dt><dd><code class="secret">([^<]+)<`), p.secret()
	}, "eve application.created Application App")
	at, bob := asking(client, "https://app.example/back"), w.id("users", "slug", "bob")
	const token, revoke = "/v3/oauth/token", "/ext/v1/oauth/revoke"
	is := url.Values{"client_id": {client}, "client_secret": {secret}}.Encode()
	w.leaves(func() { w.bob.post(at, "answer", "deny").want(303) })
	allow := func() (code string) {
		w.leaves(func() { code = landed(w.t, w.bob.post(at, "answer", "allow")).Get("code") }, "bob access.given Application App | map[scope:write]")
		return is + "&" + url.Values{"grant_type": {"authorization_code"}, "redirect_uri": {"https://app.example/back"}, "code": {code}}.Encode() + "&code_verifier="
	}
	given := func(values string, want ...string) (secret string) {
		w.leaves(func() { secret = w.form(token, 200, values).Str("access_token") }, want...)
		return secret
	}
	// Using a code again revokes its token, once.
	code := allow()
	w.leaves(func() { w.form(token, 400, code+"wrong"+verifier) })
	given(code+verifier, "bob token.created Application App | map[scope:write]")
	w.leaves(func() { w.form(token, 400, code+verifier) },
		fmt.Sprintf("not signed in token.revoked Application App | map[by:its code, which was sent again user:%d]", bob))
	w.leaves(func() { w.form(token, 400, code+verifier) })

	theirs := given(allow()+verifier, "bob token.created Application App | map[scope:write]")
	own := given(is+"&grant_type=client_credentials", "not signed in token.created Application App | map[scope:read]")
	w.leaves(func() {
		w.form(token, 401, "client_id="+client+"&client_secret=x&grant_type=client_credentials")
		w.form("/ext/v1/oauth/introspect", 200, is+"&token="+theirs)
		w.form(revoke, 401, "client_id="+client+"&client_secret=x&token="+theirs)
		w.form(revoke, 200, is+"&token=unknown")
	})
	w.leaves(func() { w.form(revoke, 200, is+"&token="+theirs) }, fmt.Sprintf("not signed in token.revoked Application App | map[by:the application user:%d]", bob))
	w.leaves(func() { w.form(revoke, 200, is+"&token="+own) }, "not signed in token.revoked Application App | map[by:the application]")
	w.leaves(func() { w.form(revoke, 200, is+"&token="+own) })

	// Using a refresh token again ends its family.
	w.leaves(func() {
		p := w.eve.post("/oauth/applications", "name", "Fresh", "kind", "confidential", "expiring", "yes", "redirect_uris", "https://app.example/back").want(200)
		client, secret = p.find(`<dt>Client id</dt><dd><code class="secret">([^<]+)<`), p.secret()
	}, "eve application.created Application Fresh")
	is = url.Values{"client_id": {client}, "client_secret": {secret}}.Encode()
	w.leaves(func() {
		code = landed(w.t, w.bob.post(asking(client, "https://app.example/back"), "answer", "allow")).Get("code")
	},
		"bob access.given Application Fresh | map[scope:write]")
	var first string
	w.leaves(func() {
		first = w.form(token, 200, is+"&"+url.Values{"grant_type": {"authorization_code"}, "redirect_uri": {"https://app.example/back"}, "code": {code}}.Encode()+
			"&code_verifier="+verifier).Str("refresh_token")
	}, "bob token.created Application Fresh | map[scope:write]")
	w.leaves(func() {
		next := w.form(token, 200, is+"&grant_type=refresh_token&refresh_token="+first).Str("refresh_token")
		w.form(token, 200, is+"&grant_type=refresh_token&refresh_token="+next)
	})
	w.leaves(func() { w.form(token, 400, is+"&grant_type=refresh_token&refresh_token="+first) },
		fmt.Sprintf("not signed in token.reused Application Fresh | map[user:%d]", bob))
	w.leaves(func() { w.form(token, 400, is+"&grant_type=refresh_token&refresh_token="+first) })

	grant := w.newest("Grant")
	w.leaves(func() { w.eve.post("/settings/applications", "revoke", number(grant)).want(404) })
	w.leaves(func() { w.bob.post("/settings/applications", "revoke", number(grant)).want(303) }, "bob access.taken "+grant)
	w.leaves(func() { w.bob.post("/settings/applications", "revoke", number(grant)).want(404) })
}

// webhooks creates, changes, stops and deletes webhooks.
func (w *recorder) webhooks() {
	const at, about = "/settings/webhooks", "Webhook Mirror"
	w.r.Web("example.com/hook", func(to http.ResponseWriter, _ *http.Request) { to.WriteHeader(http.StatusGone) })
	w.leaves(func() { w.bob.post(at, "url", "ftp://x", "payload", "thin").want(422) })
	var one string
	w.leaves(func() {
		one = w.bob.post(at, "url", "http://example.com/hook", "name", "Mirror", "payload", "thin").want(200).find(`action="(/settings/webhooks/\d+)"`)
	}, "bob webhook.created "+about)
	w.leaves(func() {
		w.eve.post(one, "do", "rotate").want(404)
		w.eve.post(one, "do", "delete").want(404)
		w.bob.post(one, "do", "save", "url", "ftp://x", "payload", "thin").want(422)
	})
	w.leaves(func() {
		w.bob.post(one, "do", "save", "url", "http://example.com/hook", "name", "Mirror", "payload", "full").want(303)
	}, "bob webhook.changed "+about+" | map[active:true]")
	w.leaves(func() { w.bob.post(one, "do", "rotate").want(200) }, "bob webhook.secret "+about)
	w.leaves(func() { w.bob.post(one, "do", "ping").want(303) })
	if err := w.r.S.App.Webhooks.Settle(w.t.Context()); err != nil { // the receiver responds 410
		w.t.Fatal(err)
	}
	w.hold(w.fresh(), []string{"the server webhook.stopped " + about + " | map[why:gone]"})
	w.leaves(func() { w.bob.post(one, "do", "delete").want(303) }, "bob webhook.deleted "+about)
	w.leaves(func() { w.bob.post(one, "do", "delete").want(404) })
}

func (w *recorder) passwords() {
	const at, site = "/operator/accounts/bob", "https://vitrine.test"
	w.leaves(func() {
		w.bob.post("/settings/password", "password", "short").want(422)
	})
	w.leaves(func() {
		w.bob.post("/settings/confirm", "by", "password", "password", "wrong one!").want(422)
	}, "not signed in session.refused User bob | map[why:confirmation by password]")
	w.leaves(func() { w.bob.post("/settings/confirm", "by", "password", "password", password).want(303) }, "bob session.confirmed User bob | map[by:password]")
	w.leaves(func() { w.bob.post("/settings/password", "password", second).want(303) }, "bob account.password User bob")
	b := newBrowser(w.t, w.r)
	var link string
	w.leaves(func() {
		b.post("/forgot-password", "email", "bob@example.org").want(200)
		link = mailed(w.t, w.r, "bob@example.org")
		b.get(link).want(200)
		b.post(link, "password", "short").want(422)
	})
	w.leaves(func() { b.post(link, "password", password).want(303) }, "bob account.password User bob", "bob session.created Session #new")
	w.leaves(func() { b.post(link, "password", password).want(404) })

	w.leaves(func() {
		for _, do := range []string{"password", "reset", "sign-out", "email", "factor", "suspend", "restore", "hide", "promote", "demote", "tier", "delete"} {
			w.eve.post(at, "do", do, "password", password, "email", "x@example.org", "tier", "free", "slug", "bob").want(404)
		}
		w.ada.post(at, "do", "password", "password", "short").want(422)
	})
	w.leaves(func() { w.ada.post(at, "do", "password", "password", second).want(303) }, "ada account.password User bob")
	w.leaves(func() { w.ada.post(at, "do", "reset").want(200) }, "ada account.reset-sent User bob | map[mailed:false]")
	w.leaves(func() { w.ada.post(at, "do", "sign-out").want(303) }, "ada session.ended-all User bob | map[tokens:false]")
	w.shell([]string{"user", "set-password", "bob", "--generate"}, "account.password User bob")
	w.shell([]string{"user", "set-password", "bob", "--reset", "--site-url", site}, "account.reset-sent User bob | map[mailed:false]")
	w.shell([]string{"user", "sign-out", "bob", "--tokens"}, "session.ended-all User bob | map[tokens:true]")
	w.shellRefused("user", "sign-out", "nobody")
	w.leaves(func() { w.ada.post(at, "do", "password", "password", password).want(303) }, "ada account.password User bob")
	w.bob = w.enters("bob", password)
}

func (w *recorder) addresses() {
	const at = "/operator/accounts/bob"
	ask := func(email string) (link string) {
		w.leaves(func() {
			w.bob.post("/settings/email", "email", "none").want(422)
			w.bob.post("/settings/email", "email", email).want(303)
			link = mailed(w.t, w.r, email)
			w.bob.get(link).want(200)
		})
		return link
	}
	link := ask("robert@example.org")
	w.leaves(func() { w.bob.post(link).want(303) }, "bob account.email User bob")
	w.leaves(func() { w.bob.post(link).want(404) })
	link = ask("late@example.org")
	w.shell([]string{"user", "create", "--name", "Late", "--slug", "late", "--email", "late@example.org"}, "account.created User late")
	late := newBrowser(w.t, w.r)
	w.stage(func() {
		_, address, err := w.r.S.App.SSO.MakeSignInLink(w.t.Context(), domain.Ref{Slug: "late"})
		if err != nil {
			w.t.Fatal(err)
		}
		late.post(strings.TrimPrefix(address, "https://vitrine.test")).want(303)
		late.post("/settings/confirm", "by", "mail").want(200)
	})
	proof := mailed(w.t, w.r, "late@example.org")
	w.leaves(func() { late.post(proof).want(303) }, "late session.confirmed User late | map[by:mailed link]")
	w.leaves(func() { w.bob.post(link).want(404) }) // fails after the entry was written
	w.leaves(func() {
		w.ada.post(at, "do", "email", "email", "none").want(422)
		w.ada.post(at, "do", "email", "email", "late@example.org").want(422) // the same address
	})
	w.leaves(func() { w.ada.post(at, "do", "email", "email", "bobby@example.org").want(303) }, "ada account.email User bob")
	w.leaves(func() { w.ada.post(at, "do", "email", "email", "bobby@example.org").want(303) })
	w.shell([]string{"user", "set-email", "bob", "bob@example.org"}, "account.email User bob")
	w.shellRefused("user", "set-email", "bob", "ada@example.org")
}

func (w *recorder) secondFactor() {
	const at, codesAt = "/settings/passkeys", "/settings/recovery-codes"
	k, b, spare := newKey(), newBrowser(w.t, w.r), newKey()
	var codes []string
	w.leaves(func() {
		w.eve.post(at, "name", "").want(422)
		w.eve.post(at+"/add", "name", "Phone", "passkey", "{}").want(422)
		w.eve.post(codesAt).want(422)
	})
	w.leaves(func() { codes = strings.Fields(addKey(w.eve, k, "Phone").want(200).find(`id="codes">([^<]+)</pre>`)) },
		"eve passkey.added User eve | map[name:Phone]", "eve recovery-codes.made User eve")
	w.leaves(func() { addKey(w.eve, spare, "Blue").want(303) }, "eve passkey.added User eve | map[name:Blue]")

	half := func() *browser {
		b = newBrowser(w.t, w.r)
		w.leaves(func() {
			b.post("/sign-in", "email", "eve@example.org", "password", password).leads("/sign-in/second-factor")
		})
		return b
	}
	half()
	w.leaves(func() { b.post("/sign-in/second-factor", "code", "wrong").want(422) }, "not signed in session.refused User eve | map[why:second factor]")
	w.leaves(func() { b.post("/sign-in/second-factor", "code", codes[0]).want(303) }, "eve recovery-codes.used User eve", "eve session.created Session #new | map[by:recovery code]")
	half()
	w.leaves(func() {
		b.post("/sign-in/second-factor", "passkey", k.signs(b, "/sign-in/second-factor/options")).want(303)
	}, "eve session.created Session #new | map[by:passkey]")
	b = newBrowser(w.t, w.r)
	var answer string
	w.leaves(func() { answer = k.signs(b, "/sign-in/passkey") })
	w.leaves(func() { newBrowser(w.t, w.r).post("/sign-in/passkey", "passkey", answer).want(422) }, "not signed in session.refused | map[why:passkey]")
	w.leaves(func() { b.post("/sign-in/passkey", "passkey", answer).want(303) }, "eve session.created Session #new | map[by:passkey]")
	w.leaves(func() { b.post("/sign-in/passkey", "passkey", answer).want(422) }, "not signed in session.refused | map[why:passkey]")

	w.leaves(func() { w.eve.post(codesAt).want(200) }, "eve recovery-codes.made User eve")
	key := func() string { return w.eve.get(at).find(`href="(/settings/passkeys/\d+)"`) }
	w.leaves(func() {
		w.bob.post(key()).want(404)
	})
	w.leaves(func() { w.eve.post(key()).want(303) }, "eve passkey.removed User eve")
	w.leaves(func() { w.eve.post(key()).want(303) }, "eve passkey.removed User eve", "eve second-factor.ended User eve")

	want := []string{"eve passkey.added User eve", "eve recovery-codes.made User eve"}
	w.leaves(func() { addKey(w.eve, newKey(), "Phone").want(200) }, want...)
	w.leaves(func() { w.ada.post("/operator/accounts/eve", "do", "factor").want(303) }, "ada second-factor.ended User eve")
	w.leaves(func() { w.ada.post("/operator/accounts/eve", "do", "factor").want(422) })
	w.leaves(func() { addKey(w.eve, newKey(), "Phone").want(200) }, want...)
	w.shell([]string{"user", "remove-second-factor", "eve"}, "second-factor.ended User eve")
	w.shellRefused("user", "remove-second-factor", "eve")
}

func (w *recorder) signOn() {
	w.stage(func() { w.editors = w.r.Group("Editors", "max") })
	w.fake.Is("1", "email", "nina@example.org", "name", "Nina", "preferred_username", "nina", "groups", []string{"staff"})
	w.nina = newBrowser(w.t, w.r)
	w.leaves(func() { w.nina.signOn(w.fake, "/sign-in/sso").leads("/") }, "not signed in account.created User nina | map[office:member]",
		fmt.Sprintf("nina identity.connected User nina | map[by:a new account issuer:%s]", w.fake.Issuer()), "nina group.member-added Group #new",
		"nina session.created Session #new | map[by:single sign-on]")
	w.leaves(func() { w.nina.get("/sign-in/sso?next=/groups").leads("/groups") }) // already signed in
	b := newBrowser(w.t, w.r)
	w.leaves(func() { b.signOn(w.fake, "/sign-in/sso").leads("/") }, "nina session.created Session #new | map[by:single sign-on]")

	id := ""
	const at = "/settings/single-sign-on"
	w.leaves(func() {
		id = w.nina.get(at).find(`name="disconnect" value="(\d+)"`)
		w.nina.post(at, "disconnect", id).want(422)
		w.eve.post(at, "disconnect", id).want(404)
	})
	w.leaves(func() { w.nina.post("/settings/password", "password", password).want(303) }, "nina account.password User nina")
	w.leaves(func() { w.nina.post(at, "disconnect", id).want(303) }, "nina group.member-removed Group #new", "nina identity.disconnected User nina")
	w.leaves(func() { w.nina.post(at, "disconnect", id).want(404) })
	var confirm string
	w.leaves(func() { confirm = w.nina.signOn(w.fake, "/sign-in/sso?connect=yes").want(303).header.Get("Location") })
	w.leaves(func() { w.nina.post(confirm).want(303) }, fmt.Sprintf("nina identity.connected User nina | map[by:settings issuer:%s]", w.fake.Issuer()), "nina group.member-added Group #new")
	w.leaves(func() { w.nina.post(confirm).want(404) })

	b = newBrowser(w.t, w.r)
	w.fake.Is("2", "email", "eve@example.org", "email_verified", false)
	w.leaves(func() { b.signOn(w.fake, "/sign-in/sso").want(422) }, "not signed in session.refused | map[why:single sign-on: no verified address]")
	w.fake.Is("1", "email", "nina@example.org", "name", "Nina", "groups", []string{"staff"})
	w.leaves(func() { w.ada.post("/operator/accounts/nina", "do", "suspend").want(303) }, "ada account.suspended User nina")
	w.leaves(func() { b.signOn(w.fake, "/sign-in/sso").want(422) }, "not signed in session.refused User nina | map[why:single sign-on: suspended]")
	w.leaves(func() { b.post("/sign-in", "email", "nina@example.org", "password", password).want(422) }, "not signed in session.refused User nina | map[why:suspended]")
	w.shellRefused("user", "sign-in", "nina", "--site-url", apptest.Base)
	w.shell([]string{"user", "suspend", "nina", "--undo"}, "account.restored User nina")
	link := strings.TrimPrefix(strings.TrimSpace(w.shell([]string{"user", "sign-in", "nina", "--site-url", apptest.Base}, "account.sign-in-link User nina")), apptest.Base)
	w.leaves(func() { b.get(link).want(200) })
	w.leaves(func() { b.post(link).want(303) }, "nina session.created Session #new | map[by:a link of the command line]")
	w.leaves(func() { newBrowser(w.t, w.r).post(link).want(404) })
}

// blockedNetwork tests users with valid credentials from a blocked network.
func (w *recorder) blockedNetwork() {
	link := strings.TrimPrefix(strings.TrimSpace(w.shell([]string{"user", "sign-in", "nina", "--site-url", apptest.Base}, "account.sign-in-link User nina")), apptest.Base)
	w.shell([]string{"blocklist", "add", "network", "192.0.2.0/24"}, "blocklist.added Blocked network 192.0.2.0/24")
	b := newBrowser(w.t, w.r)
	const refused = "not signed in session.refused User nina | map[why:network]"
	w.leaves(func() { b.post("/sign-in", "email", "nina@example.org", "password", password).want(422) }, refused)
	w.leaves(func() { b.signOn(w.fake, "/sign-in/sso").want(422) }, refused)
	w.leaves(func() { b.post(link).want(403) }, refused)
	w.shell([]string{"blocklist", "remove", fmt.Sprint(w.id("blocklist", "", ""))}, "blocklist.removed Blocked network 192.0.2.0/24")
	w.shellRefused("blocklist", "remove", "999999")
}
