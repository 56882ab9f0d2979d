package store_test

import (
	"reflect"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func TestCollaborators(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		group := storetest.Group(t, s, "Group", ada)
		id := storetest.Channel(t, s, ada, "Things", domain.Private)
		bobs := domain.Principal{PrincipalRef: domain.UserRef(bob), Name: "Bob", Slug: "bob", Version: 1}
		groups := domain.Principal{PrincipalRef: domain.GroupRef(group), Name: "Group", Slug: "group", Version: 1}
		minute := 0
		change := func(add bool, who domain.PrincipalRef, isNew bool, want ...domain.Principal) {
			t.Helper()
			minute++
			before := channel(t, s, ada, id)
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				if err := tx.Channels().LockChannels(ctx, id); err != nil {
					return err
				}
				var changed bool
				if add {
					changed, err = tx.Membership().AddCollaborator(ctx, id, who, storetest.Now.Add(time.Duration(minute)*time.Minute))
				} else {
					changed, err = tx.Membership().RemoveCollaborator(ctx, id, who)
				}
				if changed != isNew {
					t.Errorf("add %v of %v: changed is %v", add, who, changed)
				}
				return err
			})
			got, err := s.Membership().Collaborators(ctx, id)
			if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
			after := channel(t, s, ada, id)
			if after.Collaborators != int64(len(want)) || after.Version != before.Version+int64(btoi(isNew)) {
				t.Errorf("%d collaborators, version %d after %d", after.Collaborators, after.Version, before.Version)
			}
		}
		change(false, bobs.PrincipalRef, false)
		change(true, groups.PrincipalRef, true, groups)
		change(true, bobs.PrincipalRef, true, groups, bobs)
		change(true, groups.PrincipalRef, false, groups, bobs) // it keeps its place
		change(false, groups.PrincipalRef, true, bobs)
		change(false, domain.GroupRef(domain.GroupID(bob)), false, bobs) // a group with the id of a user
		change(true, groups.PrincipalRef, true, bobs, groups)
		change(false, bobs.PrincipalRef, true, groups)
		change(false, groups.PrincipalRef, true)
		if _, err := s.Channels().Channel(ctx, bob, domain.Ref{ID: int64(id)}); domain.KindOf(err) != domain.NotFound {
			t.Errorf("one who was a collaborator gets %v", err)
		}
	})
}

func TestMembersOfGroups(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob, cem := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob"), storetest.User(t, s, "Cem")
		group := storetest.Group(t, s, "Group", ada, bob)
		storetest.In(t, s, func(tx *store.Tx) error { // added again
			_, err := tx.Membership().AddMember(t.Context(), group, bob, storetest.Now)
			return err
		})
		for user, want := range map[domain.UserID]bool{ada: true, bob: true, cem: false, 0: false} {
			if got, err := s.Membership().IsMember(t.Context(), group, user); err != nil || got != want {
				t.Errorf("user %d is a member: %v, %v", user, got, err)
			}
		}
		if got, err := s.Membership().IsMember(t.Context(), group+1, ada); err != nil || got {
			t.Errorf("a member of no group: %v, %v", got, err)
		}
		p, err := s.Principals().Principal(t.Context(), domain.GroupRef(group))
		if err != nil || p != (domain.Principal{PrincipalRef: domain.GroupRef(group), Name: "Group", Slug: "group", Version: 1}) {
			t.Errorf("principal: %+v, %v", p, err)
		}
		// A new member has access immediately.
		id := storetest.OwnedChannel(t, s, domain.GroupRef(group), ada, "Things", domain.Private)
		_, err = s.Channels().Channel(t.Context(), cem, domain.Ref{ID: int64(id)})
		wantKind(t, "before joining", err, domain.NotFound)
		storetest.In(t, s, func(tx *store.Tx) error {
			_, err := tx.Membership().AddMember(t.Context(), group, cem, storetest.Now)
			return err
		})
		if c := channel(t, s, cem, id); c.Role != domain.RoleOwner || c.Owner.Name != "Group" || c.UserID != ada {
			t.Errorf("after joining: %+v", c)
		}
	})
}
