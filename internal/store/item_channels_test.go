package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
)

func itemChannels(t *testing.T, s *store.Store, q contents.ItemChannelsQuery) (l domain.List[domain.Channel]) {
	t.Helper()
	err := s.InSnapshot(t.Context(), func(v *store.Snapshot) (err error) {
		l, err = v.Contents().ItemChannels(t.Context(), q)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// appearance is a channel that the item was added to, in the order of time.
type appearance struct {
	id        domain.ChannelID
	owner, by domain.UserID
	private   bool
}

// Lists of the channels that contain an item equal a filter of all channels, on every page and in
// both directions.
func TestChannelsOfAnItem(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		items := []domain.ItemRef{domain.BlockRef(storetest.Block(t, s, ada, "x")),
			domain.ChannelRef(storetest.Channel(t, s, ada, "Item", domain.Public))}
		for _, item := range items {
			all := appear(t, s, item, ada, bob)
			for _, viewer := range []domain.UserID{0, ada, bob} {
				for _, o := range []domain.Ownership{domain.AnyOwner, domain.Own, domain.ExcludeOwn} {
					var want []domain.ChannelID
					for _, a := range all {
						if (!a.private || a.owner == viewer) && (o == domain.AnyOwner || (o == domain.Own) == (a.by == viewer)) {
							want = append(want, a.id)
						}
					}
					for _, desc := range []bool{false, true} {
						comparePages(t, s, contents.ItemChannelsQuery{Viewer: viewer, Item: item, Ownership: o, Desc: desc}, want)
						slices.Reverse(want)
					}
				}
			}
		}
	})
}

// appear adds an item to channels of two owners, as either of them. The order differs from that of
// the ids, and some have the same time.
func appear(t *testing.T, s *store.Store, item domain.ItemRef, ada, bob domain.UserID) (all []appearance) {
	for i := range 11 {
		a := appearance{owner: []domain.UserID{ada, bob}[i%2], private: i%3 == 0}
		a.by = a.owner
		v := domain.Private
		if !a.private {
			a.by, v = []domain.UserID{bob, ada}[i/2%2], domain.Public
		}
		a.id = storetest.Channel(t, s, a.owner, fmt.Sprint(item.Type, i), v)
		all = append(all, a)
	}
	slices.Reverse(all)
	storetest.In(t, s, func(tx *store.Tx) error {
		for i, a := range all {
			c, err := tx.Channels().Channel(t.Context(), a.owner, domain.Ref{ID: int64(a.id)})
			if err != nil {
				return err
			}
			if _, _, err := tx.Connections().Connect(t.Context(), store.NewConnection{Channel: c, Item: item, UserID: a.by,
				Now: storetest.Now.Add(time.Duration(i/2) * time.Second)}); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

func comparePages(t *testing.T, s *store.Store, q contents.ItemChannelsQuery, want []domain.ChannelID) {
	t.Helper()
	for _, per := range []int64{1, 4, 100} {
		var got []domain.ChannelID
		for page := int64(1); ; page++ {
			q.Page = domain.Page{Number: page, Per: per}
			l := itemChannels(t, s, q)
			if l.Total != int64(len(want)) {
				t.Errorf("%+v: total %d, want %d", q, l.Total, len(want))
			}
			if int64(len(l.Items)) != min(per, max(0, l.Total-q.Page.Offset())) {
				t.Errorf("%+v: %d items of %d", q, len(l.Items), l.Total)
			}
			if len(l.Items) == 0 {
				break
			}
			for _, c := range l.Items {
				got = append(got, c.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: got %v, want %v", q, got, want)
		}
	}
}
