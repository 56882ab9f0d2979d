package app_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// inOrder returns the items of a channel from the bottom. Positions must be dense.
func inOrder(t *testing.T, a *app.App, actor domain.Actor, ref domain.Ref) (items []domain.ItemRef) {
	t.Helper()
	for number := int64(1); ; number++ {
		l, err := a.Collections.Contents(t.Context(), actor, ref, collections.ContentsInput{Page: domain.Page{Number: number, Per: 100}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range l.Items {
			items = append(items, c.Connection.Item)
			if c.Connection.Position != int64(len(items)) {
				t.Errorf("item %d is at %d", len(items), c.Connection.Position)
			}
		}
		if len(l.Items) == 0 {
			if int64(len(items)) != l.Total {
				t.Errorf("%d items of %d", len(items), l.Total)
			}
			return items
		}
	}
}

// Sorting permutes only the named items, or changes nothing.
func TestSortContents(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s, ada, bob := w.a, w.ctx(), w.S.Store, w.member("ada"), w.member("bob")
		here := storetest.Channel(t, s, ada.UserID, "Here", domain.Public)
		ref := domain.Ref{ID: int64(here)}
		for range 20 { // so that no block has the same id as a channel
			storetest.Block(t, s, ada.UserID, "x")
		}
		var items []domain.ItemRef
		add := func(by domain.Actor, item domain.ItemRef) int64 {
			storetest.Connect(t, s, by.UserID, here, item, 0)
			items = append(items, item)
			return item.ID
		}
		block := func() int64 { return add(ada, domain.BlockRef(storetest.Block(t, s, ada.UserID, "x"))) }
		b1, b2, b3 := block(), block(), block()
		bobs := add(bob, domain.ChannelRef(storetest.Channel(t, s, bob.UserID, "Bob's", domain.Private)))
		own := add(ada, domain.ChannelRef(storetest.Channel(t, s, ada.UserID, "Ada's", domain.Private)))
		b4 := block()
		away := int64(storetest.Block(t, s, ada.UserID, "elsewhere"))

		was, err := a.Collections.Channel(ctx, ada, ref)
		w.must(err)
		before := w.Dump()
		for what, ids := range map[string][]int64{"a block elsewhere": {b1, away}, "what is hidden": {b1, bobs}, "nothing": {b1, 999_999}} {
			err := a.Collections.SortContents(ctx, ada, ref, ids)
			if w.want(domain.Unprocessable, err); !strings.Contains(err.Error(), fmt.Sprint("ids: not in this channel: ", ids[1])) {
				t.Errorf("%s: %v", what, err)
			}
		}
		w.want(domain.Forbidden, a.Collections.SortContents(ctx, bob, ref, []int64{b2, b1}))
		w.want(domain.Forbidden, a.Collections.SortContents(ctx, domain.Actor{}, ref, []int64{b2, b1}))
		w.want(domain.Forbidden, a.Collections.SortContents(ctx, domain.Actor{UserID: ada.UserID, Scope: domain.ScopeRead}, ref, []int64{b2, b1}))
		w.want(domain.NotFound, a.Collections.SortContents(ctx, ada, domain.Ref{ID: bobs}, []int64{b2, b1}))
		w.must(a.Collections.SortContents(ctx, ada, ref, []int64{b1, b3, own, b4})) // the current order
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("what was refused, or changes nothing, changed %v", d)
		}

		w.must(a.Collections.SortContents(ctx, ada, ref, []int64{b4, own, b1}))
		want := []domain.ItemRef{items[5], items[1], items[2], items[4], items[0]}
		visible := slices.DeleteFunc(positions(t, s, here), func(i domain.ItemRef) bool { return i.ID == bobs && i.Type == domain.ItemChannel })
		if !slices.Equal(visible, want) {
			t.Errorf("sorted: %v, want %v", visible, want)
		}
		all := positions(t, s, here)
		if all[3].ID != bobs || all[3].Type != domain.ItemChannel {
			t.Errorf("what was not named has moved: %v", all)
		}
		if is, err := a.Collections.Channel(ctx, ada, ref); err != nil || is.Version == was.Version || !is.UpdatedAt.After(was.UpdatedAt) {
			t.Errorf("the channel is the same: %d and %d, %v", is.Version, was.Version, err)
		}
		statements := func(ids []int64) int {
			return len(w.Statements(func() { w.must(a.Collections.SortContents(ctx, ada, ref, ids)) }))
		}
		few := statements([]int64{b1, b2})
		for range 40 {
			block()
		}
		var many []int64
		for _, item := range items {
			if item.Type == domain.ItemBlock {
				many = append(many, item.ID)
			}
		}
		slices.Reverse(many)
		if n := statements(many); n > few {
			t.Errorf("%d statements sort many, %d few", n, few)
		}
		storetest.Check(t, s)
	})
}

// positions returns all items of a channel by position, whether or not somebody may see them.
func positions(t *testing.T, s *store.Store, channel domain.ChannelID) []domain.ItemRef {
	t.Helper()
	type placed struct {
		item domain.ItemRef
		at   int64
	}
	var all []placed
	err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
		for id := domain.ConnectionID(1); id < 2_000; id++ {
			c, err := v.Contents().Connection(t.Context(), id)
			if domain.KindOf(err) == domain.NotFound || err == nil && c.ChannelID != channel {
				continue
			}
			if err != nil {
				return err
			}
			at, err := v.Contents().Positions(t.Context(), id)
			if err != nil {
				return err
			}
			all = append(all, placed{c.Item, at[id]})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	items := make([]domain.ItemRef, len(all))
	for _, p := range all {
		if p.at < 1 || p.at > int64(len(all)) || items[p.at-1] != (domain.ItemRef{}) {
			t.Fatalf("positions are not dense: %v", all)
		}
		items[p.at-1] = p.item
	}
	return items
}

// Items are moved, selected, created and connected by channel and item.
func TestItemsInPlace(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s, ada, bob := w.a, w.ctx(), w.S.Store, w.member("ada"), w.member("bob")
		here := storetest.Channel(t, s, ada.UserID, "Here", domain.Public)
		ref := domain.Ref{ID: int64(here)}
		made, err := a.Collections.CreateBlockIn(ctx, ada, blockIn(ref, collections.BlockInput{Value: "one"}, 0))
		if w.must(err); made.Block == nil || made.Connection.ChannelID != here || made.Connection.Position != 1 || made.Connection.Maker.ID != int64(ada.UserID) {
			t.Errorf("made %+v", made)
		}
		second, err := a.Collections.CreateBlockIn(ctx, bob, blockIn(ref, collections.BlockInput{Value: "two"}, 1))
		if w.must(err); second.Connection.Position != 1 {
			t.Errorf("made %+v", second.Connection)
		}
		other := storetest.Channel(t, s, bob.UserID, "Other", domain.Public)
		third, err := a.Collections.ConnectTo(ctx, bob, ref, domain.ChannelRef(other), 99)
		if w.must(err); third.Channel == nil || third.Channel.ID != other || third.Connection.Position != 3 {
			t.Errorf("connected %+v", third)
		}
		again, err := a.Collections.ConnectTo(ctx, ada, ref, domain.ChannelRef(other), 1)
		if w.must(err); again.Connection.ID != third.Connection.ID || again.Connection.Position != 3 || again.Connection.Maker.ID != int64(bob.UserID) {
			t.Errorf("connected again: %+v", again.Connection)
		}
		item := domain.BlockRef(made.Block.ID)
		for position, want := range map[int64]int64{1: 1, 2: 2, 1_000: 3} {
			p, err := a.Collections.MoveItem(ctx, ada, ref, item, position)
			if w.must(err); p.Position != want || inOrder(t, a, ada, ref)[want-1] != item {
				t.Errorf("moved to %d: %d", position, p.Position)
			}
		}
		for _, want := range []bool{true, false} {
			was, err := a.Collections.Connection(ctx, ada, made.Connection.ID)
			w.must(err)
			p, err := a.Collections.SelectItem(ctx, ada, ref, item)
			if w.must(err); p.Pinned != want || p.Version <= was.Version || p.Position != was.Position {
				t.Errorf("selected: %+v", p.Connection)
			}
			if is, err := a.Collections.Connection(ctx, ada, p.ID); err != nil || is.Pinned != want || is.Version != p.Version {
				t.Errorf("is %+v, %v", is.Connection, err)
			}
		}
		if p, err := a.Collections.Select(ctx, ada, third.Connection.ID); err != nil || !p.Pinned {
			t.Errorf("%+v, %v", p.Connection, err)
		}
		private := storetest.Channel(t, s, ada.UserID, "Private", domain.Private)
		hidden := storetest.Connect(t, s, ada.UserID, private, item, 0)
		hiddenItem := storetest.Connect(t, s, ada.UserID, here, domain.ChannelRef(private), 0)
		secret := domain.BlockRef(storetest.Block(t, s, ada.UserID, "secret"))
		before := w.Dump()
		for kind, refused := range map[domain.Kind]map[string]func() error{
			domain.Forbidden: {
				"moving":    func() error { _, err := a.Collections.MoveItem(ctx, bob, ref, item, 1); return err },
				"selecting": func() error { _, err := a.Collections.SelectItem(ctx, bob, ref, item); return err },
				"a guest":   func() error { _, err := a.Collections.Select(ctx, domain.Actor{}, made.Connection.ID); return err },
				"adding": func() error {
					_, err := a.Collections.CreateBlockIn(ctx, domain.Actor{}, blockIn(ref, collections.BlockInput{Value: "x"}, 0))
					return err
				},
			},
			domain.NotFound: {
				"what is not there": func() error { _, err := a.Collections.MoveItem(ctx, ada, ref, domain.BlockRef(999_999), 1); return err },
				"in private": func() error {
					_, err := a.Collections.MoveItem(ctx, bob, domain.Ref{ID: int64(private)}, item, 1)
					return err
				},
				"selected in private": func() error { _, err := a.Collections.Select(ctx, bob, hidden); return err },
				"a private item":      func() error { _, err := a.Collections.Select(ctx, bob, hiddenItem); return err },
				"a block in private":  func() error { _, err := a.Collections.ConnectTo(ctx, bob, ref, secret, 0); return err },
				"into private": func() error {
					_, err := a.Collections.CreateBlockIn(ctx, bob, blockIn(domain.Ref{ID: int64(private)}, collections.BlockInput{Value: "x"}, 0))
					return err
				},
			},
		} {
			for what, call := range refused {
				if err := call(); err == nil || domain.KindOf(err) != kind {
					t.Errorf("%s: %v", what, err)
				}
			}
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("what was refused changed %v", d)
		}
		storetest.Check(t, s)
	})
}

// The collaborating users become those of a list. Groups stay, and new users are notified.
func TestSetCollaborators(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a, w.ctx(), w.S.Store
		ada, bob, cem, dor := w.member("ada"), w.member("bob"), w.member("cem"), w.member("dor")
		here := storetest.Channel(t, s, ada.UserID, "Here", domain.Private)
		ref, guild := domain.Ref{ID: int64(here)}, domain.GroupRef(storetest.Group(t, s, "Guild", dor.UserID))
		storetest.Collaborate(t, s, here, guild, domain.UserRef(bob.UserID))
		users := func(all ...domain.Actor) (refs []domain.PrincipalRef) {
			for _, a := range all {
				refs = append(refs, domain.UserRef(a.UserID))
			}
			return refs
		}
		set := func(want []domain.PrincipalRef, in ...domain.PrincipalRef) {
			t.Helper()
			all, err := a.Collections.SetCollaborators(ctx, ada, ref, in)
			w.must(err)
			var got []domain.PrincipalRef
			for _, p := range all {
				got = append(got, p.PrincipalRef)
			}
			want = append(want, guild)
			if len(got) != len(want) || slices.ContainsFunc(want, func(p domain.PrincipalRef) bool { return !slices.Contains(got, p) }) {
				t.Errorf("collaborators are %v, want %v", got, want)
			}
		}
		set(users(bob, cem), users(bob, cem)...)
		set(users(bob, cem), users(cem, bob)...)
		notices := func(who domain.Actor) int {
			n, err := a.People.Notifications(ctx, who, false, people.CursorInput{Limit: 100})
			w.must(err)
			return len(n.Items)
		}
		if notices(cem) != 1 || notices(bob) != 0 {
			t.Errorf("told %d and %d times", notices(cem), notices(bob))
		}
		before := w.Dump()
		_, err := a.Collections.SetCollaborators(ctx, bob, ref, users(bob))
		w.want(domain.Forbidden, err)
		_, err = a.Collections.SetCollaborators(ctx, w.member("eve"), ref, nil)
		w.want(domain.NotFound, err)
		_, err = a.Collections.SetCollaborators(ctx, ada, ref, append(users(bob), domain.UserRef(999_999)))
		w.want(domain.NotFound, err)
		_, err = a.Collections.SetCollaborators(ctx, ada, ref, users(ada))
		w.want(domain.Unprocessable, err)
		after := w.Dump()
		for _, table := range []string{"collaborators", "channels", "activities", "notifications"} {
			if d := (before.Diff(after)); slices.ContainsFunc(d, func(line string) bool { return strings.HasPrefix(line, table) }) {
				t.Errorf("what was refused changed %v", d)
			}
		}
		set(users(dor), users(dor)...)
		set(nil)
		storetest.Check(t, s)
	})
}

// After concurrent sorting, moving, adding, removing, selecting and sharing, positions are dense and all derived values
// are right.
func TestArrangingAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a := app.New(app.Options{Store: s, Now: time.Now})
		var actors []domain.Actor
		for _, name := range []string{"Ada", "Bob", "Cem", "Dor"} {
			actors = append(actors, domain.Actor{UserID: storetest.User(t, s, name), Tier: domain.TierSupporter, Scope: domain.ScopeWrite})
		}
		ada := actors[0]
		here := storetest.Channel(t, s, ada.UserID, "Here", domain.Public)
		ref := domain.Ref{ID: int64(here)}
		var ids []int64
		for i := range 20 {
			item := domain.BlockRef(storetest.Block(t, s, ada.UserID, "x"))
			if i%5 == 0 {
				item = domain.ChannelRef(storetest.Channel(t, s, ada.UserID, fmt.Sprint("Channel ", i), []domain.Visibility{domain.Private, domain.Public}[i%2]))
			} else {
				ids = append(ids, item.ID)
			}
			storetest.Connect(t, s, ada.UserID, here, item, 0)
		}
		step := func(r *rand.Rand) error {
			item := domain.BlockRef(domain.BlockID(ids[r.IntN(len(ids))]))
			switch r.IntN(7) {
			case 0, 1:
				some := slices.Clone(ids)
				r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
				return a.Collections.SortContents(t.Context(), ada, ref, some[:2+r.IntN(len(some)-2)])
			case 2:
				_, err := a.Collections.CreateBlockIn(t.Context(), ada, blockIn(ref, collections.BlockInput{Value: "new"}, r.Int64N(25)))
				return err
			case 3:
				_, err := a.Collections.MoveItem(t.Context(), ada, ref, item, 1+r.Int64N(25))
				return err
			case 4:
				if r.IntN(2) == 0 {
					_, err := a.Collections.RemoveItem(t.Context(), ada, ref, item)
					return err
				}
				_, err := a.Collections.ConnectTo(t.Context(), ada, ref, item, r.Int64N(25))
				return err
			case 5:
				_, err := a.Collections.SelectItem(t.Context(), ada, ref, item)
				return err
			}
			_, err := a.Collections.SetCollaborators(t.Context(), ada, ref, []domain.PrincipalRef{domain.UserRef(actors[1+r.IntN(3)].UserID)})
			return err
		}
		var writers sync.WaitGroup
		for n := range uint64(6) {
			writers.Go(func() {
				r := rand.New(rand.NewPCG(n, 14))
				for range 25 {
					err := step(r)
					if kind := domain.KindOf(err); err != nil && kind != domain.NotFound && kind != domain.Unprocessable {
						t.Error(err)
						return
					}
				}
			})
		}
		writers.Wait()
		all := inOrder(t, a, ada, ref)
		seen := map[domain.ItemRef]bool{}
		for _, item := range all {
			if seen[item] {
				t.Errorf("%v is there twice", item)
			}
			seen[item] = true
		}
		collaborators, err := a.Collections.Collaborators(t.Context(), ada, ref)
		if err != nil || len(collaborators) > 1 {
			t.Errorf("%d collaborators, %v", len(collaborators), err)
		}
		storetest.Check(t, s)
	})
}

// blockIn is a block in one channel.
func blockIn(ref domain.Ref, in collections.BlockInput, position int64) collections.CreateBlockInput {
	return collections.CreateBlockInput{BlockInput: in, Targets: []collections.Target{{Channel: ref, Position: position}}}
}
