package cli_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// While the site is read-only, commands change nothing, except the mode and the announcement.
func TestReadOnlyCommands(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		type mode struct {
			ReadOnly bool    `json:"read_only"`
			Reason   *string `json:"reason"`
			Since    *string `json:"since"`
			Until    *string `json:"until"`
		}
		status := func() (m mode) {
			t.Helper()
			p.run("readonly", "status", "--json").json(&m)
			return m
		}
		prints := func(want string, args ...string) {
			t.Helper()
			if r := p.run(args...).ok(); !regexp.MustCompile(want).MatchString(r.out) {
				t.Errorf("%q: %q", args, r.out)
			}
		}
		p.ada()
		prints(`^The site takes changes\.\n$`, "readonly")
		if m := status(); m != (mode{}) {
			t.Errorf("%+v", m)
		}
		const format = "want a duration such as 90m, or a time such as 2026-12-24T18:00Z"
		p.run("readonly", "on", "--until", "tomorrow").fails(2, "--until: "+format)
		p.run("readonly", "on", "--until=-90m").fails(2, "until: must be in the future")
		prints(`^The site is read-only\. End it with .vitrine readonly off.\.\n$`, "readonly", "on", "--reason", "Moving")
		prints(`^The site is read-only since \S+\.\nReason: Moving\nExpected end: not announced\n$`, "readonly", "status")
		since := status().Since
		prints(`^The site is read-only`, "readonly", "on", "--reason", "Moving on", "--until", "90m")
		m := status()
		if !m.ReadOnly || m.Reason == nil || *m.Reason != "Moving on" || since == nil || m.Since == nil || *m.Since != *since || m.Until == nil {
			t.Errorf("%+v", m)
		} else if at, err := time.Parse(time.RFC3339, *m.Until); err != nil || time.Until(at) < time.Hour || time.Until(at) > 91*time.Minute {
			t.Errorf("until %s: %v", *m.Until, err)
		}
		refused := p.run("user", "create", "--name", "Bob", "--email", "bob@example.org")
		if refused.code != 1 || refused.out != "" || !strings.Contains(refused.err, "read-only") {
			t.Errorf("exit code %d\n%s%s", refused.code, refused.out, refused.err)
		}
		prints(`^The announcement is on every page`, "announce", "Back soon")
		prints(`^The site takes changes again`, "readonly", "off")
		prints(`^The site takes changes again`, "readonly", "off") // changes nothing
		prints(`^The site takes changes\.\n$`, "readonly", "status")
		p.run("user", "create", "--name", "Bob", "--email", "bob@example.org").ok()
	})
}

func TestAnnounce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		announced := func() string {
			t.Helper()
			s, err := apptest.Boot(t, p.database()).S.App.Operating.SiteSettings(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s.Announcement == nil {
				return ""
			}
			text := string(s.Severity) + " " + s.Announcement.Markdown
			if s.AnnouncedUntil != nil {
				text += " until " + s.AnnouncedUntil.UTC().Format(time.RFC3339)
			}
			return text
		}
		p.run("announce").fails(2, "announce: want a text or --clear")
		p.run("announce", "Soon", "--clear").fails(2, "announce: want a text or --clear")
		p.run("announce", "Soon", "--severity", "loud").fails(2, "severity: must be one of info, warning, urgent")
		p.run("announce", "Soon", "--until", "2020-01-01").fails(2, "--until: want a duration such as 90m, or a time such as 2026-12-24T18:00Z")
		if got := announced(); got != "" {
			t.Errorf("refused commands announced %q", got)
		}
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"Closed on *Monday*"}, "info Closed on *Monday*"},
			{[]string{"Closed", "--severity", "urgent", "--until", "2099-12-24T18:00+01:00"}, "urgent Closed until 2099-12-24T17:00:00Z"},
			{[]string{"--clear"}, ""},
			{[]string{"--clear"}, ""},
		} {
			p.run(append([]string{"announce"}, c.args...)...).ok()
			if got := announced(); got != c.want {
				t.Errorf("%q: announced %q, want %q", c.args, got, c.want)
			}
		}
	})
}
