package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// A user reports an item, an operator decides, and both users read the decision.
func TestReportPages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, eve, tom, guest := first(t, r), member(t, r, "eve"), member(t, r, "tom"), newBrowser(t, r)
		s, by := r.S.Store, domain.UserID(2) // eve
		open, shed := storetest.Channel(t, s, by, "Garden", domain.Public), storetest.Channel(t, s, by, "Shed", domain.Private)
		block, hidden := storetest.Block(t, s, by, "Buy <b>moss</b>"), storetest.Block(t, s, by, "Rust")
		storetest.Connect(t, s, by, open, domain.BlockRef(block), 0)
		storetest.Connect(t, s, by, shed, domain.BlockRef(hidden), 0)
		comment := storetest.Comment(t, s, by, block, "Really")
		at := fmt.Sprintf("/report/block/%d", block)
		guest.get(fmt.Sprintf("/block/%d", block)).want(200).hides("/report/")
		eve.get(fmt.Sprintf("/block/%d", block)).want(200).hides("/report/")
		for path, link := range map[string]string{fmt.Sprintf("/block/%d", block): at, "/eve/garden": fmt.Sprintf("/report/channel/%d", open),
			"/eve": "/report/user/", fmt.Sprintf("/block/%d/comments", block): fmt.Sprintf("/report/comment/%d", comment)} {
			tom.get(path).want(200).says(link)
		}
		for _, gone := range []string{fmt.Sprintf("/report/block/%d", hidden), fmt.Sprintf("/report/channel/%d", shed), "/report/group/1",
			"/report/block/x", "/report/site/1", "/report/block/0"} {
			tom.get(gone).want(404)
			tom.post(gone, "reason", "spam").want(404)
		}
		tom.get(at).want(200).says("Report this block", "Spam or advertising")
		tom.post(at).want(422).says(`id="reason-error"`)
		tom.post(at, "reason", "other").want(422).says(`id="text-error"`, `value="other" selected`)
		tom.post(at, "reason", "spam", "text", strings.Repeat("x", 2001)).want(422)
		tom.post(at, "reason", "spam", "text", "Look <script>").leads(fmt.Sprintf("/block/%d", block)).follow().says("Thank you.")
		tom.post(at, "reason", "spam").want(422).says("You have reported this already")
		eve.post(at, "reason", "spam").want(422)

		operator.get("/operator/reports").want(200).says("/operator/reports/1", "1 report", "/operator/accounts/eve")
		operator.get("/operator/reports/1").want(200).says("Look <script>", "tom", "Buy", "Delete for good")
		operator.get("/operator/reports/999").want(404)
		operator.get("/operator/reports?show=closed").want(200).says("Nothing has been decided")
		operator.get("/operator/reports?below=x").want(404)
		operator.post("/operator/reports/1").want(422).says("Outcome: must be one of dismissed, warned, hidden, deleted, suspended.")
		operator.post("/operator/reports/1", "outcome", "warned").want(422).says(`id="text-error"`)
		operator.post("/operator/reports/1", "outcome", "warned", "text", "Mind the moss").leads("/operator/reports").follow().says("Decided.", "Nothing is waiting")
		operator.post("/operator/reports/1", "outcome", "dismissed").want(422).says("This was decided already")
		operator.get("/operator/reports?show=closed").want(200).says("Warned")
		operator.get("/operator/reports/1").want(200).says("Mind the moss").hides("Delete for good")

		eve.get("/eve/garden").want(200).says("1 new message")
		eve.get("/settings/notices").want(200).says("A warning about what you made", "Mind the moss").hides("ada", "tom")
		eve.post("/settings/notices").leads("/settings/notices").follow().hides("1 new message")
		tom.get("/settings/notices").want(200).says("whoever made it was warned").hides("ada", "Mind the moss")
		tom.post(fmt.Sprintf("/report/channel/%d", open), "reason", "spam").want(303)
		second := operator.get("/operator/reports").find(`href="(/operator/reports/\d+)"`)
		operator.post(second, "outcome", "deleted").leads("/operator/reports")
		tom.get("/eve/garden").want(404)
		operator.get(second).want(200).says("which is gone")
		for i := range 60 {
			r.Exec(`INSERT INTO report_cases (kind, target_id, label, owner_id, reports, opened_at, last_at, closed_by, outcome, words)
				VALUES ('Block', $1, $2, 1, 0, 5, 5, 0, '', '')`, 1000+i, fmt.Sprintf("crowd %03d", i))
		}
		page := operator.get("/operator/reports").want(200).says("crowd 059", "crowd 010").hides("crowd 009")
		operator.get(page.find(`href="(/operator/reports\?below=\d+)"`)).want(200).says("crowd 009", "crowd 000", "Newest").hides("crowd 010")
	}, people)
}

// If the server sends mail, operators choose on the page of reports whether to receive mail about
// new ones.
func TestReportMailsPage(t *testing.T) {
	t.Parallel()
	const page = "/operator/reports"
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, eve := first(t, r), member(t, r, "eve")
		eve.post(page, "mail", "yes").want(404)
		operator.get(page).want(200).says("You can get a mail", "Mail me<")
		operator.get(page + "?show=closed").want(200).hides("You can get a mail")
		operator.post(page, "mail", "yes").leads(page).follow().says("You get mail of new reports.", "Mail me no more")
		operator.post(page, "mail", "yes").leads(page).follow().says("Mail me no more")
		operator.post(page, "mail", "no").leads(page).follow().says("You get no more mail of reports.", "You can get a mail")
	}, people, func(c *config.Config) {
		c.SMTP = &config.SMTP{Host: "127.0.0.1", Port: 1, Security: "never"} // this test sends nothing
	})
	r := apptest.New(t, people)
	operator := first(t, r)
	operator.get(page).want(200).hides("You can get a mail")
	operator.post(page, "mail", "yes").want(404)
}

// Operators block and unblock on the blocklist's page. Members see an error when they add blocked
// content.
func TestBlocklistPage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, eve := first(t, r), member(t, r, "eve")
		const page = "/operator/blocklist"
		eve.get(page).want(404)
		eve.post(page, "kind", "domain", "value", "spam.example").want(404)
		operator.get(page).want(200).says("Nothing is blocked")
		operator.post(page, "kind", "domain", "value", "com").want(422).says(`id="value-error"`, `value="com"`)
		operator.post(page, "kind", "dance", "value", "spam.example").want(422).says(`id="kind-error"`)
		operator.post(page, "kind", "domain", "value", "Spam.example", "note", "<b>ads</b>").leads(page).follow().says("spam.example", "<b>ads")
		block := map[string]any{"value": "https://www.spam.example/", "channel_ids": []any{r.Do("mia", "POST", "/v3/channels", `{"title":"Finds"}`).Want(201).Int("id")}}
		r.Do("mia", "POST", "/v3/blocks", block).Want(400)
		operator.post(page, "remove", "999").want(404)
		operator.post(page, "remove", "x").want(404)
		operator.post(page, "remove", "1").leads(page).follow().says("Nothing is blocked")
		r.Exec(`INSERT INTO blocklist (kind, value, note, created_at) VALUES ('network', '192.0.2.0/24', '', 5)`)
		const refused = "Signing in from your network is blocked here."
		newBrowser(t, r).post("/sign-in", "email", "eve@example.org", "password", password).want(422).says(refused)
		newBrowser(t, r).post("/sign-up", "name", "Tom", "slug", "tom", "email", "tom@example.org", "password", password).want(422).says(refused)
		eve.get("/settings/notices").want(200)
		r.Exec(`DELETE FROM blocklist`)
		for i := range 120 {
			r.Exec(`INSERT INTO blocklist (kind, value, note, created_at) VALUES ('domain', $1, '', 5)`, fmt.Sprintf("site%03d.example", i))
		}
		shown := operator.get(page).want(200).says("site119.example", "site020.example").hides("site019.example")
		operator.get(shown.find(`href="(/operator/blocklist\?below=\d+)"`)).want(200).says("site019.example", "site000.example")
	}, people)
}

// Operators hide an item from its page, and show it again from the list. Its author is notified,
// and still sees it.
func TestHiddenPages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, eve, tom, guest := first(t, r), member(t, r, "eve"), member(t, r, "tom"), newBrowser(t, r)
		s, by := r.S.Store, domain.UserID(2) // eve
		open := storetest.Channel(t, s, by, "Garden", domain.Public)
		block := storetest.Block(t, s, by, "Buy <b>moss</b>")
		storetest.Connect(t, s, by, open, domain.BlockRef(block), 0)
		comment := storetest.Comment(t, s, by, block, "Really")
		page := fmt.Sprintf("/block/%d", block)
		for path, at := range map[string]string{page: fmt.Sprintf("/operator/hide/block/%d", block), "/eve/garden": fmt.Sprintf("/operator/hide/channel/%d", open),
			page + "/comments": fmt.Sprintf("/operator/hide/comment/%d", comment)} {
			operator.get(path).want(200).says(at)
			eve.get(path).want(200).hides("/operator/hide")
			eve.get(at).want(404)
			eve.post(at).want(404)
			operator.get(at).want(200).says("Reasons for whoever made it")
			operator.post(at, "text", strings.Repeat("x", 2001)).want(422).says(`id="text-error"`)
		}
		for _, gone := range []string{"/operator/hide/block/999", "/operator/hide/user/1", "/operator/hide/x/1", "/operator/hide/block/x"} {
			operator.get(gone).want(404)
		}
		operator.get("/operator/hidden").want(200).says("Nothing is hidden")
		operator.post(fmt.Sprintf("/operator/hide/block/%d", block), "text", "Rule 3").leads("/operator/hidden").follow().says("Buy", "eve", "Show again")
		operator.post(fmt.Sprintf("/operator/hide/channel/%d", open)).leads("/operator/hidden")
		operator.post(fmt.Sprintf("/operator/hide/channel/%d", open)).want(422).says("This is hidden already")
		for _, path := range []string{page, page + "/comments", "/eve/garden", fmt.Sprintf("/cards/block/%d.png", block), "/eve/garden/feed.atom"} {
			guest.get(path).want(404)
		}
		guest.get("/search?q=moss").hides("Buy")
		guest.get("/eve").want(200).hides("Garden", "moss")
		const why, again = "See why, and what you can do", "Show it again"
		eve.get(page).want(200).says("have hidden this block since", why).hides(again)
		said := eve.get("/settings/notices").want(200).says("What you made was hidden", "Rule 3", "You alone see these", "Garden")
		eve.get(said.find(`href="(/eve/\d+)"`)).want(301)
		eve.get("/eve/garden").want(200).says("have hidden this channel since", why).hides(again)
		storetest.Collaborate(t, s, open, domain.UserRef(3)) // tom
		tom.get("/eve/garden").want(200).says("have hidden this channel since").hides(why, again)
		storetest.Collaborate(t, s, open, domain.UserRef(1))
		operator.get("/eve/garden").want(200).says("have hidden this channel since", again).hides(why)
		tom.post(fmt.Sprintf("/report/channel/%d", open), "reason", "spam").want(303)
		operator.get("/operator/reports/1").want(200).says("It is hidden since", "/operator/hidden")
		operator.post("/operator/hidden", "show", "x").want(404)
		operator.post("/operator/hidden", "show", "999").want(404)
		operator.post("/operator/hidden", "show", "1").leads("/operator/hidden").follow().hides("Buy")
		operator.post("/operator/hidden", "show", "2").leads("/operator/hidden").follow().says("Nothing is hidden")
		guest.get(page).want(200)
		guest.get("/eve/garden").want(200).says("moss")
		eve.get(page).want(200).hides("have hidden")
		eve.get("/eve/garden").want(200).hides("have hidden")
		operator.get("/operator/reports/1").want(200).hides("It is hidden since")

		operator.post("/operator/accounts/eve", "do", "hide").want(422)
		operator.post("/operator/accounts/eve", "do", "suspend", "hide", "yes").leads("/operator/accounts/eve")
		r.WorkJobs()
		guest.get(page).want(404)
		operator.get("/operator/hidden").want(200).says("All that a suspended person made")
		operator.post("/operator/accounts/eve", "do", "restore").leads("/operator/accounts/eve")
		r.WorkJobs()
		guest.get(page).want(200)
		operator.get("/operator/hidden").want(200).says("Nothing is hidden")
	}, people)
}

// Members of a group still see its hidden channel, with a notice. Others do not see it.
func TestHiddenGroupChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, eve, tom, guest := first(t, r), entered(t, r, "eve"), entered(t, r, "tom"), newBrowser(t, r)
		crew := r.Group("Crew", "eve", "tom")
		made := r.Do("tom", "POST", "/v3/channels", map[string]any{"title": "Shed", "owner": map[string]any{"id": crew, "type": "Group"}}).Want(201)
		operator.post(fmt.Sprintf("/operator/hide/channel/%d", made.Int("id"))).leads("/operator/hidden")
		const since, why = "have hidden this channel since", "See why, and what you can do"
		guest.get("/crew/shed").want(404)
		operator.get("/crew/shed").want(404)
		eve.get("/crew/shed").want(200).says(since, why) // she is the owner of the group, so she is notified
		tom.get("/crew/shed").want(200).says(since).hides(why)
		operator.post("/operator/hidden", "show", "1").leads("/operator/hidden")
		guest.get("/crew/shed").want(200)
		tom.get("/crew/shed").want(200).hides(since)
	}, people)
}

// Operators look at reported and hidden items, even if they could not see them otherwise, and at
// nothing else. Each look is in the audit log, and browsers do not cache the page.
func TestLookPages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, eve, tom := first(t, r), entered(t, r, "eve"), entered(t, r, "tom")
		s, by := r.S.Store, domain.UserID(2) // eve
		r.Web("example.org/moss.png", apptest.Serve("image/png", apptest.PNG(t, 40, 30)))
		shed := r.Do("eve", "POST", "/v3/channels", `{"title": "Shed", "visibility": "private"}`).Want(201).Int("id")
		garden := r.Do("eve", "POST", "/v3/channels", `{"title": "Garden"}`).Want(201).Int("id")
		add := func(value string, in int64) int64 {
			return r.Do("eve", "POST", "/v3/blocks", map[string]any{"value": value, "channel_ids": []int64{in}}).Want(201).Int("id")
		}
		rust, moss, picture := add("Rust **never**", shed), add("Buy moss", garden), add("http://example.org/moss.png", garden)
		r.WorkJobs()
		storetest.Collaborate(t, s, domain.ChannelID(shed), domain.UserRef(3)) // tom
		remark := storetest.Comment(t, s, by, domain.BlockID(rust), "Really")
		look := func(kind string, id int64) string { return fmt.Sprintf("/operator/look/%s/%d", kind, id) }
		looks := func() int64 {
			return count(r, "SELECT count(*) FROM audit_entries WHERE act = 'content.viewed' AND actor = 'ada'")
		}
		for _, closed := range []string{look("block", rust), look("block", moss), look("channel", shed), look("comment", int64(remark)),
			look("block", picture) + "/picture", look("user", 2), look("group", 1), look("block", 999), look("x", 1), "/operator/look/block/x"} {
			operator.get(closed).want(404) // not reported
		}
		if n := looks(); n != 0 {
			t.Errorf("%d entries of what nobody looked at", n)
		}

		// A collaborator reports a private channel.
		tom.post(fmt.Sprintf("/report/channel/%d", shed), "reason", "spam").want(303)
		operator.get("/eve/shed").want(404)
		operator.get("/operator/reports/1").want(200).says(look("channel", shed))
		shown := operator.get(look("channel", shed)).want(200).says("Shed", "1 thing in it", "Rust", look("block", rust))
		if kept := shown.header.Get("Cache-Control"); kept != "no-store" || shown.header.Get("ETag") != "" {
			t.Errorf("Cache-Control %q", kept)
		}
		operator.get(look("block", rust)).want(200).says("<strong>never</strong>").hides("Show the picture")
		operator.get(look("block", rust) + "/picture").want(404)
		operator.get(look("block", moss)).want(404)
		for _, stranger := range []*browser{eve, tom} {
			stranger.get(look("channel", shed)).want(404)
		}
		operator.post("/operator/reports/1", "outcome", "dismissed").leads("/operator/reports")
		operator.get(look("channel", shed)).want(404) // the report is closed
		operator.get("/operator/reports/1").want(200).hides(look("channel", shed), "which is gone")

		// A hidden block with its picture. The address of the file is not found.
		src := r.Get("eve", "/v3/blocks/%d", picture).Str("image.src")
		operator.post(fmt.Sprintf("/operator/hide/block/%d", picture)).leads("/operator/hidden")
		r.Do("", "GET", src[strings.Index(src, "/files/"):], nil).Want(404)
		operator.get("/operator/hidden").want(200).says(look("block", picture))
		operator.get(look("block", picture)).want(200).says("It is hidden since", "Show the picture").hides(src)
		bytes := operator.get(look("block", picture) + "/picture").want(200)
		if got := bytes.header; got.Get("Cache-Control") != "no-store" || got.Get("ETag") != "" || !strings.HasPrefix(got.Get("Content-Type"), "image/") ||
			!strings.Contains(got.Get("Content-Security-Policy"), "sandbox") || got.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("the picture comes with %v", got)
		}
		operator.get(look("block", picture) + "/file").want(404)
		tom.get(look("block", picture) + "/picture").want(404)

		// A hidden comment, and its block.
		operator.post(fmt.Sprintf("/operator/hide/comment/%d", remark)).leads("/operator/hidden")
		operator.get(look("comment", int64(remark))).want(200).says("Really", look("block", rust))
		operator.get(look("block", rust)).want(200)

		// All items of a suspended user.
		operator.get(look("block", moss)).want(404)
		operator.post("/operator/accounts/eve", "do", "suspend", "hide", "yes").leads("/operator/accounts/eve")
		r.WorkJobs()
		operator.get("/operator/hidden").want(200).says("/operator/accounts/2")
		operator.get(look("block", moss)).want(200).says("Buy moss")
		operator.get(look("channel", garden)).want(200).says("Garden")
		if n := looks(); n != 8 {
			t.Errorf("%d looks in the log", n)
		}
		operator.get("/operator/audit?act=content.viewed").want(200).says("Looked at by an operator", "part: picture")
	}, people)
}
