package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store/storetest"
)

// Each decision is applied to each kind of subject, which may have been hidden or deleted since the report.
func TestDecisionsByKind(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a, w.ctx(), w.S.Store
		op, bob := w.first("op"), w.member("bob")
		by := operating.OnSite(op, home)
		kinds := []domain.SubjectType{domain.SubjectBlock, domain.SubjectChannel, domain.SubjectComment, domain.SubjectGroup, domain.SubjectUser}
		n := 0
		for _, row := range []struct {
			name    string
			outcome moderation.Outcome
			text    string
			before  string // hidden or deleted before the decision
			want    string // the error for a block, channel, comment, group and user
			owner   moderation.NoticeKind
			there   string // y if bob still sees the thing
		}{
			{"dismissed", moderation.Dismissed, "", "", "+++++", "", "yyyyy"},
			{"dismissed although it is gone", moderation.Dismissed, "", "deleted", "++++ ", "", "nnnn "},
			{"warned", moderation.Warned, "Mind the rules", "", "+++++", "warned", "yyyyy"},
			{"warned without words", moderation.Warned, " ", "", "iiiii", "", "yyyyy"},
			{"warned although it is gone", moderation.Warned, "Late", "deleted", "uuuu ", "", "nnnn "},
			{"hidden", moderation.Hidden, "Not here", "", "+++uu", "hidden", "nnnyy"},
			{"hidden twice", moderation.Hidden, "", "hidden", "ccc  ", "", "nnn  "},
			{"deleted", moderation.Deleted, "", "", "++++u", "deleted", "nnnny"},
			{"deleted while it is hidden", moderation.Deleted, "", "hidden", "+++  ", "deleted", "nnn  "},
			{"deleted although it is gone", moderation.Deleted, "", "deleted", "uuuu ", "", "nnnn "},
			{"suspended", moderation.Suspended, "", "", "+++++", "suspended", "yyyyy"},
			{"suspended although it is gone", moderation.Suspended, "", "deleted", "++++ ", "suspended", "nnnn "},
			{"no outcome", "shouted at", "", "", "iiiii", "", "yyyyy"},
		} {
			for k, kind := range kinds {
				if row.want[k] == ' ' {
					continue
				}
				n++
				name := fmt.Sprintf("%s, a %s", row.name, kind)
				owner := w.member(fmt.Sprint("owner-", n))
				channel := storetest.Channel(t, s, owner.UserID, fmt.Sprint("Channel ", n), domain.Public)
				block := storetest.Block(t, s, owner.UserID, "text")
				storetest.Connect(t, s, owner.UserID, channel, domain.BlockRef(block), 0)
				about := domain.Subject{Type: kind, ID: map[domain.SubjectType]int64{domain.SubjectBlock: int64(block), domain.SubjectChannel: int64(channel), domain.SubjectUser: int64(owner.UserID)}[kind]}
				switch kind {
				case domain.SubjectComment:
					about.ID = int64(storetest.Comment(t, s, owner.UserID, block, "said"))
				case domain.SubjectGroup:
					about.ID = int64(storetest.Group(t, s, fmt.Sprint("Group ", n), owner.UserID))
				}
				w.must(a.Moderation.Report(ctx, bob, moderation.ReportInput{About: about, Reason: moderation.Spam, Text: "Look"}))
				cases, err := a.Moderation.Cases(ctx, by, false, 0, 1)
				w.must(err)
				switch row.before {
				case "hidden":
					_, err := a.Moderation.Hide(ctx, by, moderation.HideInput{About: about})
					w.must(err)
					w.WorkJobs()
				case "deleted":
					switch kind {
					case domain.SubjectBlock:
						err = a.Collections.DeleteBlock(ctx, owner, block)
					case domain.SubjectChannel:
						err = a.Collections.DeleteChannel(ctx, owner, domain.Ref{ID: about.ID})
					case domain.SubjectComment:
						err = a.Collections.DeleteComment(ctx, owner, domain.CommentID(about.ID))
					case domain.SubjectGroup:
						err = a.People.DeleteGroup(ctx, owner, domain.Ref{ID: about.ID})
					}
					w.must(err)
				}
				noticesOf := func(who domain.Actor) (kinds []moderation.NoticeKind) {
					all, err := a.Moderation.Notices(ctx, who)
					w.must(err)
					for _, n := range all {
						kinds = append(kinds, n.What)
					}
					return kinds
				}
				before, was := noticesOf(owner), len(noticesOf(bob))
				c, err := a.Moderation.Decide(ctx, by, cases[0].ID, moderation.Decision{Outcome: row.outcome, Text: row.text})
				if outcome(err) != row.want[k] {
					t.Errorf("%s: %v, want %c", name, err, row.want[k])
				}
				w.WorkJobs()
				_, err = a.Moderation.Reported(ctx, bob, about)
				if (err == nil) != (row.there[k] == 'y') {
					t.Errorf("%s: bob then sees it: %v", name, err)
				}
				fresh := noticesOf(owner)[:len(noticesOf(owner))-len(before)]
				if row.want[k] == '+' {
					if c.Outcome != row.outcome || c.ClosedAt == nil || c.ClosedBy != "op" || row.owner == "" && len(fresh) != 0 || row.owner != "" && !slices.Equal(fresh, []moderation.NoticeKind{row.owner}) {
						t.Errorf("%s: %+v, notices of the owner: %q", name, c, fresh)
					}
					if len(noticesOf(bob)) != was+1 {
						t.Errorf("%s: %d notices of the reporter", name, len(noticesOf(bob))-was)
					}
					_, err := a.Moderation.Decide(ctx, by, c.ID, moderation.Decision{Outcome: moderation.Dismissed})
					w.want(domain.Conflict, err)
				} else {
					if len(fresh) != 0 || len(noticesOf(bob)) != was {
						t.Errorf("%s: refused, but notices of the owner: %q", name, fresh)
					}
					_, err := a.Moderation.Decide(ctx, by, cases[0].ID, moderation.Decision{Outcome: moderation.Dismissed})
					w.must(err)
				}
				u, err := a.People.User(ctx, domain.Ref{ID: int64(owner.UserID)})
				if w.must(err); (u.SuspendedAt != nil) != (row.outcome == moderation.Suspended && row.want[k] == '+') {
					t.Errorf("%s: suspended at %v", name, u.SuspendedAt)
				}
				// After any decision, the thing can be reported again while bob sees it.
				err = a.Moderation.Report(ctx, bob, moderation.ReportInput{About: about, Reason: moderation.Spam})
				if (err == nil) != (row.there[k] == 'y') || err != nil && outcome(err) != 'n' {
					t.Errorf("%s: reported again: %v", name, err)
				}
				if err == nil {
					again, failed := a.Moderation.Cases(ctx, by, false, 0, 1)
					if w.must(failed); again[0].ID == cases[0].ID || again[0].Reports != 1 {
						t.Errorf("%s: %+v", name, again[0])
					}
					_, err := a.Moderation.Decide(ctx, by, again[0].ID, moderation.Decision{Outcome: moderation.Dismissed})
					w.must(err)
				}
				w.Exec("DELETE FROM attempts") // bob reports more than people may
			}
		}
		w.Exec("DELETE FROM hidden_things WHERE kind = 'Channel' AND NOT EXISTS (SELECT 1 FROM channels c WHERE c.id = target_id AND c.state = 'available')")
	})
}

// A change of the site or of a page is refused if it is based on an older version.
func TestChangesOfTheSiteAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, op := w.a.Operating, w.ctx(), w.first("op")
		name := "First"
		site, err := a.UpdateSite(ctx, op, operating.SiteInput{Name: &name})
		w.must(err)
		page, err := a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "imprint", Title: "Imprint", Body: "We"})
		w.must(err)
		seen := func(v int64) *int64 { return &v }
		for _, row := range []struct {
			name string
			do   func() error
			want byte
		}{
			{"the site, after a page was saved", func() error {
				_, err := a.UpdateSite(ctx, op, operating.SiteInput{Name: &name, Seen: site.Version})
				return err
			}, 'c'},
			{"the site, as it is now", func() error {
				now, err := a.SiteSettings(ctx)
				w.must(err)
				_, err = a.UpdateSite(ctx, op, operating.SiteInput{Name: &name, Seen: now.Version})
				return err
			}, '+'},
			{"the site, in any version", func() error { _, err := a.UpdateSite(ctx, op, operating.SiteInput{Name: &name}); return err }, '+'},
			{"a page that exists, as a new one", func() error {
				_, err := a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "imprint", Title: "x", Body: "x", Seen: seen(0)})
				return err
			}, 'i'},
			{"a page, as it is", func() error {
				_, err := a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "imprint", Title: "Second", Body: "x", Seen: seen(page.Version)})
				return err
			}, '+'},
			{"a page, as it was", func() error {
				_, err := a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "imprint", Title: "Third", Body: "x", Seen: seen(page.Version)})
				return err
			}, 'c'},
			{"a new page", func() error {
				_, err := a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "terms", Title: "Terms", Body: "x", Seen: seen(0)})
				return err
			}, '+'},
			{"without a body", func() error {
				_, err := a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "more", Title: "x"})
				return err
			}, 'i'},
			{"under a bad name", func() error {
				_, err := a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "Two words", Title: "x", Body: "x"})
				return err
			}, 'i'},
		} {
			before := w.Dump()
			if err := row.do(); outcome(err) != row.want {
				t.Errorf("%s: %v, want %c", row.name, err, row.want)
			} else if d := before.Diff(w.Dump()); err != nil && len(d) > 0 {
				t.Errorf("%s: changed %v", row.name, d)
			}
		}
		for n := 2; n < domain.MaxLegalPages; n++ {
			_, err := a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: fmt.Sprint("page-", n), Title: "x", Body: "x"})
			w.must(err)
		}
		_, err = a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "one-more", Title: "x", Body: "x"})
		w.want(domain.Unprocessable, err)
		_, err = a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "imprint", Title: "Replaced", Body: "x"})
		w.must(err)
		w.must(a.DeleteLegalPage(ctx, op, "terms"))
		_, err = a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "one-more", Title: "x", Body: "x"})
		w.must(err)
	})
}

// The failed job of a block is repeated as its author would repeat it, or forgotten if there is nothing left to do.
func TestRetryingContentOfBlocks(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a, w.ctx()
		op, ada := w.first("op"), w.member("ada")
		status := http.StatusNotFound
		w.Web("example.com/page", func(rw http.ResponseWriter, r *http.Request) {
			answer(status, "<title>Page</title>", "Content-Type", "text/html")(rw, r)
		})
		for _, row := range []struct {
			name   string
			before func(id domain.BlockID)
			state  domain.BlockState
			fetch  bool // the page is fetched again
		}{
			{"it has failed", func(domain.BlockID) {}, domain.Available, true},
			{"its author has tried again", func(id domain.BlockID) {
				_, err := a.Content.Reprocess(ctx, ada, id)
				w.must(err)
				status = http.StatusOK
				w.WorkJobs()
			}, domain.Available, false},
			{"it was deleted", func(id domain.BlockID) { w.must(a.Collections.DeleteBlock(ctx, ada, id)) }, "", false},
		} {
			status = http.StatusNotFound
			id := w.made(ada, "https://example.com/page")
			w.WorkJobs()
			failed, err := a.Operating.FailedJobs(ctx, op, 10)
			if w.must(err); len(failed) != 1 || failed[0].State != jobs.Failed {
				t.Fatalf("%s: %+v", row.name, failed)
			}
			row.before(id)
			var attempts int64
			if row.state != "" {
				attempts = w.progress(id).Attempts
			}
			w.must(a.Operating.RetryJobAs(ctx, op, failed[0].ID, false))
			if left, err := a.Operating.FailedJobs(ctx, op, 10); err != nil || len(left) != 0 {
				t.Errorf("%s: %+v, %v", row.name, left, err)
			}
			if row.state == "" {
				continue
			}
			if p := w.progress(id); row.fetch && (p.State != domain.ProcessingWaiting || p.Attempts != 0) || !row.fetch && (p.State != domain.ProcessingDone || p.Attempts != attempts) {
				t.Errorf("%s: %+v", row.name, p)
			}
			status = http.StatusOK
			w.WorkJobs()
			if b := w.block(id); b.State != row.state || said(b.Title) != "Page" {
				t.Errorf("%s: %+v", row.name, b)
			}
		}
	})
}
