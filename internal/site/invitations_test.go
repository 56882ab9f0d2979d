package site_test

import (
	"fmt"
	"net/url"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// invite lets the owner of a group send an invitation, and returns the mailed path.
func invite(t *testing.T, r *apptest.Rig, group, to, body string) string {
	t.Helper()
	r.Do("max", "POST", "/v3/groups/"+group+"/invitations", body).Want(201)
	return mailed(t, r, to)
}

func TestInvitationOfUser(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Group("Society", "max")
		eve := account(t, r, "eve")
		at := invite(t, r, "society", "eve@example.org", fmt.Sprintf(`{"user_id":%d}`, eve.ID))

		guest := newBrowser(t, r)
		p := guest.get(at).want(200).says("Max invites you to join the group", "Society", "Sign in", "Decline the invitation")
		if p.link("/sign-in") != at || p.link("/sign-up") != at {
			t.Errorf("signing in leads to %s, signing up to %s", p.link("/sign-in"), p.link("/sign-up"))
		}
		guest.post(at, "answer", "accept").leads("/sign-in?next=" + url.QueryEscape(at))
		guest.post("/sign-in", "email", "eve@example.org", "password", password, "next", at).leads(at)

		tom := member(t, r, "tom")
		tom.get(at).want(200).says("This invitation is for Eve, and you are signed in as Tom.").hides("Accept<")
		tom.post(at, "answer", "accept").want(422).says("You may not accept an invitation of somebody else.")

		tom.post("/sign-out", "next", at).leads(at).follow().want(200).says("You have been signed out.", "Decline the invitation")

		guest.get(at).want(200).says("You are signed in as Eve (eve).")
		guest.post(at, "answer", "perhaps").want(400)
		guest.post(at, "answer", "accept").leads("/").follow().says("You are now a member.")
		guest.post(at, "answer", "accept").want(404).says("This link does not work")
		guest.get(at).want(404)
		if got := r.Get("max", "/v3/groups/society/members").Len("data"); got != 2 {
			t.Errorf("%d members", got)
		}
		for _, line := range r.Log(at) {
			t.Errorf("the token is in the log: %s", line)
		}
	}, people)
}

func TestInvitationDeclined(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	r.Group("Society", "max")
	at := invite(t, r, "society", "new@example.org", `{"email":"new@example.org"}`)
	guest := newBrowser(t, r)
	guest.post(at, "answer", "decline").leads("/").follow().says("The invitation has been declined.")
	guest.post(at, "answer", "decline").want(404)
}

// An invitee without an account signs up first, needs no other mail for it, and returns to the
// invitation.
func TestInvitationSignsUp(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"open", "invitation"} {
		r := apptest.New(t, people, func(c *config.Config) { c.SignUp = mode })
		r.Group("Society", "max")
		at := invite(t, r, "society", "new@example.org", `{"email":"new@example.org"}`)
		b := newBrowser(t, r)
		form := b.get(b.get(at).want(200).find(`href="(/sign-up[^"]+)"`)).want(200).says(`value="new@example.org"`)
		token := form.find(`name="invite" value="([^"]+)"`)
		b.post("/sign-up", "name", "New", "email", "new@example.org", "password", password, "invite", token,
			"next", form.find(`name="next" value="([^"]+)"`)).leads(at)
		b.post(at, "answer", "accept").leads("/")

		second := invite(t, r, "society", "two@example.org", `{"email":"two@example.org"}`)
		other := newBrowser(t, r)
		other.post("/sign-up", "name", "Two", "email", "two@example.org", "password", password, "invite", second[len("/invitations/"):]).leads(second)
	}
}

func TestGroupInvite(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Group("Society", "max")
		page, err := url.Parse(r.Do("max", "POST", "/v3/groups/society/invite", nil).Want(201).Str("url"))
		if err != nil {
			t.Fatal(err)
		}
		at := page.Path
		guest := newBrowser(t, r)
		guest.get(at).want(200).says("Anybody with this link can join the group", "Society", "owned by Max")
		if p := guest.get(at); p.link("/sign-in") != at || p.link("/sign-up") != at {
			t.Errorf("signing in leads to %s, signing up to %s", p.link("/sign-in"), p.link("/sign-up"))
		}
		guest.post(at).leads("/sign-in?next=" + url.QueryEscape(at))
		guest.get(at + "x").want(404)
		guest.get("/group/nobody/invite/x").want(404)
		guest.post(at + "x").want(404)

		b := member(t, r, "eve")
		b.get(at).want(200).says("You are signed in as Eve (eve).")
		b.post(at).leads("/").follow().says("You are now a member.")
		b.post(at).leads("/")
		b.get(at).want(200).says("You are already a member of Society.")
		if got := r.Get("max", "/v3/groups/society/members").Len("data"); got != 2 {
			t.Errorf("%d members", got)
		}
	}, people)
}
