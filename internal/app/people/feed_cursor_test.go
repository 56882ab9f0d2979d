package people_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// do makes ada do n things that appear in fan's feed and notify named.
func (w *fixture) do(n int) (ids []domain.ActivityID) {
	w.t.Helper()
	for range n {
		ids = append(ids, storetest.Record(w.t, w.s, domain.Activity{Kind: domain.AddedBlock, Actor: w.who["ada"],
			Item: storetest.BlockSubject(w.block), Target: storetest.ChannelSubject(w.other), Channel: w.other}, w.who["named"]))
	}
	return ids
}

// hidden makes ada do n things that nobody may see.
func (w *fixture) hidden(n int) {
	w.t.Helper()
	secret := storetest.Block(w.t, w.s, w.who["ada"], "secret")
	a := domain.Activity{Kind: domain.AddedBlock, Actor: w.who["ada"], Item: storetest.BlockSubject(secret),
		Target: storetest.ChannelSubject(w.other), CreatedAt: storetest.Now}
	for n > 0 {
		batch := min(n, 2000)
		n -= batch
		storetest.In(w.t, w.s, func(tx *store.Tx) error {
			return tx.Activity().RecordAll(w.t.Context(), slices.Repeat([]domain.News{{Activity: a, Notify: []domain.UserID{w.who["named"]}}}, batch)...)
		})
	}
}

// lists returns the feed of fan and the notifications of named, as pages of ids.
func (w *fixture) lists() map[string]func(people.CursorInput) people.CursorPage[domain.ActivityID] {
	feed := func(in people.CursorInput) people.CursorPage[domain.ActivityID] {
		p, err := w.app.People.Feed(w.t.Context(), w.actor("fan"), in)
		w.must(err)
		return idsOf(p, func(s domain.Story) domain.ActivityID { return s.ID })
	}
	notices := func(unread bool) func(people.CursorInput) people.CursorPage[domain.ActivityID] {
		return func(in people.CursorInput) people.CursorPage[domain.ActivityID] {
			p, err := w.app.People.Notifications(w.t.Context(), w.actor("named"), unread, in)
			w.must(err)
			return idsOf(p, func(s domain.Notice) domain.ActivityID { return s.ID })
		}
	}
	return map[string]func(people.CursorInput) people.CursorPage[domain.ActivityID]{
		"feed": feed, "notifications": notices(false), "unread": notices(true)}
}

func idsOf[T any](p people.CursorPage[T], id func(T) domain.ActivityID) people.CursorPage[domain.ActivityID] {
	ids := people.CursorPage[domain.ActivityID]{Next: p.Next, Prev: p.Prev, More: p.More}
	for _, item := range p.Items {
		ids.Items = append(ids.Items, id(item))
	}
	return ids
}

// newestFirst fails unless the ids decrease.
func newestFirst(t *testing.T, ids []domain.ActivityID) {
	t.Helper()
	if !slices.IsSortedFunc(ids, func(a, b domain.ActivityID) int { return int(b - a) }) {
		t.Fatalf("not newest first: %v", ids)
	}
}

func TestFeedCursorsLeafThroughEverything(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newFixture(t, s)
		done := w.do(15)
		w.hidden(40)
		done = append(done, w.do(15)...)
		w.hidden(3)
		slices.Reverse(done)
		for name, list := range w.lists() {
			var got []domain.ActivityID
			first := list(people.CursorInput{Limit: 7})
			for p := first; ; {
				newestFirst(t, p.Items)
				got = append(got, p.Items...)
				if p.More != (p.Next != "") || p.More && len(p.Items) != 7 {
					t.Fatalf("%s: %d items, more %v, next %q", name, len(p.Items), p.More, p.Next)
				}
				if p.Next == "" {
					break
				}
				w.do(2) // arrives in the meantime
				p = list(people.CursorInput{Limit: 7, Next: &p.Next})
			}
			if !slices.Equal(got, done) {
				t.Errorf("%s: leafed through %v, want %v", name, got, done)
			}
			newer, back := poll(t, list, first.Prev), list(people.CursorInput{Limit: 100}).Items
			slices.Reverse(newer)
			if want := back[:len(back)-len(done)]; !slices.Equal(newer, want) {
				t.Errorf("%s: polled %v, want %v", name, newer, want)
			}
			done = back
		}
	})
}

// poll requests newer entries until there are no more, and returns them, oldest first.
func poll(t *testing.T, list func(people.CursorInput) people.CursorPage[domain.ActivityID], from string) (ids []domain.ActivityID) {
	t.Helper()
	for {
		p := list(people.CursorInput{Limit: 5, Prev: &from})
		newestFirst(t, p.Items)
		for _, id := range slices.Backward(p.Items) {
			ids = append(ids, id)
		}
		if p.More && len(p.Items) != 5 || len(p.Items) > 0 && (p.Prev == "" || p.Next == "") || len(p.Items) == 0 && p.Prev != "" {
			t.Fatalf("%d items, more %v, prev %q, next %q", len(p.Items), p.More, p.Prev, p.Next)
		}
		if !p.More {
			return ids
		}
		from = p.Prev
	}
}

func TestFeedCursorsOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newFixture(t, s)
		w.do(3)
		good := w.lists()["feed"](people.CursorInput{Limit: 1})
		other, err := people.CursorAt(t.Context(), w.app.People, "feed", w.who["reader"], 2)
		w.must(err)
		notices := w.lists()["notifications"](people.CursorInput{Limit: 1}).Next
		unread := w.lists()["unread"](people.CursorInput{Limit: 1}).Next
		swap := map[byte]string{'A': "B"}[good.Next[3]]
		if swap == "" {
			swap = "A"
		}
		bad := map[string]string{
			"empty": "", "edited": good.Next[:3] + swap + good.Next[4:], "cut": good.Next[:31], "longer": good.Next + "A",
			"long": strings.Repeat("A", 10_000), "an id": "3", "not base64": strings.Repeat("!", 32), "zero": strings.Repeat("A", 32),
			"another user's": other, "of notifications": notices, "of unread notifications": unread,
		}
		for name, cursor := range bad {
			for field, in := range map[string]people.CursorInput{"next": {Next: &cursor}, "prev": {Prev: &cursor}} {
				in.Limit = 3
				_, err := w.app.People.Feed(t.Context(), w.actor("fan"), in)
				if domain.KindOf(err) != domain.Invalid || !strings.HasPrefix(err.Error(), field+":") {
					t.Errorf("%s as %s: %v", name, field, err)
				}
			}
		}
		_, err = w.app.People.Feed(t.Context(), w.actor("fan"), people.CursorInput{Limit: 3, Next: &good.Next, Prev: &good.Prev})
		if domain.KindOf(err) != domain.Invalid {
			t.Errorf("next and prev together: %v", err)
		}
		if _, err = w.app.People.Notifications(t.Context(), w.actor("named"), true, people.CursorInput{Limit: 3, Next: &notices}); domain.KindOf(err) != domain.Invalid {
			t.Errorf("a cursor of all notifications among the unread: %v", err)
		}
		// Another process of the same installation accepts the cursors.
		if _, err := app.New(app.Options{Store: s, Now: w.app.People.Now}).People.Feed(t.Context(), w.actor("fan"), people.CursorInput{Limit: 3, Next: &good.Next}); err != nil {
			t.Errorf("after a restart: %v", err)
		}
	})
}

func TestFeedPassesAHostileStretchInBoundedRequests(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Migrated.SQLite(t))
	w := newFixture(t, s)
	want := w.do(2)
	w.hidden(people.MaxScanned + 500)
	lists := w.lists()
	// If there are too many unread notifications, hidden ones are removed first, so none precede the others.
	if p := lists["unread"](people.CursorInput{Limit: 10}); len(p.Items) != len(want) || p.Next != "" {
		t.Errorf("unread: %d items, next %q", len(p.Items), p.Next)
	}
	delete(lists, "unread")
	for name, list := range lists {
		p := list(people.CursorInput{Limit: 10})
		if len(p.Items) != 0 || p.Next == "" || !p.More {
			t.Fatalf("%s: %d items, next %q", name, len(p.Items), p.Next)
		}
		if p = list(people.CursorInput{Limit: 10, Next: &p.Next}); len(p.Items) != len(want) || p.Next != "" {
			t.Errorf("%s: %d items after the stretch, next %q", name, len(p.Items), p.Next)
		}
		from := p.Prev
		if p = list(people.CursorInput{Limit: 10, Prev: &from}); len(p.Items) != 0 || p.Prev == "" || !p.More {
			t.Errorf("%s: %d items while polling through the stretch, prev %q", name, len(p.Items), p.Prev)
		}
	}
	storetest.Check(t, s)
}

// TestFeedPollersMissNothing polls during concurrent writes: ids are assigned before the transactions end, and these end
// in a different order.
func TestFeedPollersMissNothing(t *testing.T) {
	t.Parallel()
	const writers, each = 4, 25
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newFixture(t, s)
		start := w.do(1)
		lists := w.lists()
		from := map[string]string{}
		for name, list := range lists {
			from[name] = list(people.CursorInput{Limit: 1}).Prev
		}
		writing, polling := sync.WaitGroup{}, sync.WaitGroup{}
		done := make(chan struct{})
		for i := range writers {
			actor := storetest.User(t, s, "Writer")
			storetest.Follow(t, s, w.who["fan"], storetest.UserSubject(actor))
			a := domain.Activity{Kind: domain.AddedBlock, Actor: actor, Item: storetest.BlockSubject(w.block),
				Target: storetest.ChannelSubject(w.other), CreatedAt: storetest.Now}
			writing.Go(func() {
				for n := range each {
					var notify []domain.UserID
					if (n+i)%2 == 0 {
						notify = append(notify, w.who["named"])
					}
					if err := s.InTx(t.Context(), func(tx *store.Tx) error {
						return tx.Activity().RecordAll(t.Context(), slices.Repeat([]domain.News{{Activity: a, Notify: notify}}, 1+n%3)...)
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		got := map[string][]domain.ActivityID{}
		var mu sync.Mutex
		for name, list := range lists {
			polling.Go(func() {
				at := from[name]
				for last := false; ; {
					p := list(people.CursorInput{Limit: 3, Prev: &at})
					for _, id := range slices.Backward(p.Items) {
						mu.Lock()
						got[name] = append(got[name], id)
						mu.Unlock()
					}
					if p.Prev != "" {
						at = p.Prev
					} else if last {
						return
					}
					select {
					case <-done:
						last = !p.More
					default:
					}
				}
			})
		}
		writing.Wait()
		close(done)
		polling.Wait()
		for name, list := range lists {
			all := poll(t, list, from[name])
			if !slices.Equal(got[name], all) || slices.Contains(all, start[0]) || len(all) < writers*each/2 {
				t.Errorf("%s: polled %d, there are %d", name, len(got[name]), len(all))
			}
		}
	})
}

// Cursors that clients keep stay valid.
func TestCursorBytes(t *testing.T) {
	t.Parallel()
	const want = "AAAAAAAAEmdIaZqR9tThZU1mVmK0agdw"
	if got := people.FixedCursor("0123456789abcdef0123456789abcdef", "feed", 7, 4711); got != want {
		t.Errorf("the cursor is %s, not %s", got, want)
	}
}
