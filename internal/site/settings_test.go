package site_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

func TestProfile(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b := member(t, r, "eve")
		r.Web("example.com/me.png", apptest.Serve("image/png", apptest.PNG(t, 300, 200)))
		b.get("/settings").leads("/settings/profile")
		b.get("/settings/profile").want(200).says(`value="Eve"`, "<code>eve</code>")
		bio := "Lines\r\nwith *Markdown*"
		b.post("/settings/profile", "name", " <b>Eve</b> ", "bio", bio, "avatar_url", "http://example.com/me.png").
			leads("/settings/profile").follow().says("Your profile has been saved.", `value="<b>Eve</b>"`, "Lines\nwith *Markdown*</textarea>").
			hides("Lines\r")
		if p := b.get("/"); strings.Contains(p.body, "<b>Eve") {
			t.Errorf("the name is not escaped: %s", p.body)
		}
		r.WorkJobs()
		p := b.get("/settings/profile").says("The picture that is shown now", "Show no picture")
		b.get(strings.TrimPrefix(p.find(`<img class="avatar" src="([^"]+)" alt="The picture that is shown now"`), apptest.Base)).want(200)
		b.post("/settings/profile", "name", "Eve", "avatar", "none").leads("/settings/profile").follow().hides("The picture that is shown now")
		b.post("/settings/profile", "name", " ", "bio", "kept").want(422).says("Must not be blank.", "kept</textarea>")
		b.post("/settings/profile", "name", "Eve", "avatar_url", "ftp://x").want(422).says("Must be an absolute http or https URL.", "ftp://x")
		b.post("/settings/profile", "name", "Eve", "bio", strings.Repeat("é", 20_001)).want(422).says("Must have at most 20000 characters.")
	}, people)
}

func TestSessions(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b := member(t, r, "eve")
		phone, desk, stranger := newBrowser(t, r), newBrowser(t, r), member(t, r, "tom")
		phone.header.Set("User-Agent", "Mozilla/5.0 (Android 16; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0")
		desk.header.Set("User-Agent", "<script>alert(1)</script>\x01\xff")
		for _, other := range []*browser{phone, desk} {
			other.post("/sign-in", "email", "eve@example.org", "password", password).leads("/")
		}
		p := b.get("/settings/sessions").want(200).says("Firefox on Android", "this one", "<script>alert(1)</script>", "End all others")
		id := p.find(`value="(\d+)">End<span class="unseen"> the session of Firefox on Android`)
		stranger.post("/settings/sessions", "end", id).want(404)
		phone.get("/settings/profile").want(200)
		b.post("/settings/sessions", "end", id).leads("/settings/sessions").follow().says("The session has been ended.").hides("Firefox on Android")
		b.post("/settings/sessions", "end", id).want(404)
		phone.get("/settings/profile").want(http.StatusSeeOther)
		for _, bad := range []string{"", "x", "0", "-1", "99999999999999999999", "1.5"} {
			b.post("/settings/sessions", "end", bad).want(404)
		}
		b.post("/settings/sessions", "end", "others").leads("/settings/sessions").follow().says("All other sessions have been ended.").hides("End all others")
		desk.get("/settings/profile").want(http.StatusSeeOther)
		b.get("/settings/profile").want(200)
		stranger.get("/settings/profile").want(200)
	}, people)
}

func TestPersonalAccessTokens(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b, stranger := member(t, r, "eve"), member(t, r, "tom")
		at := "/settings/personal-access-tokens"
		b.get(at).want(200).says("You have no tokens.")
		b.post(at, "name", "", "scope", "write").want(422).says("Must be 1 to 255 characters long.", `value="write" checked`)
		b.post(at, "name", "x", "scope", "admin").want(422).says(`value="x"`)
		b.post(at, "name", "x").want(422)
		token := b.post(at, "name", "<script>laptop", "scope", "read").want(200).says("“<script>laptop”, for reading").secret()
		me := r.Do("", "GET", "/v3/me", nil, "Authorization", "Bearer "+token).Want(200)
		if me.Str("slug") != "eve" {
			t.Errorf("%s", me.Body)
		}
		r.Do("", "POST", "/v3/channels", `{"title":"x"}`, "Authorization", "Bearer "+token).Want(403)
		list := b.get(at).want(200).says("<script>laptop", token[:16]).hides(token)
		id := list.find(`name="revoke" value="(\d+)"`)
		stranger.post(at, "revoke", id).want(404)
		r.Do("", "GET", "/v3/me", nil, "Authorization", "Bearer "+token).Want(200)
		b.post(at, "revoke", id).leads(at).follow().says("The token has been revoked.").hides("laptop")
		r.Do("", "GET", "/v3/me", nil, "Authorization", "Bearer "+token).Want(401)
		b.post(at, "revoke", id).want(404)
		b.post(at, "revoke", "x").want(404)
	}, people)
}

func TestPasswordChange(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b, other := member(t, r, "eve"), newBrowser(t, r)
		other.post("/sign-in", "email", "eve@example.org", "password", password).leads("/")
		at := "/settings/password"
		b.get(at).want(200).says("New password", "eve@example.org", "Sign out all other browsers")
		b.post(at, "password", "short").want(422).says("Must be 8 to 200 bytes long.")
		b.post(at, "password", "another good one", "others", "end").leads(at).follow().says("Your password has been changed.")
		other.get(at).want(http.StatusSeeOther)
		other.post("/sign-in", "email", "eve@example.org", "password", password).want(422)
		other.post("/sign-in", "email", "eve@example.org", "password", "another good one").leads("/")
	}, people)
}

func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		signedIn := member(t, r, "eve")
		b := newBrowser(t, r)
		b.get("/forgot-password").want(200)
		for _, email := range []string{"eve@example.org", "nobody@example.org"} {
			b.post("/forgot-password", "email", email).want(200).says("Ask for the link", "If "+email+" is the address of an account, a link for it is kept")
		}
		b.post("/forgot-password", "email", "none").want(422).says("Must be an address", `value="none"`)
		link := mailed(t, r, "eve@example.org")
		b.get(link).want(200).says("Choose a new password")
		b.post(link, "password", "password").want(422).says(`id="password-error"`)
		b.post(link, "password", "another good one").leads("/").follow().says("Your password is set, and you are signed in.")
		b.get(link).want(404).says("This link does not work")
		b.post(link, "password", "a third good one").want(404)
		signedIn.get("/settings/profile").want(http.StatusSeeOther)
		b.get("/settings/profile").want(200)
		for _, line := range r.Log(link) {
			t.Errorf("the token is in the log: %s", line)
		}
	}, people)
}

func TestEmailChange(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b := member(t, r, "eve")
		at := "/settings/email"
		b.get(at).want(200).says("eve@example.org")
		b.post(at, "email", "none").want(422).says(`id="email-error"`, `value="none"`)
		b.post(at, "email", "eva@example.org").leads(at).follow().says("This server sends no mail. Ask its operator for the link", "eve@example.org", "the operators of this server, and")
		link := mailed(t, r, "eva@example.org")
		elsewhere := newBrowser(t, r)
		elsewhere.get(link).want(200).says("eva@example.org")
		elsewhere.post(link).leads("/sign-in").follow().says("Your e-mail address has been changed.")
		b.get(at).leads("/settings/confirm?next=%2Fsettings%2Femail")
		b.post("/settings/confirm", "by", "password", "password", password, "next", at).leads(at).follow().says("eva@example.org")
		b.post(link).want(404)
	}, people)
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator := first(t, r)
		operator.get("/settings/delete").want(200)
		b := member(t, r, "eve")
		operator.get("/settings/delete").want(200).says("You are the only operator").hides("Delete my account")
		operator.post("/settings/delete", "slug", "ada").want(422)
		b.get("/settings/delete").want(200).says("You own no channels.", "No blocks are deleted.", "You have written no comments.", "Delete my account")
		token := b.post("/settings/personal-access-tokens", "name", "test", "scope", "write").secret()
		open := r.Channel("max", "Open", "public")
		for _, body := range []string{fmt.Sprintf(`{"value":"shared","channel_ids":[%d]}`, open), `{"value":"own","channel_ids":["mine"]}`} {
			r.Do("", "POST", "/v3/channels", `{"title":"Mine"}`, "Authorization", "Bearer "+token).Want(201)
			r.Do("", "POST", "/v3/blocks", body, "Authorization", "Bearer "+token).Want(201)
		}
		r.Do("", "POST", "/v3/groups", `{"name":"<script>Club"}`, "Authorization", "Bearer "+token).Want(201)
		b.get("/settings/delete").says("Your 2 channels are deleted, with all connections in them.", "1 block that is in nobody else’s channel is deleted.",
			"1 block that is in somebody else’s channel stays there, without your name.", "The group <script>Club, of which you are the only member, is deleted")
		b.post("/settings/delete", "slug", "tom").want(422).says(`id="slug-error"`, `value="tom"`)
		deleted := b.post("/settings/delete", "slug", "eve").want(http.StatusSeeOther)
		receipt := deleted.header.Get("Location")
		deleted.follow().says("Your account has been deleted.", "Erasure of an account", "<dd>2</dd>", "is being erased").hides("eve@example.org", ">eve<")
		b.get("/settings/profile").want(http.StatusSeeOther)
		b.post("/sign-in", "email", "eve@example.org", "password", password).want(422)
		r.WorkJobs()
		b.get(receipt).want(200).says("Completed").hides("is being erased", "eve@example.org", ">eve<")
		b.get("/receipt/NOSUCHRECEIPTNOSUCHRECEIPT").want(404)
		operator.get("/operator/receipts").want(200).says(receipt[len(receipt)-26:], "Account number")
		b.get("/operator/receipts").want(http.StatusSeeOther)
	}, people)
}
