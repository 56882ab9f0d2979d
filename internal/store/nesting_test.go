package store_test

import (
	"slices"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
)

// listed returns the items of a channel as a viewer sees them, lowest first. The total and the
// counts must agree.
func listed(t *testing.T, s *store.Store, viewer domain.UserID, id domain.ChannelID) (items []domain.ItemRef, positions []int64) {
	t.Helper()
	err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
		c, err := v.Channels().Channel(t.Context(), viewer, domain.Ref{ID: int64(id)})
		if err != nil {
			return err
		}
		l, err := v.Contents().Contents(t.Context(), contents.Query{Viewer: viewer, Channel: c, Page: domain.Page{Number: 1, Per: 100}})
		if l.Total != int64(len(l.Items)) {
			t.Errorf("total %d of %d items", l.Total, len(l.Items))
		}
		items, positions = nil, nil
		for _, c := range l.Items {
			items, positions = append(items, c.Item), append(positions, c.Position)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return items, positions
}

func TestChannelsInChannels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		outer := storetest.Channel(t, s, ada, "Outer", domain.Public)
		first := domain.BlockRef(storetest.Block(t, s, ada, "x"))
		inner := storetest.Channel(t, s, bob, "Inner", domain.Closed)
		last := domain.BlockRef(storetest.Block(t, s, ada, "y"))
		middle := domain.ChannelRef(inner)
		storetest.Connect(t, s, ada, outer, first, 0)
		storetest.Connect(t, s, bob, outer, middle, 0)
		storetest.Connect(t, s, ada, outer, last, 0)
		sees := func(what string, viewer domain.UserID, items []domain.ItemRef, positions ...int64) {
			t.Helper()
			got, at := listed(t, s, viewer, outer)
			if !slices.Equal(got, items) || !slices.Equal(at, positions) {
				t.Errorf("%s: %d sees %v at %v, want %v at %v", what, viewer, got, at, items, positions)
			}
		}
		counts := func(blocks, channels, private int64) {
			t.Helper()
			if c := channel(t, s, ada, outer); c.Blocks != blocks || c.Channels != channels || c.PrivateItems != private || c.Contents() != blocks+channels {
				t.Errorf("counts are %d, %d, %d; want %d, %d, %d", c.Blocks, c.Channels, c.PrivateItems, blocks, channels, private)
			}
		}
		all := []domain.ItemRef{first, middle, last}
		sees("closed", 0, all, 1, 2, 3)
		counts(2, 1, 0)
		for range 2 { // twice
			storetest.SetVisibility(t, s, bob, inner, domain.Private)
			counts(2, 1, 1)
			for _, viewer := range []domain.UserID{0, ada} { // the owner of the outer one too
				sees("private", viewer, []domain.ItemRef{first, last}, 1, 3)
			}
			sees("private", bob, all, 1, 2, 3)
			storetest.SetVisibility(t, s, bob, inner, domain.Public)
			sees("public", ada, all, 1, 2, 3)
			counts(2, 1, 0)
		}
		storetest.SetVisibility(t, s, bob, inner, domain.Private)
		storetest.Delete(t, s, bob, inner)
		sees("deleted", bob, []domain.ItemRef{first, last}, 1, 2)
		counts(2, 0, 0)
	})
}

// Channels may contain each other. A change of one reaches the others once.
func TestCyclesOfChannels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		var ring []domain.ChannelID
		for _, title := range []string{"A", "B", "C"} {
			ring = append(ring, storetest.Channel(t, s, ada, title, domain.Closed))
		}
		for i := range ring { // each is in both others
			storetest.Connect(t, s, ada, ring[i], domain.ChannelRef(ring[(i+1)%3]), 0)
			storetest.Connect(t, s, ada, ring[i], domain.ChannelRef(ring[(i+2)%3]), 1)
		}
		for _, v := range []domain.Visibility{domain.Private, domain.Public} {
			for i, id := range ring {
				storetest.SetVisibility(t, s, ada, id, v)
				storetest.Check(t, s)
				turned := int64(i + 1)
				if v == domain.Public {
					turned = int64(2 - i)
				}
				if c := channel(t, s, ada, ring[i]); c.Channels != 2 || c.PrivateItems != min(turned, 2) && v == domain.Public ||
					c.PrivateItems != turned-1 && v == domain.Private {
					t.Errorf("%s after %d: %d of %d are private", v, i+1, c.PrivateItems, c.Channels)
				}
			}
		}
		storetest.Delete(t, s, ada, ring[0])
		for i, id := range ring[1:] {
			other := ring[2-i]
			if items, at := listed(t, s, ada, id); !slices.Equal(items, []domain.ItemRef{domain.ChannelRef(other)}) || at[0] != 1 {
				t.Errorf("%d holds %v at %v", id, items, at)
			}
		}
	})
}

// Items of a deleted channel continue without it.
func TestChannelsInDeletedChannels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		outer := storetest.Channel(t, s, ada, "Outer", domain.Closed)
		inner := storetest.Channel(t, s, ada, "Inner", domain.Closed)
		storetest.Connect(t, s, ada, outer, domain.ChannelRef(inner), 0)
		storetest.Delete(t, s, ada, outer)
		if l := itemChannels(t, s, contents.ItemChannelsQuery{Viewer: ada, Item: domain.ChannelRef(inner), Page: domain.Page{Number: 1, Per: 10}}); l.Total != 0 || len(l.Items) != 0 {
			t.Errorf("it is in %+v", l)
		}
		storetest.SetVisibility(t, s, ada, inner, domain.Private)
		storetest.Check(t, s)
		storetest.SetVisibility(t, s, ada, inner, domain.Public)
		storetest.Delete(t, s, ada, inner)
	})
}
