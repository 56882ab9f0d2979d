package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/membership"
	"vitrine/internal/store/storetest"
)

// minutes returns a time after the creation of the test data.
func minutes(n int) time.Time { return storetest.Now.Add(time.Duration(n) * time.Minute) }

// hash returns a distinct hash of a secret.
func hash(n int) []byte { return fmt.Appendf(nil, "%032d", n) }

// want fails unless an error has a kind.
func want(t *testing.T, what string, kind domain.Kind, err error) {
	t.Helper()
	if err == nil || domain.KindOf(err) != kind {
		t.Errorf("%s: %v, want an error of kind %d", what, err, kind)
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		owner := storetest.User(t, s, "Owner")
		var users []domain.UserID
		for i := range 4 {
			users = append(users, storetest.User(t, s, fmt.Sprint("User ", i)))
		}
		id, other := storetest.Group(t, s, "Group", owner), storetest.Group(t, s, "Other", users[0])
		for i, row := range []struct {
			add   bool
			who   domain.UserID
			isNew bool
			count int64
		}{
			{true, owner, false, 1},
			{false, users[0], false, 1},
			{true, users[0], true, 2},
			{true, users[0], false, 2},
			{true, users[1], true, 3},
			{true, users[2], true, 4},
			{false, users[1], true, 3},
			{false, users[1], false, 3},
			{true, users[1], true, 4}, // comes back as the newest
		} {
			was, err := s.Groups().Group(ctx, row.who, domain.Ref{ID: int64(id)})
			if err != nil {
				t.Fatal(err)
			}
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				if err := tx.Groups().LockGroup(ctx, id); err != nil {
					return err
				}
				var isNew bool
				if row.add {
					isNew, err = tx.Membership().AddMember(ctx, id, row.who, minutes(i))
				} else {
					isNew, err = tx.Membership().RemoveMember(ctx, id, row.who)
				}
				if isNew != row.isNew {
					t.Errorf("%d: changed %v", i, isNew)
				}
				return err
			})
			g, err := s.Groups().Group(ctx, row.who, domain.Ref{ID: int64(id)})
			if err != nil || g.Users != row.count || g.Member != row.add || g.Version != was.Version+int64(btoi(row.isNew)) {
				t.Errorf("%d: %+v, %v", i, g, err)
			}
			if is, err := s.Membership().IsMember(ctx, id, row.who); err != nil || is != row.add {
				t.Errorf("%d: a member: %v, %v", i, is, err)
			}
		}
		if is, err := s.Membership().IsMember(ctx, other, users[1]); err != nil || is {
			t.Errorf("a member of another group: %v, %v", is, err)
		}
		// By seniority, and the owner first.
		if all, err := s.Membership().EldestMembers(ctx, id, 10); err != nil || !slices.Equal(all, []domain.UserID{owner, users[0], users[2], users[1]}) {
			t.Errorf("by seniority %v, %v", all, err)
		}
		if all, err := s.Membership().EldestMembers(ctx, id, 2); err != nil || !slices.Equal(all, []domain.UserID{owner, users[0]}) {
			t.Errorf("the eldest two %v, %v", all, err)
		}
		listed := []int64{int64(owner), int64(users[1]), int64(users[2]), int64(users[0])}
		for per := int64(1); per <= 5; per++ {
			var got []int64
			for number := int64(1); number <= 6; number++ {
				err := s.InSnapshot(ctx, func(v *store.Snapshot) error {
					g, err := v.Groups().Group(ctx, 0, domain.Ref{ID: int64(id)})
					if err != nil {
						return err
					}
					l, err := v.Membership().Members(ctx, g, domain.Page{Number: number, Per: per})
					if l.Total != 4 || int64(len(l.Items)) > per {
						t.Errorf("page %d of %d: %+v", number, per, l)
					}
					for _, m := range l.Items {
						got = append(got, m.ID)
						if m.Owner != (m.ID == int64(owner)) || m.Slug == "" || m.Type != domain.TypeUser {
							t.Errorf("%+v", m)
						}
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, listed) {
				t.Errorf("by %d: %v, want %v", per, got, listed)
			}
		}
	})
}

// The heir of a group is its longest-standing member who has an account.
func TestNextOwner(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		owner, old, young := storetest.User(t, s, "Owner"), storetest.User(t, s, "Old"), storetest.User(t, s, "Young")
		id := storetest.Group(t, s, "Group", owner)
		next := func(want domain.UserID) {
			t.Helper()
			if got, err := s.Membership().NextOwner(ctx, id); err != nil || got != want {
				t.Errorf("the heir is %d, want %d, %v", got, want, err)
			}
		}
		next(0)
		storetest.In(t, s, func(tx *store.Tx) error {
			for i, u := range []domain.UserID{young, old} {
				if _, err := tx.Membership().AddMember(ctx, id, u, minutes(5-i)); err != nil {
					return err
				}
			}
			return nil
		})
		next(old)
		storetest.Exec(t, db, "UPDATE users SET deleted_at = 1 WHERE id = $1", old)
		next(young)
		storetest.Exec(t, db, "UPDATE users SET deleted_at = NULL WHERE id = $1", old)
		storetest.In(t, s, func(tx *store.Tx) error {
			if err := tx.Groups().LockGroup(ctx, id); err != nil {
				return err
			}
			return tx.Users().HandGroupOver(ctx, id, old)
		})
		next(owner) // who was there before
		if got, err := s.Membership().NextOwner(ctx, 1<<40); err != nil || got != 0 {
			t.Errorf("the heir of no group: %d, %v", got, err)
		}
	})
}

// Memberships that come from a provider are marked, until somebody removes or changes them.
func TestMappedMembers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		owner, u := storetest.User(t, s, "Owner"), storetest.User(t, s, "User")
		var groups []domain.GroupID
		for i := range 3 {
			groups = append(groups, storetest.Group(t, s, fmt.Sprint("Group ", i), owner, u))
		}
		mapped := func(want ...domain.GroupID) {
			t.Helper()
			if got, err := s.Membership().MappedGroups(ctx, u); err != nil || !slices.Equal(got, want) {
				t.Errorf("mapped %v, want %v, %v", got, want, err)
			}
		}
		mark := func(g domain.GroupID, is bool) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Membership().MarkMapped(ctx, g, u, is) })
		}
		mapped()
		mark(groups[2], true)
		mark(groups[0], true)
		mapped(groups[0], groups[2])
		mark(groups[0], true)
		mapped(groups[0], groups[2])
		mark(groups[0], false)
		mapped(groups[2])
		storetest.In(t, s, func(tx *store.Tx) error {
			_, err := tx.Membership().RemoveMember(ctx, groups[2], u)
			return err
		})
		mapped()
		storetest.In(t, s, func(tx *store.Tx) error {
			_, err := tx.Membership().AddMember(ctx, groups[2], u, storetest.Now)
			return err
		})
		mapped() // it joined again by itself
		if got, err := s.Membership().MappedGroups(ctx, owner); err != nil || len(got) != 0 {
			t.Errorf("of the owner: %v, %v", got, err)
		}
	})
}

// invited creates an invitation of somebody to a group, which expires after ten minutes.
func invited(t *testing.T, s *store.Store, group domain.GroupID, by, who domain.UserID, email string, n int) (id domain.InvitationID) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) (err error) {
		var address *string
		if email != "" {
			address = &email
		}
		id, err = tx.Membership().CreateInvitation(t.Context(), membership.NewInvitation{Group: group, Invitee: who, Email: address, InvitedBy: by,
			TokenHash: hash(n), ExpiresAt: minutes(10), Now: minutes(0)})
		return err
	})
	return id
}

// What each change does to an invitation in each state.
func TestStatesOfInvitations(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		owner, u := storetest.User(t, s, "Owner"), storetest.User(t, s, "User")
		group, other := storetest.Group(t, s, "Group", owner), storetest.Group(t, s, "Other", owner)
		who := membership.Invitee{User: u, Email: "user@example.org"}
		n := 0
		for _, row := range []struct {
			name    string
			change  func(tx *store.Tx, id domain.InvitationID) error
			pending domain.InvitationState // of an invitation that was pending; "" if the change fails
			ended   bool                   // the change of an ended one fails
			accepts bool                   // it gets an invitee and a time
		}{
			{"revoke", func(tx *store.Tx, id domain.InvitationID) error {
				return tx.Membership().EndInvitation(ctx, id, domain.InvitationRevoked, minutes(1))
			}, domain.InvitationRevoked, true, false},
			{"decline", func(tx *store.Tx, id domain.InvitationID) error {
				return tx.Membership().EndInvitation(ctx, id, domain.InvitationDeclined, minutes(1))
			}, domain.InvitationDeclined, true, false},
			{"accept", func(tx *store.Tx, id domain.InvitationID) error {
				return tx.Membership().AcceptInvitation(ctx, id, u, minutes(1))
			}, domain.InvitationAccepted, true, true},
			{"accept all of somebody", func(tx *store.Tx, _ domain.InvitationID) error {
				return tx.Membership().AcceptInvitations(ctx, group, who, minutes(1))
			}, domain.InvitationAccepted, false, true},
			{"accept all to another group", func(tx *store.Tx, _ domain.InvitationID) error {
				return tx.Membership().AcceptInvitations(ctx, other, who, minutes(1))
			}, domain.InvitationPending, false, false},
			{"accept all of somebody else", func(tx *store.Tx, _ domain.InvitationID) error {
				return tx.Membership().AcceptInvitations(ctx, group, membership.Invitee{User: owner, Email: "x@example.org"}, minutes(1))
			}, domain.InvitationPending, false, false},
			{"expire too early", func(tx *store.Tx, _ domain.InvitationID) error {
				return tx.Membership().ExpireInvitations(ctx, group, who, minutes(10).Add(-time.Microsecond))
			}, domain.InvitationPending, false, false},
			{"expire", func(tx *store.Tx, _ domain.InvitationID) error {
				return tx.Membership().ExpireInvitations(ctx, group, who, minutes(10))
			}, domain.InvitationExpired, false, false},
		} {
			for _, as := range []string{"a user", "an address"} {
				n++
				var id domain.InvitationID
				if as == "a user" {
					id = invited(t, s, group, owner, u, "", n)
				} else {
					id = invited(t, s, group, owner, 0, who.Email, n)
				}
				storetest.In(t, s, func(tx *store.Tx) error { return row.change(tx, id) })
				i, err := s.Membership().Invitation(ctx, group, id)
				if err != nil || i.State != row.pending || (i.AcceptedAt != nil) != row.accepts || (i.Email != nil) != (as == "an address") {
					t.Errorf("%s, %s: %+v, %v", row.name, as, i, err)
				}
				if row.accepts && (i.Invitee == nil || i.Invitee.ID != int64(u)) {
					t.Errorf("%s, %s: accepted by %+v", row.name, as, i.Invitee)
				}
				if row.pending == domain.InvitationPending { // ended, so that the next row begins with none
					storetest.In(t, s, func(tx *store.Tx) error {
						return tx.Membership().EndInvitation(ctx, id, domain.InvitationRevoked, minutes(2))
					})
					continue
				}
				err = s.InTx(ctx, func(tx *store.Tx) error { return row.change(tx, id) })
				if (err != nil) != row.ended {
					t.Errorf("%s, %s, again: %v", row.name, as, err)
				}
				if again, err := s.Membership().Invitation(ctx, group, id); err != nil || again.State != i.State || !again.UpdatedAt.Equal(i.UpdatedAt) {
					t.Errorf("%s, %s, again: %+v, %v", row.name, as, again, err)
				}
			}
		}
	})
}

// An open invitation is found by account and by address, but only one to the same group that has not expired.
func TestOpenInvitations(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		owner, u, v := storetest.User(t, s, "Owner"), storetest.User(t, s, "User"), storetest.User(t, s, "Other user")
		group, other := storetest.Group(t, s, "Group", owner), storetest.Group(t, s, "Other", owner)
		byUser := invited(t, s, group, owner, u, "", 1)
		byMail := invited(t, s, group, owner, 0, "new@example.org", 2)
		both := invited(t, s, other, owner, v, "v@example.org", 3)
		for _, row := range []struct {
			name  string
			group domain.GroupID
			who   membership.Invitee
			at    time.Time
			want  domain.InvitationID
		}{
			{"by account", group, membership.Invitee{User: u, Email: "u@example.org"}, minutes(1), byUser},
			{"by address", group, membership.Invitee{Email: "new@example.org"}, minutes(1), byMail},
			{"by address, with an account since", group, membership.Invitee{User: v, Email: "new@example.org"}, minutes(1), byMail},
			{"by account, with another address since", other, membership.Invitee{User: v, Email: "w@example.org"}, minutes(1), both},
			{"to another group", other, membership.Invitee{User: u, Email: "u@example.org"}, minutes(1), 0},
			{"somebody else", group, membership.Invitee{User: owner, Email: "o@example.org"}, minutes(1), 0},
			{"in the last microsecond", group, membership.Invitee{User: u}, minutes(10).Add(-time.Microsecond), byUser},
			{"expired", group, membership.Invitee{User: u}, minutes(10), 0},
		} {
			i, err := s.Membership().OpenInvitation(ctx, row.group, row.who, row.at)
			if row.want == 0 {
				want(t, row.name, domain.NotFound, err)
			} else if err != nil || i.ID != row.want {
				t.Errorf("%s: %d, want %d, %v", row.name, i.ID, row.want, err)
			}
		}
		// Adoption adds the account, and is not repeated for another.
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Membership().AdoptInvitations(ctx, membership.Invitee{User: v, Email: "new@example.org"})
		})
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Membership().AdoptInvitations(ctx, membership.Invitee{User: u, Email: "new@example.org"})
		})
		if i, err := s.Membership().Invitation(ctx, group, byMail); err != nil || i.Invitee == nil || i.Invitee.ID != int64(v) || i.Email == nil {
			t.Errorf("adopted: %+v, %v", i, err)
		}
		// A token finds an invitation in any state, unless its creator is gone.
		for n, id := range map[int]domain.InvitationID{1: byUser, 2: byMail, 3: both} {
			if i, err := s.Membership().InvitationByToken(ctx, hash(n)); err != nil || i.ID != id {
				t.Errorf("token %d: %+v, %v", n, i, err)
			}
		}
		_, err := s.Membership().InvitationByToken(ctx, hash(4))
		want(t, "an unknown token", domain.NotFound, err)
		_, err = s.Membership().Invitation(ctx, other, byUser)
		want(t, "an invitation of another group", domain.NotFound, err)
		storetest.Exec(t, db, "UPDATE users SET deleted_at = 1 WHERE id = $1", owner)
		_, err = s.Membership().InvitationByToken(ctx, hash(1))
		want(t, "the token of somebody who is gone", domain.NotFound, err)
		storetest.Exec(t, db, "UPDATE users SET deleted_at = NULL WHERE id = $1", owner)
		// Leaving the server takes the invitations of a user along, and revokes those that they sent.
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Membership().ForgetInvitations(ctx, group, u) })
		_, err = s.Membership().Invitation(ctx, group, byUser)
		want(t, "a forgotten one", domain.NotFound, err)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Membership().ForgetInvitations(ctx, group, owner) })
		if i, err := s.Membership().Invitation(ctx, group, byMail); err != nil || i.State != domain.InvitationRevoked {
			t.Errorf("of somebody who left: %+v, %v", i, err)
		}
		if i, err := s.Membership().Invitation(ctx, other, both); err != nil || i.State != domain.InvitationPending {
			t.Errorf("to another group: %+v, %v", i, err)
		}
	})
}

// The mail of an invitation is claimed once. Only the claim itself can be released.
func TestMailOfInvitations(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		owner := storetest.User(t, s, "Owner")
		group := storetest.Group(t, s, "Group", owner)
		id := invited(t, s, group, owner, 0, "new@example.org", 1)
		claim := func(n int, at time.Time) error {
			return s.InTx(ctx, func(tx *store.Tx) error {
				i, err := tx.Membership().ClaimInvitationMail(ctx, id, hash(n), at)
				if err == nil && i.ID != id {
					t.Errorf("claimed %+v", i)
				}
				return err
			})
		}
		release := func(n int) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Membership().ReleaseInvitationMail(ctx, id, hash(n)) })
		}
		if err := claim(2, minutes(1)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Membership().InvitationByToken(ctx, hash(2)); err != nil {
			t.Errorf("the token of the mail: %v", err)
		}
		_, err := s.Membership().InvitationByToken(ctx, hash(1))
		want(t, "the token before", domain.NotFound, err)
		want(t, "a second claim", domain.NotFound, claim(3, minutes(1)))
		release(3) // of another claim
		want(t, "a claim after another was released", domain.NotFound, claim(3, minutes(1)))
		release(2)
		want(t, "a claim of an expired invitation", domain.NotFound, claim(3, minutes(10)))
		if err := claim(3, minutes(9)); err != nil {
			t.Error(err)
		}
		release(3)
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Membership().EndInvitation(ctx, id, domain.InvitationRevoked, minutes(2))
		})
		want(t, "a claim of a revoked invitation", domain.NotFound, claim(4, minutes(3)))
		want(t, "a claim of no invitation", domain.NotFound, s.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Membership().ClaimInvitationMail(ctx, 1<<40, hash(5), minutes(1))
			return err
		}))
	})
}

func TestListedInvitations(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		owner := storetest.User(t, s, "Owner")
		group, other := storetest.Group(t, s, "Group", owner), storetest.Group(t, s, "Other", owner)
		var all []domain.InvitationID
		for i := range 5 {
			all = append(all, invited(t, s, group, owner, 0, fmt.Sprintf("p%d@example.org", i), i))
		}
		invited(t, s, other, owner, 0, "p@example.org", 9)
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Membership().EndInvitation(ctx, all[2], domain.InvitationDeclined, minutes(1))
		})
		list := func(at time.Time, number, per int64) (ids []domain.InvitationID, total int64) {
			t.Helper()
			err := s.InSnapshot(ctx, func(v *store.Snapshot) error {
				l, err := v.Membership().Invitations(ctx, group, at, domain.Page{Number: number, Per: per})
				for _, i := range l.Items {
					ids = append(ids, i.ID)
				}
				total = l.Total
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return ids, total
		}
		for _, row := range []struct {
			at          time.Time
			number, per int64
			want        []domain.InvitationID
			total       int64
		}{
			{minutes(1), 1, 10, []domain.InvitationID{all[4], all[3], all[1], all[0]}, 4},
			{minutes(1), 1, 3, []domain.InvitationID{all[4], all[3], all[1]}, 4},
			{minutes(1), 2, 3, []domain.InvitationID{all[0]}, 4},
			{minutes(1), 3, 3, nil, 4},
			{minutes(10), 1, 10, nil, 0}, // expired
		} {
			if got, total := list(row.at, row.number, row.per); !slices.Equal(got, row.want) || total != row.total {
				t.Errorf("page %d of %d: %v of %d, want %v of %d", row.number, row.per, got, total, row.want, row.total)
			}
		}
	})
}

func TestGroupInvites(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		owner := storetest.User(t, s, "Owner")
		group, other := storetest.Group(t, s, "Group", owner), storetest.Group(t, s, "Other", owner)
		_, err := s.Membership().GroupInvite(ctx, group)
		want(t, "none yet", domain.NotFound, err)
		for _, code := range []string{"first", "second"} {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Membership().CreateGroupInvite(ctx, group, code, minutes(1)) })
			if i, err := s.Membership().GroupInvite(ctx, group); err != nil || i.Code != code || !i.CreatedAt.Equal(minutes(1)) {
				t.Errorf("%+v, %v", i, err)
			}
			if err := s.InTx(ctx, func(tx *store.Tx) error { return tx.Membership().CreateGroupInvite(ctx, group, "third", minutes(2)) }); err == nil {
				t.Error("a group has two invites")
			}
			_, err := s.Membership().GroupInvite(ctx, other)
			want(t, "another group", domain.NotFound, err)
			for range 2 { // the second time changes nothing
				storetest.In(t, s, func(tx *store.Tx) error { return tx.Membership().DeleteGroupInvite(ctx, group) })
			}
			_, err = s.Membership().GroupInvite(ctx, group)
			want(t, "deleted", domain.NotFound, err)
		}
	})
}
