package app_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// What an invitation leads to, by the relation of the invited person to the group and to the inviter.
func TestOutcomesOfInvitations(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.People, w.ctx(), w.S.Store
		w.first("op")
		ada := w.member("ada")
		group := storetest.Group(t, s, "Group", ada.UserID)
		ref := domain.Ref{ID: int64(group)}
		follow := func(u domain.Actor) {
			w.must(a.Follow(ctx, u, people.FollowTarget{Type: domain.SubjectUser, Ref: domain.Ref{ID: int64(ada.UserID)}}))
		}
		for i, row := range []struct {
			name    string
			before  func(u domain.Actor)
			byEmail bool
			outcome domain.InviteOutcome
			member  bool
			mails   int
		}{
			{"a stranger", nil, false, domain.OutcomeInvited, false, 1},
			{"a stranger by address", nil, true, domain.OutcomeInvited, false, 1},
			{"a follower of the inviter", follow, false, domain.OutcomeAdded, true, 0},
			{"a follower by address", follow, true, domain.OutcomeInvited, false, 1},
			{"a member", func(u domain.Actor) {
				i, _, err := a.CreateGroupInvite(ctx, ada, ref)
				w.must(err)
				_, _, err = a.JoinGroup(ctx, u, ref, i.Code)
				w.must(err)
			}, false, domain.OutcomeAlreadyMember, true, 0},
			{"an invited user", func(u domain.Actor) {
				_, err := a.Invite(ctx, ada, ref, people.InviteInput{User: u.UserID})
				w.must(err)
			}, false, domain.OutcomePending, false, 1},
			{"an invited user, by address", func(u domain.Actor) {
				_, err := a.Invite(ctx, ada, ref, people.InviteInput{User: u.UserID})
				w.must(err)
			}, true, domain.OutcomePending, false, 1},
			{"an invited address, as a user", func(u domain.Actor) {
				me, err := a.User(ctx, domain.Ref{ID: int64(u.UserID)})
				w.must(err)
				_, err = a.Invite(ctx, ada, ref, people.InviteInput{Email: me.Email})
				w.must(err)
			}, false, domain.OutcomePending, false, 1},
			{"a follower who is invited already", func(u domain.Actor) {
				_, err := a.Invite(ctx, ada, ref, people.InviteInput{User: u.UserID})
				w.must(err)
				follow(u)
			}, false, domain.OutcomePending, false, 1},
			{"somebody whose invitation has expired", func(u domain.Actor) {
				_, err := a.Invite(ctx, ada, ref, people.InviteInput{User: u.UserID})
				w.must(err)
				w.mails("x")
				w.Clock.Advance(14 * core.Day)
			}, false, domain.OutcomeInvited, false, 2},
			{"somebody who declined", func(u domain.Actor) {
				_, err := a.Invite(ctx, ada, ref, people.InviteInput{User: u.UserID})
				w.must(err)
				me, err := a.User(ctx, domain.Ref{ID: int64(u.UserID)})
				w.must(err)
				w.must(a.DeclineInvitation(ctx, w.token(me.Email)))
			}, false, domain.OutcomeInvited, false, 2},
		} {
			slug := fmt.Sprintf("person-%d", i)
			u := w.member(slug)
			if row.before != nil {
				row.before(u)
			}
			in := people.InviteInput{User: u.UserID}
			if row.byEmail {
				in = people.InviteInput{Email: strings.ToUpper(slug) + "@Example.org"}
			}
			r, err := a.Invite(ctx, ada, ref, in)
			if err != nil || r.Outcome != row.outcome {
				t.Errorf("%s: %+v, %v, want %s", row.name, r, err, row.outcome)
				continue
			}
			if (r.User != nil) == row.byEmail || r.User != nil && r.User.ID != int64(u.UserID) {
				t.Errorf("%s: reveals %+v", row.name, r.User)
			}
			if wanted := row.outcome == domain.OutcomeInvited || row.outcome == domain.OutcomePending; (r.Invitation != nil) != wanted {
				t.Errorf("%s: %+v", row.name, r.Invitation)
			}
			if is, err := s.Membership().IsMember(ctx, group, u.UserID); err != nil || is != row.member {
				t.Errorf("%s: a member: %v, %v", row.name, is, err)
			}
			if n := len(w.mails(slug + "@example.org")); n != row.mails {
				t.Errorf("%s: %d mails, want %d", row.name, n, row.mails)
			}
		}
		before := w.Dump()
		for _, in := range []people.InviteInput{{}, {User: 1, Email: "x@example.org"}, {Email: "x"}, {User: -1}} {
			_, err := a.Invite(ctx, ada, ref, in)
			w.want(domain.Invalid, err)
		}
		_, err := a.Invite(ctx, ada, ref, people.InviteInput{User: 1 << 40})
		w.want(domain.NotFound, err)
		_, err = a.Invite(ctx, ada, domain.Ref{ID: 1 << 40}, people.InviteInput{Email: "x@example.org"})
		w.want(domain.NotFound, err)
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
	})
}

// The limits of invitations: by person, by user and by group. What does not go out is not counted.
func TestLimitsOfInvitations(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.People, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		one, two := storetest.Group(t, s, "One", ada.UserID, bob.UserID), storetest.Group(t, s, "Two", ada.UserID)
		invite := func(as domain.Actor, group domain.GroupID, email string) error {
			r, err := a.Invite(ctx, as, domain.Ref{ID: int64(group)}, people.InviteInput{Email: email})
			if err == nil && r.Outcome != domain.OutcomeInvited {
				err = fmt.Errorf("became %s", r.Outcome)
			}
			return err
		}
		revoke := func(as domain.Actor, group domain.GroupID) {
			t.Helper()
			l, err := a.Invitations(ctx, as, domain.Ref{ID: int64(group)}, somePage)
			w.must(err)
			w.must(a.RevokeInvitation(ctx, as, domain.Ref{ID: int64(group)}, l.Items[0].ID))
		}
		// The same person, by the same user, three times a day: to any group, with any label, even if it is revoked.
		for _, email := range []string{"p@example.org", "p+label@example.org", "P@example.org"} {
			w.must(invite(ada, two, email))
			revoke(ada, two)
		}
		err := invite(ada, one, "p@example.org")
		w.want(domain.TooMany, err)
		w.must(invite(bob, one, "p@example.org")) // somebody else has a limit of their own
		w.Clock.Advance(core.Day)
		w.must(invite(ada, two, "p@example.org"))
		// Thirty an hour by one user. Known members and pending invitations do not count.
		for n := range 29 {
			w.must(invite(ada, two, fmt.Sprintf("q%d@example.org", n)))
		}
		for range 3 {
			r, err := a.Invite(ctx, ada, domain.Ref{ID: int64(two)}, people.InviteInput{Email: "q1@example.org"})
			if w.must(err); r.Outcome != domain.OutcomePending {
				t.Errorf("%+v", r)
			}
		}
		was := w.rows("invitations", "river_job")
		w.want(domain.TooMany, invite(ada, two, "r@example.org"))
		if now := w.rows("invitations", "river_job"); !slices.Equal(now, was) {
			t.Errorf("%v, before %v", now, was)
		}
		w.Clock.Advance(time.Hour)
		w.must(invite(ada, two, "r@example.org"))
	})
}

// An invitation of a user is for that user, and one of an address is for anyone with the token. Each can be used once.
func TestAcceptInvitations(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.People, w.ctx(), w.S.Store
		w.first("op")
		ada, bob, eve := w.member("ada"), w.member("bob"), w.member("eve")
		reader := bob
		reader.Scope = domain.ScopeRead
		n := 0
		// invited returns a new group and the mailed token of an invitation to it.
		invited := func(in people.InviteInput, to string) (domain.GroupID, domain.InvitationID, string) {
			t.Helper()
			n++
			w.Clock.Advance(core.Day) // the limits
			var seen []string
			for _, m := range w.mails(to) {
				seen = append(seen, m.ID)
			}
			g := storetest.Group(t, s, fmt.Sprint("Group ", n), ada.UserID)
			r, err := a.Invite(ctx, ada, domain.Ref{ID: int64(g)}, in)
			w.must(err)
			return g, r.Invitation.ID, w.token(to, seen...)
		}
		byUser, byMail := people.InviteInput{User: bob.UserID}, people.InviteInput{Email: "bob@example.org"}
		for _, row := range []struct {
			name   string
			in     people.InviteInput
			as     domain.Actor
			before func(g domain.GroupID, id domain.InvitationID, token string)
			want   byte
			joins  bool
		}{
			{"the invited user", byUser, bob, nil, '+', true},
			{"another user", byUser, eve, nil, 'f', false},
			{"a guest", byUser, domain.Actor{}, nil, 'f', false},
			{"a token that reads", byUser, reader, nil, 'f', false},
			{"somebody with the mail", byMail, eve, nil, '+', true},
			{"a guest with the mail", byMail, domain.Actor{}, nil, 'f', false},
			{"revoked", byUser, bob, func(g domain.GroupID, id domain.InvitationID, _ string) {
				w.must(a.RevokeInvitation(ctx, ada, domain.Ref{ID: int64(g)}, id))
			}, 'n', false},
			{"declined", byUser, bob, func(_ domain.GroupID, _ domain.InvitationID, token string) { w.must(a.DeclineInvitation(ctx, token)) }, 'n', false},
			{"in the last second", byUser, bob, func(domain.GroupID, domain.InvitationID, string) { w.Clock.Advance(14*core.Day - time.Minute) }, '+', true},
			{"expired", byUser, bob, func(domain.GroupID, domain.InvitationID, string) { w.Clock.Advance(14 * core.Day) }, 'n', false},
			{"the group is gone", byUser, bob, func(g domain.GroupID, _ domain.InvitationID, _ string) {
				w.must(a.DeleteGroup(ctx, ada, domain.Ref{ID: int64(g)}))
			}, 'n', false},
			{"joined with the code in the meantime", byUser, bob, func(g domain.GroupID, _ domain.InvitationID, _ string) {
				i, _, err := a.CreateGroupInvite(ctx, ada, domain.Ref{ID: int64(g)})
				w.must(err)
				_, _, err = a.JoinGroup(ctx, bob, domain.Ref{ID: int64(g)}, i.Code)
				w.must(err)
			}, 'n', true},
		} {
			g, id, token := invited(row.in, "bob@example.org")
			if row.before != nil {
				row.before(g, id, token)
			}
			i, looked := a.InvitationByToken(ctx, token)
			if open := row.want != 'n'; (looked == nil) != open || open && i.ID != id {
				t.Errorf("%s: the page: %+v, %v", row.name, i, looked)
			}
			_, err := a.AcceptInvitation(ctx, row.as, token)
			if outcome(err) != row.want {
				t.Errorf("%s: %v, want %c", row.name, err, row.want)
			}
			if is, err := s.Membership().IsMember(ctx, g, row.as.UserID); err != nil || is != row.joins {
				t.Errorf("%s: a member: %v, %v", row.name, is, err)
			}
			if row.want == '+' {
				if _, err := a.AcceptInvitation(ctx, row.as, token); outcome(err) != 'n' {
					t.Errorf("%s, again: %v", row.name, err)
				}
				w.want(domain.NotFound, a.DeclineInvitation(ctx, token))
				if e := w.latest(domain.ActMemberAdded); e.ActorID != row.as.UserID || e.About.ID != int64(g) {
					t.Errorf("%s: noted %+v", row.name, e)
				}
			}
		}
		for _, token := range []string{"", "x", "vitrine_inv_" + strings.Repeat("0", 46)} {
			_, err := a.AcceptInvitation(ctx, bob, token)
			w.want(domain.NotFound, err)
			w.want(domain.NotFound, a.DeclineInvitation(ctx, token))
		}
		// Of several who use the token of an address at once, one joins.
		g, _, token := invited(people.InviteInput{Email: "many@example.org"}, "many@example.org")
		var in atomic.Int64
		var wait sync.WaitGroup
		for _, who := range []domain.Actor{bob, eve, w.member("kim"), w.member("lea")} {
			wait.Go(func() {
				if _, err := a.AcceptInvitation(ctx, who, token); err == nil {
					in.Add(1)
				} else if domain.KindOf(err) != domain.NotFound {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if got, err := a.Group(ctx, ada, domain.Ref{ID: int64(g)}); err != nil || in.Load() != 1 || got.Users != 2 {
			t.Errorf("%d joined: %+v, %v", in.Load(), got, err)
		}
	})
}

// Who may revoke an invitation: every member, and its creator even after leaving.
func TestRevokeInvitations(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.People, w.ctx(), w.S.Store
		w.first("op")
		ada, bob, eve := w.member("ada"), w.member("bob"), w.member("eve")
		g := storetest.Group(t, s, "Group", ada.UserID, bob.UserID)
		other := storetest.Group(t, s, "Other", eve.UserID)
		ref := domain.Ref{ID: int64(g)}
		r, err := a.Invite(ctx, bob, ref, people.InviteInput{Email: "one@example.org"})
		w.must(err)
		second, err := a.Invite(ctx, bob, ref, people.InviteInput{Email: "two@example.org"})
		w.must(err)
		w.must(a.LeaveGroup(ctx, bob, ref))
		w.want(domain.Forbidden, a.RevokeInvitation(ctx, eve, ref, r.Invitation.ID))
		w.want(domain.NotFound, a.RevokeInvitation(ctx, eve, domain.Ref{ID: int64(other)}, r.Invitation.ID)) // of another group
		w.want(domain.Forbidden, a.RevokeInvitation(ctx, bob, ref, 1<<40))                                   // the answer does not reveal whether it exists
		w.must(a.RevokeInvitation(ctx, bob, ref, r.Invitation.ID))
		w.want(domain.Unprocessable, a.RevokeInvitation(ctx, bob, ref, r.Invitation.ID))
		w.must(a.RevokeInvitation(ctx, ada, ref, second.Invitation.ID))
		w.WorkJobs()
		if mails := w.Outbox(); len(mails) != 0 {
			t.Errorf("mailed although revoked: %+v", mails)
		}
	})
}

// Users follow a visible thing once, and never themselves. Unfollowing undoes it.
func TestFollowing(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.People, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		group := storetest.Group(t, s, "Group", ada.UserID)
		public, private := storetest.Channel(t, s, ada.UserID, "Public", domain.Public), storetest.Channel(t, s, ada.UserID, "Private", domain.Private)
		at := func(kind domain.SubjectType, id int64) people.FollowTarget {
			return people.FollowTarget{Type: kind, Ref: domain.Ref{ID: id}}
		}
		for _, row := range []struct {
			name     string
			target   people.FollowTarget
			want     byte
			notified int64 // number of people
		}{
			{"a user", at(domain.SubjectUser, int64(ada.UserID)), '+', 1},
			{"a user by slug", people.FollowTarget{Type: domain.SubjectUser, Ref: domain.Ref{Slug: "op"}}, '+', 1},
			{"a channel", at(domain.SubjectChannel, int64(public)), '+', 1},
			{"a group", at(domain.SubjectGroup, int64(group)), '+', 0},
			{"oneself", at(domain.SubjectUser, int64(bob.UserID)), 'u', 0},
			{"a private channel", at(domain.SubjectChannel, int64(private)), 'n', 0},
			{"a private channel by slug", people.FollowTarget{Type: domain.SubjectChannel, Ref: domain.Ref{Slug: "private"}}, 'n', 0},
			{"an unknown user", at(domain.SubjectUser, 1<<40), 'n', 0},
			{"an unknown group", at(domain.SubjectGroup, 1<<40), 'n', 0},
			{"a block", at(domain.SubjectBlock, 1), 'i', 0},
			{"nothing", people.FollowTarget{}, 'i', 0},
		} {
			before := w.Dump()
			was := w.rows("follows", "notifications")
			err := a.Follow(ctx, bob, row.target)
			if outcome(err) != row.want {
				t.Errorf("%s: %v, want %c", row.name, err, row.want)
			}
			if row.want != '+' {
				if d := before.Diff(w.Dump()); len(d) > 0 {
					t.Errorf("%s changed %v", row.name, d)
				}
				if _, err := a.IsFollowing(ctx, bob, row.target); row.want != 'u' && outcome(err) != row.want {
					t.Errorf("%s, following: %v", row.name, err)
				}
				continue
			}
			now := w.rows("follows", "notifications")
			if now[0] != was[0]+1 || now[1] != was[1]+row.notified {
				t.Errorf("%s: %v, before %v", row.name, now, was)
			}
			w.must(a.Follow(ctx, bob, row.target)) // again
			if is, err := a.IsFollowing(ctx, bob, row.target); err != nil || !is || !slices.Equal(w.rows("follows", "notifications"), now) {
				t.Errorf("%s, again: %v, %v", row.name, is, err)
			}
			if is, err := a.IsFollowing(ctx, domain.Actor{}, row.target); err != nil || is {
				t.Errorf("%s: a guest follows: %v, %v", row.name, is, err)
			}
			if l, err := a.Followers(ctx, domain.Actor{}, row.target, true, somePage); err != nil || l.Total != 1 || l.Items[0].ID != bob.UserID {
				t.Errorf("%s: %+v, %v", row.name, l, err)
			}
			for range 2 {
				w.must(a.Unfollow(ctx, bob, row.target))
			}
			if is, err := a.IsFollowing(ctx, bob, row.target); err != nil || is || w.rows("follows")[0] != was[0] {
				t.Errorf("%s, unfollowed: %v, %v", row.name, is, err)
			}
		}
		// A channel that turns private disappears from the lists of those who follow it, and comes back.
		w.must(a.Follow(ctx, bob, at(domain.SubjectChannel, int64(public))))
		w.must(a.Follow(ctx, bob, at(domain.SubjectUser, int64(ada.UserID))))
		listed := func(as domain.Actor, kind domain.SubjectType, want int64) {
			t.Helper()
			l, err := a.Following(ctx, as, domain.Ref{Slug: "bob"}, people.FollowingInput{Type: kind, Page: somePage})
			if w.must(err); l.Total != want || int64(len(l.Items)) != want {
				t.Errorf("%d listed to %d, want %d", l.Total, as.UserID, want)
			}
		}
		listed(bob, "", 2)
		listed(bob, domain.SubjectChannel, 1)
		storetest.SetVisibility(t, s, ada.UserID, public, domain.Private)
		storetest.Apply(t, s)
		listed(bob, "", 1)
		listed(domain.Actor{}, domain.SubjectChannel, 0)
		listed(ada, domain.SubjectChannel, 1) // the owner sees that it is followed
		if channels, users, groups, err := a.FollowedIDs(ctx, bob); err != nil || len(channels) != 0 || len(users) != 1 || len(groups) != 0 {
			t.Errorf("%v %v %v, %v", channels, users, groups, err)
		}
		w.want(domain.NotFound, a.Unfollow(ctx, bob, at(domain.SubjectChannel, int64(public))))
		storetest.SetVisibility(t, s, ada.UserID, public, domain.Closed)
		listed(bob, "", 2)
		if channels, users, groups, err := a.FollowedIDs(ctx, domain.Actor{}); err != nil || len(channels)+len(users)+len(groups) != 0 {
			t.Errorf("a guest: %v", err)
		}
		_, err := a.Following(ctx, bob, domain.Ref{Slug: "bob"}, people.FollowingInput{Type: domain.SubjectBlock, Page: somePage})
		w.want(domain.Invalid, err)
		_, err = a.Following(ctx, bob, domain.Ref{Slug: "nobody"}, people.FollowingInput{Page: somePage})
		w.want(domain.NotFound, err)
	})
}

// Unread notifications count what a user sees: not what was hidden since, and no more than the limit.
func TestUnreadNotifications(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.People, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		public, other := storetest.Channel(t, s, bob.UserID, "Public", domain.Public), storetest.Channel(t, s, bob.UserID, "Other", domain.Public)
		for i, in := range []domain.ChannelID{public, public, other} {
			b := storetest.Block(t, s, ada.UserID, fmt.Sprint("Block ", i))
			storetest.Connect(t, s, ada.UserID, storetest.Channel(t, s, ada.UserID, fmt.Sprint("Mine ", i), domain.Public), domain.BlockRef(b), 0)
			_, err := w.a.Collections.Connect(ctx, bob, domain.BlockRef(b), []collections.Target{{Channel: domain.Ref{ID: int64(in)}}})
			w.must(err)
		}
		unread := func(want int64) {
			t.Helper()
			me, err := a.Me(ctx, ada)
			if w.must(err); me.Unread != want {
				t.Errorf("%d unread, want %d", me.Unread, want)
			}
			u, err := a.User(ctx, domain.Ref{ID: int64(ada.UserID)})
			w.must(err)
			for limit := int64(1); limit <= 4; limit++ {
				if n, err := a.UnreadNotifications(ctx, ada, u.Unread, limit); err != nil || n != min(want, limit) {
					t.Errorf("%d unread up to %d, want %d, %v", n, limit, want, err)
				}
			}
		}
		unread(3)
		storetest.SetVisibility(t, s, bob.UserID, other, domain.Private)
		unread(2)
		page, err := a.Notifications(ctx, ada, true, people.CursorInput{Limit: 10})
		if w.must(err); len(page.Items) != 2 {
			t.Fatalf("%+v", page)
		}
		newest := page.Items[0].ID
		for _, row := range []struct {
			name string
			as   domain.Actor
			id   domain.ActivityID
			want byte
		}{
			{"somebody else", bob, newest, 'n'},
			{"a guest", domain.Actor{}, newest, 'n'},
			{"an unknown one", ada, 1 << 40, 'n'},
			{"one that is hidden now", ada, newest + 1, 'n'},
			{"its recipient", ada, newest, '+'},
			{"again", ada, newest, '+'},
		} {
			n, left, err := a.ReadNotification(ctx, row.as, row.id)
			if outcome(err) != row.want || err == nil && (!n.Read || n.ID != row.id || left != 1) {
				t.Errorf("%s: %+v, %d, %v", row.name, n, left, err)
			}
		}
		unread(1)
		storetest.SetVisibility(t, s, bob.UserID, other, domain.Public)
		unread(2) // it is visible again, and still unread
		for range 2 {
			if left, err := a.ReadAllNotifications(ctx, ada); err != nil || left != 0 {
				t.Errorf("%d unread, %v", left, err)
			}
		}
		unread(0)
		if n := len(w.Statements(func() {
			for _, as := range []domain.Actor{ada, {}} {
				if n, err := a.UnreadNotifications(ctx, as, 0, 10); err != nil || n != 0 {
					t.Errorf("%d, %v", n, err)
				}
			}
		})); n != 0 {
			t.Errorf("%d statements although none is known", n)
		}
		if _, err := a.Me(ctx, domain.Actor{}); outcome(err) != 'a' {
			t.Errorf("a guest: %v", err)
		}
	})
}

// Each action notifies the people concerned who see it once, but never the actor.
func TestWhoIsNotified(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		c := newCast(w)
		a, ctx := w.a, w.ctx()
		names := []string{"stranger", "follower", "collaborator", "helper", "member", "owner", "spare"}
		for _, row := range []struct {
			name     string
			state    domain.Visibility
			do       func(p place) error
			notified []string
		}{
			{"a block is added", domain.Public, func(p place) error {
				_, err := a.Collections.Connect(ctx, c.as["stranger"], domain.BlockRef(c.elsewhere), []collections.Target{{Channel: p.ref()}})
				return err
			}, []string{"member", "owner", "spare"}},
			{"a block is added to a private channel", domain.Private, func(p place) error {
				_, err := a.Collections.Connect(ctx, c.as["collaborator"], domain.BlockRef(c.elsewhere), []collections.Target{{Channel: p.ref()}})
				return err
			}, []string{"member", "owner"}},
			{"an owner adds a block", domain.Public, func(p place) error {
				_, err := a.Collections.Connect(ctx, c.as["owner"], domain.BlockRef(c.elsewhere), []collections.Target{{Channel: p.ref()}})
				return err
			}, []string{"member", "spare"}},
			{"a user becomes a collaborator", domain.Private, func(p place) error {
				_, _, err := a.Collections.AddCollaborator(ctx, c.as["owner"], p.ref(), domain.UserRef(c.as["spare"].UserID))
				return err
			}, []string{"spare"}},
			{"a channel is followed", domain.Closed, func(p place) error {
				return a.People.Follow(ctx, c.as["stranger"], people.FollowTarget{Type: domain.SubjectChannel, Ref: p.ref()})
			}, []string{"member", "owner"}},
			{"a comment", domain.Public, func(p place) error {
				_, err := a.Collections.CreateComment(ctx, c.as["stranger"], p.block, "See @a-spare, @a-stranger and @nobody")
				return err
			}, []string{"collaborator", "owner", "spare"}},
			{"a comment on a private block", domain.Private, func(p place) error {
				_, err := a.Collections.CreateComment(ctx, c.as["helper"], p.block, "See @a-spare and @a-member")
				return err
			}, []string{"collaborator", "owner", "member"}},
			{"a comment is changed", domain.Public, func(p place) error {
				_, err := a.Collections.UpdateComment(ctx, c.as["collaborator"], p.comment, "See @a-spare")
				return err
			}, nil},
			{"a block is removed", domain.Public, func(p place) error { return a.Collections.DeleteConnection(ctx, c.as["owner"], p.bottom) }, nil},
			{"a title is changed", domain.Public, func(p place) error {
				title := "Changed"
				_, err := a.Collections.UpdateChannel(ctx, c.as["owner"], p.ref(), collections.UpdateChannelInput{Title: &title})
				return err
			}, nil},
		} {
			p := c.place(row.state)
			unread := map[string]int64{}
			for _, name := range names {
				u, err := a.People.Me(ctx, c.as[name])
				w.must(err)
				unread[name] = u.Unread
			}
			w.must(row.do(p))
			for _, name := range names {
				u, err := a.People.Me(ctx, c.as[name])
				w.must(err)
				want := int64(0)
				if slices.Contains(row.notified, name) {
					want = 1
				}
				if got := u.Unread - unread[name]; got != want {
					t.Errorf("%s: %s is notified %d times, want %d", row.name, name, got, want)
				}
			}
		}
	})
}
