package app_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// The details of channels in lists take as many statements for many channels as for one, and show each viewer what they
// may see.
func TestFactsOfChannels(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s, ada, bob, guest := w.a, w.ctx(), w.S.Store, w.member("ada"), w.member("bob"), domain.Actor{}
		here := storetest.Channel(t, s, ada.UserID, "Here", domain.Public)
		empty := storetest.Channel(t, s, ada.UserID, "Empty", domain.Closed)
		private := storetest.Channel(t, s, ada.UserID, "Private", domain.Private)
		ids := []domain.ChannelID{here, empty, private, 999_999}
		var items []domain.ItemRef
		for i := range 8 {
			item := domain.BlockRef(storetest.Block(t, s, ada.UserID, fmt.Sprint(i)))
			if i%4 == 3 { // at the top, too
				item = domain.ChannelRef(storetest.Channel(t, s, ada.UserID, fmt.Sprint("Hidden ", i), domain.Private))
			}
			storetest.Connect(t, s, ada.UserID, here, item, 0)
			items = append(items, item)
		}
		storetest.Connect(t, s, ada.UserID, private, items[0], 0)
		w.must(a.People.Follow(ctx, bob, people.FollowTarget{Type: domain.SubjectChannel, Ref: domain.Ref{ID: int64(here)}}))
		var facts map[domain.ChannelID]collections.ChannelDetails
		var err error
		read := func(actor domain.Actor) {
			t.Helper()
			if n := len(w.Statements(func() { facts, err = a.Collections.ChannelDetails(ctx, actor, ids) })); n != 1 {
				t.Errorf("%d statements", n)
			}
			w.must(err)
		}
		last := func(actor domain.Actor) domain.Connection {
			l, err := a.Collections.Contents(ctx, actor, domain.Ref{ID: int64(here)}, collections.ContentsInput{
				Sort: domain.ContentSort{Key: domain.ByConnected, Desc: true}, Page: somePage})
			w.must(err)
			return l.Items[0].Connection
		}
		for _, actor := range []domain.Actor{guest, bob, ada} {
			read(actor)
			want := int64(0)
			if actor.UserID == ada.UserID {
				want = 2
			}
			if got := facts[here].Private; got != want {
				t.Errorf("%v sees %d private channels, not %d", actor, got, want)
			}
			if f := facts[here]; !f.AddedAt.Equal(last(actor).CreatedAt) || f.Followers != 1 {
				t.Errorf("to %d: %+v, want %v", actor.UserID, f, last(actor).CreatedAt)
			}
			if f, ok := facts[empty]; !ok || !f.AddedAt.IsZero() || f.Followers != 0 {
				t.Errorf("an empty channel: %+v, %v", f, ok)
			}
			if _, ok := facts[private]; ok != (actor == ada) {
				t.Errorf("a private channel is shown to %d: %v", actor.UserID, ok)
			}
		}

		var shown map[domain.ChannelID][]collections.Content
		open := slices.DeleteFunc(slices.Clone(items), func(i domain.ItemRef) bool { return i.Type == domain.ItemChannel })
		for _, row := range []struct {
			actor domain.Actor
			all   []domain.ItemRef
		}{{guest, open}, {bob, open}, {ada, items}} {
			for _, highest := range []bool{true, false} {
				n := len(w.Statements(func() { shown, err = a.Collections.PreviewContents(ctx, row.actor, ids, 5, highest) }))
				if w.must(err); n > 5 {
					t.Errorf("%d statements", n)
				}
				want := slices.Clone(row.all)
				if highest {
					slices.Reverse(want)
				}
				var got []domain.ItemRef
				for _, c := range shown[here] {
					got = append(got, c.Connection.Item)
					if at := int64(slices.Index(items, c.Connection.Item)) + 1; c.Connection.Position != at || c.Block == nil && c.Channel == nil {
						t.Errorf("%+v, want it at %d", c.Connection, at)
					}
				}
				if !slices.Equal(got, want[:5]) {
					t.Errorf("to %d, highest %v: %v, want %v", row.actor.UserID, highest, got, want[:5])
				}
				if (len(shown[private]) == 1) != (row.actor == ada) {
					t.Errorf("a private channel to %d: %v", row.actor.UserID, shown[private])
				}
			}
		}
		// A channel that becomes private is hidden at once, before derived values are updated.
		storetest.SetVisibility(t, s, ada.UserID, here, domain.Private)
		if read(bob); len(facts) != 1 {
			t.Errorf("facts of a channel that turned private: %v", facts)
		}
		if shown, err = a.Collections.PreviewContents(ctx, bob, ids, 5, true); err != nil || len(shown) != 0 {
			t.Errorf("%v, %v", shown, err)
		}
		if n := len(w.Statements(func() { _, err = a.Collections.ChannelDetails(ctx, ada, nil); w.must(err) })); n != 0 {
			t.Errorf("%d statements for nothing", n)
		}
	})
}

// Channels that share items are listed by page.
func TestSharedChannels(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s, ada, bob := w.a, w.ctx(), w.S.Store, w.member("ada"), w.member("bob")
		here := storetest.Channel(t, s, ada.UserID, "Here", domain.Public)
		block := domain.BlockRef(storetest.Block(t, s, ada.UserID, "x"))
		storetest.Connect(t, s, ada.UserID, here, block, 0)
		for i := range 7 {
			there := storetest.Channel(t, s, ada.UserID, fmt.Sprint("There ", i), []domain.Visibility{domain.Public, domain.Private}[i%2])
			storetest.Connect(t, s, ada.UserID, there, block, 0)
		}
		ref := domain.Ref{ID: int64(here)}
		for actor, total := range map[domain.Actor]int64{{}: 4, bob: 4, ada: 7} {
			want, err := a.Collections.RelatedChannels(ctx, actor, ref, 100)
			w.must(err)
			var got []collections.Related
			for number := range int64(5) {
				l, err := a.Collections.SharedChannels(ctx, actor, ref, domain.Page{Number: number + 1, Per: 2})
				if w.must(err); l.Total != total {
					t.Errorf("%d in all, want %d", l.Total, total)
				}
				got = append(got, l.Items...)
			}
			if len(got) != len(want) || int64(len(got)) != total {
				t.Errorf("%d channels, want %d", len(got), total)
			}
			for i := range got {
				if got[i].ID != want[i].ID || got[i].Shared != 1 {
					t.Errorf("channel %d is %d, want %d", i, got[i].ID, want[i].ID)
				}
			}
		}
		storetest.SetVisibility(t, s, ada.UserID, here, domain.Private)
		_, err := a.Collections.SharedChannels(ctx, bob, ref, somePage)
		w.want(domain.NotFound, err)
	})
}
