package site_test

import (
	"fmt"
	"net/http"
	"strings"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Steps about operators, reports to them, and groups.

func (w *recorder) offices() {
	const at = "/operator/accounts/bob"
	w.leaves(func() { w.ada.post(at, "do", "promote").want(303) }, "ada operator.given User bob")
	w.leaves(func() { w.ada.post(at, "do", "promote").want(303) })
	w.leaves(func() { w.ada.post(at, "do", "demote").want(303) }, "ada operator.taken User bob")
	w.shell([]string{"user", "set-office", "bob", "operator"}, "operator.given User bob")
	w.shell([]string{"user", "set-office", "bob", "operator"})
	w.shell([]string{"user", "set-office", "bob", "member"}, "operator.taken User bob")
	w.shellRefused("user", "set-office", "ada", "member")
	w.leaves(func() { w.ada.post("/operator/accounts/ada", "do", "demote").want(422) })

	w.leaves(func() { w.ada.post(at, "do", "tier", "tier", "gold").want(422) })
	w.leaves(func() { w.ada.post(at, "do", "tier", "tier", "free").want(303) }, "ada account.tier User bob | map[from:supporter to:free]")
	w.leaves(func() { w.ada.post(at, "do", "tier", "tier", "free").want(303) })
	w.shell([]string{"user", "set-tier", "bob", "premium"}, "account.tier User bob | map[from:free to:premium]")
	w.shell([]string{"user", "set-tier", "bob", "premium"})
	w.shellRefused("user", "set-tier", "bob", "gold")
}

func (w *recorder) suspensions() {
	const at = "/operator/accounts/bob"
	work := func() { w.leaves(w.r.WorkJobs) }
	w.leaves(func() {
		w.ada.post("/operator/accounts/ada", "do", "suspend").want(422)
		w.ada.post(at, "do", "restore").want(303) // is not suspended
		w.ada.post(at, "do", "hide").want(422)
	})
	w.leaves(func() { w.ada.post(at, "do", "suspend").want(303) }, "ada account.suspended User bob")
	w.leaves(func() { w.ada.post(at, "do", "suspend").want(303) })
	w.leaves(func() { w.ada.post(at, "do", "hide").want(303) }, "ada content.hidden User bob")
	w.leaves(func() { w.ada.post(at, "do", "hide").want(303) })
	work()
	w.leaves(func() { w.ada.post(at, "do", "restore").want(303) }, "ada account.restored User bob", "ada content.shown User bob")
	work()
	w.leaves(func() { w.ada.post(at, "do", "suspend", "hide", "yes").want(303) }, "ada account.suspended User bob", "ada content.hidden User bob")
	// Restoring the account does not log an item again that was already shown.
	w.leaves(func() { w.ada.post("/operator/hidden", "show", fmt.Sprint(w.id("hidden_things", "", ""))).want(303) }, "ada content.shown User bob")
	w.shell([]string{"user", "suspend", "bob", "--undo"}, "account.restored User bob")
	work()
	w.shell([]string{"user", "suspend", "bob", "--hide"}, "account.suspended User bob", "content.hidden User bob")
	w.shell([]string{"user", "suspend", "bob", "--hide"})
	work()
	w.shell([]string{"user", "suspend", "bob", "--undo"}, "account.restored User bob", "content.shown User bob")
	w.shellRefused("user", "suspend", "ada")
	work()
	w.bob = w.enters("bob", password)
}

func (w *recorder) invitations() {
	const at, invited = "/operator/invitations", "account.invited SignUpLink #new"
	people := func(email string) func() {
		return func() { w.ada.post(at, "do", "people", "emails", email).want(200) }
	}
	w.leaves(people("one@example.org"), "ada "+invited)
	w.leaves(people("one@example.org"))
	w.leaves(people("eve@example.org"))
	w.leaves(people("not an address"))
	w.leaves(func() { w.ada.post(at, "again", "one@example.org").want(200) }, "ada "+invited)
	link := w.newest("SignUpLink")
	w.leaves(func() { w.eve.post(at, "end", number(link)).want(404) })
	w.leaves(func() { w.ada.post(at, "end", number(link)).want(303) }, "ada sign-up-link.ended "+link)
	w.leaves(func() { w.ada.post(at, "end", number(link)).want(404) })
	w.shell([]string{"user", "invite", "two@example.org", "--site-url", apptest.Base}, invited)
	w.shell([]string{"user", "invite", "two@example.org", "--site-url", apptest.Base})
	w.shell([]string{"user", "import", w.file("people.csv", "email,name\nthree@example.org,Three\n"), "--site-url", apptest.Base}, invited)
	w.shellRefused("user", "import", w.file("people.csv", "email,name\nnobody,Nobody\n"), "--site-url", apptest.Base)
}

func (w *recorder) links() {
	const at = "/operator/sign-up"
	var token string
	w.leaves(func() {
		w.eve.post(at, "do", "link", "note", "Class").want(404)
		w.ada.post(at, "do", "link", "note", "Class", "places", "0").want(422)
		w.ada.post(at, "do", "link", "note", "Class", "group", "nowhere").want(422)
	})
	w.leaves(func() {
		link := w.ada.post(at, "do", "link", "note", "Class", "places", "2", "group", "editors", "vouched", "yes").want(200).secret()
		_, token, _ = strings.Cut(link, "?invite=")
	}, "ada sign-up-link.created SignUpLink Class")
	made := w.newest("SignUpLink")
	w.zoe = newBrowser(w.t, w.r)
	w.leaves(func() {
		w.zoe.post("/sign-up", "name", "Zoe", "slug", "zoe", "email", "zoe@example.org", "password", password, "invite", token).want(303)
	}, "not signed in account.created User zoe", "zoe group.member-added Group #new", "zoe session.created Session #new")
	w.leaves(func() { w.eve.post("/sign-up", "do", "join", "invite", token).want(303) }, "eve group.member-added Group #new")
	w.leaves(func() { w.eve.post("/sign-up", "do", "join", "invite", token) })           // is a member
	w.leaves(func() { w.bob.post("/sign-up", "do", "join", "invite", token).want(404) }) // it is full
	w.leaves(func() { w.ada.post(at, "end", number(made)).want(404) })
	w.leaves(func() { w.ada.post(at, "do", "link", "note", "Club").want(200) }, "ada sign-up-link.created SignUpLink Club")
	made = w.newest("SignUpLink")
	w.leaves(func() { w.ada.post(at, "end", number(made)).want(303) }, "ada sign-up-link.ended "+made)
	w.shell([]string{"user", "link", "create", "--note", "Shell", "--site-url", apptest.Base}, "sign-up-link.created SignUpLink Shell")
	made = w.newest("SignUpLink")
	w.shell([]string{"user", "link", "end", number(made)}, "sign-up-link.ended "+made)
	w.shellRefused("user", "link", "end", number(made))
}

func (w *recorder) siteItself() {
	const at, pages = "/operator/site", "/operator/pages"
	w.leaves(func() {
		w.eve.post(at, "do", "save", "name", "Mine").want(404)
		w.ada.post(at, "do", "save", "name", "", "about", "").want(422)
		w.ada.post(at, "do", "preview", "name", "Kelp", "about", "x").want(200)
		w.ada.post(at, "do", "save", "seen", "999", "name", "Kelp", "about", "").want(422) // someone else saved first
	})
	w.leaves(func() { w.ada.post(at, "do", "save", "name", "Kelp", "about", "").want(303) }, "ada site.changed")
	w.leaves(func() { w.ada.post(at, "do", "announce", "announcement", "Soon").want(303) }, "ada site.announced")
	w.leaves(func() { w.eve.post(at, "do", "unannounce").want(404) })
	w.leaves(func() { w.ada.post(at, "do", "unannounce").want(303) }, "ada site.announcement-ended")
	w.leaves(func() { w.ada.post(at, "do", "unannounce").want(303) }) // nothing is announced
	w.shell([]string{"announce", "Later"}, "site.announced")
	w.shell([]string{"announce", "--clear"}, "site.announcement-ended")
	w.shell([]string{"announce", "--clear"})
	w.shellRefused("announce", "Later", "--severity", "loud")
	w.leaves(func() {
		w.sent("no.png", []byte("no image"), 422)
	})
	w.leaves(func() { w.sent("a.png", apptest.PNG(w.t, 30, 20), 303) }, "ada site.changed")

	w.leaves(func() {
		w.ada.post(pages, "do", "save", "title", "", "slug", "imprint", "body", "We").want(422)
		w.ada.post(pages, "do", "preview", "title", "Imprint", "slug", "imprint", "body", "We").want(200)
	})
	w.leaves(func() { w.ada.post(pages, "do", "save", "title", "Imprint", "slug", "imprint", "body", "We").want(303) }, "ada site.page-saved Page imprint")
	w.leaves(func() {
		w.ada.post(pages, "do", "save", "title", "Imprint", "slug", "imprint", "body", "We").want(422)
		w.eve.post(pages+"/imprint", "do", "delete").want(404)
	})
	w.leaves(func() { w.ada.post(pages+"/imprint", "do", "save", "title", "Imprint", "body", "They").want(303) }, "ada site.page-saved Page imprint")
	w.leaves(func() { w.ada.post(pages+"/imprint", "do", "delete").want(303) }, "ada site.page-deleted Page imprint")
	w.leaves(func() { w.ada.post(pages+"/imprint", "do", "delete").want(404) })
}

// sent uploads a picture of the site.
func (w *recorder) sent(name string, content []byte, status int) {
	w.ada.sendForm("/operator/site", name, "image/png", content, "do", "picture").want(status)
}

// readOnly begins and ends the read-only mode.
func (w *recorder) readOnly() {
	const at = "/operator/read-only"
	w.leaves(func() {
		w.eve.post(at, "do", "on").want(404)
		w.ada.post(at, "do", "on", "until", "2020-01-01T00:00").want(422)
		w.ada.post(at, "do", "off").want(303) // is writable
	})
	w.leaves(func() { w.ada.post(at, "do", "on", "reason", "Moving").want(303) }, "ada site.read-only | map[reason:Moving]")
	w.leaves(func() { w.ada.post("/operator/site", "do", "save", "name", "Wrack", "about", "").want(503) })
	w.leaves(func() { w.ada.post(at, "do", "off").want(303) }, "ada site.writable")
	w.shell([]string{"readonly", "on", "--reason", "Moving"}, "site.read-only | map[reason:Moving]")
	w.shellRefused("user", "set-tier", "bob", "free")
	w.shell([]string{"readonly", "off"}, "site.writable")
	w.shell([]string{"readonly", "off"})
	w.r.S.Store.NoteReadOnly(nil) // as the server's next look does
}

// backups requests a backup, which no page does.
func (w *recorder) backups() {
	const at = "/ext/v1/admin/backups"
	var token string
	w.leaves(func() {
		w.r.Do("max", "POST", at, nil).Want(403)
	})
	w.leaves(func() {
		token = w.ada.post("/settings/personal-access-tokens", "name", "backups", "scope", "some", "abilities", "admin:jobs").want(200).secret()
	}, "ada token.created Token backups")
	w.leaves(func() { w.r.Do("", "POST", at, nil, "Authorization", "Bearer "+token).Want(202) }, "ada backup.requested")
}

// exports lets an operator export the account of somebody else.
func (w *recorder) exports() {
	const at = "/operator/accounts/bob"
	w.leaves(func() { w.eve.post(at, "do", "export").want(404) })
	w.leaves(func() { w.ada.post(at, "do", "export").want(303) }, "ada account.export User bob")
	w.leaves(w.r.WorkJobs)
	w.shell([]string{"user", "receipts", "--json"})
	w.leaves(func() {
		w.eve.post("/operator/doctor").want(404)
		w.ada.post("/operator/doctor").want(303) // examines, and changes nothing
	})
}

func (w *recorder) jobs() {
	const at = "/operator/jobs"
	failed := func() (id string) {
		w.leaves(func() {
			w.r.WorkJobs()
			id = w.ada.get(at).want(200).find(`name="retry" value="(\d+)"`)
		})
		return id
	}
	w.stage(func() {
		w.r.Web("example.com/gone", http.NotFound)
		w.r.Block("max", "http://example.com/gone", w.r.Channel("max", "Links", "public"))
	})
	job := failed()
	w.leaves(func() {
		w.eve.post(at, "retry", job).want(404)
		w.ada.post(at, "retry", "999999").want(404)
	})
	w.leaves(func() { w.ada.post(at, "retry", job).want(303) }, "ada job.retried Job process_block")
	w.leaves(func() { w.ada.post(at, "retry", job) }) // another job replaced it
	job = failed()
	w.shell([]string{"jobs", "retry", job}, "job.retried Job process_block")
	w.shellRefused("jobs", "retry", job)
	w.leaves(w.r.WorkJobs)
}

// matter is a reported or hidden item.
type matter struct {
	kind  string
	id    int64
	label string
}

func (g matter) String() string { return strings.ToUpper(g.kind[:1]) + g.kind[1:] + " " + g.label }

func (g matter) at(where string) string { return fmt.Sprintf("%s/%s/%d", where, g.kind, g.id) }

// things lets tom create a channel, a block in it and a comment on the block, with a word in their
// texts.
func (w *recorder) things(word string) (channel, block, comment matter) {
	w.t.Helper()
	w.stage(func() {
		channel = matter{"channel", w.r.Channel("tom", word+" channel", "public"), word + " channel"}
		block = matter{"block", w.r.Block("tom", word+" block", channel.id), word + " block"}
		said := storetest.Comment(w.t, w.r.S.Store, w.r.Person("tom").ID, domain.BlockID(block.id), word+" comment")
		comment = matter{"comment", int64(said), word + " comment"}
	})
	return channel, block, comment
}

func (w *recorder) reports() {
	channel, block, comment := w.things("moss")
	tom := matter{"user", int64(w.r.Person("tom").ID), "tom"}
	group := matter{"group", int64(w.editors), "Editors"}
	look := block.at("/operator/look")
	w.leaves(func() {
		w.eve.post(block.at("/report")).want(422)
		newBrowser(w.t, w.r).post(block.at("/report"), "reason", "spam").want(303)
		w.ada.get(look).want(404) // not reported
	})
	for _, g := range []matter{channel, block, comment, tom, group} {
		w.leaves(func() { w.eve.post(g.at("/report"), "reason", "spam").want(303) }, "eve report.created "+g.String())
		w.leaves(func() { w.eve.post(g.at("/report"), "reason", "spam").want(422) })
	}
	api := func(status int) {
		w.t.Helper()
		w.r.Do("max", "POST", "/ext/v1/reports", map[string]any{"type": "Block", "id": block.id, "reason": "hate"}, "Idempotency-Key", "one").Want(status)
	}
	w.leaves(func() { api(204) }, "max report.created "+block.String())
	w.leaves(func() { api(204) }) // the same request again
	w.leaves(func() {
		w.r.Do("tom", "POST", "/ext/v1/reports", map[string]any{"type": "Block", "id": block.id, "reason": "hate"}).Want(422)
		w.r.Do("max/read", "POST", "/ext/v1/reports", map[string]any{"type": "Channel", "id": channel.id, "reason": "hate"}).Want(403)
	})

	w.leaves(func() { w.ada.get(look).want(200) }, "ada content.viewed "+block.String())
	w.leaves(func() {
		w.eve.get(look).want(404)
		w.ada.get(look + "/picture").want(404)
	})
	w.leaves(func() { w.ada.get(channel.at("/operator/look")).want(200) }, "ada content.viewed "+channel.String())
}

// decisions tests decisions about the remaining reports.
func (w *recorder) decisions() {
	reported := func(g matter) (id int64) {
		w.t.Helper()
		w.stage(func() { w.eve.post(g.at("/report"), "reason", "spam").want(303) })
		return int64(w.id("report_cases", "", ""))
	}
	var at string
	var said func(outcome string) string
	next := func(g matter) {
		id := reported(g)
		at = fmt.Sprintf("/operator/reports/%d", id)
		said = func(outcome string) string {
			return fmt.Sprintf("report.closed %s | map[case:%d outcome:%s reports:1]", g, id, outcome)
		}
	}
	channel, block, _ := w.things("fern")
	next(block)
	w.leaves(func() {
		w.eve.post(at, "outcome", "dismissed").want(404)
		w.ada.post(at, "outcome", "warned").want(422)
	})
	w.leaves(func() { w.ada.post(at, "outcome", "warned", "text", "Mind it").want(303) }, "ada content.warned "+block.String(), "ada "+said("warned"))
	w.leaves(func() { w.ada.post(at, "outcome", "dismissed").want(422) })
	next(block)
	w.leaves(func() { w.ada.post(at, "outcome", "dismissed").want(303) }, "ada "+said("dismissed"))
	next(block)
	w.leaves(func() { w.ada.post(at, "outcome", "hidden").want(303) }, "ada content.hidden "+block.String(), "ada "+said("hidden"))
	next(channel)
	w.leaves(func() { w.ada.post(at, "outcome", "deleted").want(303) }, "ada content.deleted "+channel.String(), "ada "+said("deleted"))
	channel, block, comment := w.things("reed")
	next(comment)
	w.leaves(func() { w.ada.post(at, "outcome", "deleted").want(303) }, "ada content.deleted "+comment.String(), "ada "+said("deleted"))
	id := reported(block)
	w.shellRefused("reports", "close", fmt.Sprint(id), "deleted") // without --yes
	w.shell([]string{"reports", "close", fmt.Sprint(id), "deleted", "--yes"}, "content.deleted "+block.String(),
		fmt.Sprintf("report.closed %s | map[case:%d outcome:deleted reports:1]", block, id))
	w.shellRefused("reports", "close", fmt.Sprint(id), "dismissed")
	var guild matter
	w.stage(func() { guild = matter{"group", int64(w.r.Group("Guild", "tom", "max")), "Guild"} })
	next(guild)
	w.leaves(func() { w.ada.post(at, "outcome", "deleted").want(303) }, "ada content.deleted "+guild.String(), "ada "+said("deleted"))
	next(channel)
	w.leaves(func() { w.ada.post(at, "outcome", "suspended", "hide", "yes").want(303) }, "ada account.suspended User tom", "ada content.hidden User tom", "ada "+said("suspended"))
	w.leaves(w.r.WorkJobs)
	w.shell([]string{"user", "suspend", "tom", "--undo"}, "account.restored User tom", "content.shown User tom")
	w.leaves(w.r.WorkJobs)
}

func (w *recorder) hiding() {
	channel, block, comment := w.things("kelp")
	entry := func() string { return fmt.Sprint(w.id("hidden_things", "", "")) }
	for _, g := range []matter{comment, block, channel} {
		w.leaves(func() { w.eve.post(g.at("/operator/hide")).want(404) })
		w.leaves(func() { w.ada.post(g.at("/operator/hide"), "text", "Rule 3").want(303) }, "ada content.hidden "+g.String())
		w.leaves(func() { w.ada.post(g.at("/operator/hide")).want(422) })
		w.leaves(func() { w.ada.get(g.at("/operator/look")).want(200) }, "ada content.viewed "+g.String())
		shown := entry()
		w.leaves(func() { w.ada.post("/operator/hidden", "show", shown).want(303) }, "ada content.shown "+g.String())
		w.leaves(func() { w.ada.post("/operator/hidden", "show", shown).want(404) })
	}
	w.shell([]string{"hidden", "add", "block", fmt.Sprint(block.id)}, "content.hidden "+block.String())
	w.shellRefused("hidden", "add", "block", fmt.Sprint(block.id))
	shown := entry()
	w.shell([]string{"hidden", "remove", shown}, "content.shown "+block.String())
	w.shellRefused("hidden", "remove", shown)
}

func (w *recorder) blocklist() {
	const at = "/operator/blocklist"
	for kind, value := range map[string]string{"domain": "spam.example", "mail": "throwaway.example", "file": strings.Repeat("0f", 32), "network": "198.51.100.0/24"} {
		blocked := "Blocked " + kind + " " + value
		w.leaves(func() {
			w.eve.post(at, "kind", kind, "value", value).want(404)
			w.ada.post(at, "kind", kind, "value", "-").want(422)
		})
		w.leaves(func() { w.ada.post(at, "kind", kind, "value", value).want(303) }, "ada blocklist.added "+blocked)
		w.leaves(func() { w.ada.post(at, "kind", kind, "value", value).want(303) })
		id := fmt.Sprint(w.id("blocklist", "", ""))
		w.leaves(func() { w.ada.post(at, "remove", id).want(303) }, "ada blocklist.removed "+blocked)
		w.leaves(func() { w.ada.post(at, "remove", id).want(404) })
	}
	w.shell([]string{"blocklist", "add", "domain", "spam.example"}, "blocklist.added Blocked domain spam.example")
	w.shell([]string{"blocklist", "add", "domain", "spam.example"})
}

func (w *recorder) members() {
	var id domain.GroupID
	w.stage(func() { id = w.r.Group("Society", "max") })
	group, site := fmt.Sprintf("/v3/groups/%d", id), "/group/society/members"
	tom := int64(w.r.Person("tom").ID)
	added := fmt.Sprintf("group.member-added Group #new | map[user:%d]", tom)
	removed := fmt.Sprintf("group.member-removed Group #new | map[user:%d]", tom)
	var page, code string
	w.leaves(func() {
		made := w.r.Do("max", "POST", group+"/invite", nil).Want(201).Str("code")
		page, code = "/group/society/invite/"+made, fmt.Sprintf(`{"invite_token":%q}`, made)
		w.r.Do("tom", "POST", group+"/members", `{"invite_token":"wrong"}`).Want(403)
	})
	join := func(status int) func() {
		return func() { w.r.Do("tom", "POST", group+"/members", code).Want(status) }
	}
	do := func(as, path string) func() {
		return func() { w.r.Do(as, "DELETE", group+"/members/"+path, nil).Want(204) }
	}
	w.leaves(join(201), "tom "+added)
	w.leaves(join(200))
	w.leaves(do("tom", "me"), "tom "+removed)
	w.leaves(do("tom", "me"))
	w.leaves(join(201), "tom "+added)
	w.leaves(do("max", fmt.Sprint(tom)), "max "+removed)
	w.leaves(do("max", fmt.Sprint(tom)))

	w.leaves(func() { w.zoe.post(page).want(303) }, "zoe group.member-added Group #new")
	w.leaves(func() { w.zoe.post(site, "do", "leave").want(303) }, "zoe group.member-removed Group #new")

	var link string
	w.leaves(func() {
		link = invite(w.t, w.r, "society", "zoe@example.org", fmt.Sprintf(`{"user_id":%d}`, w.id("users", "slug", "zoe")))
	})
	w.leaves(func() { w.bob.post(link, "answer", "accept").want(422) })
	w.leaves(func() { w.zoe.post(link, "answer", "accept").want(303) }, "zoe group.member-added Group #new")
	w.leaves(func() { w.zoe.post(link, "answer", "accept").want(404) })
	w.leaves(func() { w.zoe.post(site, "do", "leave").want(303) }, "zoe group.member-removed Group #new")
	w.leaves(func() { w.zoe.post(site, "do", "leave").want(303) })
}

func (w *recorder) endings() {
	var group domain.GroupID
	w.stage(func() {
		w.eve.post("/groups/new", "name", "Heirs").want(303)
		group = domain.GroupID(w.id("groups", "", ""))
		storetest.In(w.t, w.r.S.Store, func(tx *store.Tx) error {
			_, err := tx.Membership().AddMember(w.t.Context(), group, w.r.Person("tom").ID, w.r.Clock.Now())
			return err
		})
	})
	w.leaves(func() {
		w.eve.post("/settings/delete", "slug", "tom").want(422)
	})
	w.leaves(func() { w.eve.post("/settings/delete", "slug", "eve").want(303) },
		fmt.Sprintf("eve group.handed-over Group #new | map[user:%d]", w.r.Person("tom").ID), "eve account.deleted User eve")
	w.leaves(w.r.WorkJobs)
	w.leaves(func() {
		w.ada.post("/settings/delete", "slug", "ada").want(422) // the only operator
		w.ada.post("/operator/accounts/bob", "do", "delete", "slug", "tom").want(422)
		w.ada.post("/operator/accounts/ada", "do", "delete", "slug", "ada").want(422)
	})
	w.leaves(func() { w.ada.post("/operator/accounts/bob", "do", "delete", "slug", "bob").want(303) }, "ada account.deleted User bob")
	w.shell([]string{"user", "delete", "late", "--yes"}, "account.deleted User late")
	w.shellRefused("user", "delete", "ada", "--yes")
	w.leaves(w.r.WorkJobs)
	w.nothing()
}
