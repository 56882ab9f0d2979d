package site_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"vitrine/internal/apptest"
	"vitrine/internal/site/catalog"
)

// acceptance is a form that succeeds. It redirects to a page, which shows a note once. again is the
// result of sending the same form once more: the status, or 0 if it is the same redirect.
type acceptance struct {
	by, path, to string
	note         string // id of a text, with its number after a |; "" for none
	again        int
	form         []string
}

// accept sends each form, in English and German by turns.
func (d *desk) accept(all []acceptance) {
	d.t.Helper()
	for i, f := range all {
		languages := catalog.New().Languages
		lang := languages[i%len(languages)]
		b := d.browsers[f.by]
		b.header.Set("Accept-Language", lang.Code)
		form := d.sent(f.form)
		what := fmt.Sprintf("POST %s by %s with %q", f.path, f.by, form)
		d.Clock.Advance(time.Second)
		p := b.post(d.at(f.path), form...)
		if to := p.header.Get("Location"); p.status != http.StatusSeeOther || to != d.at(f.to) {
			d.t.Errorf("%s: %d to %q, want %q: %s", what, p.status, to, d.at(f.to), bare(p.body))
			continue
		}
		if f.note != "" {
			id, n, counted := strings.Cut(f.note, "|")
			want := lang.Text(id)
			if counted {
				var number int
				if _, err := fmt.Sscan(n, &number); err != nil {
					d.t.Fatal(err)
				}
				want = lang.Text(id, number)
			}
			if shown := b.get(d.at(f.to)); shown.note() != want {
				d.t.Errorf("%s: %s (%d) has the note %q, want %q", what, shown.from, shown.status, shown.note(), want)
			} else if again := b.get(d.at(f.to)); again.note() != "" {
				d.t.Errorf("%s: the note %q is shown again", what, again.note())
			}
		}
		before := d.stored()
		p = b.post(d.at(f.path), form...)
		want := f.again
		if want == 0 {
			want = http.StatusSeeOther
		}
		if p.status != want || f.again == 0 && p.header.Get("Location") != d.at(f.to) {
			d.t.Errorf("%s again: %d to %q, want %d: %s", what, p.status, p.header.Get("Location"), want, bare(p.body))
		}
		if f.again >= http.StatusBadRequest {
			if diff := before.Diff(d.stored()); len(diff) > 0 {
				d.t.Errorf("%s again changed\n%s", what, strings.Join(diff, "\n"))
			}
		}
		b.get("/settings/storage") // consumes the note
		b.header.Del("Accept-Language")
	}
}

// note returns the note of a page, without its button.
func (p *page) note() (said string) {
	if p.doc == nil {
		return ""
	}
	each(p.doc, func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == "p" && attr(n.Parent, "class") == "note" {
			said = strings.Join(strings.Fields(text(n)), " ")
		}
	})
	return said
}

// Each successful form leads to the page that shows the result, with a note in the visitor's
// language. Sending it twice has no second effect, or is refused without an effect.
func TestFormsAreAccepted(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	d := newDesk(t, r)
	b := d.browsers["ada"]
	pending := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "To delete", "channel_ids": []int64{r.Channel("ada", "Spare", "private")}}).Want(201)
	d.ids["spare"] = fmt.Sprint(pending.Int("id"))
	d.ids["sparechannel"] = r.Get("ada", "/v3/channels/spare").Str("slug")
	d.ids["token"] = b.get("/settings/personal-access-tokens").find(`name="revoke" value="(\d+)"`)
	d.ids["olgas"] = fmt.Sprint(r.Channel("olga", "Olga's", "public"))
	d.accept([]acceptance{
		{"ada", "/settings/profile", "/settings/profile", "web.note.profile", 0, form("name", "Ada Lovelace", "bio", "*Hello*")},
		{"ada", "/settings/personal-access-tokens", "/settings/personal-access-tokens", "web.note.token", 404, form("revoke", "{token}")},
		{"ada", "/settings/sessions", "/settings/sessions", "web.note.sessions", 0, form("end", "others")},
		{"ada", "/settings/feeds", "/settings/feeds", "web.note.feeds", 0, form("do", "renew")},
		{"ada", "/oauth/applications/{app}", "/oauth/applications/{app}", "web.note.application", 0, form("do", "save", "name", "Renamed")},
		{"ada", "/oauth/applications/{app}", "/oauth/applications", "web.note.application-deleted", 404, form("do", "delete")},
		{"ada", "/new", "/ada/lichen", "web.note.channel-made", 0, form("title", "Lichen", "visibility", "closed", "once", "new-1")},
		{"ada", "/ada/lichen/edit", "/ada/lichens", "web.note.channel-saved", 0, form("title", "Lichens", "description", "All of them", "visibility", "public", "meta_key", "colour", "meta_value", "green", "meta_was", "")},
		{"ada", "/ada/lichens/add", "/ada/lichens", "web.note.added", 0, form("value", "A lichen", "once", "add-1")},
		{"ada", "/ada/lichens/add", "/ada/moss", "web.note.added", 0, form("value", "Another lichen", "once", "add-2", "next", "/ada/moss")},
		{"ada", "/block/{block}/edit", "/block/{block}", "web.note.block-saved", 0, form("title", "Titled", "content", "A new text")},
		{"ada", "/block/{block}/connect", "/block/{block}", "web.note.connected", 0, form("channel", "{moss}", "shown", "{moss}")},
		{"ada", "/connection/{connection}", "/ada/moss", "web.note.moved", 0, form("do", "move", "to", "bottom")},
		{"ada", "/connection/{connection}", "/ada/moss", "web.note.connection-saved", 0, form("do", "edit", "meta_key", "k", "meta_value", "v", "meta_was", "")},
		{"ada", "/ada/moss/arrange", "/ada/moss/arrange", "web.note.moved-many|1", 0, form("do", "top", "connection", "{connection}")},
		{"ada", "/connections/undo", "/ada/moss", "web.note.undo-late", 0, form("undo", "nothing", "next", "/ada/moss")},
		{"ada", "/connection/{second}", "/ada", "", 404, form("do", "remove", "next", "/ada")},
		{"ada", "/channel/{moss}/pin", "/ada/moss", "", 0, form("do", "pin", "next", "/ada/moss")},
		{"ada", "/block/{spare}/delete", "/ada", "web.note.block-deleted", 404, form("sure", "yes", "next", "/block/{spare}")},
		{"eve", "/search/saved", "/search/saved", "web.note.search-saved", 0, form("do", "save", "q", "moss", "following", "1")},
		{"eve", "/block/{block}/highlights", "/block/{block}/read", "web.note.highlighted", 0, form("exact", "new text")},
		{"eve", "/settings/highlights/1", "/block/{block}/read#highlight-1", "web.note.highlight", 0, form("do", "change", "note", "How new?", "was_note", "")},
		{"eve", "/settings/highlights/1", "/settings/highlights", "web.note.highlight-deleted", 404, form("do", "delete")},
		{"eve", "/follow", "/ada", "", 0, form("type", "user", "id", "{ada}", "do", "follow", "next", "/ada")},
		{"eve", "/follow", "/feed", "", 0, form("type", "user", "id", "{ada}", "do", "unfollow")},
		{"eve", "/notifications", "/notifications", "web.note.notifications", 0, form("do", "all")},
		{"ada", "/comments/{comment}", "/block/{block}#comment-{comment}", "web.note.comment", 0, form("do", "save", "body", "Changed")},
		{"ada", "/comments/{comment}", "/block/{block}#comments", "web.note.comment-deleted", 404, form("do", "delete")},
		{"ada", "/group/guild/members", "/group/guild/members", "web.note.invite-link", 0, form("do", "link")},
		{"ada", "/group/guild/members", "/group/guild/members", "web.note.invite-link-ended", 0, form("do", "unlink")},
		{"ada", "/group/guild/members", "/group/guild/members", "web.note.member-removed", 0, form("remove", "{bob}")},
		{"ada", "/group/guild/edit", "/group/makers", "web.note.group", 0, form("name", "Makers", "description", "We make")},
		{"ada", "/group/makers/delete", "/groups", "web.note.group-deleted", 404, form("do", "delete")},
		{"ada", "/ada/moss/collaborators", "/ada/moss/collaborators", "web.note.collaborator-removed", 0, form("remove", "User:{bob}")},
		{"ada", "/report/channel/{olgas}", "/olga/olgas", "web.note.reported", 422, form("reason", "spam")},
		{"ada", "/settings/notices", "/settings/notices", "moderation.note.read", 0, form()},
		{"ada", "/settings/export", "/settings/export", "", 422, form("do", "start")},
		{"olga", "/operator/site", "/operator/site", "operator.note.site", 0, form("do", "save", "name", "Museum", "about", "What we are")},
		{"olga", "/operator/pages", "/operator/pages", "operator.note.page", 422, form("do", "save", "title", "Terms", "slug", "terms", "body", "Be kind")},
		{"olga", "/operator/pages/terms", "/operator/pages/terms", "operator.note.page", 0, form("do", "save", "title", "Rules", "body", "Be kind")},
		{"olga", "/operator/pages/terms", "/operator/pages", "operator.note.page-deleted", 404, form("do", "delete")},
		{"olga", "/operator/accounts/eve", "/operator/accounts/eve", "web.note.account", 0, form("do", "tier", "tier", "free")},
		{"olga", "/operator/accounts/eve", "/operator/accounts/eve", "web.note.account", 0, form("do", "email", "email", "eve@example.net")},
		{"olga", "/operator/accounts/eve", "/operator/accounts/eve", "operator.note.account-signed-out", 0, form("do", "sign-out", "tokens", "yes")},
		{"olga", "/operator/accounts/eve", "/operator/accounts/eve", "web.note.account", 0, form("do", "suspend")},
		{"olga", "/operator/accounts/eve", "/operator/accounts/eve", "web.note.account", 0, form("do", "restore")},
		{"olga", "/operator/accounts/eve", "/operator/accounts", "operator.note.deleted", 404, form("do", "delete", "slug", "eve")},
		{"olga", "/operator/sign-up", "/operator/sign-up", "web.note.sign-up", 0, form("do", "mode", "mode", "closed")},
		{"olga", "/operator/blocklist", "/operator/blocklist", "moderation.note.blocked", 0, form("kind", "domain", "value", "spam.example")},
		{"olga", "/operator/blocklist", "/operator/blocklist", "moderation.note.unblocked", 404, form("remove", "1")},
		{"olga", "/operator/hide/block/{bobs}", "/operator/hidden", "moderation.note.hidden", 422, form("text", "Not here")},
		{"olga", "/operator/hidden", "/operator/hidden", "moderation.note.shown", 404, form("show", "1")},
		{"olga", "/operator/reports/{case}", "/operator/reports", "moderation.note.decided", 422, form("outcome", "warned", "text", "Please do not")},
		{"ada", "/settings/trash", "/settings/trash", "web.note.emptied", 0, form("empty", "99")},
		{"ada", "/channel/{moss}/delete", "/ada", "web.note.channel-deleted", 404, form("sure", "yes")},
	})
	if n := r.Get("ada", "/v3/users/ada/contents?type=Channel&per=100"); strings.Count(string(n.Body), `"title":"Lichen`) != 1 {
		t.Errorf("sending the form of a channel twice made two: %s", n.Body)
	}
	if n := r.Get("ada", "/v3/channels/lichens/contents"); n.Len("data") != 2 {
		t.Errorf("sending the form of a block twice made two: %s", n.Body)
	}
}
