package app_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/operating"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

func closed(cfg *config.Config) { cfg.SignUp = "closed" }

// tokenOf returns the token in the URL of a sign-up page.
func tokenOf(address string) string { return mailedToken.FindString(address) }

func TestInvitePerson(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		op := operating.OnSite(ada, home)
		storetest.Group(t, w.S.Store, "Maths", 1)
		in := operating.PersonInput{Email: " Grace@Example.org", Name: "Grace Hopper", Slug: "grace", Group: "maths"}
		r, err := w.a.Operating.InvitePerson(w.ctx(), op, in)
		w.must(err)
		token := tokenOf(r.Address)
		if r.Outcome != operating.PersonInvited || token == "" || strings.Contains(fmt.Sprint(w.Dump()), token) {
			t.Fatalf("%+v", r)
		}
		again, err := w.a.Operating.InvitePerson(w.ctx(), op, in)
		if w.must(err); again.Outcome != operating.PersonWaiting || again.Address != "" {
			t.Errorf("%+v", again)
		}
		if got := w.acts(ada, domain.AuditFilter{Act: domain.ActAccountInvited}); len(got) != 1 || got[0] != "ada account.invited " {
			t.Errorf("%q", got)
		}
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), token); err != nil || !o.Open || o.Email != "grace@example.org" || o.Link.Name != "Grace Hopper" ||
			o.Link.Slug != "grace" || o.Link.Group == nil || o.Link.Group.Slug != "maths" {
			t.Errorf("%+v, %v", o, err)
		}
		other := wanted("eve")
		other.Invite = token
		_, err = w.a.Accounts.SignUp(w.ctx(), elsewhere, other)
		w.want(domain.Invalid, err)
		mine := wanted("grace")
		mine.Invite = token
		session, err := w.a.Accounts.SignUp(w.ctx(), elsewhere, mine) // signing up is closed
		if w.must(err); session == "" {
			t.Fatal("the address is to be confirmed, which was invited")
		}
		if len(w.mails("grace@example.org")) != 0 {
			t.Error("a mail for a link that was handed over")
		}
		g, err := w.a.People.Group(w.ctx(), w.actor(session), domain.Ref{Slug: "maths"})
		if w.must(err); !g.Member {
			t.Error("no member of the group")
		}
		second := wanted("grace")
		second.Slug, second.Invite = "grace-2", token
		_, err = w.a.Accounts.SignUp(w.ctx(), elsewhere, second)
		w.want(domain.Forbidden, err)
		known, err := w.a.Operating.InvitePerson(w.ctx(), op, in)
		if w.must(err); known.Outcome != operating.PersonKnown || known.Account != "grace" {
			t.Errorf("%+v", known)
		}
		for _, actor := range []domain.Actor{{}, w.actor(session)} {
			by := operating.OnSite(actor, home)
			_, err = w.a.Operating.InvitePerson(w.ctx(), by, operating.PersonInput{Email: "x@example.org"})
			w.want(domain.Forbidden, err)
			_, err = w.a.Operating.OpenInvitations(w.ctx(), by, domain.Page{Number: 1, Per: 10})
			w.want(domain.Forbidden, err)
		}
	}, closed)
}

// A mailed invitation can be sent again. Only the last link works, and none after it is withdrawn.
func TestMailedInvitation(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		in := operating.PersonInput{Email: "grace@example.org", Mail: true}
		r, err := w.a.Operating.InvitePerson(w.ctx(), operating.CommandLine(), in)
		if w.must(err); r.Address != "" {
			t.Errorf("%+v", r)
		}
		mails := w.mails("grace@example.org")
		if len(mails) != 1 || !strings.Contains(mails[0].Text, "/sign-up?invite=") {
			t.Fatalf("%+v", mails)
		}
		first := tokenOf(mails[0].Text)
		w.must(w.a.Operating.SendAccountInvitation(w.ctx(), r.Link.ID)) // the job runs a second time
		var tokens []string
		for _, m := range w.mails("grace@example.org", mails[0].ID) {
			tokens = append(tokens, tokenOf(m.Text))
		}
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), first); err != nil || o.Open || len(tokens) != 1 {
			t.Fatal("the first link still works, or there is no second", err, tokens)
		}
		in.Again, in.Mail = true, false
		renewed, err := w.a.Operating.InvitePerson(w.ctx(), operating.CommandLine(), in)
		if w.must(err); renewed.Outcome != operating.PersonRenewed {
			t.Errorf("%+v", renewed)
		}
		for _, old := range tokens {
			if o, err := w.a.Accounts.SignUpOffer(w.ctx(), old); err != nil || o.Open {
				t.Error("a renewed link works", err)
			}
		}
		l, err := w.a.Operating.OpenInvitations(w.ctx(), operating.CommandLine(), domain.Page{Number: 1, Per: 10})
		if w.must(err); l.Total != 1 || !l.Items[0].Live || l.Items[0].Email != "grace@example.org" {
			t.Fatalf("%+v", l)
		}
		w.must(w.a.Operating.EndSignUpLink(w.ctx(), operating.CommandLine(), l.Items[0].ID))
		w.want(domain.NotFound, w.a.Operating.EndSignUpLink(w.ctx(), operating.CommandLine(), l.Items[0].ID))
		w.must(w.a.Operating.SendAccountInvitation(w.ctx(), l.Items[0].ID)) // unknown: does nothing
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), tokenOf(renewed.Address)); err != nil || o.Open {
			t.Error("a withdrawn link works", err)
		}
		late, err := w.a.Operating.InvitePerson(w.ctx(), operating.CommandLine(), in)
		w.must(err)
		w.Clock.Advance(15 * 24 * time.Hour)
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), tokenOf(late.Address)); err != nil || o.Open {
			t.Error("an old link works", err)
		}
		in.Again = false
		if anew, err := w.a.Operating.InvitePerson(w.ctx(), operating.CommandLine(), in); err != nil || anew.Outcome != operating.PersonInvited {
			t.Errorf("%+v, %v", anew, err)
		}
	})
}

// Signing up with an invited address without the link accepts the invitation, and joins its group, once the address is
// verified.
func TestInvitedComesByThemself(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		storetest.Group(t, w.S.Store, "Maths", ada.UserID)
		_, err := w.a.Operating.InvitePerson(w.ctx(), operating.CommandLine(), operating.PersonInput{Email: "grace@example.org", Group: "maths"})
		w.must(err)
		_, err = w.a.Accounts.SignUp(w.ctx(), home, wanted("grace"))
		w.must(err)
		session, _, err := w.a.Accounts.ConfirmSignUp(w.ctx(), home, w.token("grace@example.org"), password)
		w.must(err)
		if g, err := w.a.People.Group(w.ctx(), w.actor(session), domain.Ref{Slug: "maths"}); err != nil || !g.Member {
			t.Error("no member", err)
		}
		l, err := w.a.Operating.OpenInvitations(w.ctx(), operating.CommandLine(), domain.Page{Number: 1, Per: 10})
		if w.must(err); l.Total != 0 {
			t.Errorf("%+v", l)
		}
	}, open)
}

// If many invite one address at once, or many use one link at once, exactly one succeeds.
func TestInvitePersonAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		var g sync.WaitGroup
		addresses := make(chan string, 8)
		for range 8 {
			g.Go(func() {
				r, err := w.a.Operating.InvitePerson(w.ctx(), operating.CommandLine(), operating.PersonInput{Email: "grace@example.org"})
				if err != nil {
					t.Error(err)
				}
				if r.Outcome == operating.PersonInvited {
					addresses <- r.Address
				}
			})
		}
		g.Wait()
		if len(addresses) != 1 {
			t.Fatalf("%d invitations of one address", len(addresses))
		}
		token := tokenOf(<-addresses)
		var made atomic.Int64
		for i := range 4 {
			g.Go(func() {
				in := wanted("grace")
				in.Slug, in.Invite = fmt.Sprintf("grace-%d", i), token
				session, err := w.a.Accounts.SignUp(w.ctx(), elsewhere, in)
				if kind := domain.KindOf(err); err != nil && kind != domain.Forbidden && kind != domain.Invalid {
					t.Error(err)
				}
				if session != "" {
					made.Add(1)
				}
			})
		}
		g.Wait()
		if made.Load() != 1 {
			t.Errorf("%d accounts by one invitation", made.Load())
		}
	}, closed)
}

// If thirty-one people use thirty places at once, thirty get an account and join the group.
func TestClassLinkAtOnce(t *testing.T) {
	const places = 30
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op := operating.OnSite(w.first("ada"), home)
		storetest.Group(t, w.S.Store, "Class", 1)
		token, _, err := w.a.Operating.CreateSignUpLink(w.ctx(), op, operating.SignUpLinkInput{Places: places, Group: "class", Vouched: true, Note: "7b"})
		w.must(err)
		var in, out atomic.Int64
		var g sync.WaitGroup
		for i := range places + 1 {
			g.Go(func() {
				in1 := wanted(fmt.Sprintf("pupil-%d", i))
				in1.Invite = token
				session, err := w.a.Accounts.SignUp(w.ctx(), home, in1)
				switch {
				case err == nil && session != "":
					in.Add(1)
				case domain.KindOf(err) == domain.Forbidden:
					out.Add(1)
				default:
					t.Error(session, err)
				}
			})
		}
		g.Wait()
		if in.Load() != places || out.Load() != 1 {
			t.Errorf("%d are in, %d are not", in.Load(), out.Load())
		}
		all, err := w.a.Operating.SignUpLinks(w.ctx(), op)
		if err != nil || len(all) != 1 || all[0].Left() != 0 || all[0].Live || len(all[0].Came) != places || all[0].UsedAt == nil {
			t.Fatalf("%+v, %v", all, err)
		}
		class, err := w.a.People.Group(w.ctx(), domain.Actor{}, domain.Ref{Slug: "class"})
		if w.must(err); class.Users != places+1 {
			t.Errorf("%d members", class.Users)
		}
		users, err := w.a.People.Users(w.ctx(), 0, 100)
		if w.must(err); len(users) != places+1 {
			t.Errorf("%d accounts", len(users))
		}
		if differences, err := w.S.Store.Check(w.ctx(), 10); err != nil || len(differences) != 0 {
			t.Error(differences, err)
		}
	})
}

// Places are taken when an address is confirmed, and by people who already have an account.
func TestClassLink(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op := operating.OnSite(w.first("ada"), home)
		bob := w.member("bob")
		storetest.Group(t, w.S.Store, "Class", 1)
		token, l, err := w.a.Operating.CreateSignUpLink(w.ctx(), op, operating.SignUpLinkInput{Places: 3, Group: "class"})
		w.must(err)
		for range 2 { // the second time changes nothing
			w.must(w.a.People.JoinByLink(w.ctx(), bob, token))
		}
		for _, name := range []string{"grace", "alan", "edsger"} {
			in := wanted(name)
			in.Invite = token
			_, err := w.a.Accounts.SignUp(w.ctx(), home, in)
			w.must(err)
		}
		links := func() operating.SignUpLinkView {
			t.Helper()
			all, err := w.a.Operating.SignUpLinks(w.ctx(), op)
			if err != nil || len(all) != 1 {
				t.Fatalf("%+v, %v", all, err)
			}
			return all[0]
		}
		if got := links(); got.Left() != 2 || !got.Live || len(got.Came) != 1 || got.Came[0].Slug != "bob" {
			t.Errorf("%+v", got)
		}
		_, grace, err := w.a.Accounts.ConfirmSignUp(w.ctx(), home, w.token("grace@example.org"), password)
		w.must(err)
		w.must(w.a.Operating.EndSignUpLink(w.ctx(), op, l.ID)) // pending sign-ups end, too
		_, _, err = w.a.Accounts.ConfirmSignUp(w.ctx(), home, w.token("alan@example.org"), password)
		w.want(domain.Forbidden, err)
		w.want(domain.NotFound, w.a.People.JoinByLink(w.ctx(), w.member("eve"), token))
		w.want(domain.NotFound, w.a.Operating.EndSignUpLink(w.ctx(), op, l.ID))
		if got := links(); got.Live || got.RevokedAt == nil || len(got.Came) != 2 {
			t.Errorf("%+v", got)
		}
		// A deleted group or person does not prevent ending the link.
		w.must(w.a.People.DeleteGroup(w.ctx(), w.actor(w.signIn("ada")), domain.Ref{Slug: "class"}))
		w.must(w.a.Accounts.DeleteAccount(w.ctx(), domain.Actor{UserID: grace.ID, Scope: domain.ScopeWrite}, w.Proved(grace.ID), "grace"))
		if got := links(); got.Group != nil || len(got.Came) != 1 {
			t.Errorf("%+v", got)
		}
		w.Clock.Advance(31 * 24 * time.Hour)
		w.must(w.a.Accounts.SweepAccounts(w.ctx()))
		if rows := w.Dump()["signup_links"]; len(rows) != 0 {
			t.Errorf("%d links are left", len(rows))
		}
	})
}

// A link of a former operator admits nobody. A link of the command line does.
func TestLinkOfAnotherDay(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada, grace := w.first("ada"), w.member("grace")
		_, err := w.a.Operating.SetAccount(w.ctx(), ada, grace.UserID, office(domain.OfficeOperator))
		w.must(err)
		hers, err := w.a.Operating.InvitePerson(w.ctx(), operating.OnSite(grace, home), operating.PersonInput{Email: "x@example.org"})
		w.must(err)
		_, err = w.a.Operating.SetAccount(w.ctx(), ada, grace.UserID, office(domain.OfficeMember))
		w.must(err)
		shell, err := w.a.Operating.InvitePerson(w.ctx(), operating.CommandLine(), operating.PersonInput{Email: "y@example.org"})
		w.must(err)
		for address, want := range map[string]bool{hers.Address: false, shell.Address: true} {
			if o, err := w.a.Accounts.SignUpOffer(w.ctx(), tokenOf(address)); err != nil || o.Open != want {
				t.Errorf("lets in %v, want %v, %v", o.Open, want, err)
			}
		}
		_, err = w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Name: "X", Email: "x@example.org", Tier: domain.TierFree})
		w.must(err)
		if rows := w.Dump()["signup_links"]; len(rows) != 1 {
			t.Errorf("%d links are left of who has an account", len(rows))
		}
	})
}
