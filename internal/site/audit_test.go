package site_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// The log on the site: entries with address and request, filters, pages that continue where the
// last one ended, and the file.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, eve := first(t, r), member(t, r, "eve")
		operator.post("/operator/accounts/eve", "do", "suspend").leads("/operator/accounts/eve")
		operator.post("/operator/accounts/eve", "do", "restore").leads("/operator/accounts/eve")
		eve.post("/sign-in", "email", "eve@example.org", "password", "wrong one").want(http.StatusUnprocessableEntity)
		operator.get("/operator/audit").want(200).says("Account suspended", "Suspension lifted", "Sign-in refused", "why: password", "not signed in")
		for query, tt := range map[string]struct{ says, hides string }{
			"act=session.refused":           {"not signed in</bdi>", "restored</strong>"},
			"actor=ada":                     {"<strong>Account suspended", "<strong>Sign-in refused"},
			"actor=not+signed+in":           {"<strong>Sign-in refused", "<strong>Account suspended"},
			"about=eve&act=":                {"<strong>Account suspended", "why: unknown"},
			"about=User+2":                  {"<strong>Account suspended", "<strong>Signed in"},
			"about=nobody":                  {"No entry is like that", "<strong>Account suspended"},
			"from=1999-01-01&to=1999-01-02": {"No entry is like that", "<strong>Account"},
			"after=x-1":                     {"<strong>Account suspended", "Newest"},
			"after=1-1":                     {"No entry is like that", "<strong>Account"},
			"after=9223372036854775807-5":   {"Newest", "oops"},
			"actor=%00":                     {"<strong>Account suspended", "oops"},
		} {
			operator.get("/operator/audit?" + query).want(200).says(tt.says).hides(tt.hides)
		}
		for _, query := range []string{"from=1999-13-01", "to=yesterday", "act=dance", "from=2020-01-02&to=2019-01-01", "actor=" + strings.Repeat("x", 300)} {
			operator.get("/operator/audit?" + query).want(422)
			operator.get("/operator/audit/file?" + query).want(400)
		}
		file := operator.get("/operator/audit/file?act=account.suspended").want(200)
		if !regexp.MustCompile(`^\{"id":\d+,"at":"[^"]+","actor":\{"id":1,"name":"ada"\},"act":"account.suspended","about":\{"type":"User","id":2,"label":"eve"\},"address":"[^"]+","request_id":"[^"]+"\}\n$`).MatchString(file.body) {
			t.Error(file.body)
		}
		for i := range 60 {
			r.Exec(`INSERT INTO audit_entries (at, actor_id, actor, act, kind, target_id, label, details, address, request)
				VALUES (5, 0, 'crowd', 'job.retried', 'Job', $1, $2, '{}', '', '')`, i+1, fmt.Sprintf("job %03d", i))
		}
		page := operator.get("/operator/audit?actor=crowd").want(200).says("job 059", "job 010").hides("job 009")
		older := regexp.MustCompile(`href="(/operator/audit\?[^"]*after=[^"]*)"`).FindStringSubmatch(page.body)
		if older == nil {
			t.Fatal("there is no further page")
		}
		operator.get(strings.ReplaceAll(older[1], "&amp;", "&")).want(200).says("job 009", "job 000", "Newest").hides("job 010")
	}, people)
}
