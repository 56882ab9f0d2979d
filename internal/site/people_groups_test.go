package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

func TestGroupPages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, tom, guest := member(t, r, "eve"), member(t, r, "tom"), newBrowser(t, r)
		eve.get("/groups").want(200).says("You belong to no group yet.")
		eve.post("/groups/new", "name", " ", "description", "kept").want(422).says("Must not be blank.", "kept</textarea>")
		eve.post("/groups/new", "name", strings.Repeat("é", 256)).want(422)
		eve.post("/groups/new", "name", "Guild", "avatar_url", "ftp://x").want(422).says("Must be an absolute http or https URL.", "ftp://x")
		eve.get("/groups").want(200).hides("Guild")
		if to := eve.post("/groups/new", "name", "Guild <b>", "description", "A *fine* one").want(303).header.Get("Location"); to != "/group/guild-b" {
			t.Fatalf("the group is at %s", to)
		}
		eve.get("/groups").want(200).says("Guild <b>", "/group/guild-b").hides("<b>Guild")
		tom.get("/groups").want(200).hides("Guild")

		before := r.Dump()
		guest.get("/group/guild-b/edit").want(303)
		guest.post("/group/guild-b/edit", "name", "x").want(303)
		tom.get("/group/guild-b/edit").want(403)
		tom.post("/group/guild-b/edit", "name", "x").want(403)
		tom.get("/group/guild-b/delete").want(403)
		tom.post("/group/guild-b/delete", "do", "delete").want(403)
		eve.post("/group/guild-b/delete").want(400)
		eve.post("/group/guild-b/edit", "name", "").want(422)
		if diff := before.Diff(r.Dump()); len(diff) > 0 {
			t.Errorf("what was refused changed %s", strings.Join(diff, "\n"))
		}
		eve.get("/group/guild-b/edit").want(200).says(`value="Guild <b>"`, "A *fine* one")
		eve.post("/group/guild-b/edit", "name", "Club", "description", "").leads("/group/club")
		if p := eve.get("/group/guild-b/members?page=1").want(301); p.header.Get("Location") != "/group/club/members?page=1" {
			t.Errorf("%s leads to %s", p.from, p.header.Get("Location"))
		}
		r.Do("", "POST", "/v3/channels", map[string]any{"title": "Ours", "group_id": r.Do("", "GET", "/v3/groups/club", nil).Int("id")}, "Authorization", "Bearer "+eve.token()).Want(201)
		eve.get("/group/club/delete").want(200).says("Its channel becomes yours", "Delete Club?")
		eve.post("/group/club/delete", "do", "delete").leads("/groups").follow().says("The group has been deleted.")
		eve.get("/group/club/members").want(404)
		if got := r.Do("", "GET", "/v3/channels/ours", nil).Want(200).Str("owner.slug"); got != "eve" {
			t.Errorf("the channel is of %s", got)
		}
	}, people)
}

func TestMembersPage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, tom, mia, guest := member(t, r, "eve"), member(t, r, "tom"), member(t, r, "mia"), newBrowser(t, r)
		eve.post("/groups/new", "name", "Guild").leads("/group/guild")
		at := "/group/guild/members"
		id := func(name string) string { return fmt.Sprint(r.Do("ada", "GET", "/v3/users/"+name, nil).Int("id")) }

		r.Person("ada")
		guest.get(at).want(200).says("Eve", "Owner").hides("Invite", "Leave", "Remove")
		tom.get(at).want(200).hides("Invite", "Leave", "Remove")
		before := r.Dump()
		guest.post(at, "do", "invite", "who", "tom").want(303)
		for _, form := range [][]string{{"do", "invite", "who", "tom"}, {"do", "link"}, {"do", "unlink"}, {"remove", id("eve")}} {
			tom.post(at, form...).want(403)
		}
		eve.post(at, "do", "invite", "who", "").want(422).says("Give a short name or an e-mail address.")
		eve.post(at, "do", "invite", "who", "no body").want(422).says("Nobody has this name.", `value="no body"`)
		eve.post(at, "do", "invite", "who", "a@b@c").want(422).says("neither a short name nor an e-mail address", `value="a@b@c"`)
		eve.post(at, "do", "leave").want(403)
		eve.post(at, "remove", id("eve")).want(403)
		eve.post(at, "remove", "x").want(404)
		eve.post(at, "revoke", "99999").want(404)
		eve.post(at).want(400)
		if diff := before.Diff(r.Dump()); len(diff) > 0 {
			t.Errorf("what was refused changed %s", strings.Join(diff, "\n"))
		}

		tom.post("/follow", "type", "user", "id", id("eve"), "do", "follow")
		eve.post(at, "do", "invite", "who", "@tom").leads(at).follow().says("They follow you", "Tom", "Remove")
		eve.post(at, "do", "invite", "who", "tom").leads(at).follow().says("They are a member already.")
		eve.post(at, "do", "invite", "who", "mia").leads(at).follow().says("Mia", "Invited by Eve")
		eve.post(at, "do", "invite", "who", "mia").leads(at).follow().says("They have been invited already.")
		eve.post(at, "do", "invite", "who", "Some@Example.org").leads(at).follow().says("some@example.org")
		mia.get(at).want(200).hides("some@example.org", "Invited by")
		p := tom.get(at).want(200).says("some@example.org", "Leave the group").hides("Remove")
		tom.post(at, "revoke", p.find(`name="revoke" value="(\d+)">Revoke<span class="unseen"> Mia`)).leads(at).follow().hides("Mia")

		link := tom.post(at, "do", "link").leads(at).follow().find(`id="invite-link">` + apptest.Base + `([^<]+)<`)
		mia.get(link).want(200)
		tom.post(at, "do", "unlink").leads(at).follow().says("The link no longer works.").hides(link)
		mia.get(link).want(404)

		tom.post(at, "do", "leave").leads("/group/guild")
		tom.get(at).hides("some@example.org")
		tom.post("/group/guild/members", "do", "invite", "who", "mia").want(403)
		eve.post(at, "do", "invite", "who", "tom").leads(at)
		eve.post(at, "remove", id("tom")).leads(at).follow().says("The member has been removed.").hides("Tom")
		if n := len(r.Statements(func() { eve.get(at).want(200) })); n > 16 { // two of them are for unread notifications
			t.Errorf("%d statements for the page of members", n)
		}
	}, people)
}

func TestCollaboratorsPage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, tom, mia, guest := member(t, r, "eve"), member(t, r, "tom"), member(t, r, "mia"), newBrowser(t, r)
		token := eve.token()
		page := func(body string) string {
			c := r.Do("", "POST", "/v3/channels", body, "Authorization", "Bearer "+token).Want(201)
			return "/eve/" + c.Str("slug") + "/collaborators"
		}
		eve.post("/groups/new", "name", "Guild")
		open, shed := page(`{"title":"Open","visibility":"public"}`), page(`{"title":"Shed","visibility":"private"}`)
		guest.get(open).want(200).says("Nobody collaborates").hides("Add somebody", "Remove")
		guest.get(shed).want(404)
		tom.get(shed).want(404)
		r.Person("ada")
		before := r.Dump()
		guest.post(open, "do", "add", "who", "tom").want(303)
		tom.post(open, "do", "add", "who", "tom").want(403)
		tom.post(shed, "do", "add", "who", "tom").want(404)
		eve.post(open, "do", "add", "who", "nobody-here").want(422).says("Nobody has this name.", `value="nobody-here"`)
		eve.post(open, "do", "add", "who", "").want(422)
		eve.post(open, "do", "add", "who", "eve").want(422).says("The owner of a channel cannot be its collaborator")
		eve.post(open, "remove", "Robot:1").want(404)
		eve.post(open, "remove", "x").want(404)
		eve.post(open).want(400)
		if diff := before.Diff(r.Dump()); len(diff) > 0 {
			t.Errorf("what was refused changed %s", strings.Join(diff, "\n"))
		}
		eve.post(shed, "do", "add", "who", "@tom").leads(shed).follow().says("They collaborate now.", "Tom", "Remove")
		eve.post(shed, "do", "add", "who", "tom").leads(shed).follow().says("They collaborate already.")
		eve.post(shed, "do", "add", "who", "group/guild").leads(shed).follow().says("Guild")
		p := tom.get(shed).want(200).says("Guild").hides("Add somebody")
		tom.post(shed, "remove", "Group:"+fmt.Sprint(r.Do("ada", "GET", "/v3/groups/guild", nil).Int("id"))).want(403)
		mine := p.find(`name="remove" value="(User:\d+)"`)
		mia.post(open, "remove", mine).want(403)
		tom.post(shed, "remove", mine).leads("/")
		tom.get(shed).want(404)
		if p := guest.get("/tom/open/collaborators?x=1").want(301); p.header.Get("Location") != open+"?x=1" {
			t.Errorf("%s leads to %s", p.from, p.header.Get("Location"))
		}
	}, people)
}
