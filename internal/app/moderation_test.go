package app_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// reporting is a server with something to report of each kind.
type reporting struct {
	*accountsRig
	op, ada, bob domain.Actor
	by           operating.Operator
	open, closed domain.ChannelID // ada's; the second is private
	block        domain.BlockID
	things       map[domain.SubjectType]int64
}

func newReporting(w *accountsRig) *reporting {
	r := &reporting{accountsRig: w, op: w.first("op"), ada: w.member("ada"), bob: w.member("bob")}
	r.by = operating.OnSite(r.op, home)
	r.open = storetest.Channel(w.t, w.S.Store, r.ada.UserID, "Finds", domain.Public)
	r.closed = storetest.Channel(w.t, w.S.Store, r.ada.UserID, "Drawer", domain.Private)
	r.block = storetest.Block(w.t, w.S.Store, r.ada.UserID, "Buy my moss")
	storetest.Connect(w.t, w.S.Store, r.ada.UserID, r.open, domain.BlockRef(r.block), 0)
	comment := storetest.Comment(w.t, w.S.Store, r.ada.UserID, r.block, "Really, buy it")
	group := storetest.Group(w.t, w.S.Store, "Sellers", r.ada.UserID)
	r.things = map[domain.SubjectType]int64{domain.SubjectBlock: int64(r.block), domain.SubjectChannel: int64(r.open),
		domain.SubjectComment: int64(comment), domain.SubjectUser: int64(r.ada.UserID), domain.SubjectGroup: int64(group)}
	return r
}

func (r *reporting) report(as domain.Actor, kind domain.SubjectType, id int64) error {
	return r.a.Moderation.Report(r.ctx(), as, moderation.ReportInput{About: domain.Subject{Type: kind, ID: id}, Reason: moderation.Spam, Text: "Look"})
}

// newest returns the newest open case.
func (r *reporting) newest() moderation.Case {
	r.t.Helper()
	all, err := r.a.Moderation.Cases(r.ctx(), r.by, false, 0, 100)
	if r.must(err); len(all) == 0 {
		r.t.Fatal("no case is open")
	}
	return all[0]
}

func (r *reporting) decide(o moderation.Outcome, text string) error {
	r.t.Helper()
	_, err := r.a.Moderation.Decide(r.ctx(), r.by, r.newest().ID, moderation.Decision{Outcome: o, Text: text})
	return err
}

// clean fails if a derived value does not match the facts.
func (r *reporting) clean() {
	r.t.Helper()
	storetest.Check(r.t, r.S.Store)
}

// Everybody can report what they see, once while the case is open, and nothing else.
func TestReporting(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		r.want(domain.NotFound, r.report(r.bob, domain.SubjectChannel, int64(r.closed)))
		hidden := storetest.Block(t, w.S.Store, r.ada.UserID, "Mine alone")
		aside := storetest.Comment(t, w.S.Store, r.ada.UserID, hidden, "to myself")
		before := w.Dump()
		r.want(domain.NotFound, r.report(r.bob, domain.SubjectBlock, int64(hidden)))
		r.want(domain.NotFound, r.report(r.bob, domain.SubjectComment, int64(aside)))
		r.want(domain.NotFound, r.report(r.bob, domain.SubjectUser, 1<<40))
		for kind, id := range r.things {
			r.want(domain.Unprocessable, r.report(r.ada, kind, id))
		}
		for _, bad := range []moderation.ReportInput{{}, {About: domain.Subject{Type: "Site", ID: 1}, Reason: moderation.Spam},
			{About: domain.Subject{Type: domain.SubjectBlock}, Reason: moderation.Spam}, {About: domain.Subject{Type: domain.SubjectBlock, ID: 1}, Reason: "taste"},
			{About: domain.Subject{Type: domain.SubjectBlock, ID: 1}, Reason: moderation.Other}} {
			r.want(domain.Invalid, r.a.Moderation.Report(r.ctx(), r.bob, bad))
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("what was refused changed %v", d)
		}
		for kind, id := range r.things {
			r.must(r.report(r.bob, kind, id))
			r.want(domain.Conflict, r.report(r.bob, kind, id))
			if c := r.newest(); c.Reports != 1 || c.Owner != "ada" || c.About.Kind != string(kind) || c.About.ID != id || c.About.Label == "" {
				t.Errorf("%+v", c)
			}
		}
		r.must(r.report(r.op, domain.SubjectUser, int64(r.ada.UserID)))
		for _, actor := range []domain.Actor{{}, r.bob} {
			by := operating.OnSite(actor, home)
			_, err := r.a.Moderation.Cases(r.ctx(), by, false, 0, 1)
			r.want(domain.Forbidden, err)
			_, err = r.a.Moderation.ReadCase(r.ctx(), by, 1, 0, 1)
			r.want(domain.Forbidden, err)
			_, err = r.a.Moderation.OpenCases(r.ctx(), by)
			r.want(domain.Forbidden, err)
			_, err = r.a.Moderation.Decide(r.ctx(), by, 1, moderation.Decision{Outcome: moderation.Deleted})
			r.want(domain.Forbidden, err)
		}
		if n, err := r.a.Moderation.OpenCases(r.ctx(), r.by); err != nil || n != 5 {
			t.Errorf("%d open, %v", n, err)
		}
		r.clean()
	}, open)
}

// A case about a block shows its text, or the URL of a document, whose text nobody sees.
func TestTextOfReportedBlocks(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		url := "https://example.org/notes.pdf"
		hidden := domain.Text{Plain: "Flowers of the loom"}
		shown := domain.Text{Markdown: "*moss*", HTML: "<em>moss</em>", Plain: "moss"}
		for _, c := range []struct {
			content *domain.Text
			want    string
		}{{&hidden, url}, {&shown, "moss"}, {nil, url}} {
			var id domain.BlockID
			storetest.In(t, w.S.Store, func(tx *store.Tx) (err error) {
				id, err = tx.Blocks().CreateBlock(w.ctx(), domain.Block{Author: domain.Principal{PrincipalRef: domain.UserRef(r.ada.UserID)},
					Type: domain.LinkBlock, State: domain.Available, ValueURL: &url, SourceURL: &url, Content: c.content}, storetest.Now)
				return err
			})
			storetest.Connect(t, w.S.Store, r.ada.UserID, r.open, domain.BlockRef(id), 0)
			r.must(r.report(r.bob, domain.SubjectBlock, int64(id)))
			got, err := r.a.Moderation.ReadCase(r.ctx(), r.by, r.newest().ID, 0, 10)
			if r.must(err); got.Subject == nil || got.Subject.Text != c.want || got.About.Label != c.want {
				t.Errorf("the case says %+v, want %s", got, c.want)
			}
		}
		r.clean()
	}, open)
}

// Too many reports are refused and leave nothing behind.
func TestReportsAreLimited(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		made := 0
		var err error
		for ; err == nil && made < 30; made++ {
			block := storetest.Block(t, w.S.Store, r.ada.UserID, fmt.Sprint("Spam ", made))
			storetest.Connect(t, w.S.Store, r.ada.UserID, r.open, domain.BlockRef(block), 0)
			err = r.report(r.bob, domain.SubjectBlock, int64(block))
		}
		r.want(domain.TooMany, err)
		if n, err := r.a.Moderation.OpenCases(r.ctx(), r.by); err != nil || int(n) != made-1 || n != 20 {
			t.Errorf("%d open after %d, %v", n, made, err)
		}
	}, open)
}

// Decisions of operators take effect once and completely. The people concerned are notified without learning who
// decided.
func TestDecisions(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		told := func(who domain.Actor, want ...moderation.NoticeKind) {
			t.Helper()
			all, err := r.a.Moderation.Notices(r.ctx(), who)
			r.must(err)
			var got []moderation.NoticeKind
			for _, n := range slices.Backward(all) {
				got = append(got, n.What)
			}
			if !slices.Equal(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
		}
		r.must(r.report(r.bob, domain.SubjectBlock, int64(r.block)))
		r.must(r.decide(moderation.Dismissed, ""))
		told(r.ada)
		told(r.bob, "reported-dismissed")
		r.must(r.report(r.bob, domain.SubjectBlock, int64(r.block))) // it may be reported again
		r.must(r.report(r.op, domain.SubjectBlock, int64(r.block)))
		id := r.newest().ID
		c, err := r.a.Moderation.ReadCase(r.ctx(), r.by, id, 0, 10)
		if r.must(err); len(c.Reports) != 2 || c.Reports[1].Reported != 2 || c.Reports[1].Dismissed != 1 || c.Subject == nil || c.Subject.Text != "Buy my moss" {
			t.Errorf("%+v", c)
		}
		r.want(domain.Invalid, r.decide(moderation.Warned, " "))
		r.must(r.decide(moderation.Warned, "Mind <the> rules.\nThank you"))
		_, err = r.a.Moderation.Decide(r.ctx(), r.by, id, moderation.Decision{Outcome: moderation.Deleted})
		r.want(domain.Conflict, err)
		told(r.ada, "warned")
		mails := r.mails("ada@example.org")
		if len(mails) != 1 || !strings.Contains(mails[0].Text, "your block “Buy my moss”") || !strings.Contains(mails[0].Text, "  Mind <the> rules.\n  Thank you\n") ||
			strings.Contains(strings.ToLower(mails[0].Text), "op@") {
			t.Errorf("%+v", mails)
		}
		r.must(r.a.Moderation.SendModerationNotice(r.ctx(), 1<<40))

		for _, kind := range []domain.SubjectType{domain.SubjectComment, domain.SubjectBlock, domain.SubjectGroup, domain.SubjectChannel} {
			r.must(r.report(r.bob, kind, r.things[kind]))
			r.must(r.decide(moderation.Deleted, "Gone"))
			r.want(domain.NotFound, r.report(r.bob, kind, r.things[kind]))
			r.clean()
		}
		r.must(r.report(r.bob, domain.SubjectUser, int64(r.ada.UserID)))
		r.want(domain.Unprocessable, r.decide(moderation.Deleted, ""))
		r.must(r.decide(moderation.Suspended, ""))
		if u, err := r.a.People.User(r.ctx(), domain.Ref{Slug: "ada"}); err != nil || u.SuspendedAt == nil || u.Notices != 6 {
			t.Errorf("%+v, %v", u, err)
		}
		told(r.ada, "warned", "deleted", "deleted", "deleted", "deleted", "suspended")
		r.must(r.a.Moderation.ReadNotices(r.ctx(), r.ada))
		if u, err := r.a.People.User(r.ctx(), domain.Ref{Slug: "ada"}); err != nil || u.Notices != 0 {
			t.Errorf("%d unread, %v", u.Notices, err)
		}
		// Operators cannot suspend themselves, nor the owner of something that is deleted.
		r.must(r.report(r.bob, domain.SubjectUser, int64(r.op.UserID)))
		r.want(domain.Unprocessable, r.decide(moderation.Suspended, ""))
		r.must(r.decide(moderation.Dismissed, ""))
		spam := storetest.Block(t, w.S.Store, r.bob.UserID, "A last one")
		storetest.Connect(t, w.S.Store, r.bob.UserID, storetest.Channel(t, w.S.Store, r.bob.UserID, "Bob's", domain.Public), domain.BlockRef(spam), 0)
		r.must(r.report(r.op, domain.SubjectBlock, int64(spam)))
		r.must(r.a.Collections.DeleteBlock(r.ctx(), r.bob, spam))
		r.want(domain.Unprocessable, r.decide(moderation.Warned, "Late"))
		r.must(r.decide(moderation.Suspended, "Late"))
		closed, err := r.a.Moderation.Cases(r.ctx(), r.by, true, 0, 100)
		if r.must(err); len(closed) != 9 || closed[0].ClosedBy != "op" || closed[0].Outcome != moderation.Suspended {
			t.Errorf("%d closed, the last %+v", len(closed), closed[0])
		}
		if next, err := r.a.Moderation.Cases(r.ctx(), r.by, true, closed[3].ID, 2); err != nil || len(next) != 2 || next[0].ID != closed[4].ID {
			t.Errorf("%+v, %v", next, err)
		}
		acts := r.acts(r.op, domain.AuditFilter{ActorID: r.op.UserID})
		for _, want := range []string{"op report.closed Buy my moss", "op content.warned Buy my moss", "op content.deleted Finds", "op account.suspended ada"} {
			if !slices.Contains(acts, want) {
				t.Errorf("the log lacks %q: %q", want, acts)
			}
		}
		r.clean()
	}, open)
}

// Many report one thing while two operators decide: each report is counted in its case, and each case is decided once.
func TestReportsAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		const people = 6
		var wait sync.WaitGroup
		for i := range people {
			somebody := domain.Actor{UserID: storetest.User(t, w.S.Store, fmt.Sprint("p", i)), Scope: domain.ScopeWrite}
			wait.Go(func() {
				for range 2 {
					if err := r.report(somebody, domain.SubjectBlock, int64(r.block)); err != nil && domain.KindOf(err) != domain.Conflict {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			wait.Go(func() {
				for range 4 {
					all, err := r.a.Moderation.Cases(r.ctx(), r.by, false, 0, 1)
					if err != nil {
						t.Error(err)
					}
					for _, c := range all {
						if _, err := r.a.Moderation.Decide(r.ctx(), r.by, c.ID, moderation.Decision{Outcome: moderation.Warned, Text: "No"}); err != nil && domain.KindOf(err) != domain.Conflict {
							t.Error(err)
						}
					}
				}
			})
		}
		wait.Wait()
		closed, err := r.a.Moderation.Cases(r.ctx(), r.by, true, 0, 100)
		r.must(err)
		still, err := r.a.Moderation.Cases(r.ctx(), r.by, false, 0, 100)
		if r.must(err); len(still) > 1 {
			t.Errorf("%d cases of one thing are open", len(still))
		}
		answered := int64(0)
		for _, c := range closed {
			answered += c.Reports
		}
		all, err := r.a.Moderation.Notices(r.ctx(), r.ada)
		if r.must(err); len(all) != len(closed) {
			t.Errorf("%d warnings for %d cases", len(all), len(closed))
		}
		var told int64
		r.must(r.S.Store.InSnapshot(r.ctx(), func(v *store.Snapshot) error {
			for i := range people {
				u, err := v.Users().User(r.ctx(), domain.Ref{Slug: fmt.Sprint("p", i)})
				if err != nil {
					return err
				}
				told += u.Notices
			}
			return nil
		}))
		if told != answered {
			t.Errorf("%d answers to %d reports", told, answered)
		}
		r.clean()
	}, open)
}
