package store_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/membership"
	"vitrine/internal/store/storetest"
)

func TestDeleteGroupHandsOver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, max := storetest.User(t, s, "Ada"), storetest.User(t, s, "Max")
		id := storetest.Group(t, s, "Society", ada, max)
		group := domain.GroupRef(id)
		open := storetest.OwnedChannel(t, s, group, max, "Open", domain.Closed)
		hidden := storetest.OwnedChannel(t, s, group, max, "Hidden", domain.Private)
		gone := storetest.OwnedChannel(t, s, group, max, "Gone", domain.Public)
		helped := storetest.Channel(t, s, max, "Helped", domain.Private)
		parent := storetest.Channel(t, s, max, "Parent", domain.Public)
		storetest.Connect(t, s, max, parent, domain.ChannelRef(open), 0)
		storetest.In(t, s, func(tx *store.Tx) error {
			c, err := tx.Channels().Channel(ctx, max, domain.Ref{ID: int64(gone)})
			if err != nil {
				return err
			}
			for channel, who := range map[domain.ChannelID]domain.PrincipalRef{helped: group, open: domain.UserRef(ada), gone: domain.UserRef(ada)} {
				if _, err := tx.Membership().AddCollaborator(ctx, channel, who, storetest.Now); err != nil {
					return err
				}
			}
			return tx.Channels().DeleteChannel(ctx, c, storetest.Now)
		})
		storetest.In(t, s, func(tx *store.Tx) error {
			if err := tx.Groups().LockGroupWithChannels(ctx, id); err != nil {
				return err
			}
			g, err := tx.Groups().Group(ctx, ada, domain.Ref{ID: int64(id)})
			if err != nil {
				return err
			}
			return tx.Groups().DeleteGroup(ctx, g, storetest.Now.Add(time.Hour))
		})
		for _, c := range []domain.ChannelID{open, hidden} {
			got, err := s.Channels().Channel(ctx, ada, domain.Ref{ID: int64(c)})
			if err != nil || got.Owner.PrincipalRef != domain.UserRef(ada) || got.Collaborators != 0 ||
				!got.UpdatedAt.Equal(storetest.Now.Add(time.Hour)) {
				t.Errorf("channel %+v, %v", got, err)
			}
		}
		u, err := s.Users().User(ctx, domain.Ref{ID: int64(ada)})
		if err != nil || u.OpenChannels != 1 || u.PrivateChannels != 1 {
			t.Errorf("user %+v, %v", u, err)
		}
		if _, err := s.Groups().Group(ctx, ada, domain.Ref{Slug: "society"}); domain.KindOf(err) != domain.NotFound {
			t.Errorf("the group by its slug: %v", err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			free, err := tx.Slugs().ClaimSlug(ctx, store.GroupSlug, "society", storetest.Now)
			if free {
				t.Error("the slug is free again")
			}
			return err
		})
	})
}

func TestMembersPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		first, owner := storetest.User(t, s, "First"), storetest.User(t, s, "Owner")
		id := storetest.Group(t, s, "Society", owner, first) // all at the same time, so ids break ties
		want := []domain.UserID{owner}
		for i := range 4 {
			u := storetest.User(t, s, fmt.Sprint("User ", i))
			want = append(want[:1:1], append([]domain.UserID{u}, want[1:]...)...)
			storetest.In(t, s, func(tx *store.Tx) error {
				added, err := tx.Membership().AddMember(ctx, id, u, storetest.Now)
				if !added {
					t.Error("the member is not new")
				}
				return err
			})
		}
		want = append(want, first)
		g, err := s.Groups().Group(ctx, first, domain.Ref{ID: int64(id)})
		if err != nil || !g.Member || g.Users != 6 {
			t.Fatalf("group %+v, %v", g, err)
		}
		for per := int64(1); per <= 7; per++ {
			var got []domain.UserID
			for number := int64(1); (number-1)*per < 6; number++ {
				err := s.InSnapshot(ctx, func(v *store.Snapshot) error {
					l, err := v.Membership().Members(ctx, g, domain.Page{Number: number, Per: per})
					for _, m := range l.Items {
						if m.Owner != (m.ID == int64(owner)) {
							t.Errorf("the owner's mark of %d is %v", m.ID, m.Owner)
						}
						got = append(got, domain.UserID(m.ID))
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("in pages of %d: %v, want %v", per, got, want)
			}
		}
	})
}

func TestOpenInvitation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, max := storetest.User(t, s, "Ada"), storetest.User(t, s, "Max")
		id, other := storetest.Group(t, s, "Society", ada), storetest.Group(t, s, "Other", ada)
		address := "post@example.org"
		byUser, byAddress := membership.Invitee{User: max, Email: "max@example.org"}, membership.Invitee{Email: address}
		both := membership.Invitee{User: max, Email: address}
		end := storetest.Now.Add(time.Hour)
		serial := byte(0)
		invite := func(g domain.GroupID, user domain.UserID, email *string) (i domain.InvitationID) {
			serial++
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				i, err = tx.Membership().CreateInvitation(ctx, membership.NewInvitation{Group: g, Invitee: user, Email: email, InvitedBy: ada,
					TokenHash: []byte{serial}, ExpiresAt: end, Now: storetest.Now})
				return err
			})
			return i
		}
		want := func(when string, who membership.Invitee, at time.Time, id domain.InvitationID, g domain.GroupID) {
			t.Helper()
			i, err := s.Membership().OpenInvitation(ctx, g, who, at)
			if id == 0 && domain.KindOf(err) != domain.NotFound || id != 0 && (err != nil || i.ID != id) {
				t.Errorf("%s: %+v is invited by %d, %v, want %d", when, who, i.ID, err, id)
			}
		}
		user, mail := invite(id, max, nil), invite(id, 0, &address)
		for _, c := range []struct {
			who membership.Invitee
			id  domain.InvitationID
		}{{byUser, user}, {byAddress, mail}, {both, user}, {membership.Invitee{User: ada, Email: "ada@example.org"}, 0}} {
			want("at first", c.who, storetest.Now, c.id, id)
			want("in another group", c.who, storetest.Now, 0, other)
			want("at the end", c.who, end, 0, id)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			if err := tx.Membership().ExpireInvitations(ctx, id, byAddress, end.Add(-1)); err != nil {
				return err
			}
			return tx.Membership().EndInvitation(ctx, user, domain.InvitationRevoked, storetest.Now)
		})
		want("revoked", byUser, storetest.Now, 0, id)
		want("not yet run out", both, storetest.Now, mail, id)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Membership().ExpireInvitations(ctx, id, byAddress, end) })
		want("run out", byAddress, storetest.Now, 0, id)
		invite(id, max, &address) // ended invitations do not prevent a new one
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Membership().AcceptInvitations(ctx, id, both, end) })
		want("accepted", both, storetest.Now, 0, id)
	})
}
