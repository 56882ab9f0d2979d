package people_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// activities returns the ids of a list as an actor sees it, read page by page.
func (w *fixture) activities(who string, kind people.ActivityKind, id int64, per int64) (ids []domain.ActivityID) {
	w.t.Helper()
	for number := int64(1); ; number++ {
		page, err := w.app.People.Activities(w.t.Context(), w.actor(who), people.ActivitySource{Kind: kind, Ref: domain.Ref{ID: id}}, people.Part{Offset: int64(number-1) * per, Limit: per})
		w.must(err)
		if len(page) == 0 {
			newestFirst(w.t, ids)
			return ids
		}
		for _, s := range page {
			ids = append(ids, s.ID)
		}
	}
}

// Numbered pages contain the whole list, and show everybody what they may see.
func TestNumberedActivities(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newFixture(t, s)
		first := w.do(5) // in owner's channel
		w.hidden(30)
		w.connect(domain.BlockRef(w.block), w.channel)
		last := w.do(2)
		ada, fan, other, hall := int64(w.who["ada"]), int64(w.who["fan"]), int64(w.other), int64(w.channel)
		feed := idsOf(must(w.app.People.Feed(t.Context(), w.actor("fan"), people.CursorInput{Limit: 100})), func(s domain.Story) domain.ActivityID { return s.ID }).Items
		inOther := append(slices.Clone(first), last...)
		slices.Reverse(inOther)
		if len(feed) != 8 {
			t.Fatalf("a feed of %d", len(feed))
		}
		expect := func(when string, want func(who string, kind people.ActivityKind) []domain.ActivityID) {
			t.Helper()
			for _, who := range []string{"guest", "fan", "owner"} {
				for kind, id := range map[people.ActivityKind]int64{people.UserFeed: ada, people.NetworkFeed: fan, people.GlobalFeed: 0, people.OwnFeed: 0} {
					for _, per := range []int64{1, 3, 100} {
						if got := w.activities(who, kind, id, per); !slices.Equal(got, want(who, kind)) {
							t.Errorf("%s: %s sees %v in %s by %d, want %v", when, who, got, kind, per, want(who, kind))
						}
					}
				}
			}
		}
		expect("open", func(who string, kind people.ActivityKind) []domain.ActivityID {
			if kind == people.OwnFeed && who != "fan" {
				return nil
			}
			return feed
		})
		if got := w.activities("guest", people.ChannelFeed, other, 3); !slices.Equal(got, inOther) {
			t.Errorf("the channel: %v, want %v", got, inOther)
		}
		if got := w.activities("guest", people.ChannelFeed, hall, 3); !slices.Equal(got, feed[2:3]) {
			t.Errorf("the hall: %v, want %v", got, feed[2:3])
		}
		w.hide(w.other, "owner")
		storetest.Connect(t, s, w.who["author"], w.channel, domain.ChannelRef(storetest.Channel(t, s, w.who["author"], "Elsewhere", domain.Public)), 0)
		expect("private", func(who string, kind people.ActivityKind) []domain.ActivityID {
			switch {
			case kind == people.OwnFeed && who != "fan":
				return nil
			case who == "owner" && kind != people.GlobalFeed:
				return feed
			}
			return feed[2:3]
		})
		if got := w.activities("owner", people.ChannelFeed, other, 100); !slices.Equal(got, inOther) {
			t.Errorf("the owner sees %v, want %v", got, inOther)
		}
		_, err := w.app.People.Activities(t.Context(), domain.Actor{}, people.ActivitySource{Kind: people.ChannelFeed, Ref: domain.Ref{ID: other}}, people.Part{Limit: 1})
		if domain.KindOf(err) != domain.NotFound {
			t.Errorf("the feed of a private channel: %v", err)
		}
		_, err = w.app.People.Activities(t.Context(), domain.Actor{}, people.ActivitySource{Kind: people.UserFeed, Ref: domain.Ref{Slug: "nobody"}}, people.Part{Limit: 1})
		if domain.KindOf(err) != domain.NotFound {
			t.Errorf("the feed of nobody: %v", err)
		}
		w.must(w.app.Collections.DeleteChannel(t.Context(), w.actor("owner"), domain.Ref{ID: other}))
		if got := w.activities("owner", people.UserFeed, ada, 100); !slices.Equal(got, feed[2:3]) {
			t.Errorf("after the end of the channel: %v", got)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint(err))
	}
	return v
}

// Numbered pages of notifications equal those by cursor.
func TestNumberedNotifications(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newFixture(t, s)
		w.do(3)
		w.hidden(20)
		w.do(2)
		named := w.actor("named")
		want := must(w.app.People.Notifications(t.Context(), named, false, people.CursorInput{Limit: 100})).Items
		if _, _, err := w.app.People.ReadNotification(t.Context(), named, want[1].ID); err != nil {
			t.Fatal(err)
		}
		for number := int64(1); number <= 4; number++ {
			got := must(w.app.People.NotificationsAt(t.Context(), named, people.Part{Offset: int64(number-1) * 2, Limit: 2}))
			from := min(int(number-1)*2, 5)
			some := want[from:min(from+2, 5)]
			if len(got) != len(some) {
				t.Fatalf("page %d has %d notifications, want %d", number, len(got), len(some))
			}
			for i, n := range got {
				if n.ID != some[i].ID || n.Read != (n.ID == want[1].ID) {
					t.Errorf("page %d: %d, read %v; want %d", number, n.ID, n.Read, some[i].ID)
				}
			}
		}
		w.hide(w.other, "owner")
		if got := must(w.app.People.NotificationsAt(t.Context(), named, people.Part{Limit: 100})); len(got) != 0 {
			t.Errorf("%d notifications of what is private", len(got))
		}
		if got := must(w.app.People.NotificationsAt(t.Context(), domain.Actor{}, people.Part{Limit: 100})); len(got) != 0 {
			t.Errorf("a guest has %d notifications", len(got))
		}
	})
}

// Numbered pages reach as far as documented, past a bounded number of hidden activities.
func TestNumberedActivitiesAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newFixture(t, s)
		seen := domain.Activity{Kind: domain.CreatedChannel, Actor: w.who["ada"], Item: storetest.ChannelSubject(w.other), Channel: w.other, CreatedAt: storetest.Now}
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Activity().RecordAll(t.Context(), slices.Repeat([]domain.News{{Activity: seen}}, 2110)...)
		})
		page := func(number int64) int {
			return len(must(w.app.People.Activities(t.Context(), domain.Actor{}, people.ActivitySource{Kind: people.GlobalFeed}, people.Part{Offset: int64(number-1) * 50, Limit: 50})))
		}
		if page(1) != 50 || page(40) != 50 || page(41) != 0 || page(1<<62) != 0 {
			t.Errorf("pages of %d, %d, %d, %d", page(1), page(40), page(41), page(1<<62))
		}
	})
}

func TestFollowedIDs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newFixture(t, s)
		for _, what := range []domain.Subject{storetest.ChannelSubject(w.other), storetest.ChannelSubject(w.channel),
			storetest.UserSubject(w.who["fan"]), storetest.GroupSubject(w.group)} {
			w.follow(what)
		}
		channels, users, groups, err := w.app.People.FollowedIDs(t.Context(), w.actor("ada"))
		if err != nil || !slices.Equal(channels, []domain.ChannelID{w.channel, w.other}) || !slices.Equal(users, []domain.UserID{w.who["fan"]}) ||
			!slices.Equal(groups, []domain.GroupID{w.group}) {
			t.Errorf("%v, %v, %v, %v", channels, users, groups, err)
		}
		w.hide(w.other, "owner")
		channels, _, _, err = w.app.People.FollowedIDs(t.Context(), w.actor("ada"))
		if err != nil || !slices.Equal(channels, []domain.ChannelID{w.channel}) {
			t.Errorf("with a private one: %v, %v", channels, err)
		}
		if channels, users, groups, err = w.app.People.FollowedIDs(t.Context(), domain.Actor{}); err != nil || len(channels)+len(users)+len(groups) > 0 {
			t.Errorf("a guest: %v, %v, %v, %v", channels, users, groups, err)
		}
		all, err := w.app.People.UsersByID(t.Context(), []domain.UserID{w.who["ada"], w.who["fan"], 999_999})
		if err != nil || len(all) != 2 || all[w.who["ada"]].Following != 4 {
			t.Errorf("%+v, %v", all, err)
		}
		found, err := w.app.People.GroupsByID(t.Context(), w.actor("chief"), []domain.GroupID{w.group})
		if err != nil || found[w.group].Name != "Guild" {
			t.Errorf("%+v, %v", found, err)
		}
	})
}
