package store_test

import (
	"reflect"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// channel reads a channel as a viewer.
func channel(t *testing.T, s *store.Store, viewer domain.UserID, id domain.ChannelID) domain.Channel {
	t.Helper()
	c, err := s.Channels().Channel(t.Context(), viewer, domain.Ref{ID: int64(id)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// owns fails the test unless a user has these counts of channels.
func owns(t *testing.T, s *store.Store, u domain.UserID, open, private int64) {
	t.Helper()
	got, err := s.Users().User(t.Context(), domain.Ref{ID: int64(u)})
	if err != nil || got.OpenChannels != open || got.PrivateChannels != private {
		t.Errorf("user %d has %d and %d channels, %v; want %d and %d", u, got.OpenChannels, got.PrivateChannels, err, open, private)
	}
}

func TestChannelsAsMade(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		var id domain.ChannelID
		about := &domain.Text{Markdown: "*a*", HTML: "<p><em>a</em></p>", Plain: "a"}
		storetest.In(t, s, func(tx *store.Tx) error {
			slug, err := tx.Slugs().SlugFor(t.Context(), store.ChannelSlug, "Things", storetest.Now)
			if err != nil {
				return err
			}
			id, err = tx.Channels().CreateChannel(t.Context(), store.NewChannel{Slug: slug, Title: "Things", Description: about,
				Visibility: domain.Closed, Owner: domain.UserRef(ada), UserID: ada, Metadata: `{"a":1}`, Now: storetest.Now})
			return err
		})
		want := domain.Channel{ID: id, Slug: "things", Title: "Things", Description: about, Visibility: domain.Closed,
			Owner:  domain.Principal{PrincipalRef: domain.UserRef(ada), Name: "Ada", Slug: "ada", Version: 1},
			UserID: ada, Metadata: `{"a":1}`, Version: 1, CreatedAt: storetest.Now, UpdatedAt: storetest.Now}
		if got := channel(t, s, 0, id); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
		byID, err := s.Channels().ChannelsByID(t.Context(), 0, []domain.ChannelID{id, id, id + 1})
		if err != nil || len(byID) != 1 || !reflect.DeepEqual(byID[id], want) {
			t.Errorf("got %+v, %v", byID, err)
		}
		want.Role = domain.RoleOwner
		if got := channel(t, s, ada, id); !reflect.DeepEqual(got, want) {
			t.Errorf("for the owner: %+v", got)
		}
		for _, ref := range []domain.Ref{{}, {ID: int64(id) + 1}, {ID: -1}, {Slug: "thing"}} {
			_, err := s.Channels().Channel(t.Context(), ada, ref)
			wantKind(t, "unknown channel", err, domain.NotFound)
		}
		if none, err := s.Channels().ChannelsByID(t.Context(), ada, nil); err != nil || len(none) != 0 {
			t.Errorf("no ids give %v, %v", none, err)
		}
	})
}

func TestChangesOfChannels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		id := storetest.Channel(t, s, ada, "Things", domain.Public)
		was := channel(t, s, ada, id)
		change := func(what string, fn func(c *domain.Channel)) {
			t.Helper()
			storetest.Update(t, s, ada, id, fn)
			want := was
			fn(&want)
			want.Version, want.UpdatedAt = was.Version+1, storetest.Later
			if !was.UpdatedAt.Before(storetest.Later) { // a change at the same time still counts
				want.UpdatedAt = was.UpdatedAt.Add(time.Microsecond)
			}
			got := channel(t, s, ada, id)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %+v\nwant %+v", what, got, want)
			}
			was = got
		}
		change("title", func(c *domain.Channel) { c.Title = "Other things" })
		change("description", func(c *domain.Channel) { c.Description = &domain.Text{Markdown: "x", HTML: "<p>x</p>", Plain: "x"} })
		change("no description", func(c *domain.Channel) { c.Description = nil })
		change("metadata", func(c *domain.Channel) { c.Metadata = `{"k":true}` })
		change("empty metadata", func(c *domain.Channel) { c.Metadata = "{}" })
		change("nothing", func(*domain.Channel) {})
	})
}

// The counts of channels follow each change of visibility and owner.
func TestCountsOfOwners(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		group := storetest.Group(t, s, "Group", ada, bob)
		storetest.OwnedChannel(t, s, domain.GroupRef(group), ada, "Of the group", domain.Private)
		id := storetest.Channel(t, s, ada, "Things", domain.Public)
		owns(t, s, ada, 1, 0)
		for _, v := range []domain.Visibility{domain.Private, domain.Closed, domain.Public, domain.Private, domain.Public, domain.Closed, domain.Private} {
			storetest.SetVisibility(t, s, ada, id, v)
			if v == domain.Private {
				owns(t, s, ada, 0, 1)
			} else {
				owns(t, s, ada, 1, 0)
			}
		}
		hand := func(to domain.PrincipalRef, v domain.Visibility) {
			t.Helper()
			storetest.Update(t, s, ada, id, func(c *domain.Channel) { c.Owner.PrincipalRef, c.Visibility = to, v })
			if c := channel(t, s, ada, id); c.Owner.PrincipalRef != to || c.Visibility != v || c.Owner.Name == "" {
				t.Errorf("handed to %v: %+v", to, c)
			}
			storetest.Check(t, s)
		}
		hand(domain.GroupRef(group), domain.Private)
		owns(t, s, ada, 0, 0)
		hand(domain.GroupRef(group), domain.Closed)
		hand(domain.UserRef(bob), domain.Public)
		owns(t, s, bob, 1, 0)
		hand(domain.UserRef(ada), domain.Private)
		owns(t, s, ada, 0, 1)
		owns(t, s, bob, 0, 0)
		storetest.Delete(t, s, ada, id)
		owns(t, s, ada, 0, 0)
	})
}

func TestDeletedChannels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := storetest.User(t, s, "Ada")
		id := storetest.Channel(t, s, ada, "Things", domain.Public)
		block := storetest.Block(t, s, ada, "x")
		storetest.Connect(t, s, ada, id, domain.BlockRef(block), 0)
		deleted := channel(t, s, ada, id)
		storetest.Delete(t, s, ada, id)
		for _, ref := range []domain.Ref{{ID: int64(id)}, {Slug: "things"}} {
			_, err := s.Channels().Channel(ctx, ada, ref)
			wantKind(t, "deleted channel", err, domain.NotFound)
		}
		if byID, err := s.Channels().ChannelsByID(ctx, ada, []domain.ChannelID{id}); err != nil || len(byID) != 0 {
			t.Errorf("got %v, %v", byID, err)
		}
		b, err := s.Block(ctx, ada, block)
		if err != nil || b.Visibility() != domain.BlockOrphan {
			t.Errorf("its block is %s, %v", b.Visibility(), err)
		}
		if err := s.InTx(ctx, func(tx *store.Tx) error { return tx.Channels().DeleteChannel(ctx, deleted, storetest.Later) }); err == nil {
			t.Error("it was deleted twice")
		}
		other := storetest.Channel(t, s, ada, "Other", domain.Public)
		err = s.InTx(ctx, func(tx *store.Tx) error {
			_, err := storetest.ConnectIn(ctx, tx, ada, other, domain.ChannelRef(id), 0)
			return err
		})
		wantKind(t, "connect a deleted channel", err, domain.NotFound)
		if again := channel(t, s, 0, storetest.Channel(t, s, ada, "Things", domain.Public)); again.Slug == "things" {
			t.Error("its slug was given again")
		}
	})
}
