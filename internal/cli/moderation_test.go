package cli_test

import (
	"strings"
	"testing"
)

func TestReportsCommand(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("user", "create", "--name", "Ada", "--email", "ada@example.org").ok()
		p.exec(`INSERT INTO report_cases (kind, target_id, label, owner_id, reports, opened_at, last_at, closed_by, outcome, words)
			VALUES ('User', 1, 'ada', 1, 1, 5, 5, 0, '', '')`)
		p.exec(`INSERT INTO reports (case_id, reporter_id, reason, words, created_at) VALUES (1, 1, 'spam', '', 5)`)
		if r := p.run("reports", "list").ok(); !strings.Contains(r.out, "User 1  ada  \"ada\"") {
			t.Errorf("%q", r.out)
		}
		p.run("reports", "list", "--limit", "0").fails(2, "--limit: want 1 to 1000; --below: an id")
		p.run("reports", "close", "1", "dance").fails(2, "outcome: must be one of dismissed, warned, deleted, suspended")
		p.run("reports", "close", "1", "warned").fails(2, "text: must not be blank")
		p.run("reports", "close", "1", "suspended").fails(2, "--yes: must be given to delete or suspend")
		p.run("reports", "close", "9", "dismissed").fails(1, "there is no report 9")
		p.run("reports", "close", "1", "deleted", "--yes").fails(1, "An account is deleted on its own page, or suspended")
		p.run("reports", "close", "1", "warned", "--text", "Mind the moss").ok()
		p.run("reports", "close", "1", "dismissed").fails(1, "This was decided already")
		if r := p.run("reports", "list", "--closed", "--json").ok(); !strings.Contains(r.out, `"outcome": "warned"`) {
			t.Errorf("%q", r.out)
		}
		if r := p.run("audit", "--act", "report.closed").ok(); strings.Count(r.out, `"name":"command line"`) != 1 {
			t.Errorf("%q", r.out)
		}
	})
}
