package site_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

func TestOperatorPages(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	operator, eve, guest := first(t, r), member(t, r, "eve"), newBrowser(t, r)
	for _, at := range []string{"/operator", "/operator/accounts", "/operator/accounts/ada", "/operator/sign-up", "/operator/jobs", "/operator/doctor",
		"/operator/site", "/operator/pages", "/operator/storage", "/operator/invitations"} {
		operator.get(at).want(200)
		eve.get(at).want(404).hides("/operator")
		guest.get(at).leads("/sign-in?next=" + strings.ReplaceAll(at, "/", "%2F"))
		if at != "/operator" && at != "/operator/accounts" && at != "/operator/storage" {
			eve.post(at, "do", "promote", "retry", "1", "end", "1").want(404)
			guest.post(at).want(http.StatusSeeOther)
		}
	}
	operator.get("/operator").says("built with go1", "SQLite", "none failed", "No backup was made")
}

// The overview shows the last backup, and a later one that failed.
func TestOperatorSeesBackups(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	operator := first(t, r)
	r.Exec(`INSERT INTO backups (id, scheduled, started_at, held_until, ended_at, copy, row_count, file_count, file_bytes, written, missing)
		VALUES ('a', TRUE, 5, 5, 6, 'x', 7, 1, 2048, 100, 3)`)
	r.Exec("INSERT INTO backups (id, scheduled, started_at, held_until, ended_at, error) VALUES ('b', TRUE, 4, 4, 5, 'no room')")
	operator.get("/operator").says("7 rows", "1 file (2 KiB)", "Files that it lacks").hides("no room", "No backup was made")
	r.Exec("UPDATE backups SET started_at = 8 WHERE id = 'b'")
	operator.get("/operator").says("Failed since", "no room")
	r.Exec("UPDATE backups SET ended_at = NULL, error = '' WHERE id = 'b'")
	operator.get("/operator").says("It was cut off.")
}

func TestOperatorAccounts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, eve := first(t, r), member(t, r, "eve")
		account(t, r, "tom")
		operator.get("/operator/accounts").want(200).says("3 accounts", "eve@example.org", "tom@example.org")
		operator.get("/operator/accounts?q=ev").want(200).says("1 account for “ev”", "eve@example.org").hides("tom@example.org")
		operator.get("/operator/accounts?q=%25").want(200).says("0 accounts")
		operator.get("/operator/accounts?q=%00").want(200)
		operator.get("/operator/accounts?sort=oldest&q=ev").want(200).says("1 account for", `<option value="oldest" selected>`)
		operator.get("/operator/accounts?sort=%00").want(200).says("3 accounts")
		operator.get("/operator/accounts/eve").want(200).says("Last seen", "a password, 0 passkeys, 0 recovery codes", "0 tokens, 0 applications",
			"1 browser is signed out. The password stays", "The old address is told by mail. Nobody is signed out.", "and told by mail. Their second factor and tokens stay.")
		asked := func(doing ...string) { // each is behind a summary that names the action and its consequence
			t.Helper()
			body := operator.get("/operator/accounts/eve").want(200).body
			for _, do := range doing {
				before, _, found := strings.Cut(body, `name="do" value="`+do+`"`)
				if !found || strings.Count(before, "<details") <= strings.Count(before, "</details>") {
					t.Errorf("%s happens by one press, or not at all", do)
				}
			}
		}
		asked("suspend", "promote", "email", "reset", "password", "sign-out", "delete")
		for _, page := range []string{"0", "-1", "x", "2", "9223372036854775807", "99999999999999999999"} {
			operator.get("/operator/accounts?page=" + page).want(200)
		}
		at := "/operator/accounts/eve"
		operator.post(at, "do", "tier", "tier", "premium").leads(at).follow().says("The account has been changed.", `value="premium" selected`)
		operator.post(at, "do", "tier", "tier", "gold").want(422).says(`id="tier-error"`)
		operator.post(at, "do", "suspend").leads(at).follow().says("Suspended since")
		eve.get("/settings/profile").want(http.StatusSeeOther)
		asked("hide")
		operator.post(at, "do", "restore").leads(at).follow().says("Active")
		eve.post("/sign-in", "email", "eve@example.org", "password", password).leads("/")
		operator.post(at, "do", "promote").leads(at)
		eve.get("/operator").want(200)
		asked("demote")
		operator.post(at, "do", "demote").leads(at)
		eve.get("/operator").want(404)
		operator.post("/operator/accounts/ada", "do", "suspend").want(422)
		operator.post("/operator/accounts/ada", "do", "demote").want(422)
		operator.post(at, "do", "dance").want(400)
		operator.get("/operator/accounts/nobody").want(404)
		operator.post("/operator/accounts/nobody", "do", "suspend").want(404)
	}, people)
}

func TestOperatorPaging(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	operator := first(t, r)
	for i := range 60 {
		r.Person("p" + strings.Repeat("x", i))
	}
	operator.get("/operator/accounts").says("61 accounts", "/operator/accounts?page=2").hides("page=0")
	operator.get("/operator/accounts?page=2&q=p").says("60 accounts", "page=1").hides("page=3")
}

func TestOperatorLooksAfterAccounts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, eve := first(t, r), member(t, r, "eve")
		at := "/operator/accounts/eve"
		operator.post(at, "do", "email", "email", "new@example.org").leads(at).follow().says("new@example.org")
		operator.post(at, "do", "email", "email", "ada@example.org").want(422).says(`id="email-error"`)
		operator.post(at, "do", "password", "password", "short").want(422).says(`id="password-error"`)
		operator.post(at, "do", "reset").want(200).says("/reset-password/vitrine_lnk_")
		operator.post(at, "do", "sign-out", "tokens", "yes").leads(at)
		eve.get("/settings/profile").want(http.StatusSeeOther)
		operator.post(at, "do", "delete", "slug", "ada").want(422).says(`id="slug-error"`)
		operator.post(at, "do", "delete", "slug", "eve").leads("/operator/accounts").follow().says("The account has been deleted.")
		operator.get(at).want(404)
		operator.post("/operator/accounts/ada", "do", "delete", "slug", "ada").want(422)
	}, people)
}

func TestOperatorSignUp(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator, guest := first(t, r), newBrowser(t, r)
		at := "/operator/sign-up"
		operator.get(at).want(200).says(`value="invitation" checked`, "There are no links.")
		link := operator.post(at, "do", "link", "note", "<script>for Eve").want(200).says("This link lets 1 person sign up").secret()
		path := strings.TrimPrefix(link, apptest.Base)
		guest.get(path).want(200).says(`name="invite"`)
		guest.post("/sign-up", "name", "Eve", "email", "eve@example.org", "password", password, "invite", strings.TrimPrefix(path, "/sign-up?invite=")).
			want(200).says("Ask for the link")
		guest.post(mailed(t, r, "eve@example.org"), "password", password).leads("/")
		operator.get(at).says("<script>for Eve", "0 of 1 place", ">Eve</a>").hides(strings.TrimPrefix(path, "/sign-up?invite="))
		guest.post("/sign-out").leads("/")
		guest.get(path).want(200).says("has already been used or has expired")

		operator.post(at, "do", "link", "note", "for Tom").want(200)
		id := operator.get(at).find(`name="end" value="(\d+)"`)
		operator.post(at, "end", id).leads(at).follow().says("The link no longer works.")
		operator.post(at, "end", id).want(404)
		operator.post(at, "end", "x").want(404)

		operator.post(at, "do", "mode", "mode", "everybody").want(422)
		operator.post(at, "do", "mode", "mode", "closed").leads(at).follow().says("The setting has been saved.", `value="closed" checked`)
		guest.get("/").says("This server takes no new accounts.")
		guest.get("/sign-up").says("This server takes no new accounts.")
		operator.post(at, "do", "mode", "mode", "open").leads(at)
		guest.get("/").says("Sign up")
		operator.post(at).want(400)
	}, people)
}

func TestOperatorSignUpFixed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.SignUp = "closed" })
	operator := first(t, r)
	operator.get("/operator/sign-up").want(200).says("as set by the server’s <code>--signup</code>").hides(`name="mode"`)
	operator.post("/operator/sign-up", "do", "mode", "mode", "open").want(422)
}

func TestOperatorJobs(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	operator := first(t, r)
	operator.get("/operator/jobs").want(200).says("No job has failed.")
	r.Web("example.com/gone", http.NotFound)
	r.Block("max", "http://example.com/gone", r.Channel("max", "Links", "public"))
	r.WorkJobs()
	p := operator.get("/operator/jobs").want(200).says("process_block")
	id := p.find(`name="retry" value="(\d+)"`)
	operator.get("/operator").says(`href="/operator/jobs">1 failed`)
	operator.post("/operator/jobs", "retry", id).leads("/operator/jobs").follow().says("The job will run again.")
	operator.post("/operator/jobs", "retry", "999999").want(404)
	operator.post("/operator/jobs", "retry", "x").want(404)
}

// Operators see the unfinished jobs of an upgrade.
func TestOperatorSeesBackfills(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		operator := first(t, r)
		operator.get("/operator").want(200).hides("After an upgrade")
		r.Exec(`UPDATE search_documents SET digest = NULL`)
		operator.get("/operator").want(200).says("After an upgrade 1 row is yet to be filled in, by the job index_words.")
		if err := r.S.App.Finder.IndexWords(t.Context()); err != nil {
			t.Fatal(err)
		}
		operator.get("/operator").want(200).hides("After an upgrade")
	}, people)
}

// Operators see the cheap checks at once, and the others after they start them. Nobody else can.
func TestOperatorCheckup(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	operator, eve := first(t, r), member(t, r, "eve")
	operator.get("/operator/doctor").want(200).says("database.schema", "No backup is recorded").hides("address.site")
	eve.get("/operator/doctor").want(404)
	eve.post("/operator/doctor").want(404)
	operator.get("/operator/doctor").hides("address.site")
	operator.post("/operator/doctor").leads("/operator/doctor")
	operator.get("/operator/doctor").want(200).says("Everything was checked.", "address.site", "There is no mail server", "A file could be written, read and deleted.")
}
