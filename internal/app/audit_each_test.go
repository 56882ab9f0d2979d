package app_test

import (
	"slices"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
)

// What single sign-on does is in the log by the tests of the website, which have a provider.
var actsOfSignOn = []domain.Act{domain.ActConnected, domain.ActDisconnected}

// Each act that the log knows is in it once when it is done, with who did it, to what and when, and
// with what it brings along and nothing else. An act without a step here fails.
func TestAuditHasEachAct(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		r := newReporting(w)
		a, ctx, op, ada := w.a, w.ctx(), r.op, r.ada
		cy, dee := w.member("cy"), w.member("dee")
		refTo := func(who domain.Actor) domain.Ref { return domain.Ref{ID: int64(who.UserID)} }
		console := operating.CommandLine()
		consoleCtx := domain.WithOrigin(ctx, domain.Origin{Console: true})
		_, session := w.sessionOf("cy")
		_, otherSession := w.sessionOf("cy")
		var (
			keys  = newKeyring()
			codes []string
			token domain.Token
			reads domain.Application
			link  domain.SignUpLink
			block moderation.Blocked
			seen  = map[domain.AuditID]bool{}
			done  = slices.Clone(actsOfSignOn)
		)
		entries := func() (fresh []domain.AuditEntry) {
			t.Helper()
			all, err := a.AuditLog(ctx, op, domain.AuditFilter{}, domain.AuditPlace{}, 1000)
			w.must(err)
			for _, e := range slices.Backward(all) {
				if !seen[e.ID] {
					seen[e.ID], fresh = true, append(fresh, e)
				}
			}
			return fresh
		}
		entries()
		step := func(act domain.Act, who, about string, do func() error, beside ...domain.Act) {
			t.Helper()
			w.must(do())
			left := slices.Clone(beside)
			n := 0
			for _, e := range entries() {
				i := slices.Index(left, e.Act)
				switch {
				case e.Act == act:
					if n++; e.Actor != who || e.About.Label != about {
						t.Errorf("%s: by %q about %q, want by %q about %q", act, e.Actor, e.About.Label, who, about)
					}
					if (e.ActorID == 0) != (who == domain.ByCommandLine || who == domain.BySystem || who == domain.ByStranger) {
						t.Errorf("%s: by user %d, who is %q", act, e.ActorID, who)
					}
					if at := w.Clock.Now(); e.At.After(at) || at.Sub(e.At) > 1e9 {
						t.Errorf("%s: at %v, and it is %v", act, e.At, at)
					}
				case i >= 0:
					left = slices.Delete(left, i, i+1)
				default:
					t.Errorf("%s: also %s about %q", act, e.Act, e.About.Label)
				}
			}
			if n != 1 || len(left) > 0 {
				t.Errorf("%s: %d times; not there: %v", act, n, left)
			}
			done = append(done, act)
		}
		change := func(who domain.Actor, in operating.AccountChange) func() error {
			return func() error { _, err := a.SetAccount(ctx, op, who.UserID, in); return err }
		}

		// Accounts, by operators and by themselves.
		step(domain.ActAccountCreated, domain.BySystem, "eve", func() error { w.member("eve"); return nil })
		step(domain.ActAccountSuspended, "op", "dee", change(dee, suspend(true)))
		step(domain.ActAccountRestored, "op", "dee", change(dee, suspend(false)))
		free := domain.TierFree
		step(domain.ActTierChanged, "op", "dee", change(dee, operating.AccountChange{Tier: &free}))
		step(domain.ActOperatorGiven, "op", "dee", change(dee, office(domain.OfficeOperator)))
		step(domain.ActOperatorTaken, domain.ByCommandLine, "dee", func() error {
			_, err := a.SetOffice(consoleCtx, refTo(dee), domain.OfficeMember)
			return err
		})
		step(domain.ActEmailChanged, domain.ByCommandLine, "dee", func() error {
			_, err := a.SetEmail(consoleCtx, console, refTo(dee), "dee@example.net")
			return err
		})
		step(domain.ActPasswordChanged, "op", "dee", func() error {
			_, err := a.SetPassword(ctx, r.by, refTo(dee), "a further battery")
			return err
		})
		step(domain.ActAccountInvited, "op", "", func() error {
			_, err := a.InvitePerson(ctx, r.by, operating.PersonInput{Email: "new@example.org"})
			return err
		})
		step(domain.ActResetSent, "op", "dee", func() error { _, _, err := a.SendReset(ctx, r.by, refTo(dee), true); return err })
		step(domain.ActJobRetried, "op", "mail_password_link", func() error {
			all, err := a.Jobs(ctx, jobs.Waiting, 10)
			if err != nil {
				return err
			}
			return a.RetryFailedJob(ctx, op, all[0].ID)
		})
		step(domain.ActSignInLink, domain.ByCommandLine, "dee", func() error { _, _, err := a.MakeSignInLink(consoleCtx, refTo(dee)); return err })

		// Sessions and the second factor.
		step(domain.ActSignedIn, "cy", "", func() error { w.signIn("cy"); return nil })
		step(domain.ActSignInRefused, domain.ByStranger, "cy", func() error {
			_, err := a.SignIn(ctx, elsewhere, "cy@example.org", "wrong")
			w.want(domain.Unauthenticated, err)
			return nil
		})
		step(domain.ActSignedOut, "cy", "", func() error { return a.EndSession(ctx, cy, otherSession.ID) })
		step(domain.ActSignedOutAll, "cy", "", func() error { return a.EndOtherSessions(ctx, cy, session.ID) })
		step(domain.ActPasskeyAdded, "cy", "cy", func() error { codes = w.add(keys, cy, session, "Phone"); return nil })
		step(domain.ActCodeUsed, "cy", "cy", func() error {
			_, err := a.FinishByCode(ctx, home, w.half("cy"), codes[0])
			return err
		}, domain.ActSignedIn)
		step(domain.ActCodesMade, "cy", "cy", func() error { _, err := a.NewRecoveryCodes(ctx, cy, session.ID, byPassword); return err })
		step(domain.ActPasskeyRemoved, "cy", "cy", func() error {
			w.add(newKeyring(), cy, session, "Key")
			entries()
			f, err := a.SecondFactor(ctx, cy)
			w.must(err)
			_, err = a.RemovePasskey(ctx, cy, session.ID, byPassword, f.Passkeys[1].ID)
			return err
		})
		step(domain.ActFactorEnded, "op", "cy", func() error { _, err := a.RemoveSecondFactor(ctx, r.by, refTo(cy)); return err })

		// Tokens and applications.
		step(domain.ActTokenCreated, "cy", "cli", func() (err error) {
			_, token, err = a.CreateOwnToken(ctx, cy, "cli", domain.ScopeRead)
			return err
		})
		step(domain.ActTokenRevoked, "cy", "", func() error { return a.RevokeOwnToken(ctx, cy, token.ID) })
		in := accounts.ApplicationInput{Name: "Reader", RedirectURIs: []string{"https://reader.example/back"}}
		step(domain.ActAppCreated, "cy", "Reader", func() (err error) { _, reads, err = a.CreateApplication(ctx, cy, in); return err })
		step(domain.ActAppSecret, "cy", "Reader", func() error { _, err := a.RotateSecret(ctx, cy, reads.ID); return err })
		in.Name = "Writer"
		step(domain.ActAppChanged, "cy", "Writer", func() error { _, err := a.UpdateApplication(ctx, cy, reads.ID, in); return err })
		step(domain.ActAccessGiven, "ada", "Writer", func() error {
			_, err := a.Allow(ctx, ada, accounts.AuthorizationRequest{ClientID: reads.ClientID, RedirectURI: in.RedirectURIs[0], ResponseType: "code", Scope: "write"})
			return err
		})
		step(domain.ActAccessTaken, "ada", "", func() error {
			all, err := a.Grants(ctx, ada)
			w.must(err)
			return a.RevokeGrant(ctx, ada, all[0].ID)
		})
		step(domain.ActAppDeleted, "cy", "Writer", func() error { return a.DeleteApplication(ctx, cy, reads.ID) })

		// The site.
		step(domain.ActSignUpMode, "op", "", func() error { return a.SetSignUpMode(ctx, op, domain.SignUpInvitation) })
		step(domain.ActSignUpLinkCreated, "op", "7b", func() (err error) {
			_, link, err = a.CreateSignUpLink(ctx, r.by, operating.SignUpLinkInput{Note: "7b"})
			return err
		})
		step(domain.ActSignUpLinkEnded, domain.ByCommandLine, "", func() error { return a.EndSignUpLink(consoleCtx, console, link.ID) })
		name := "Kelp Forest"
		step(domain.ActSiteChanged, "op", "", func() error { _, err := a.UpdateSite(ctx, op, operating.SiteInput{Name: &name}); return err })
		step(domain.ActPageSaved, "op", "imprint", func() error {
			_, err := a.SaveLegalPage(ctx, op, operating.LegalPageInput{Slug: "imprint", Title: "Imprint", Body: "We"})
			return err
		})
		step(domain.ActPageDeleted, "op", "imprint", func() error { return a.DeleteLegalPage(ctx, op, "imprint") })

		// Moderation.
		about := domain.Subject{Type: domain.SubjectBlock, ID: int64(r.block)}
		step(domain.ActReported, "bob", "Buy my moss", func() error { return r.report(r.bob, about.Type, about.ID) })
		step(domain.ActWarned, "op", "Buy my moss", func() error { return r.decide(moderation.Warned, "No adverts") }, domain.ActCaseClosed)
		step(domain.ActCaseClosed, "op", "Buy my moss", func() error {
			w.must(r.report(r.bob, about.Type, about.ID))
			entries()
			return r.decide(moderation.Dismissed, "")
		})
		step(domain.ActHidden, "op", "Buy my moss", func() error { _, err := a.Hide(ctx, r.by, moderation.HideInput{About: about}); return err })
		step(domain.ActViewed, "op", "Buy my moss", func() error {
			_, err := a.Look(ctx, r.by, about, moderation.Words, domain.Page{Number: 1, Per: 10})
			return err
		})
		step(domain.ActShown, "op", "Buy my moss", func() error {
			h, err := a.FindHidden(ctx, r.by, about)
			w.must(err)
			_, err = a.Show(ctx, r.by, h.ID, "")
			return err
		})
		step(domain.ActDeleted, "op", "Buy my moss", func() error {
			w.must(r.report(r.bob, about.Type, about.ID))
			entries()
			return r.decide(moderation.Deleted, "")
		}, domain.ActCaseClosed)
		step(domain.ActBlocked, "op", "domain spam.example", func() (err error) {
			block, _, err = a.AddToBlocklist(ctx, r.by, moderation.BlockInput{Kind: "domain", Value: "spam.example"})
			return err
		})
		step(domain.ActUnblocked, "op", "domain spam.example", func() error { _, err := a.RemoveFromBlocklist(ctx, r.by, block.ID); return err })

		// Groups, and an account that ends with one.
		group, err := a.CreateGroup(ctx, cy, people.CreateGroupInput{Name: "Guild"})
		w.must(err)
		ref := domain.Ref{ID: int64(group.ID)}
		invite, _, err := a.CreateGroupInvite(ctx, cy, ref)
		w.must(err)
		join := func(who domain.Actor) error { _, _, err := a.JoinGroup(ctx, who, ref, invite.Code); return err }
		step(domain.ActMemberAdded, "ada", "", func() error { return join(ada) })
		step(domain.ActMemberRemoved, "cy", "", func() error { return a.RemoveMember(ctx, cy, ref, ada.UserID) })
		step(domain.ActMemberAdded, "dee", "", func() error { return join(dee) })
		step(domain.ActAccountDeleted, "cy", "cy", func() error { return a.DeleteAccount(ctx, cy, "cy", password) }, domain.ActGroupHandedOver)
		done = append(done, domain.ActGroupHandedOver)
		if w.WorkJobs(); len(entries()) > 0 {
			t.Error("what follows the end of an account is in the log again")
		}

		// What is refused, or changes nothing, is not in it.
		w.want(domain.Forbidden, func() error { _, err := a.SetAccount(ctx, ada, dee.UserID, suspend(true)); return err }())
		w.want(domain.NotFound, a.RevokeOwnToken(ctx, ada, token.ID))
		w.want(domain.Forbidden, a.SetSignUpMode(ctx, ada, domain.SignUpOpen))
		w.want(domain.Forbidden, func() error {
			_, err := a.Hide(ctx, operating.OnSite(ada, home), moderation.HideInput{About: about})
			return err
		}())
		w.must(join(dee)) // who is a member already
		w.must(change(dee, suspend(false))())
		for _, e := range entries() {
			t.Errorf("%s by %q about %q", e.Act, e.Actor, e.About.Label)
		}

		for _, act := range domain.Acts {
			if !slices.Contains(done, act) {
				t.Errorf("no step does %s", act)
			}
		}
	})
}
