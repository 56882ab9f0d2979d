package cli_test

import (
	"strings"
	"testing"
)

func TestAudit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.operator()
		p.run("user", "create", "--name", "Ada", "--email", "ada@example.org").ok()
		p.run("user", "suspend", "ada").ok()
		r := p.run("audit").ok()
		lines := strings.Split(strings.TrimSpace(r.out), "\n")
		if len(lines) != 3 || !strings.Contains(lines[1], `"act":"account.created"`) || !strings.Contains(lines[2], `"act":"account.suspended"`) ||
			!strings.Contains(lines[2], `"name":"command line"`) || strings.Contains(r.out, "ada@example.org") {
			t.Errorf("%q", r.out)
		}
		for _, tt := range []struct {
			args string
			want int
		}{{"--since 24h", 3}, {"--since 2999-01-01", 0}, {"--since 2000-01-01T00:00:00+01:00", 3}, {"--act account.suspended", 1}, {"--actor nobody", 0}} {
			if r := p.run(append([]string{"audit"}, strings.Fields(tt.args)...)...).ok(); strings.Count(r.out, "\n") != tt.want {
				t.Errorf("%s: %q", tt.args, r.out)
			}
		}
		p.run("audit", "--since", "yesterday").fails(2, "--since: want a day such as 2026-03-31, a time such as 2026-03-31T08:00:00Z, or a duration such as 24h")
		p.run("audit", "--act", "dance").fails(2, "act: is no act of the audit log")
	})
}
