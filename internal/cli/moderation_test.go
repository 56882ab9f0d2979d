package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReportsCommand(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("user", "create", "--name", "Ada", "--email", "ada@example.org").ok()
		p.exec(`INSERT INTO report_cases (kind, target_id, label, owner_id, reports, opened_at, last_at, closed_by, outcome, words)
			VALUES ('User', 1, 'ada', 1, 1, 5, 5, 0, '', '')`)
		p.exec(`INSERT INTO reports (case_id, reporter_id, reason, words, created_at) VALUES (1, 1, 'spam', '` + "Look\x1b[2J\nhere" + `', 5)`)
		if r := p.run("reports", "list").ok(); !strings.Contains(r.out, "User 1  ada  \"ada\"") {
			t.Errorf("%q", r.out)
		}
		if r := p.run("reports", "show", "1").ok(); !strings.Contains(r.out, "about    User 1, \"ada\"\n") || !strings.Contains(r.out, "state    open\n") ||
			!strings.Contains(r.out, "ada (1 report so far, 0 dismissed): spam: \"Look\\x1b[2J\\nhere\"\n") {
			t.Errorf("%q", r.out)
		}
		p.run("reports", "show", "9").fails(1, "there is no report 9")
		p.run("reports", "list", "--limit", "0").fails(2, "--limit: want 1 to 1000; --below: an id")
		p.run("reports", "close", "1", "dance").fails(2, "outcome: must be one of dismissed, warned, hidden, deleted, suspended")
		p.run("reports", "close", "1", "warned").fails(2, "text: must not be blank")
		p.run("reports", "close", "1", "suspended").fails(2, "--yes: is required to delete or suspend")
		p.run("reports", "close", "1", "warned", "--text", "No", "--hide").fails(2, "hide: goes with suspending alone")
		p.run("reports", "close", "9", "dismissed").fails(1, "there is no report 9")
		p.run("reports", "close", "1", "deleted", "--yes").fails(1, "An account is deleted on its own page, or suspended")
		p.run("reports", "close", "1", "warned", "--text", "Mind the moss").ok()
		p.run("reports", "close", "1", "dismissed").fails(1, "This was decided already")
		if r := p.run("reports", "list", "--closed", "--json").ok(); !strings.Contains(r.out, `"outcome": "warned"`) {
			t.Errorf("%q", r.out)
		}
		var whole struct {
			Outcome, Told, Says string
			Said                []struct{ Reporter, Reason, Text string }
		}
		if err := json.Unmarshal([]byte(p.run("reports", "show", "1", "--json").ok().out), &whole); err != nil || whole.Outcome != "warned" ||
			whole.Told != "Mind the moss" || len(whole.Said) != 1 || whole.Said[0].Text != "Look\x1b[2J\nhere" {
			t.Errorf("%+v, %v", whole, err)
		}
		if r := p.run("audit", "--act", "report.closed").ok(); strings.Count(r.out, `"name":"command line"`) != 1 {
			t.Errorf("%q", r.out)
		}
	})
}

func TestHiddenCommand(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("user", "create", "--name", "Op", "--email", "op@example.org").ok()
		p.run("user", "create", "--name", "Ada", "--email", "ada@example.org").ok()
		p.exec(`INSERT INTO blocks (user_id, type, state, content_markdown, content_html, content_plain, created_at, updated_at)
			VALUES (2, 'Text', 'available', 'Moss', '<p>Moss</p>', 'Moss', 5, 5)`)
		p.run("hidden", "add", "person", "1").fails(2, "type: must be one of Block, Channel, Comment")
		p.run("hidden", "add", "block", "0").fails(2, "id: must be at least 1")
		p.run("hidden", "add", "channel", "9").fails(1, "there is no channel 9")
		if r := p.run("hidden", "add", "block", "1", "--text", "Rule 3").ok(); r.out != "Hid the block 1 (entry 1).\n" {
			t.Errorf("%q", r.out)
		}
		p.run("hidden", "add", "block", "1").fails(1, "This is hidden already")
		var all []map[string]any
		if p.run("hidden", "list", "--json").json(&all); len(all) != 1 || all[0]["owner"] != "ada" || all[0]["state"] != "hidden" || all[0]["label"] != "Moss" {
			t.Errorf("%v", all)
		}
		p.run("hidden", "remove", "1").ok()
		p.run("hidden", "remove", "1").fails(1, "there is no entry 1")
		p.run("user", "suspend", "ada", "--hide", "--undo").fails(2, "--hide: can only be used when suspending")
		p.run("user", "suspend", "ada", "--hide").ok()
		if r := p.run("hidden", "list").ok(); !strings.Contains(r.out, "User 2  ada  \"ada\"   hiding") {
			t.Errorf("%q", r.out)
		}
		p.run("user", "suspend", "ada", "--undo").ok()
		if r := p.run("audit", "--act", "content.hidden").ok(); strings.Count(r.out, `"name":"command line"`) != 2 {
			t.Errorf("%q", r.out)
		}
	})
}

func TestBlocklistCommand(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		if r := p.run("blocklist", "add", "domain", "Spam.example", "--note", "Advertising").ok(); r.out != "Blocked the domain spam.example (id 1).\n" {
			t.Errorf("%q", r.out)
		}
		if r := p.run("blocklist", "add", "domain", "spam.example").ok(); r.out != "The domain spam.example is already blocked.\n" {
			t.Errorf("%q", r.out)
		}
		p.run("blocklist", "add", "network", "0.0.0.0/0").fails(2, "value: must be a network no wider than /8, or /16 of IPv6")
		p.run("blocklist", "add", "person", "eve").fails(2, "kind: must be one of domain, mail, file, network")
		var all []map[string]any
		if p.run("blocklist", "list", "--json").json(&all); len(all) != 1 || all[0]["value"] != "spam.example" || all[0]["note"] != "Advertising" {
			t.Errorf("%v", all)
		}
		p.run("blocklist", "remove", "1").ok()
		p.run("blocklist", "remove", "1").fails(1, "there is no entry 1")
		if r := p.run("audit", "--act", "blocklist.removed").ok(); strings.Count(r.out, "domain spam.example") != 1 {
			t.Errorf("%q", r.out)
		}
	})
}
