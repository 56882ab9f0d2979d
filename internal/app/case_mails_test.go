package app_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// newMails sends the mails that are due to operators, and returns the operator's mails that are not in
// seen.
func (r *reporting) newMails(seen *[]string) []apptest.Mail {
	r.t.Helper()
	r.must(r.a.Moderation.NotifyOperators(r.ctx()))
	all := r.mails("op@example.org", *seen...)
	for _, m := range all {
		*seen = append(*seen, m.ID)
	}
	return all
}

// Subscribed operators get mail about new cases at most once an hour, for any number of cases.
func TestCaseMails(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		var seen []string
		none := func(why string) {
			t.Helper()
			if all := r.newMails(&seen); len(all) != 0 {
				t.Errorf("%s, and yet %+v", why, all)
			}
		}
		r.must(r.report(r.bob, domain.SubjectUser, r.things[domain.SubjectUser]))
		none("nobody asked for it")
		for _, actor := range []domain.Actor{{}, r.bob} {
			r.want(domain.Forbidden, r.a.Moderation.WantCaseMail(r.ctx(), actor, true))
			_, err := r.a.Moderation.WantsCaseMail(r.ctx(), actor)
			r.want(domain.Forbidden, err)
		}
		r.must(r.a.Moderation.WantCaseMail(r.ctx(), r.op, true))
		none("nothing is new")
		evil := storetest.Channel(t, w.S.Store, r.ada.UserID, "\". Claim at https://evil.com", domain.Public)
		for _, kind := range []domain.SubjectType{domain.SubjectBlock, domain.SubjectComment, domain.SubjectGroup} {
			r.must(r.report(r.bob, kind, r.things[kind]))
		}
		r.must(r.report(r.bob, domain.SubjectChannel, int64(evil)))
		r.must(r.a.Moderation.WantCaseMail(r.ctx(), r.op, true)) // the second call changes nothing
		mails := r.newMails(&seen)
		if len(mails) != 1 {
			t.Fatalf("%d mails", len(mails))
		}
		for _, part := range []string{"Open: 5\nNew since the last mail: 4\n", "channel “’. Claim at https[:]//evil[.]com”\n", "/operator/reports/5\n", "group “Sellers”", "/operator/reports\n"} {
			if !strings.Contains(mails[0].Text, part) {
				t.Errorf("%q is not in %s", part, mails[0].Text)
			}
		}
		if strings.Contains(mails[0].Text, "bob") {
			t.Errorf("who reported is in %s", mails[0].Text)
		}
		none("they know all")
		r.must(r.report(r.op, domain.SubjectBlock, r.things[domain.SubjectBlock])) // already open
		w.Clock.Advance(2 * time.Hour)
		none("a further report is no new case")
		r.must(r.report(r.bob, domain.SubjectChannel, r.things[domain.SubjectChannel]))
		if got := r.newMails(&seen); len(got) != 1 || !strings.Contains(got[0].Text, "Open: 6\nNew since the last mail: 1\n") {
			t.Errorf("%+v", got)
		}
		r.must(r.decide(moderation.Dismissed, ""))
		r.must(r.report(r.bob, domain.SubjectChannel, r.things[domain.SubjectChannel]))
		w.Clock.Advance(time.Hour - time.Second)
		none("the hour is not over")
		w.Clock.Advance(time.Second)
		if got := r.newMails(&seen); len(got) != 1 {
			t.Errorf("%+v", got)
		}
		// Cases that were decided within the hour are not mailed.
		for range 6 {
			r.must(r.decide(moderation.Dismissed, ""))
		}
		r.must(r.report(r.bob, domain.SubjectGroup, r.things[domain.SubjectGroup]))
		r.must(r.decide(moderation.Dismissed, ""))
		w.Clock.Advance(2 * time.Hour)
		none("all is decided")
		r.must(r.a.Moderation.WantCaseMail(r.ctx(), r.op, false))
		r.must(r.report(r.bob, domain.SubjectGroup, r.things[domain.SubjectGroup]))
		none("they want no more")
		r.must(r.a.Moderation.SendCases(r.ctx(), moderation.MailCases{User: r.op.UserID, Fresh: 1, At: 1})) // it was already queued
		r.must(r.a.Moderation.SendCases(r.ctx(), moderation.MailCases{User: 1 << 40}))
		none("they wanted no more")
	}, open)
}

// Former operators get no mail, and deleting an account ends its subscription.
func TestCaseMailsAreForOperators(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		operator := domain.OfficeOperator
		_, err := r.a.Operating.SetAccount(r.ctx(), r.op, r.ada.UserID, operating.AccountChange{Office: &operator})
		r.must(err)
		r.must(r.a.Moderation.WantCaseMail(r.ctx(), r.ada, true))
		member := domain.OfficeMember
		_, err = r.a.Operating.SetAccount(r.ctx(), r.op, r.ada.UserID, operating.AccountChange{Office: &member})
		r.must(err)
		r.must(r.report(r.bob, domain.SubjectBlock, r.things[domain.SubjectBlock]))
		r.must(r.a.Moderation.NotifyOperators(r.ctx()))
		r.must(r.a.Moderation.SendCases(r.ctx(), moderation.MailCases{User: r.ada.UserID, Fresh: 1, At: 1}))
		if all := r.mails("ada@example.org"); len(all) != 0 {
			t.Errorf("%+v", all)
		}
		_, err = r.a.Operating.DeleteAccountOf(r.ctx(), r.by, domain.Ref{ID: int64(r.ada.UserID)}, "ada")
		r.must(err)
		if left := w.Dump()["case_mails"]; len(left) != 0 {
			t.Errorf("%v", left)
		}
	}, open)
}

// If cases are opened concurrently and several servers run the job, every case is counted once, and one mail is sent per
// hour.
func TestCaseMailsAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		r.must(r.a.Moderation.WantCaseMail(r.ctx(), r.op, true))
		const each = 6
		var things [2][]int64
		for i := range things {
			for n := range each {
				things[i] = append(things[i], int64(storetest.Channel(t, w.S.Store, r.ada.UserID, fmt.Sprint("Ads ", i, n), domain.Public)))
			}
		}
		var wait sync.WaitGroup
		for i, as := range []domain.Actor{r.op, r.bob} {
			wait.Go(func() {
				for _, id := range things[i] {
					if err := r.report(as, domain.SubjectChannel, id); err != nil {
						t.Error(err)
					}
				}
			})
			wait.Go(func() {
				for range each {
					if err := r.a.Moderation.NotifyOperators(r.ctx()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
		var seen []string
		first := r.newMails(&seen)
		w.Clock.Advance(time.Hour)
		all := append(first, r.newMails(&seen)...)
		total := 0
		for _, m := range all {
			var fresh int
			_, line, _ := strings.Cut(m.Text, "New since the last mail: ")
			if _, err := fmt.Sscan(line, &fresh); err != nil {
				t.Error(err)
			}
			total += fresh
		}
		if len(first) != 1 || len(all) > 2 || total != 2*each {
			t.Errorf("%d mails, then %d, of %d cases", len(first), len(all), total)
		}
	}, open)
}

// If a server dies before the mail is sent, the next one sends it once. If it dies afterwards, the second mail equals
// the first.
func TestCaseMailsOutliveServers(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		r.must(r.a.Moderation.WantCaseMail(r.ctx(), r.op, true))
		r.must(r.report(r.bob, domain.SubjectBlock, r.things[domain.SubjectBlock]))
		dying, die := context.WithCancel(r.ctx())
		end := w.Intercept(func(_ context.Context, query string) {
			if strings.Contains(query, "UPDATE case_mails SET mailed_at") {
				die()
			}
		})
		if err := r.a.Moderation.NotifyOperators(dying); err == nil {
			t.Error("it did not die")
		}
		end()
		var seen []string
		if got := r.newMails(&seen); len(got) != 1 {
			t.Fatalf("%d mails", len(got))
		}
		at := w.Clock.Now().UnixMicro()
		again := moderation.MailCases{User: r.op.UserID, Fresh: 1, At: at}
		r.must(r.a.Moderation.SendCases(r.ctx(), again))
		sent := len(w.Outbox())
		r.must(r.a.Moderation.SendCases(r.ctx(), again))
		if n := len(w.Outbox()); n != sent {
			t.Errorf("%d mails, and %d after it ran again", sent, n)
		}
	}, open)
}
