package app_test

import (
	"slices"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// Suggestions while typing only contain valid choices.
func TestChoices(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a, w.ctx()
		ada, bob, guest := w.member("ada"), w.member("bob"), domain.Actor{}
		own := storetest.Channel(t, w.S.Store, ada.UserID, "Kelp and moss", domain.Private)
		other := storetest.Channel(t, w.S.Store, ada.UserID, "Rocks", domain.Closed)
		public := storetest.Channel(t, w.S.Store, bob.UserID, "Kelping", domain.Public)
		storetest.Channel(t, w.S.Store, bob.UserID, "Kelp, closed", domain.Closed)
		storetest.Channel(t, w.S.Store, bob.UserID, "Kelp, private", domain.Private)
		tides := storetest.Channel(t, w.S.Store, bob.UserID, "Tides# and sand", domain.Closed)
		block := storetest.Block(t, w.S.Store, ada.UserID, "text")
		storetest.Connect(t, w.S.Store, ada.UserID, own, domain.BlockRef(block), 0)
		choices := func(actor domain.Actor, q string, item domain.ItemRef) (ids []domain.ChannelID) {
			all, err := a.Finder.ConnectChoices(ctx, actor, q, item, 10)
			w.must(err)
			for _, c := range all {
				if c.There != (c.ID == own && item == domain.BlockRef(block)) || c.MayAdd != (item != domain.ChannelRef(c.ID)) {
					t.Errorf("%q for %v: %+v", q, item, c)
				}
				ids = append(ids, c.ID)
			}
			return ids
		}
		for _, row := range []struct {
			actor domain.Actor
			q     string
			want  []domain.ChannelID
		}{
			{ada, "", []domain.ChannelID{own, other}}, {ada, "kel", []domain.ChannelID{own, public}}, {ada, "mo", []domain.ChannelID{own}},
			{ada, "kelp mo", []domain.ChannelID{own}}, {bob, "tides#", []domain.ChannelID{tides}}, {bob, "tide", []domain.ChannelID{tides}}, {ada, "elp", nil}, {ada, "!", nil}, {guest, "kel", nil},
			{domain.Actor{UserID: ada.UserID, Scope: domain.ScopeRead}, "kel", nil},
		} {
			if got := choices(row.actor, row.q, domain.BlockRef(block)); !slices.Equal(got, row.want) {
				t.Errorf("%q: %v, want %v", row.q, got, row.want)
			}
		}
		choices(ada, "rock", domain.ChannelRef(other))
		choices(ada, "kelp", domain.ItemRef{})

		storetest.Connect(t, w.S.Store, ada.UserID, public, domain.BlockRef(block), 0)
		storetest.Comment(t, w.S.Store, bob.UserID, block, "said")
		cem := w.member("cem")
		w.member("adam")
		people := func(actor domain.Actor, prefix string, block domain.BlockID) (slugs []string) {
			all, err := a.Finder.MentionChoices(ctx, actor, prefix, block, 10)
			w.must(err)
			for _, p := range all {
				slugs = append(slugs, p.Slug)
			}
			return slugs
		}
		for _, row := range []struct {
			prefix string
			block  domain.BlockID
			want   []string
		}{{"", block, []string{"bob", "ada"}}, {"ad", block, []string{"ada", "adam"}}, {"b", 0, []string{"bob"}}, {"", 0, nil}, {"x", block, nil}} {
			if got := people(cem, row.prefix, row.block); !slices.Equal(got, row.want) {
				t.Errorf("@%s: %v, want %v", row.prefix, got, row.want)
			}
		}
		// The actor sees collaborators of visible channels with the block, not of Ada's private one.
		dor, eve := w.member("dor"), w.member("eve")
		storetest.Collaborate(t, w.S.Store, own, domain.UserRef(dor.UserID))
		storetest.Collaborate(t, w.S.Store, public, domain.UserRef(eve.UserID))
		if got, want := people(cem, "", block), []string{"bob", "ada", "eve"}; !slices.Equal(got, want) {
			t.Errorf("a stranger is offered %v, want %v", got, want)
		}
		if got, want := people(ada, "", block), []string{"bob", "eve", "dor"}; !slices.Equal(got, want) {
			t.Errorf("the owner is offered %v, want %v", got, want)
		}
		if got := people(cem, "do", block); !slices.Equal(got, []string{"dor"}) { // by name, like anybody
			t.Errorf("@do: %v", got)
		}
		if got := people(guest, "ad", block); got != nil {
			t.Errorf("a guest is offered %v", got)
		}
		secret := storetest.Block(t, w.S.Store, ada.UserID, "alone")
		_, err := a.Finder.MentionChoices(ctx, bob, "", secret, 10)
		w.want(domain.NotFound, err)
	})
}

func TestExploreIsForGuests(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.member("ada")
		for title, v := range map[string]domain.Visibility{"Kelp": domain.Closed, "Kelp too": domain.Private} {
			storetest.Channel(t, w.S.Store, ada.UserID, title, v)
		}
		for _, q := range []string{"", "kelp"} {
			l, err := w.a.Finder.Explore(w.ctx(), domain.Actor{}, domain.Search{Query: q, Types: []string{"Channel"}, Page: somePage}, nil)
			if w.must(err); l.Total != 1 || l.Items[0].Channel.Title != "Kelp" {
				t.Errorf("%q: %+v", q, l)
			}
		}
	})
}

// The data of pages around a channel takes as many statements for any channel, and shows each viewer what they may see.
func TestNearby(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, ada, guest := w.a, w.ctx(), w.member("ada"), domain.Actor{}
		here := storetest.Channel(t, w.S.Store, ada.UserID, "Here", domain.Public)
		there := storetest.Channel(t, w.S.Store, ada.UserID, "There", domain.Public)
		private := storetest.Channel(t, w.S.Store, ada.UserID, "Private", domain.Private)
		ref := domain.Ref{ID: int64(here)}
		block := storetest.Block(t, w.S.Store, ada.UserID, "text")
		for _, item := range []domain.ItemRef{domain.ChannelRef(there), domain.BlockRef(block), domain.ChannelRef(private)} {
			storetest.Connect(t, w.S.Store, ada.UserID, here, item, 0)
		}
		storetest.Connect(t, w.S.Store, ada.UserID, there, domain.BlockRef(block), 0)
		var n collections.Neighbours
		var err error
		statements := len(w.Statements(func() { n, err = a.Collections.Neighbours(ctx, ada, ref, block) }))
		if w.must(err); n.Prev == nil || n.Prev.Channel.ID != private || n.Next == nil || n.Next.Channel.ID != there || statements > 8 {
			t.Errorf("%+v in %d statements", n, statements)
		}
		if n, err = a.Collections.Neighbours(ctx, guest, ref, block); err != nil || n.Prev != nil || n.Next == nil {
			t.Errorf("a guest: %+v, %v", n, err)
		}
		_, err = a.Collections.Neighbours(ctx, guest, domain.Ref{ID: int64(private)}, block)
		w.want(domain.NotFound, err)
		_, err = a.Collections.Neighbours(ctx, ada, domain.Ref{ID: int64(private)}, block)
		w.want(domain.NotFound, err)
		var related []collections.Related
		statements = len(w.Statements(func() { related, err = a.Collections.RelatedChannels(ctx, guest, ref, 5) }))
		if w.must(err); len(related) != 1 || related[0].ID != there || related[0].Shared != 1 || statements > 3 {
			t.Errorf("%+v in %d statements", related, statements)
		}
		_, err = a.Collections.RelatedChannels(ctx, guest, domain.Ref{ID: int64(private)}, 5)
		w.want(domain.NotFound, err)
		var shown map[domain.ChannelID][]domain.CoverBlock
		statements = len(w.Statements(func() { shown, err = a.Collections.Covers(ctx, guest, []domain.ChannelID{here, there, private}) }))
		if w.must(err); len(shown) != 2 || len(shown[here]) != 1 || shown[there][0].ID != block || statements > 1 {
			t.Errorf("%+v in %d statements", shown, statements)
		}
		w.must(a.Collections.Pin(ctx, ada, ref))
		w.must(a.Collections.Pin(ctx, ada, ref))
		if pins, err := a.Collections.PinnedChannels(ctx, ada); err != nil || len(pins) != 1 || pins[0].Role != domain.RoleOwner {
			t.Errorf("%+v, %v", pins, err)
		}
		w.must(a.Collections.Unpin(ctx, ada, ref))
		if pins, err := a.Collections.PinnedChannels(ctx, ada); err != nil || len(pins) != 0 {
			t.Errorf("%+v, %v", pins, err)
		}
		w.want(domain.Unauthenticated, a.Collections.Pin(ctx, guest, ref))
		w.want(domain.Forbidden, a.Collections.Pin(ctx, domain.Actor{UserID: ada.UserID, Scope: domain.ScopeRead}, ref))
		w.want(domain.NotFound, a.Collections.Pin(ctx, w.member("bob"), domain.Ref{ID: int64(private)}))
	})
}
