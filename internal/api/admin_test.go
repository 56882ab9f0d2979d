package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
)

// administration is a world with an operator's tokens.
type administration struct {
	*limitedWorld
	all string // the token with all abilities
}

func newAdministration(r *apptest.Rig) *administration {
	r.Operator("ada")
	a := &administration{limitedWorld: &limitedWorld{Rig: r}}
	a.all = a.limited("ada", domain.AdminAbilities)
	return a
}

// do sends a request with the token for everything.
func (a *administration) do(status int, method, path string, body any) *apptest.Response {
	a.T.Helper()
	return a.with(a.all, method, "/ext/v1/admin/"+path, body).Want(status)
}

// adminOperations returns the operations of operators.
func adminOperations(r *apptest.Rig) []*describe.Operation {
	return slices.DeleteFunc((&limitedWorld{Rig: r}).operations(), func(op *describe.Operation) bool { return !strings.HasPrefix(op.Path, "/ext/v1/admin/") })
}

// Each operation of operators is refused to guests, to members and to tokens of operators that do not name its ability,
// before anything is read or changed. One ability allows it, or admin:read besides if it only reads.
func TestAdminOperations(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a := newAdministration(r)
		tokens := map[domain.Ability]string{}
		for _, ability := range domain.AdminAbilities {
			tokens[ability] = a.limited("ada", []domain.Ability{ability})
		}
		member := a.limited("bob", []domain.Ability{domain.MayAccount})
		_, _, err := r.S.App.Accounts.CreateOwnToken(t.Context(), domain.Actor{UserID: r.Person("ada").ID}, accounts.TokenInput{Name: "x", Scope: domain.ScopeWrite,
			Abilities: domain.AdminAbilities, Channels: []domain.ChannelID{domain.ChannelID(a.Channel("ada", "Channel", "public"))}})
		if domain.KindOf(err) != domain.Invalid {
			t.Errorf("a token that is limited to channels may operate the server: %v", err)
		}
		before := a.Dump()
		parameter := regexp.MustCompile(`\{\w+\}`)
		ops := adminOperations(r)
		for _, op := range ops {
			path := parameter.ReplaceAllString(strings.ReplaceAll(op.Path, "{type}", "Block"), "77")
			if op.ID == "adminDeleteAccount" {
				path += "?slug=nobody"
			}
			var body any
			if op.HasBody {
				body = map[string]any{}
			}
			for who, want := range map[string]int{"": http.StatusUnauthorized, "bob": http.StatusForbidden, "ada": http.StatusForbidden} {
				if got := r.Do(who, op.Method, path, body); got.Status != want {
					t.Errorf("%s as %q: %d %s", op.ID, who, got.Status, got.Body)
				}
			}
			if got := a.with(member, op.Method, path, body); got.Status != http.StatusForbidden {
				t.Errorf("%s with another ability: %d %s", op.ID, got.Status, got.Body)
			}
			var can []domain.Ability
			for _, ability := range domain.AdminAbilities {
				limits := domain.NewTokenLimits([]domain.Ability{ability}, nil)
				if httpedge.WithinLimits(op.ID, limits) == nil {
					can = append(can, ability)
				} else if got := a.with(tokens[ability], op.Method, path, body); got.Status != http.StatusForbidden {
					t.Errorf("%s with %s: %d %s", op.ID, ability, got.Status, got.Body)
				}
			}
			if len(can) != 1 && !(len(can) == 2 && can[0] == domain.AdminRead && op.Method == http.MethodGet) {
				t.Errorf("%s is possible with %v", op.ID, can)
			}
		}
		if len(ops) < 40 {
			t.Errorf("there are only %d operations", len(ops))
		}
		for table, rows := range a.Dump() {
			if table != "tokens" && !slices.Equal(rows, before[table]) {
				t.Errorf("%s has changed", table)
			}
		}
	})
}

// What an operator changes is what the pages change, and the audit log names the token.
func TestAdminAccounts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a := newAdministration(r)
		bob := fmt.Sprint("accounts/", r.Person("bob").ID)
		r.Do("bob", "PATCH", "/ext/v1/me", map[string]any{"name": "Robert"}).Want(200)
		r.Exec("UPDATE changes SET detail = 'Secret name' WHERE type = 'User' AND thing_id = $1", int64(r.Person("bob").ID))
		made := a.do(201, "POST", "accounts", map[string]any{"name": "Grace", "email": "Grace@example.org"})
		if made.Str("slug") != "grace" || made.Str("role") != "member" || made.Str("tier") != "supporter" {
			t.Errorf("created %s", made.Body)
		}
		a.do(400, "POST", "accounts", map[string]any{"name": "Other", "email": "grace@example.org"})
		a.do(400, "POST", "accounts", map[string]any{"name": "Other", "email": "nobody"})
		a.do(400, "POST", "accounts", map[string]any{"name": "a\x00b", "email": "other@example.org"})
		if found := a.do(200, "GET", "accounts?query=grA", nil); found.Len("data") != 1 || found.Int("data.0.id") != made.Int("id") {
			t.Errorf("found %s", found.Body)
		}
		seen, next := []int64{}, ""
		for range 10 {
			part := a.do(200, "GET", "accounts?limit=1&cursor="+next, nil)
			seen = append(seen, part.Int("data.0.id"))
			if part.Get("next_cursor") == nil {
				break
			}
			next = part.Str("next_cursor")
		}
		if len(seen) < 3 || !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != len(seen) {
			t.Errorf("the pages list %v", seen)
		}
		for _, cursor := range []string{"x", "-1", "1-x", "99999999999999999999"} {
			a.do(400, "GET", "accounts?cursor="+cursor, nil)
		}
		a.do(400, "GET", "accounts?limit=101", nil)

		if got := a.do(200, "PATCH", bob, map[string]any{"suspended": true, "tier": "free"}); !got.Bool("suspended") || got.Str("tier") != "free" {
			t.Errorf("changed to %s", got.Body)
		}
		r.Do("bob", "GET", "/v3/me", nil).Want(401)
		a.do(422, "POST", bob+"/password-reset", map[string]any{"mail": false})
		a.do(200, "PATCH", bob, map[string]any{"suspended": false})
		r.Do("bob", "GET", "/v3/me", nil).Want(200)
		a.do(422, "PATCH", fmt.Sprint("accounts/", r.Person("ada").ID), map[string]any{"suspended": true})
		a.do(404, "PATCH", "accounts/nobody", map[string]any{"suspended": true})
		a.do(400, "PATCH", bob, map[string]any{})
		if got := a.do(200, "PUT", bob+"/email", map[string]any{"email": "bob@else.test"}); got.Str("email") != "bob@else.test" {
			t.Errorf("the address is %s", got.Body)
		}
		a.do(400, "PUT", bob+"/email", map[string]any{"email": "grace@example.org"})
		a.do(400, "PUT", bob+"/password", map[string]any{"password": "short"})
		a.do(200, "PUT", bob+"/password", map[string]any{"password": "a long sentence with words"})
		if link := a.do(200, "POST", bob+"/password-reset", map[string]any{"mail": false}).Str("address"); !strings.HasPrefix(link, apptest.Base) {
			t.Errorf("the link is %q", link)
		}
		a.do(422, "DELETE", bob+"/second-factor", nil)
		if got := a.do(200, "GET", bob, nil); !got.Bool("has_password") || got.Int("tokens") != 2 || !got.Bool("deletion.possible") {
			t.Errorf("details %s", got.Body)
		}
		tokens := a.do(200, "GET", bob+"/tokens?limit=1", nil)
		a.do(204, "DELETE", fmt.Sprint("tokens/", tokens.Int("data.0.id")), nil)
		r.Do("bob/read", "GET", "/v3/me", nil).Want(401)
		a.do(200, "POST", bob+"/sign-out", map[string]any{"tokens": true})
		r.Do("bob", "GET", "/v3/me", nil).Want(401)

		invited := a.do(200, "POST", "invitations", map[string]any{"email": "new@example.org", "mail": false})
		a.do(200, "POST", "invitations", map[string]any{"email": "grace@example.org", "mail": false})
		if again := a.do(200, "POST", "invitations", map[string]any{"email": "new@example.org", "mail": false}); again.Str("outcome") != "already_invited" {
			t.Errorf("invited again: %s", again.Body)
		}
		if open := a.do(200, "GET", "invitations", nil); open.Len("data") != 1 || open.Str("data.0.email") != "new@example.org" {
			t.Errorf("open invitations %s", open.Body)
		}
		a.do(204, "DELETE", fmt.Sprint("invitations/", invited.Int("invitation_id")), nil)
		a.do(404, "DELETE", fmt.Sprint("invitations/", invited.Int("invitation_id")), nil)
		link := a.do(201, "POST", "sign-up-links", map[string]any{"places": 2})
		if all := a.do(200, "GET", "sign-up-links", nil); all.Len("data") != 1 || all.Get("data.0.address") != nil || link.Str("address") == "" {
			t.Errorf("links %s", all.Body)
		}
		a.do(204, "DELETE", fmt.Sprint("sign-up-links/", link.Int("id")), nil)
		app := a.do(201, "POST", "applications", map[string]any{"account": "grace", "name": "Mirror", "redirect_uris": []string{"https://app.example/back"}})
		a.do(204, "DELETE", "applications/"+app.Str("client_id"), nil)
		a.do(404, "DELETE", "applications/"+app.Str("client_id"), nil)

		a.do(400, "DELETE", bob+"?slug=ada", nil)
		r.Do("bob", "GET", "/ext/v1/receipts/NOSUCHRECEIPTNOSUCH22", nil).Want(401) // the tokens are revoked
		r.Do("", "GET", "/ext/v1/receipts/NOSUCHRECEIPTNOSUCH22", nil).Want(404)
		r.Do("", "GET", "/ext/v1/receipts/a%00b", nil).Want(404)
		a.do(202, "POST", bob+"/exports", nil)
		a.do(422, "POST", bob+"/exports", nil)
		r.WorkJobs()
		erased := a.do(200, "DELETE", bob+"?slug=bob", nil)
		if erased.Str("kind") != "erasure" || !erased.Bool("by_operator") || erased.Get("done_at") != nil {
			t.Errorf("the receipt is %s", erased.Body)
		}
		r.WorkJobs()
		if left := strings.Join(a.Dump()["changes"], "\n"); strings.Contains(left, "Secret name") {
			t.Errorf("the changes contain %s", left)
		}
		read := r.Do("", "GET", "/ext/v1/receipts/"+erased.Str("code"), nil).Want(200)
		if read.Get("done_at") == nil || strings.Contains(string(read.Body), "bob") {
			t.Errorf("afterwards the receipt is %s", read.Body)
		}
		if all := a.do(200, "GET", "receipts", nil); all.Len("data") != 2 || all.Str("data.1.receipt.kind") != "export" {
			t.Errorf("the receipts are %s", all.Body)
		}
		a.do(404, "GET", bob, nil)
		log := a.do(200, "GET", "audit?limit=100", nil)
		for _, act := range []domain.Act{domain.ActAccountCreated, domain.ActAccountSuspended, domain.ActAccountRestored, domain.ActTierChanged, domain.ActEmailChanged,
			domain.ActPasswordChanged, domain.ActResetSent, domain.ActTokenRevoked, domain.ActSignedOutAll, domain.ActAccountInvited, domain.ActSignUpLinkEnded,
			domain.ActAppCreated, domain.ActAppDeleted, domain.ActAccountDeleted} {
			found := false
			for i := range log.Len("data") {
				at := fmt.Sprintf("data.%d.", i)
				if log.Str(at+"act") == string(act) && log.Str(at+"actor") == "ada" {
					name, _ := log.Lookup(at + "details.token_name")
					found = found || name == "limited"
				}
			}
			if !found {
				t.Errorf("no entry of %s names the token: %s", act, log.Body)
			}
		}
		if part := a.do(200, "GET", "audit?limit=1&act=account.deleted", nil); part.Str("data.0.about.label") != "bob" {
			t.Errorf("filtered %s", part.Body)
		}
		first := a.do(200, "GET", "audit?limit=1", nil)
		if second := a.do(200, "GET", "audit?limit=1&cursor="+first.Str("next_cursor"), nil); second.Int("data.0.id") == first.Int("data.0.id") {
			t.Errorf("the second page is the first %s", second.Body)
		}
		a.do(400, "GET", "audit?act=account.eaten", nil)
	})
}

// Reports, hidden content and the blocklist.
func TestAdminModeration(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a := newAdministration(r)
		channel := r.Channel("bob", "Advertising", "public")
		block := r.Block("bob", "Buy this", channel)
		r.Do("cyd", "POST", "/ext/v1/reports", map[string]any{"type": "Block", "id": block, "reason": "spam"}).Want(204)
		open := a.do(200, "GET", "reports", nil)
		id := open.Int("data.0.id")
		if got := a.do(200, "GET", fmt.Sprint("reports/", id), nil); got.Str("entries.0.reporter") != "cyd" || got.Str("excerpt") != "Buy this" {
			t.Errorf("the report is %s", got.Body)
		}
		if got := a.do(200, "GET", fmt.Sprint("content/Block/", block), nil); got.Int("item.id") != block {
			t.Errorf("the content is %s", got.Body)
		}
		a.do(404, "GET", fmt.Sprint("content/Channel/", channel), nil)
		a.do(400, "POST", fmt.Sprintf("reports/%d/decision", id), map[string]any{"outcome": "warned"})
		if got := a.do(200, "POST", fmt.Sprintf("reports/%d/decision", id), map[string]any{"outcome": "hidden", "text": "Advertising"}); got.Str("outcome") != "hidden" {
			t.Errorf("decided %s", got.Body)
		}
		a.do(409, "POST", fmt.Sprintf("reports/%d/decision", id), map[string]any{"outcome": "dismissed"})
		r.Do("cyd", "GET", fmt.Sprint("/v3/blocks/", block), nil).Want(404)
		hidden := a.do(200, "GET", "hidden", nil)
		a.do(409, "POST", "hidden", map[string]any{"type": "Block", "id": block})
		a.do(204, "DELETE", fmt.Sprint("hidden/", hidden.Int("data.0.id")), nil)
		r.Do("cyd", "GET", fmt.Sprint("/v3/blocks/", block), nil).Want(200)
		a.do(201, "POST", "hidden", map[string]any{"type": "Channel", "id": channel})
		if got := a.do(200, "GET", fmt.Sprint("content/Channel/", channel), nil); got.Len("contents") != 1 {
			t.Errorf("the channel is %s", got.Body)
		}
		if closed := a.do(200, "GET", "reports?state=closed", nil); closed.Len("data") != 1 || a.do(200, "GET", "reports", nil).Len("data") != 0 {
			t.Errorf("closed %s", closed.Body)
		}
		entry := map[string]any{"kind": "domain", "value": "spam.example"}
		added := a.do(201, "POST", "blocklist", entry)
		a.do(200, "POST", "blocklist", entry)
		a.do(400, "POST", "blocklist", map[string]any{"kind": "network", "value": "0.0.0.0/0"})
		a.do(204, "DELETE", fmt.Sprint("blocklist/", added.Int("id")), nil)
		a.do(404, "DELETE", fmt.Sprint("blocklist/", added.Int("id")), nil)
		all := string(a.do(200, "GET", "audit?limit=100", nil).Body)
		reader := a.limited("ada", []domain.Ability{domain.AdminRead})
		some := string(a.with(reader, "GET", "/ext/v1/admin/audit?limit=100", nil).Want(200).Body)
		if !strings.Contains(all, "Buy this") || !strings.Contains(all, "spam.example") || !strings.Contains(some, "content.hidden") ||
			strings.Contains(some, "Buy this") || strings.Contains(some, "spam.example") || strings.Contains(some, "Advertising") {
			t.Errorf("who moderates reads %s, and who does not %s", all, some)
		}
		a.with(reader, "GET", "/ext/v1/admin/audit?about=Buy+this", nil).Want(403)
	})
}

// A suspended operator's tokens do not operate the server again when the suspension is lifted.
func TestAdminEndsWithSuspension(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a := newAdministration(r)
		r.Operator("eve")
		token := a.limited("eve", []domain.Ability{domain.AdminRead})
		a.with(token, "GET", "/ext/v1/admin/server", nil).Want(200)
		for _, suspended := range []bool{true, false} {
			a.do(200, "PATCH", "accounts/eve", map[string]any{"suspended": suspended})
		}
		a.with(token, "GET", "/ext/v1/admin/server", nil).Want(401)
		r.Get("eve", "/v3/me")
	})
}

// Jobs, backups and the site.
func TestAdminServer(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a := newAdministration(r)
		if got := a.do(200, "GET", "server", nil); got.Int("users") != 1 {
			t.Errorf("the server is %s", got.Body)
		}
		for n := range 3 {
			r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": fmt.Sprintf("https://example.com/%d", n), "channel_ids": []int64{r.Channel("ada", fmt.Sprint(n), "public")}}).Want(201)
		}
		seen, next := map[int64]bool{}, ""
		for range 20 {
			part := a.do(200, "GET", "jobs?state=waiting&limit=1&cursor="+next, nil)
			if part.Len("data") > 0 {
				seen[part.Int("data.0.id")] = true
			}
			if part.Get("next_cursor") == nil {
				break
			}
			next = part.Str("next_cursor")
		}
		if all := a.do(200, "GET", "jobs?state=waiting&limit=100", nil); all.Len("data") != len(seen) || len(seen) < 3 {
			t.Errorf("the parts list %v of %s", seen, all.Body)
		}
		if next != "" {
			a.do(400, "GET", "jobs?state=failed&cursor="+next, nil)
		}
		a.do(400, "GET", "jobs?cursor=bad", nil)
		for id := range seen {
			a.do(204, "POST", fmt.Sprintf("jobs/%d/retry", id), map[string]any{"force": false})
			break
		}
		a.do(404, "POST", "jobs/9999999/retry", map[string]any{"force": false})
		a.do(200, "GET", "backfills", nil)
		a.do(200, "GET", "backups", nil)
		a.do(422, "POST", "backups", nil)
		site := a.do(200, "GET", "site", nil)
		changed := a.do(200, "PATCH", "site", map[string]any{"name": "Kelp", "about": "A *place*", "seen": site.Int("version")})
		if changed.Str("name") != "Kelp" || changed.Str("about") != "A *place*" {
			t.Errorf("changed to %s", changed.Body)
		}
		a.do(409, "PATCH", "site", map[string]any{"name": "Other", "seen": site.Int("version")})
		a.do(204, "PUT", "site/sign-up", map[string]any{"mode": "closed"})
		a.do(200, "PUT", "pages/imprint", map[string]any{"title": "Imprint", "body": "Text", "seen": 0})
		a.do(400, "PUT", "pages/imprint", map[string]any{"title": "Imprint", "body": "Text", "seen": 0})
		a.do(400, "PUT", "pages/No%20Slug", map[string]any{"title": "Imprint", "body": "Text"})
		if got := a.do(200, "GET", "pages/imprint", nil); got.Str("body") != "Text" || a.do(200, "GET", "pages", nil).Len("data") != 1 {
			t.Errorf("the page is %s", got.Body)
		}
		a.do(204, "DELETE", "pages/imprint", nil)
		a.do(404, "DELETE", "pages/imprint", nil)
	})
}

// counts returns how many entries of the audit log are of each act, by this token.
func (a *administration) counts() map[domain.Act]int {
	n, log := map[domain.Act]int{}, a.do(200, "GET", "audit?limit=100", nil)
	for i := range log.Len("data") {
		at := fmt.Sprintf("data.%d.", i)
		if name, _ := log.Lookup(at + "details.token_name"); log.Str(at+"actor") == "ada" && name == "limited" {
			n[domain.Act(log.Str(at+"act"))]++
		}
	}
	return n
}

// Announcements: a refused request changes nothing. Without an announcement, removing it changes nothing either.
func TestAdminAnnouncement(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a := newAdministration(r)
		const path = "site/announcement"
		first := a.do(200, "GET", "site", nil).Int("version")
		a.do(204, "DELETE", path, nil)
		if now := a.do(200, "GET", "site", nil).Int("version"); now != first {
			t.Errorf("without an announcement, removing it leads from version %d to %d", first, now)
		}
		until := r.Clock.Now().Add(time.Hour).UTC().Truncate(time.Second)
		said := a.do(200, "PUT", path, map[string]any{"announcement": "New *machines*", "severity": "warning", "until": until.Format(time.RFC3339), "seen": first})
		if end, err := time.Parse(time.RFC3339, said.Str("announced_until")); err != nil || !end.Equal(until) || said.Str("announcement") != "New *machines*" || said.Str("severity") != "warning" {
			t.Errorf("announced %s", said.Body)
		}
		shown := r.Get("", "/ext/v1/site")
		if shown.Str("announcement.plain") != "New machines" {
			t.Errorf("guests see %s", shown.Body)
		}
		for name, body := range map[string]map[string]any{
			"no text": {"severity": "info"}, "empty": {"announcement": ""}, "blank": {"announcement": " \n"}, "NUL": {"announcement": "a\x00b"}, "long": {"announcement": strings.Repeat("ä", domain.MaxAnnouncement+1)},
			"severity": {"announcement": "x", "severity": "catastrophe"}, "no severity": {"announcement": "x", "severity": ""}, "passed": {"announcement": "x", "until": r.Clock.Now().Add(-time.Second)},
			"no time": {"announcement": "x", "until": "tomorrow"}, "empty time": {"announcement": "x", "until": ""}, "null": {"announcement": "x", "until": nil}, "version": {"announcement": "x", "seen": -1},
		} {
			if got := a.with(a.all, "PUT", "/ext/v1/admin/"+path, body); got.Status != 400 {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		a.do(409, "PUT", path, map[string]any{"announcement": "Other", "seen": first})
		if now := a.do(200, "GET", "site", nil); string(now.Body) != string(said.Body) || string(r.Get("", "/ext/v1/site").Body) != string(shown.Body) {
			t.Errorf("refused requests changed it to %s", now.Body)
		}
		long := strings.Repeat("ä", domain.MaxAnnouncement)
		if got := a.do(200, "PUT", path, map[string]any{"announcement": long, "seen": said.Int("version")}); got.Str("announcement") != long || got.Str("severity") != "info" || got.Get("announced_until") != nil {
			t.Errorf("replaced by %s", got.Body)
		}
		a.do(204, "DELETE", path, nil)
		if now := a.do(200, "GET", "site", nil); now.Get("announcement") != nil || r.Get("", "/ext/v1/site").Get("announcement") != nil {
			t.Errorf("removed: %s", now.Body)
		}
		if n := a.counts(); n[domain.ActAnnounced] != 2 || n[domain.ActAnnouncementEnded] != 1 {
			t.Errorf("the audit log has %v", n)
		}
	})
}

// The read-only mode, during which announcing and the mode itself can be changed.
func TestAdminReadOnly(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a := newAdministration(r)
		const path = "read-only"
		r.Person("bob")
		create := func(status int) *apptest.Response {
			t.Helper()
			return r.Do("bob", "POST", "/v3/channels", map[string]any{"title": "New"}).Want(status)
		}
		writable := a.do(200, "GET", path, nil)
		if writable.Bool("read_only") || writable.Get("reason") != nil || writable.Get("since") != nil || writable.Get("until") != nil {
			t.Errorf("at first it is %s", writable.Body)
		}
		for name, body := range map[string]any{
			"no body": nil, "long": map[string]any{"reason": strings.Repeat("ä", domain.MaxReadOnlyReason+1)}, "blank": map[string]any{"reason": " "},
			"NUL": map[string]any{"reason": "a\x00b"}, "number": map[string]any{"reason": 7}, "passed": map[string]any{"until": r.Clock.Now().Add(-time.Second)},
			"no time": map[string]any{"until": "tomorrow"}, "empty time": map[string]any{"until": ""},
		} {
			if got := a.with(a.all, "PUT", "/ext/v1/admin/"+path, body); got.Status != 400 {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		a.do(204, "DELETE", path, nil)
		create(201)
		until := r.Clock.Now().Add(time.Hour).UTC().Truncate(time.Second)
		begun := a.do(200, "PUT", path, map[string]any{"reason": strings.Repeat("ä", domain.MaxReadOnlyReason), "until": until.Format(time.RFC3339)})
		if end, err := time.Parse(time.RFC3339, begun.Str("until")); err != nil || !end.Equal(until) || !begun.Bool("read_only") || begun.Str("reason") != strings.Repeat("ä", domain.MaxReadOnlyReason) {
			t.Errorf("it begins with %s", begun.Body)
		}
		if now := a.do(200, "GET", path, nil); string(now.Body) != string(begun.Body) {
			t.Errorf("it is %s", now.Body)
		}
		create(503)
		a.do(503, "PATCH", "site", map[string]any{"name": "Kelp"})
		a.do(200, "PUT", "site/announcement", map[string]any{"announcement": "New machines"})
		a.do(204, "DELETE", "site/announcement", nil)
		again := a.do(200, "PUT", path, map[string]any{})
		if again.Str("since") != begun.Str("since") || again.Get("reason") != nil || again.Get("until") != nil {
			t.Errorf("replaced by %s", again.Body)
		}
		create(503)
		if n := a.counts(); n[domain.ActAnnounced] != 1 || n[domain.ActAnnouncementEnded] != 1 || n[domain.ActReadOnlyBegun] != 2 || n[domain.ActReadOnlyEnded] != 0 {
			t.Errorf("the audit log has %v", n)
		}
		a.do(204, "DELETE", path, nil)
		a.do(204, "DELETE", path, nil)
		if now := a.do(200, "GET", path, nil); string(now.Body) != string(writable.Body) {
			t.Errorf("at last it is %s", now.Body)
		}
		create(201)
		if n := a.counts(); n[domain.ActReadOnlyBegun] != 2 || n[domain.ActReadOnlyEnded] != 1 {
			t.Errorf("the audit log has %v", n)
		}
	})
}

// Only operators create such tokens. The tokens end with the office, and stay ended if it is given back.
func TestAdminTokensEnd(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a := newAdministration(r)
		r.Operator("bob")
		in := accounts.TokenInput{Name: "limited", Scope: domain.ScopeWrite, Abilities: []domain.Ability{domain.AdminRead, domain.MaySave}}
		if _, _, err := r.S.App.Accounts.CreateOwnToken(t.Context(), domain.Actor{UserID: r.Person("cyd").ID}, in); domain.KindOf(err) != domain.Invalid {
			t.Errorf("a member creates a token: %v", err)
		}
		if _, _, err := r.S.App.Accounts.CreateToken(t.Context(), r.Person("cyd").ID, in); domain.KindOf(err) != domain.Invalid {
			t.Errorf("the command line creates a token for a member: %v", err)
		}
		token := a.limited("bob", in.Abilities)
		a.with(token, "GET", "/ext/v1/admin/server", nil).Want(200)
		a.do(200, "PATCH", "accounts/bob", map[string]any{"role": "member"})
		a.with(token, "GET", "/ext/v1/admin/server", nil).Want(401)
		r.Operator("bob")
		a.with(token, "GET", "/ext/v1/admin/server", nil).Want(401)
		a.with(token, "GET", "/v3/me", nil).Want(401)
		r.Do("bob", "GET", "/v3/me", nil).Want(200) // other tokens stay
	})
}

// An application may operate the server only if an operator agrees to that explicitly, and only until the office ends.
func TestAdminApplication(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		newAdministration(r)
		r.Operator("bob")
		ctx, of := t.Context(), r.S.App.Accounts
		bob, member := domain.Actor{UserID: r.Person("bob").ID}, domain.Actor{UserID: r.Person("cyd").ID}
		const back = "https://app.example/back"
		secret, app, err := of.CreateApplication(ctx, member, accounts.ApplicationInput{Name: "Console", RedirectURIs: []string{back}})
		if err != nil {
			t.Fatal(err)
		}
		ask := accounts.AuthorizationRequest{ClientID: app.ClientID, RedirectURI: back, ResponseType: "code", Scope: "write admin:read"}
		refused := func(err error) bool {
			known, ok := errors.AsType[*accounts.OAuthError](err)
			return ok && known.Code == "invalid_scope"
		}
		if _, err := of.Authorization(ctx, member, ask); !refused(err) {
			t.Errorf("a member is asked: %v", err)
		}
		agreed := ask
		agreed.Operating = true
		if _, err := of.Allow(ctx, member, agreed); !refused(err) {
			t.Errorf("a member allows it: %v", err)
		}
		if _, err := of.Allow(ctx, bob, ask); domain.KindOf(err) != domain.Invalid {
			t.Errorf("allowed without the box: %v", err)
		}
		plain := ask
		plain.Scope = "write"
		if _, err := of.Allow(ctx, bob, plain); err != nil {
			t.Fatal(err)
		}
		if c, err := of.Authorization(ctx, bob, ask); err != nil || c.Granted {
			t.Errorf("write includes operating the server: %v", err)
		}
		to, err := of.Allow(ctx, bob, agreed)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(to)
		got := r.Do("", "POST", "/v3/oauth/token", map[string]any{"grant_type": "authorization_code", "client_id": app.ClientID, "client_secret": secret,
			"code": u.Query().Get("code"), "redirect_uri": back}).Want(200)
		a := &limitedWorld{Rig: r}
		a.with(got.Str("access_token"), "GET", "/ext/v1/admin/server", nil).Want(200)
		a.with(got.Str("access_token"), "POST", "/ext/v1/admin/backups", nil).Want(403)
		a.with(got.Str("access_token"), "POST", "/v3/channels", map[string]any{"title": "New"}).Want(201)
		agreed.Scope = "admin:accounts"
		if to, err = of.Allow(ctx, bob, agreed); err != nil {
			t.Fatal(err)
		}
		u, _ = url.Parse(to)
		own := r.Do("", "POST", "/v3/oauth/token", map[string]any{"grant_type": "authorization_code", "client_id": app.ClientID, "client_secret": secret,
			"code": u.Query().Get("code"), "redirect_uri": back}).Want(200).Str("access_token")
		a.with(own, "PATCH", "/ext/v1/admin/accounts/bob", map[string]any{"role": "member"}).Want(200) // with the token that this ends
		a.with(own, "GET", "/v3/me", nil).Want(401)
		a.with(got.Str("access_token"), "GET", "/v3/me", nil).Want(401)
	})
}
