package site_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/cli"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/oidc/oidctest"
	"vitrine/internal/site"
	"vitrine/internal/store/storetest"
)

// actless are forms of accounts and operators that write nothing to the audit log.
var actless = []string{"/settings/language", "/settings/announcement", "/settings/profile", "/settings/notices", "/settings/links", "/settings/trash", "/operator/reports"}

// TestEveryActIsInTheLog performs every audited act in every possible way. Each must write exactly
// the expected entries, with actor, act, subject, time and address. Refused requests and rolled
// back writes must leave none. The test fails for an act that no step performs, and for forms and
// commands that no step uses.
func TestEveryActIsInTheLog(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		w := newRecorder(t, o)
		for _, part := range []func(){w.comingIn, w.sessions, w.tokens, w.applications, w.clients, w.webhooks, w.passwords, w.addresses, w.secondFactor, w.signOn,
			w.blockedNetwork, w.offices, w.suspensions, w.invitations, w.links, w.siteItself, w.readOnly, w.jobs, w.backups, w.exports, w.reports, w.decisions, w.hiding, w.blocklist,
			w.members, w.endings} {
			part()
			w.r.Clock.Advance(20 * time.Second) // stays below the rate limit of forms
		}
		for _, act := range domain.Acts {
			if !w.seen[act] {
				t.Errorf("nothing here does %s", act)
			}
		}
		w.everyForm()
		w.everyCommand()
	})
}

// everyForm fails for forms of accounts and operators that no step submitted successfully.
func (w *recorder) everyForm() {
	for _, set := range site.PageSets() {
		if !slices.Contains([]string{"account", "moderation", "operator", "signon"}, set.Name) {
			continue
		}
		for _, route := range set.Routes {
			sent := func(line string) bool {
				return strings.Contains(line, "method=POST") && (strings.Contains(line, "status=200") || strings.Contains(line, "status=303"))
			}
			if route.Post != nil && !slices.Contains(actless, route.Path) && !slices.ContainsFunc(w.r.Log(`operation="page `+route.Path+`"`), sent) {
				w.t.Errorf("nobody sends the form at %s", route.Path)
			}
		}
	}
}

// everyCommand fails for commands that change accounts, reports, jobs or the read-only mode and that no step ran
// successfully.
func (w *recorder) everyCommand() {
	_, help, _ := w.run("help")
	names := regexp.MustCompile(`(?m)^  ((?:user|token|app|reports|hidden|blocklist|jobs|readonly)(?: [a-z-]+)+)`).FindAllStringSubmatch(help, -1)
	if len(names) < 30 {
		w.t.Errorf("%d commands in %s", len(names), help)
	}
	for _, name := range names {
		reads := slices.ContainsFunc([]string{" list", " show", " usage", " backfills", " status"}, func(end string) bool { return strings.HasSuffix(name[1], end) })
		if !reads && !slices.ContainsFunc(w.commands, func(run string) bool { return strings.HasPrefix(run+" ", name[1]+" ") }) {
			w.t.Errorf("nobody runs vitrine %s", name[1])
		}
	}
}

// recorder compares the entries that each step leaves in the audit log.
type recorder struct {
	t        *testing.T
	r        *apptest.Rig
	fake     *oidctest.Provider
	flags    []string // for commands on the same database
	commands []string // that ran successfully
	last     domain.AuditID
	seen     map[domain.Act]bool
	ids      map[string]domain.UserID // of all actors, including deleted ones

	ada, eve, bob, nina, zoe *browser // ada is the operator
	editors                  domain.GroupID
}

func newRecorder(t *testing.T, o database.Options) *recorder {
	t.Helper()
	w := &recorder{t: t, seen: map[domain.Act]bool{}, ids: map[string]domain.UserID{}}
	w.fake = oidctest.New(t, func() time.Time { return w.r.Clock.Now() })
	w.r = apptest.Boot(t, o, people, func(c *config.Config) {
		c.SignUp, c.OAuthRegistration, c.Backup.To = "", true, t.TempDir()
		c.OIDC = config.OIDC{Issuer: w.fake.Issuer(), ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, Name: "Town Hall",
			Scopes: []string{"openid", "email"}, SignUp: "yes", Email: "ask", GroupsClaim: "groups",
			Groups: []config.GroupRule{{Theirs: "staff", Ours: "editors"}}}
	})
	w.r.Clock.Advance(time.Since(w.r.Clock.Now())) // commands use the real time
	if w.flags = []string{"--data-dir", filepath.Dir(o.URL)}; strings.Contains(o.URL, "://") {
		w.flags = []string{"--data-dir", t.TempDir(), "--database-url", o.URL}
	}
	return w
}

// fresh returns the entries since the last call, in the order in which they were written.
func (w *recorder) fresh() (found []domain.AuditEntry) {
	w.t.Helper()
	rows, err := w.r.DB().Reader().Query(w.t.Context(), `SELECT id, at, actor_id, actor, act, kind, target_id, label, details, address, request
		FROM audit_entries WHERE id > $1 ORDER BY id`, w.last)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var e domain.AuditEntry
		var at int64
		var details string
		err := rows.Scan(&e.ID, &at, &e.ActorID, &e.Actor, &e.Act, &e.About.Kind, &e.About.ID, &e.About.Label, &details, &e.Address, &e.Request)
		if err == nil {
			err = json.Unmarshal([]byte(details), &e.Details)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		e.At = time.UnixMicro(at)
		found, w.last = append(found, e), e.ID
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return found
}

// stage runs the preparations of a step and ignores their entries.
func (w *recorder) stage(do func()) {
	w.t.Helper()
	w.nothing()
	do()
	w.fresh()
}

// nothing fails the test if there are unexpected entries.
func (w *recorder) nothing() {
	w.t.Helper()
	w.hold(w.fresh(), nil)
}

// leaves runs a step over HTTP, and compares its entries with the expected ones. "#new" in an
// expected entry means the id of the newest row of that kind. Expected entries may omit details.
func (w *recorder) leaves(do func(), want ...string) {
	w.t.Helper()
	w.nothing()
	from := w.r.Clock.Now()
	do()
	to, found := w.r.Clock.Now(), w.fresh()
	w.hold(found, want)
	for _, e := range found {
		if e.At.Before(from.Truncate(time.Microsecond)) || e.At.After(to) || e.Request == "" || e.Address != "192.0.2.1" {
			w.t.Errorf("at %v, from %q, request %q: %+v", e.At, e.Address, e.Request, e)
		}
	}
}

// shell is leaves for a command, and returns its output.
func (w *recorder) shell(args []string, want ...string) string {
	w.t.Helper()
	code, out, complaint := w.run(append(args, w.flags...)...)
	if code != 0 {
		w.t.Fatalf("%q: exit code %d\n%s%s", args, code, out, complaint)
	}
	for i := range want {
		want[i] = domain.ByCommandLine + " " + want[i]
	}
	w.commands = append(w.commands, strings.Join(args, " "))
	w.ran(args, want)
	return out
}

// shellRefused expects a command to fail and to leave no entry.
func (w *recorder) shellRefused(args ...string) {
	w.t.Helper()
	if code, out, _ := w.run(append(args, w.flags...)...); code == 0 {
		w.t.Errorf("%q: exit code 0\n%s", args, out)
	}
	w.ran(args, nil)
}

func (w *recorder) ran(args, want []string) {
	w.t.Helper()
	found := w.fresh()
	w.hold(found, want)
	for _, e := range found {
		if ago := time.Since(e.At); ago < 0 || ago > time.Hour || e.Request != "" || e.Address != "" {
			w.t.Errorf("%q: at %v, from %q, request %q", args, e.At, e.Address, e.Request)
		}
	}
}

func (w *recorder) run(args ...string) (code int, out, complaint string) {
	w.t.Helper()
	w.nothing()
	var printed, errs bytes.Buffer
	code = cli.Run(w.t.Context(), append([]string{"vitrine"}, args...), &printed, &errs)
	return code, printed.String(), errs.String()
}

// hold compares entries with lines such as "ada account.suspended User eve | map[…]".
func (w *recorder) hold(found []domain.AuditEntry, want []string) {
	w.t.Helper()
	var got []string
	for _, e := range found {
		w.seen[e.Act] = true
		got = append(got, w.line(e))
		if id := w.id("users", "slug", e.Actor); id != 0 {
			w.ids[e.Actor] = id
		}
		if e.ActorID != w.ids[e.Actor] { // 0 if the actor is not a user
			w.t.Errorf("%s is said to have the id %d", e.Actor, e.ActorID)
		}
	}
	same := slices.EqualFunc(got, want, func(got, want string) bool {
		return got == want || !strings.Contains(want, " | ") && strings.HasPrefix(got, want+" | ")
	})
	if !same {
		w.t.Errorf("the log has\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// tables maps kinds to their table and the column of the label, if there is one.
var tables = map[string][2]string{"Session": {"sessions"}, "SignUpLink": {"signup_links"}, "Token": {"tokens", "name"}, "Grant": {"grants"},
	"User": {"users", "slug"}, "Application": {"applications", "name"}, "Group": {"groups", "name"}, "Channel": {"channels", "title"}}

// line formats an entry. It includes the id if it is not the one of the label's row.
func (w *recorder) line(e domain.AuditEntry) string {
	w.t.Helper()
	line := e.Actor + " " + string(e.Act)
	if e.About.Kind != "" {
		line += " " + e.About.Kind
	}
	of := tables[e.About.Kind]
	switch {
	case e.About.Label != "":
		line += " " + e.About.Label
		var is domain.UserID // 0 if the row was deleted or no label finds it
		if of[1] != "" {
			is = w.id(of[0], of[1], e.About.Label)
		}
		if is != 0 && domain.UserID(e.About.ID) != is || e.About.ID == 0 && e.About.Kind != "Page" {
			line += fmt.Sprintf(" (%d)", e.About.ID)
		}
	case e.About.ID != 0 && of[0] != "" && domain.UserID(e.About.ID) == w.id(of[0], "", ""):
		line += " #new"
	case e.About.ID != 0:
		line += fmt.Sprintf(" #%d", e.About.ID)
	}
	if len(e.Details) > 0 {
		line += " | " + fmt.Sprint(e.Details)
	}
	return line
}

// id returns the largest id of a table, or of the rows with a value in a column; 0 for none.
func (w *recorder) id(table, column, value string) (id domain.UserID) {
	w.t.Helper()
	query, args := "SELECT COALESCE(MAX(id), 0) FROM "+table, []any{}
	if column != "" {
		query, args = query+" WHERE "+column+" = $1", append(args, value)
	}
	if err := w.r.DB().Reader().QueryRow(w.t.Context(), query, args...).Scan(&id); err != nil {
		w.t.Fatal(err)
	}
	return id
}

// newest returns the name of a kind's newest row, for steps after which another row is the newest.
func (w *recorder) newest(kind string) string {
	w.t.Helper()
	return fmt.Sprintf("%s #%d", kind, w.id(tables[kind][0], "", ""))
}

// number returns the id from the result of newest.
func number(named string) string {
	_, id, _ := strings.Cut(named, "#")
	return id
}

// enters signs a user in with a password.
func (w *recorder) enters(name, with string) *browser {
	w.t.Helper()
	b := newBrowser(w.t, w.r)
	w.leaves(func() { b.post("/sign-in", "email", name+"@example.org", "password", with).leads("/") }, name+" session.created Session #new")
	return b
}

// file writes a file for a command.
func (w *recorder) file(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// form sends a form to an OAuth endpoint.
func (w *recorder) form(path string, status int, values string) *apptest.Response {
	w.t.Helper()
	return w.r.Do("", http.MethodPost, path, values, "Content-Type", "application/x-www-form-urlencoded").Want(status)
}
