package store_test

import (
	"fmt"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Pages are listed in ranges of ids, without private, deleted, suspended or empty ones.
func TestListings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, ben, eve := storetest.User(t, s, "ada"), storetest.User(t, s, "ben"), storetest.User(t, s, "eve")
		group := storetest.Group(t, s, "engines", ada)
		storetest.Group(t, s, "nothing", ada)
		open := storetest.Channel(t, s, ada, "open", domain.Public)
		storetest.Channel(t, s, ada, "hidden", domain.Private)
		closed := storetest.Channel(t, s, eve, "closed", domain.Closed)
		storetest.Delete(t, s, ada, storetest.Channel(t, s, ada, "gone", domain.Public))
		last := storetest.OwnedChannel(t, s, domain.GroupRef(group), ben, "last", domain.Public)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Moderation().SetSuspended(ctx, eve, &storetest.Now) })

		channels, users, groups, err := s.LastIDs(ctx)
		if err != nil || channels < int64(last) || users != int64(eve) || groups <= int64(group) {
			t.Errorf("last ids: %d %d %d, %v", channels, users, groups, err)
		}
		for _, c := range []struct {
			kind   domain.SubjectType
			closed bool
			in     domain.ListingRange
			want   string
		}{
			{domain.SubjectChannel, false, domain.ListingRange{Upto: 99, Limit: 9}, "ada/open engines/last "},
			{domain.SubjectChannel, true, domain.ListingRange{Upto: 99, Limit: 9}, "ada/open eve/closed engines/last "},
			{domain.SubjectChannel, true, domain.ListingRange{Upto: 99, Limit: 2}, "ada/open eve/closed "},
			{domain.SubjectChannel, true, domain.ListingRange{After: int64(open), Upto: int64(closed), Limit: 9}, "eve/closed "},
			{domain.SubjectChannel, true, domain.ListingRange{After: channels, Upto: channels + 9, Limit: 9}, ""},
			{domain.SubjectUser, false, domain.ListingRange{Upto: 99, Limit: 9}, "/ada "},
			{domain.SubjectGroup, true, domain.ListingRange{Upto: 99, Limit: 9}, "/engines "},
		} {
			got := ""
			all, err := s.Listings(ctx, c.kind, c.closed, c.in)
			for _, l := range all {
				got += l.Owner + "/" + l.Slug + " "
				if l.ID == 0 || l.UpdatedAt.IsZero() {
					t.Errorf("%+v", l)
				}
			}
			if err != nil || got != c.want {
				t.Errorf("%s: %q, %v, want %q", fmt.Sprint(c.kind, c.closed, c.in), got, err, c.want)
			}
		}
	})
}
