package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/changes"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/app/people"
	"vitrine/internal/app/searches"
	"vitrine/internal/app/transfer"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	storemoderation "vitrine/internal/store/moderation"
	"vitrine/internal/store/storetest"
)

// gone are jobs of each kind that has a target, about targets that do not exist.
var gone = []jobs.Args{
	people.InvitationMail{Invitation: 999}, accounts.MailSignUp{Signup: 999}, operating.MailInvitation{Link: 999},
	accounts.MailPasswordLink{Email: "nobody@example.org", Until: storetest.Now.AddDate(1, 0, 0)}, accounts.MailAddressLink{Link: 999},
	accounts.MailProofLink{User: 999, Session: 999}, accounts.MailNotice{User: 999}, moderation.MailNotice{Notice: 999},
	moderation.MailCases{User: 999, Fresh: 1}, storemoderation.ApplyHiding{ID: 999}, accounts.ClearAccount{User: 999}, content.ProcessBlock{Block: 999, Round: 1},
	content.TakeSnapshot{Block: 999, Round: 1},
	content.GrantAvatar{OwnerType: domain.TypeUser, OwnerID: 999, N: 1}, collections.RunBatch{Batch: "00000000-0000-4000-8000-000000000000"},
	people.EndedFollows{Type: domain.SubjectChannel, ID: 999}, people.FollowersBack{Channel: 999}, people.EndedGroup{ID: 999}, collections.CopyContents{From: 999, To: 998, By: 999}, collections.ApplyTransition{ID: 999},
	transfer.RunImport{Import: 999}, transfer.RunFileImport{Import: 999}, transfer.MakeExport{Export: 999}, searches.MailSearches{User: 999, At: 1}, collections.CheckFeed{Feed: 999}, webhooks.MailStopped{Webhook: 999},
}

// periodic are the jobs of each kind that runs periodically.
var periodic = []jobs.Args{
	moderation.NotifyOperators{}, moderation.ResumeHiding{}, accounts.SweepAccounts{}, content.SweepContent{}, transfer.SweepImports{},
	transfer.SweepExports{}, collections.ResumeTransitions{}, operating.SweepAuditLog{}, changes.SweepChanges{}, webhooks.SweepDeliveries{}, collections.PurgeTrash{}, content.CountTexts{}, collections.IndexWords{},
	collections.RefreshDocuments{}, content.ExamineFiles{}, content.FindAnimations{}, content.FindLooks{}, content.CheckLinks{},
	searches.CheckSearches{}, searches.QueueSearchMails{}, collections.CheckFeeds{},
}

// Checks that the lists contain each kind of job that has a handler.
func TestListsOfJobsAreComplete(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("worker.go")
	if err != nil {
		t.Fatal(err)
	}
	for of, list := range map[string][]jobs.Args{"\thandle(h, ": gone, "\tevery(h, ": periodic} {
		kinds := map[string]bool{}
		for _, job := range list {
			kinds[job.Kind()] = true
		}
		if n := strings.Count(string(source), of); n != len(kinds) {
			t.Errorf("%d kinds are registered with %s, and the test knows %d", n, strings.TrimSpace(of), len(kinds))
		}
	}
}

// state returns the database without the jobs.
func state(r *apptest.Rig) apptest.Dump {
	r.T.Helper()
	d := r.Dump()
	for table := range d {
		if strings.HasPrefix(table, "river_") {
			delete(d, table)
		}
	}
	return d
}

// quiet runs jobs until none is waiting, and fails the test if one failed.
func quiet(t *testing.T, r *apptest.Rig) {
	t.Helper()
	for range 10 {
		r.WorkJobs()
		r.HastenJobs()
	}
	r.WorkJobs()
	for _, s := range []string{"available", "retryable", "running", "scheduled", "discarded"} {
		if n := jobsIn(t, r, s); n > 0 {
			t.Errorf("%d jobs are %s", n, s)
		}
	}
}

func enqueue(t *testing.T, r *apptest.Rig, all []jobs.Args) {
	t.Helper()
	storetest.In(t, r.S.Store, func(tx *store.Tx) error {
		for _, job := range all {
			if err := tx.Enqueue(t.Context(), job); err != nil {
				return fmt.Errorf("%s: %w", job.Kind(), err)
			}
		}
		return nil
	})
}

// A job whose target was deleted in the meantime ends without an effect and without a retry, however
// often it runs.
func TestJobsWithoutTheirTarget(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Block("ada", "A text", r.Channel("ada", "Moss", "public"))
		quiet(t, r)
		before := state(r)
		for range 2 {
			enqueue(t, r, gone)
			quiet(t, r)
		}
		if diff := before.Diff(state(r)); len(diff) > 0 {
			t.Errorf("the jobs changed\n%s", strings.Join(diff, "\n"))
		}
		if mails := r.Outbox(); len(mails) > 0 {
			t.Errorf("mailed %+v", mails)
		}
	})
}

// repeated are the beginnings of the Message-IDs of mails that a job sends again if it runs again:
// those with a link whose secret is not stored, so that another link replaces it, and notices about
// sign-in methods.
var repeated = []string{"<account-invitation-", "<address-", "<notice-", "<password-", "<proof-", "<signup-"}

// links are the tables that contain the hashes of secrets in mails.
var links = []string{"mail_links", "sign_on_steps", "signup_links", "signups"}

// others returns the Message-IDs of all other mails, each once.
func others(r *apptest.Rig) (ids []string) {
	for _, m := range r.Outbox() {
		if !slices.ContainsFunc(repeated, func(prefix string) bool { return strings.HasPrefix(m.ID, prefix) }) {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// effects returns the database without the jobs, the secrets of mailed links, the times at which feeds were checked and
// listed their entries, and the rows of deleted accounts, whose version grows each time the rest of their data is
// deleted.
func effects(r *apptest.Rig) apptest.Dump {
	r.T.Helper()
	d := state(r)
	for _, table := range links {
		delete(d, table)
	}
	delete(d, "channel_feeds")
	delete(d, "channel_feed_entries")
	d["users"] = slices.DeleteFunc(d["users"], func(row string) bool { return strings.Contains(row, "| Deleted account |") })
	return d
}

// Each job has its effect once: running all of them again changes nothing and sends no other mail. The
// same applies to jobs that run periodically.
func TestJobsRunTwice(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		enqueueEverything(t, r)
		quiet(t, r)
		enqueue(t, r, periodic)
		quiet(t, r)
		ran := map[string]bool{}
		for _, row := range r.Dump()["river_job"] {
			for _, job := range slices.Concat(gone, periodic) {
				if strings.Contains(row, " | "+job.Kind()+" | ") {
					ran[job.Kind()] = true
				}
			}
		}
		for _, job := range slices.Concat(gone, periodic) {
			if !ran[job.Kind()] {
				t.Errorf("no job of the kind %s ran", job.Kind())
			}
		}
		before, mails := effects(r), others(r)
		r.Exec("UPDATE river_job SET state = 'available', finalized_at = NULL, attempt = 0")
		quiet(t, r)
		if diff := before.Diff(effects(r)); len(diff) > 0 {
			t.Errorf("running the jobs again changed\n%s", strings.Join(diff, "\n"))
		}
		if again := others(r); !slices.Equal(again, mails) {
			t.Errorf("running the jobs again sent %q besides %q", again, mails)
		}
	}, func(c *config.Config) { c.SignUp = "open" })
}

// enqueueEverything makes the use cases enqueue jobs of each kind.
func enqueueEverything(t *testing.T, r *apptest.Rig) {
	t.Helper()
	ctx, a := t.Context(), r.S.App
	visitor := domain.Visitor{Address: netip.MustParseAddr("192.0.2.7"), Agent: "test"}
	ref := func(name string) domain.Ref { return domain.Ref{ID: int64(r.Person(name).ID)} }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r.Web("example.com/page", apptest.Serve("text/html", []byte("<title>A page</title>")))
	r.Web("example.com/me.png", apptest.Serve("image/png", apptest.PNG(t, 40, 40)))
	for _, name := range []string{"olga", "ada", "bob", "eve", "tom"} { // olga is the operator
		r.Person(name)
	}
	session := r.Proved(r.Person("ada").ID)
	invite(t, r, r.Group("Society", "ada"), people.InviteInput{User: r.Person("bob").ID})
	_, err := a.Accounts.SignUp(ctx, visitor, accounts.SignUpInput{Name: "Zoe", Email: "zoe@example.org", Password: "a good long one"})
	must(err)
	_, err = a.Operating.InvitePerson(ctx, operating.CommandLine(), operating.PersonInput{Email: "ivy@example.org", Mail: true})
	must(err)
	must(a.Accounts.ForgotPassword(ctx, visitor, "bob@example.org"))
	must(a.Accounts.ChangeEmail(ctx, visitor, writer(r, "ada"), session, "lovelace@example.org"))
	must(a.SSO.MailProofLink(ctx, writer(r, "ada"), session))
	_, err = a.Operating.SetPassword(ctx, operating.CommandLine(), ref("bob"), "a good long one")
	must(err)

	channel := r.Channel("ada", "Links", "public")
	block := r.Block("ada", "http://example.com/page", channel)
	r.Web("example.com/feed", apptest.Serve("application/rss+xml", []byte("<rss><channel><title>A feed</title>"+
		"<item><title>An entry</title><link>https://example.com/page?entry</link></item></channel></rss>")))
	_, err = a.Collections.AddFeed(ctx, writer(r, "ada"), domain.Ref{ID: channel}, collections.FeedInput{Address: "https://example.com/feed"})
	must(err)
	must(a.Content.RequestSnapshot(ctx, writer(r, "ada"), domain.BlockID(block)))
	must(a.Moderation.WantCaseMail(ctx, writer(r, "olga"), true))
	must(a.Moderation.Report(ctx, writer(r, "bob"), moderation.ReportInput{About: domain.Subject{Type: domain.SubjectBlock, ID: block}, Reason: "spam"}))
	must(a.Moderation.Report(ctx, writer(r, "bob"), moderation.ReportInput{About: domain.Subject{Type: domain.SubjectChannel, ID: channel}, Reason: "spam"}))
	enqueue(t, r, []jobs.Args{moderation.NotifyOperators{}})
	quiet(t, r)
	_, err = a.Moderation.Decide(ctx, operating.CommandLine(), 1, moderation.Decision{Outcome: moderation.Warned, Text: "Please do not"})
	must(err)
	r.Web("example.com/410", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	hook, err := a.Webhooks.CreateWebhook(ctx, writer(r, "bob"), webhooks.Input{URL: new("http://example.com/410")})
	must(err)
	_, err = a.Webhooks.Ping(ctx, writer(r, "bob"), hook.ID)
	must(err)
	must(a.Webhooks.Settle(ctx))
	saved, _, err := a.Searches.SaveSearch(ctx, writer(r, "bob"), searches.SaveInput{Query: "links"})
	must(err)
	_, err = a.Searches.ChangeSearch(ctx, writer(r, "bob"), saved.ID, searches.ChangeInput{Mail: new(true)})
	must(err)
	r.Exec("INSERT INTO saved_search_finds (search_id, user_id, found_at, more, notify, mail_at) VALUES ($1, $2, 5, FALSE, TRUE, 0)", saved.ID, saved.User)
	r.Exec("INSERT INTO saved_search_results (find_id, seq, kind, item_id) VALUES (1, 1, 'Channel', $1)", channel)
	r.Block("eve", "Hidden with its author", r.Channel("eve", "Eve's", "public"))
	_, err = a.Operating.SuspendAndHide(ctx, ref("eve"))
	must(err)
	r.Block("tom", "Deleted with its author", r.Channel("tom", "Tom's", "public"))
	_, err = a.Operating.DeleteAccountOf(ctx, operating.CommandLine(), ref("tom"), "tom")
	must(err)

	r.Do("ada", "PATCH", "/ext/v1/me", map[string]any{"avatar_url": "https://example.com/me.png"}).Want(200)
	r.Do("ada", "POST", "/v3/blocks/batch", map[string]any{"channel_ids": []int64{r.Channel("ada", "Batch", "private")}, "blocks": []any{map[string]any{"value": "One"}, map[string]any{"value": "Two"}}}).Want(202)
	followed := r.Channel("ada", "Followed", "public")
	r.Do("bob", "PUT", fmt.Sprintf("/ext/v1/channels/%d/follow", followed), nil).Want(200)
	r.Do("ada", "DELETE", fmt.Sprintf("/v3/channels/%d", followed), nil).Want(204)
	guild := r.Group("Guild", "ada")
	r.Do("ada", "DELETE", fmt.Sprintf("/v3/groups/%d", guild), nil).Want(204)
	r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", channel), map[string]any{"visibility": "private"}).Want(200)
	r.Do("ada", "POST", "/ext/v1/exports", nil).Want(202)
	copied, to := r.Channel("ada", "Copied", "public"), r.Channel("ada", "Copy", "private")
	r.Block("ada", "In both", copied)
	imported := importOf(r, "ada", "url,title\nhttp://example.com/page,A page\n")
	enqueue(t, r, []jobs.Args{people.EndedFollows{Type: domain.SubjectChannel, ID: followed}, people.FollowersBack{Channel: domain.ChannelID(followed)}, people.EndedGroup{ID: guild},
		collections.CopyContents{From: domain.ChannelID(copied), To: domain.ChannelID(to), By: r.Person("ada").ID},
		collections.ApplyTransition{ID: domain.ChannelID(channel)}, transfer.RunImport{Import: domain.ImportID(imported)}})
	r.Clock.Advance(time.Second)
}

// importOf starts an import of a file of links.
func importOf(r *apptest.Rig, as, text string) int64 {
	r.T.Helper()
	made := r.Do(as, "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": "links.csv", "content_type": "text/csv"}}}).Want(201)
	r.Do("", "PUT", strings.TrimPrefix(made.Str("files.0.upload_url"), apptest.Base), text, "Content-Type", "text/csv").Want(200)
	return r.Do(as, "POST", "/ext/v1/imports", map[string]any{"source": "bookmarks", "upload_key": made.Str("files.0.key")}).Want(202).Int("id")
}

// A job that fails is retried as often as its kind allows, and then listed as failed with its error. A
// permanent failure is not retried.
func TestJobsThatFail(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	if err := errors.Join(os.RemoveAll(r.OutboxPath()), os.WriteFile(r.OutboxPath(), nil, 0o600)); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	id := invite(t, r, r.Group("Society", "ada"), people.InviteInput{User: r.Person("eve").ID})
	r.Exec("DELETE FROM river_job")
	storetest.In(t, r.S.Store, func(tx *store.Tx) error {
		return tx.Enqueue(t.Context(), people.InvitationMail{Invitation: id}, jobs.Attempts(3))
	})
	for n := 1; n <= 3; n++ {
		if failed := failedJobs(t, r); len(failed) != 0 {
			t.Errorf("before attempt %d, failed are %+v", n, failed)
		}
		r.HastenJobs()
		r.WorkJobs()
	}
	failed := failedJobs(t, r)
	if len(failed) != 1 || failed[0].Attempts != 3 || !strings.Contains(failed[0].Error, "outbox") {
		t.Errorf("failed are %+v", failed)
	}
	r.HastenJobs()
	r.WorkJobs()
	if again := failedJobs(t, r); len(again) != 1 || again[0].Attempts != 3 {
		t.Errorf("a failed job ran again: %+v", again)
	}
}
