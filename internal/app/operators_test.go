package app_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store/storetest"
)

// Every use case of operators refuses everybody else, before it reads or changes anything, and works for an operator on
// the website and, if it is for the command line too, there.
func TestWhoMayOperate(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a, w.ctx(), w.S.Store
		op := w.first("op")
		member, former, suspended := w.member("member-1"), w.member("former"), w.member("sue")
		for _, u := range []domain.Actor{former, suspended} {
			_, err := a.Operating.SetAccount(ctx, op, u.UserID, office(domain.OfficeOperator))
			w.must(err)
		}
		_, err := a.Operating.SetAccount(ctx, op, former.UserID, office(domain.OfficeMember))
		w.must(err)
		_, err = a.Operating.SetAccount(ctx, op, suspended.UserID, suspend(true))
		w.must(err)
		gone := w.member("gone")
		w.must(a.Accounts.DeleteAccount(ctx, gone, w.Proved(gone.UserID), "gone"))
		w.WorkJobs()

		ada := w.member("ada")
		channel := storetest.Channel(t, s, ada.UserID, "Finds", domain.Public)
		block := storetest.Block(t, s, ada.UserID, "Moss")
		storetest.Connect(t, s, ada.UserID, channel, domain.BlockRef(block), 0)
		about := domain.Subject{Type: domain.SubjectBlock, ID: int64(block)}
		w.must(a.Moderation.Report(ctx, member, moderation.ReportInput{About: about, Reason: moderation.Spam}))
		onSite := func(as domain.Actor) operating.Operator { return operating.OnSite(as, home) }
		open, err := a.Moderation.Cases(ctx, onSite(op), false, 0, 1)
		w.must(err)
		name, free, adas := "Another name", domain.TierFree, domain.Ref{Slug: "ada"}

		site := func(do func(as domain.Actor) error) func(by operating.Operator) error {
			return func(by operating.Operator) error { return do(by.Actor()) }
		}
		deeds := []struct {
			name  string
			shell bool // for the command line, too
			do    func(by operating.Operator) error
		}{
			{"find accounts", false, site(func(as domain.Actor) error {
				_, err := a.Operating.FindAccounts(ctx, as, "", operating.AccountSorts[0], somePage)
				return err
			})},
			{"read an account", true, func(by operating.Operator) error { _, err := a.Operating.Account(ctx, by, adas); return err }},
			{"read an account's details", true, func(by operating.Operator) error { _, err := a.Operating.AccountDetails(ctx, by, adas); return err }},
			{"read the state", false, site(func(as domain.Actor) error { _, err := a.Operating.ServerState(ctx, as); return err })},
			{"read the status", false, site(func(as domain.Actor) error { _, err := a.Operating.ServerStatus(ctx, as); return err })},
			{"read the totals", false, site(func(as domain.Actor) error { _, _, err := a.Operating.Totals(ctx, as); return err })},
			{"read the storage", false, site(func(as domain.Actor) error { _, err := a.Operating.StorageByUser(ctx, as, somePage); return err })},
			{"list failed jobs", false, site(func(as domain.Actor) error { _, err := a.Operating.FailedJobs(ctx, as, 10); return err })},
			{"read the audit log", false, site(func(as domain.Actor) error {
				_, err := a.Operating.AuditLog(ctx, as, domain.AuditFilter{}, domain.AuditPlace{}, 10)
				return err
			})},
			{"download the audit log", false, site(func(as domain.Actor) error {
				return a.Operating.AuditDownload(ctx, as, domain.AuditFilter{}, func() io.Writer { return io.Discard })
			})},
			{"list links", true, func(by operating.Operator) error { _, err := a.Operating.SignUpLinks(ctx, by); return err }},
			{"list invitations", true, func(by operating.Operator) error {
				_, err := a.Operating.OpenInvitations(ctx, by, somePage)
				return err
			}},
			{"list cases", true, func(by operating.Operator) error { _, err := a.Moderation.Cases(ctx, by, false, 0, 10); return err }},
			{"count cases", true, func(by operating.Operator) error { _, err := a.Moderation.OpenCases(ctx, by); return err }},
			{"read a case", true, func(by operating.Operator) error {
				_, err := a.Moderation.ReadCase(ctx, by, open[0].ID, 0, 10)
				return err
			}},
			{"list the hidden", true, func(by operating.Operator) error { _, err := a.Moderation.HiddenSubjects(ctx, by, 0, 10); return err }},
			{"read a block to hide", true, func(by operating.Operator) error { _, err := a.Moderation.ToHide(ctx, by, about); return err }},
			{"look at a reported block", false, func(by operating.Operator) error {
				_, err := a.Moderation.Look(ctx, by, about, moderation.Words, somePage)
				return err
			}},
			{"list the blocklist", true, func(by operating.Operator) error { _, err := a.Moderation.Blocklist(ctx, by, 0, 10); return err }},
			{"preview a deletion", true, func(by operating.Operator) error { _, _, err := a.Operating.PreviewDeletion(ctx, by, adas); return err }},

			{"change the site", false, site(func(as domain.Actor) error {
				_, err := a.Operating.UpdateSite(ctx, as, operating.SiteInput{Name: &name})
				return err
			})},
			{"save a page", false, site(func(as domain.Actor) error {
				_, err := a.Operating.SaveLegalPage(ctx, as, operating.LegalPageInput{Slug: "imprint", Title: "Imprint", Body: "Us"})
				return err
			})},
			{"delete a page", false, site(func(as domain.Actor) error { return a.Operating.DeleteLegalPage(ctx, as, "imprint") })},
			{"choose how people sign up", false, site(func(as domain.Actor) error { return a.Operating.SetSignUpMode(ctx, as, domain.SignUpOpen) })},
			{"create a link", true, func(by operating.Operator) error {
				_, _, err := a.Operating.CreateSignUpLink(ctx, by, operating.SignUpLinkInput{})
				return err
			}},
			{"invite a person", true, func(by operating.Operator) error {
				_, err := a.Operating.InvitePerson(ctx, by, operating.PersonInput{Email: "new@example.org"})
				return err
			}},
			{"end a link", true, func(by operating.Operator) error {
				if err := by.Allowed(ctx, s.Queries); err != nil {
					return a.Operating.EndSignUpLink(ctx, by, 1)
				}
				_, l, err := a.Operating.CreateSignUpLink(ctx, by, operating.SignUpLinkInput{})
				w.must(err)
				return a.Operating.EndSignUpLink(ctx, by, l.ID)
			}},
			{"block a site", true, func(by operating.Operator) error {
				_, _, err := a.Moderation.AddToBlocklist(ctx, by, moderation.BlockInput{Kind: "domain", Value: "spam.example"})
				return err
			}},
			{"unblock a site", true, func(by operating.Operator) error {
				id := int64(1)
				if all, err := a.Moderation.Blocklist(ctx, by, 0, 1); err == nil && len(all) > 0 {
					id = all[0].ID
				} else if err == nil {
					b, _, err := a.Moderation.AddToBlocklist(ctx, by, moderation.BlockInput{Kind: "domain", Value: "spam.example"})
					w.must(err)
					id = b.ID
				}
				_, err := a.Moderation.RemoveFromBlocklist(ctx, by, id)
				return err
			}},
			{"hide a block", true, func(by operating.Operator) error {
				if h, err := a.Moderation.FindHidden(ctx, operating.CommandLine(), about); err == nil && by.Allowed(ctx, s.Queries) == nil {
					_, err := a.Moderation.Show(ctx, by, h.ID, "")
					w.must(err)
					w.WorkJobs()
				}
				_, err := a.Moderation.Hide(ctx, by, moderation.HideInput{About: about})
				return err
			}},
			{"find a hidden block", true, func(by operating.Operator) error { _, err := a.Moderation.FindHidden(ctx, by, about); return err }},
			{"show a block", true, func(by operating.Operator) error {
				id := moderation.HiddenID(1)
				if h, err := a.Moderation.FindHidden(ctx, by, about); err == nil {
					id = h.ID
				} else if domain.KindOf(err) == domain.NotFound {
					h, err := a.Moderation.Hide(ctx, by, moderation.HideInput{About: about})
					w.must(err)
					id = h.ID
				}
				_, err := a.Moderation.Show(ctx, by, id, "")
				if err == nil {
					w.WorkJobs()
				}
				return err
			}},
			{"decide a case", true, func(by operating.Operator) error {
				id := open[0].ID
				if by.Allowed(ctx, s.Queries) == nil {
					if c, err := a.Moderation.ReadCase(ctx, by, id, 0, 1); err == nil && c.ClosedAt != nil {
						w.must(a.Moderation.Report(ctx, member, moderation.ReportInput{About: about, Reason: moderation.Spam}))
						again, err := a.Moderation.Cases(ctx, by, false, 0, 1)
						w.must(err)
						id = again[0].ID
					}
				}
				_, err := a.Moderation.Decide(ctx, by, id, moderation.Decision{Outcome: moderation.Dismissed})
				return err
			}},
			{"change a tier", false, site(func(as domain.Actor) error {
				_, err := a.Operating.SetAccount(ctx, as, ada.UserID, operating.AccountChange{Tier: &free})
				return err
			})},
			{"set an address", true, func(by operating.Operator) error {
				_, err := a.Operating.SetEmail(ctx, by, adas, "ada2@example.org")
				return err
			}},
			{"send a reset", true, func(by operating.Operator) error {
				_, _, err := a.Operating.SendReset(ctx, by, adas, false)
				return err
			}},
			{"set a password", true, func(by operating.Operator) error {
				_, err := a.Operating.SetPassword(ctx, by, adas, password)
				return err
			}},
			{"sign an account out", true, func(by operating.Operator) error {
				_, err := a.Operating.SignOutAccount(ctx, by, adas, true)
				return err
			}},
			{"delete an account", true, func(by operating.Operator) error {
				ref, slug := adas, "ada"
				if by.Allowed(ctx, s.Queries) == nil {
					slug = fmt.Sprintf("victim-%d", w.rows("users")[0])
					w.member(slug)
					ref = domain.Ref{Slug: slug}
				}
				_, err := a.Operating.DeleteAccountOf(ctx, by, ref, slug)
				return err
			}},
		}
		before := w.Dump()
		for _, d := range deeds {
			for who, as := range map[string]domain.Actor{"a guest": {}, "a member": member, "a former operator": former, "a suspended operator": suspended,
				"a deleted account": gone, "an unknown account": {UserID: 1 << 40, Scope: domain.ScopeWrite}} {
				if err := d.do(operating.OnSite(as, home)); outcome(err) != 'f' {
					t.Errorf("%s, as %s: %v", d.name, who, err)
				}
			}
		}
		if diff := before.Diff(w.Dump()); len(diff) > 0 {
			t.Errorf("refused calls changed %s", strings.Join(diff, "\n"))
		}
		for _, d := range deeds {
			if err := d.do(onSite(op)); err != nil {
				t.Errorf("%s, as an operator: %v", d.name, err)
			}
		}
		for _, d := range deeds {
			if !d.shell {
				continue
			}
			if err := d.do(operating.CommandLine()); err != nil {
				t.Errorf("%s, on the command line: %v", d.name, err)
			}
		}
	})
}

// What operators do to an account: its effect, the entry in the audit log, and the mail to its owner.
func TestLookingAfterAccounts(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a, w.ctx()
		op := w.first("op")
		by := operating.OnSite(op, home)
		for i, row := range []struct {
			name    string
			do      func(ref domain.Ref, as domain.Actor) error
			want    byte
			act     domain.Act
			mailed  bool
			session bool // it still works
			token   bool
		}{
			{"another address", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.SetEmail(ctx, by, ref, " New-"+ref.Slug+"@Example.org ")
				return err
			}, '+', domain.ActEmailChanged, true, true, true},
			{"the same address", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.SetEmail(ctx, by, ref, ref.Slug+"@example.org")
				return err
			}, '+', "", false, true, true},
			{"an address in use", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.SetEmail(ctx, by, ref, "op@example.org")
				return err
			}, 'i', "", false, true, true},
			{"no address", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.SetEmail(ctx, by, ref, "x")
				return err
			}, 'i', "", false, true, true},
			{"a mailed reset", func(ref domain.Ref, _ domain.Actor) error {
				_, address, err := a.Operating.SendReset(ctx, by, ref, true)
				if address != "" {
					t.Errorf("the address is shown: %s", address)
				}
				return err
			}, '+', domain.ActResetSent, true, true, true},
			{"a shown reset", func(ref domain.Ref, _ domain.Actor) error {
				_, address, err := a.Operating.SendReset(ctx, by, ref, false)
				if err == nil {
					err = a.Accounts.PasswordLink(ctx, tokenOf(address))
				}
				return err
			}, '+', domain.ActResetSent, false, true, true},
			{"a reset of somebody suspended", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.Suspend(ctx, ref, true)
				w.must(err)
				_, _, err = a.Operating.SendReset(ctx, by, ref, true)
				return err
			}, 'u', domain.ActAccountSuspended, false, false, false},
			{"a password", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.SetPassword(ctx, by, ref, another)
				return err
			}, '+', domain.ActPasswordChanged, true, false, true},
			{"a bad password", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.SetPassword(ctx, by, ref, "short")
				return err
			}, 'i', "", false, true, true},
			{"a password like the address", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.SetPassword(ctx, by, ref, ref.Slug+"@example.org")
				return err
			}, 'i', "", false, true, true},
			{"signed out", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.SignOutAccount(ctx, by, ref, false)
				return err
			}, '+', domain.ActSignedOutAll, false, false, true},
			{"signed out with tokens", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.SignOutAccount(ctx, by, ref, true)
				return err
			}, '+', domain.ActSignedOutAll, false, false, false},
			{"no second factor", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.RemoveSecondFactor(ctx, by, ref)
				return err
			}, 'u', "", false, true, true},
			{"suspended", func(ref domain.Ref, _ domain.Actor) error { _, err := a.Operating.Suspend(ctx, ref, true); return err }, '+', domain.ActAccountSuspended, false, false, false},
			{"suspended twice", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.Suspend(ctx, ref, true)
				w.must(err)
				was := w.rows("audit_entries")
				_, err = a.Operating.Suspend(ctx, ref, true)
				if w.rows("audit_entries")[0] != was[0] {
					t.Error("noted twice")
				}
				return err
			}, '+', domain.ActAccountSuspended, false, false, false},
			{"hidden without a suspension", func(_ domain.Ref, as domain.Actor) error {
				_, err := a.Operating.SetAccount(ctx, op, as.UserID, operating.AccountChange{Hide: true})
				return err
			}, 'u', "", false, true, true},
			{"a wrong name to delete", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.DeleteAccountOf(ctx, by, ref, "x")
				return err
			}, 'i', "", false, true, true},
			{"deleted", func(ref domain.Ref, _ domain.Actor) error {
				_, err := a.Operating.DeleteAccountOf(ctx, by, ref, ref.Slug)
				return err
			}, '+', domain.ActAccountDeleted, false, false, false},
		} {
			slug := fmt.Sprintf("person-%d", i)
			as := w.member(slug)
			session := w.signIn(slug)
			token, _, err := a.Accounts.CreateOwnToken(ctx, as, accounts.TokenInput{Name: "t", Scope: domain.ScopeRead})
			w.must(err)
			was := w.rows("audit_entries")
			seen := len(w.mails(slug + "@example.org"))
			if err := row.do(domain.Ref{Slug: slug}, as); outcome(err) != row.want {
				t.Errorf("%s: %v, want %c", row.name, err, row.want)
			}
			if n := w.rows("audit_entries")[0] - was[0]; n != map[bool]int64{true: 0, false: 1}[row.act == ""] {
				t.Errorf("%s: %d entries", row.name, n)
			}
			if e := w.latest(row.act); row.act != "" && (e.About.ID != int64(as.UserID) || e.About.Label != slug) {
				t.Errorf("%s: noted %+v", row.name, e)
			}
			if mailed := len(w.mails(slug+"@example.org")) > seen; mailed != row.mailed {
				t.Errorf("%s: mailed %v", row.name, mailed)
			}
			if _, _, err := a.Accounts.SessionUser(ctx, home, session); (err == nil) != row.session {
				t.Errorf("%s: the session: %v", row.name, err)
			}
			if _, err := a.Accounts.Authenticate(ctx, token); (err == nil) != row.token {
				t.Errorf("%s: the token: %v", row.name, err)
			}
		}
		// Operators do not look after accounts that are not there, nor delete their own here.
		for name, do := range map[string]func(ref domain.Ref) error{
			"address":  func(ref domain.Ref) error { _, err := a.Operating.SetEmail(ctx, by, ref, "y@example.org"); return err },
			"reset":    func(ref domain.Ref) error { _, _, err := a.Operating.SendReset(ctx, by, ref, true); return err },
			"password": func(ref domain.Ref) error { _, err := a.Operating.SetPassword(ctx, by, ref, another); return err },
			"sign out": func(ref domain.Ref) error { _, err := a.Operating.SignOutAccount(ctx, by, ref, true); return err },
			"factor":   func(ref domain.Ref) error { _, err := a.Operating.RemoveSecondFactor(ctx, by, ref); return err },
			"delete":   func(ref domain.Ref) error { _, err := a.Operating.DeleteAccountOf(ctx, by, ref, "x"); return err },
			"preview":  func(ref domain.Ref) error { _, _, err := a.Operating.PreviewDeletion(ctx, by, ref); return err },
			"details":  func(ref domain.Ref) error { _, err := a.Operating.AccountDetails(ctx, by, ref); return err },
			"suspend":  func(ref domain.Ref) error { _, err := a.Operating.Suspend(ctx, ref, true); return err },
			"tier":     func(ref domain.Ref) error { _, err := a.Accounts.SetTier(ctx, ref, domain.TierFree); return err },
		} {
			for _, ref := range []domain.Ref{{ID: 1 << 40}, {Slug: "nobody"}, {Slug: "person-17"}} {
				if err := do(ref); outcome(err) != 'n' {
					t.Errorf("%s of %v: %v", name, ref, err)
				}
			}
		}
		_, err := a.Operating.DeleteAccountOf(ctx, by, domain.Ref{Slug: "op"}, "op")
		w.want(domain.Unprocessable, err)
		_, err = a.Operating.DeleteAccountOf(ctx, operating.CommandLine(), domain.Ref{Slug: "op"}, "op")
		w.want(domain.Unprocessable, err) // the last one
		w.WorkJobs()
	}, open)
}

// A failed job can be retried once, by an operator.
func TestRetryingJobs(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a, w.ctx()
		op := w.first("op")
		member := w.member("member-1")
		w.want(domain.NotFound, a.Operating.RetryJobAs(ctx, op, 1<<40, false))
		w.want(domain.Forbidden, a.Operating.RetryJobAs(ctx, member, 1<<40, false))
		if err := a.Operating.RetryJob(ctx, 1<<40, true); err == nil {
			t.Error("retried a job that is not there")
		}
		w.must(a.Accounts.ForgotPassword(ctx, home, "op@example.org"))
		waiting, err := a.Operating.Jobs(ctx, jobs.Waiting, 10)
		if w.must(err); len(waiting) != 1 || waiting[0].Kind != (accounts.MailPasswordLink{}).Kind() {
			t.Fatalf("%+v", waiting)
		}
		was := w.rows("audit_entries")
		for _, as := range []domain.Actor{{}, member} {
			w.want(domain.Forbidden, a.Operating.RetryJobAs(ctx, as, waiting[0].ID, false))
		}
		if n := w.rows("audit_entries"); n[0] != was[0] {
			t.Error("a refused retry is noted")
		}
		w.WorkJobs()
		w.want(domain.Unprocessable, a.Operating.RetryJobAs(ctx, op, waiting[0].ID, false)) // it is done
		if n := w.rows("audit_entries"); n[0] != was[0] {
			t.Error("a retry of a finished job is noted")
		}
		if failed, err := a.Operating.FailedJobs(ctx, op, 10); err != nil || len(failed) != 0 {
			t.Errorf("%+v, %v", failed, err)
		}
		status, err := a.Operating.ServerStatus(ctx, op)
		if w.must(err); status.Waiting != 0 || status.Running != 0 || status.Failed != 0 || status.Database == "" {
			t.Errorf("%+v", status)
		}
	}, open)
}

// The limits of links for signing up, and how many places they have.
func TestLimitOfSignUpLinks(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Operating, w.ctx()
		w.first("op")
		by := operating.CommandLine()
		for _, row := range []struct {
			in   operating.SignUpLinkInput
			want byte
		}{
			{operating.SignUpLinkInput{Places: domain.MaxPlaces, Days: domain.MaxLinkDays}, '+'},
			{operating.SignUpLinkInput{Places: domain.MaxPlaces + 1}, 'i'},
			{operating.SignUpLinkInput{Places: -1}, 'i'},
			{operating.SignUpLinkInput{Days: domain.MaxLinkDays + 1}, 'i'},
			{operating.SignUpLinkInput{Days: -1}, 'i'},
			{operating.SignUpLinkInput{Group: "no-such"}, 'i'},
			{operating.SignUpLinkInput{Note: strings.Repeat("x", domain.MaxTitle)}, '+'},
			{operating.SignUpLinkInput{Note: strings.Repeat("x", domain.MaxTitle+1)}, 'i'},
		} {
			if token, _, err := a.CreateSignUpLink(ctx, by, row.in); outcome(err) != row.want || (token != "") != (row.want == '+') {
				t.Errorf("%+v: %v, want %c", row.in, err, row.want)
			}
		}
		var last domain.SignUpLink
		for n := w.rows("signup_links")[0]; n < domain.MaxSignUpLinks; n++ {
			_, l, err := a.CreateSignUpLink(ctx, by, operating.SignUpLinkInput{})
			w.must(err)
			last = l
		}
		_, _, err := a.CreateSignUpLink(ctx, by, operating.SignUpLinkInput{})
		w.want(domain.Unprocessable, err)
		// Invitations of people do not count, and ending a link makes another possible.
		_, err = a.InvitePerson(ctx, by, operating.PersonInput{Email: "new@example.org"})
		w.must(err)
		w.must(a.EndSignUpLink(ctx, by, last.ID))
		_, _, err = a.CreateSignUpLink(ctx, by, operating.SignUpLinkInput{})
		w.must(err)
		_, _, err = a.CreateSignUpLink(ctx, by, operating.SignUpLinkInput{})
		w.want(domain.Unprocessable, err)
		w.Clock.Advance(366 * core.Day)
		_, _, err = a.CreateSignUpLink(ctx, by, operating.SignUpLinkInput{}) // the others have expired
		w.must(err)
	})
}

// Operators look only at what concerns them, and each look is noted before it.
func TestLook(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		secret := storetest.Block(t, w.S.Store, r.ada.UserID, "in the drawer")
		storetest.Connect(t, w.S.Store, r.ada.UserID, r.closed, domain.BlockRef(secret), 0)
		aside := storetest.Comment(t, w.S.Store, r.ada.UserID, secret, "to myself")
		drawer := domain.Subject{Type: domain.SubjectChannel, ID: int64(r.closed)}
		block, comment := domain.Subject{Type: domain.SubjectBlock, ID: int64(secret)}, domain.Subject{Type: domain.SubjectComment, ID: int64(aside)}
		look := func(what domain.Subject, part moderation.Part) (moderation.Look, error) {
			return r.a.Moderation.Look(r.ctx(), r.by, what, part, somePage)
		}
		for _, what := range []domain.Subject{drawer, block, comment, {Type: domain.SubjectUser, ID: int64(r.ada.UserID)}, {Type: domain.SubjectGroup, ID: 1},
			{Type: domain.SubjectBlock, ID: 1 << 40}, {Type: "Site", ID: 1}} {
			_, err := look(what, moderation.Words)
			r.want(domain.NotFound, err) // nobody has reported it
		}
		if e := r.latest(domain.ActViewed); e.ID != 0 {
			t.Errorf("noted %+v", e)
		}
		// Once the channel is reported, they see it and its blocks, but not the comments.
		storetest.Collaborate(t, w.S.Store, r.closed, domain.UserRef(r.bob.UserID))
		r.must(r.report(r.bob, domain.SubjectChannel, int64(r.closed)))
		l, err := look(drawer, moderation.Words)
		if r.must(err); l.Contents.Total != 1 || l.Contents.Items[0].Block.ID != secret || l.Owner != r.ada.UserID || l.Hidden != nil || l.Text != "Drawer" {
			t.Errorf("%+v", l)
		}
		if e := r.latest(domain.ActViewed); e.About.Kind != "Channel" || e.About.ID != drawer.ID || e.ActorID != r.op.UserID || len(e.Details) != 0 {
			t.Errorf("noted %+v", e)
		}
		l, err = look(block, moderation.Words)
		if r.must(err); l.Text != "in the drawer" || l.Contents.Total != 0 {
			t.Errorf("%+v", l)
		}
		_, err = look(comment, moderation.Words)
		r.want(domain.NotFound, err)
		was := r.rows("audit_entries")
		for _, part := range []moderation.Part{moderation.Picture, moderation.File, "everything"} {
			_, err = look(block, part)
			r.want(domain.NotFound, err) // a text has none
		}
		if n := r.rows("audit_entries"); n[0] != was[0] {
			t.Error("a look at nothing is noted")
		}
		_, err = r.a.Moderation.Look(r.ctx(), r.by, drawer, moderation.Words, domain.Page{Number: 0, Per: 10})
		r.want(domain.Invalid, err)
		// A comment leads to its block, and both are out of reach once the cases are closed.
		r.must(r.report(r.bob, domain.SubjectComment, int64(aside)))
		_, err = look(comment, moderation.Words)
		r.must(err)
		for range 2 {
			r.must(r.decide(moderation.Dismissed, ""))
		}
		for _, what := range []domain.Subject{drawer, block, comment} {
			_, err = look(what, moderation.Words)
			r.want(domain.NotFound, err)
		}
		// What is hidden stays within reach, with its state.
		_, err = r.hide(domain.SubjectBlock, int64(secret))
		r.must(err)
		l, err = look(block, moderation.Words)
		if r.must(err); l.Hidden == nil || l.Hidden.OwnerID != r.ada.UserID {
			t.Errorf("%+v", l.Hidden)
		}
		if mine, err := r.a.Moderation.HiddenFor(r.ctx(), r.ada, block); err != nil || mine == nil {
			t.Errorf("hidden from its owner: %+v, %v", mine, err)
		}
		for _, as := range []domain.Actor{{}, r.bob} {
			if theirs, err := r.a.Moderation.HiddenFor(r.ctx(), as, block); err != nil && domain.KindOf(err) != domain.NotFound || theirs != nil {
				t.Errorf("shown to %d: %+v, %v", as.UserID, theirs, err)
			}
		}
		if all, err := r.a.Moderation.MyHidden(r.ctx(), r.ada); err != nil || len(all) != 1 {
			t.Errorf("%+v, %v", all, err)
		}
		if all, err := r.a.Moderation.MyHidden(r.ctx(), r.bob); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
		r.clean()
	}, open)
}

// Faults of entries of the blocklist, and the form in which each kind is kept.
func TestEntriesOfTheBlocklist(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Moderation, w.ctx()
		by := operating.OnSite(w.first("op"), home)
		sum := strings.Repeat("0a", 32)
		for _, row := range []struct {
			kind  moderation.BlockKind
			value string
			kept  string // "" if it is refused
			field string
		}{
			{"domain", " Spam.Example. ", "spam.example", ""},
			{"domain", "MÜLLER.example", "xn--mller-kva.example", ""},
			{"domain", "localhost", "", "value"},
			{"domain", "https://spam.example", "", "value"},
			{"domain", "spam.example/path", "", "value"},
			{"domain", "spam.example:8080", "", "value"},
			{"domain", "", "", "value"},
			{"mail", "@mail.example", "mail.example", ""},
			{"mail", "a@mail.example", "", "value"},
			{"file", strings.ToUpper(sum), sum, ""},
			{"file", sum[1:], "", "value"},
			{"file", sum[2:] + "zz", "", "value"},
			{"network", "203.0.113.9", "203.0.113.9/32", ""},
			{"network", "203.0.113.9/24", "203.0.113.0/24", ""},
			{"network", "10.0.0.0/8", "10.0.0.0/8", ""},
			{"network", "10.0.0.0/7", "", "value"},
			{"network", "2001:db8::/16", "2001::/16", ""},
			{"network", "2001:db8::/15", "", "value"},
			{"network", "::ffff:203.0.113.77", "203.0.113.77/32", ""},
			{"network", "::ffff:203.0.113.0/120", "", "value"},
			{"network", "fe80::1%eth0", "", "value"},
			{"network", home.Address.String(), "", "value"},
			{"network", "192.0.2.0/24", "", "value"}, // which the operator uses
			{"network", "x", "", "value"},
			{"colour", "red", "", "kind"},
		} {
			b, added, err := a.AddToBlocklist(ctx, by, moderation.BlockInput{Kind: row.kind, Value: row.value, Note: "n"})
			if row.kept == "" {
				if outcome(err) != 'i' || !slices.Contains(fields(err), row.field) {
					t.Errorf("%s %q: %+v, %v", row.kind, row.value, b, err)
				}
				continue
			}
			if err != nil || !added || b.Value != row.kept {
				t.Errorf("%s %q: %+v, %v, want %q", row.kind, row.value, b, err, row.kept)
			}
			was := w.rows("blocklist", "audit_entries")
			again, added, err := a.AddToBlocklist(ctx, by, moderation.BlockInput{Kind: row.kind, Value: row.kept, Note: "again"})
			if err != nil || added || again.ID != 0 || !slices.Equal(w.rows("blocklist", "audit_entries"), was) {
				t.Errorf("%s %q, again: %+v, %v", row.kind, row.value, again, err)
			}
		}
		_, _, err := a.AddToBlocklist(ctx, by, moderation.BlockInput{Kind: "domain", Value: "x.example", Note: strings.Repeat("x", domain.MaxTitle+1)})
		w.want(domain.Invalid, err)
		// They are listed by page, newest first, and each is removed once.
		var got []int64
		for below := int64(0); ; {
			page, err := a.Blocklist(ctx, by, below, 3)
			w.must(err)
			for _, b := range page {
				below = b.ID
				got = append(got, b.ID)
			}
			if len(page) < 3 {
				break
			}
		}
		if n := w.rows("blocklist"); int64(len(got)) != n[0] || !slices.IsSortedFunc(got, func(a, b int64) int { return int(b - a) }) {
			t.Errorf("%v of %d", got, n[0])
		}
		for _, id := range got {
			_, err := a.RemoveFromBlocklist(ctx, by, id)
			w.must(err)
			_, err = a.RemoveFromBlocklist(ctx, by, id)
			w.want(domain.NotFound, err)
		}
	})
}
