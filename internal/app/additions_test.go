package app_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// A block can be added directly above or below an item of the channel. If that item was removed or is in a different
// channel, the block goes to the usual place.
func TestBesideAnother(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, s, ada := w.a, w.S.Store, w.member("ada")
		here, other := storetest.Channel(t, s, ada.UserID, "Here", domain.Closed), storetest.Channel(t, s, ada.UserID, "Other", domain.Private)
		ref := domain.Ref{ID: int64(here)}
		names := map[domain.ItemRef]string{}
		connections := map[string]domain.ConnectionID{}
		add := func(name string, next collections.NextTo) {
			t.Helper()
			in := blockIn(ref, collections.BlockInput{Value: name}, 1)
			in.Targets[0].NextTo = next
			made, err := a.Collections.CreateBlockIn(w.ctx(), ada, in)
			w.must(err)
			names[domain.BlockRef(made.Block.ID)], connections[name] = name, made.Connection.ID
		}
		elsewhere := storetest.Connect(t, s, ada.UserID, other, domain.BlockRef(storetest.Block(t, s, ada.UserID, "x")), 0)
		var want []string // from the top
		for _, step := range []struct {
			name, next string
			above      bool
			at         int
		}{
			{"a", "", false, 0}, {"b", "a", false, 1}, {"c", "a", true, 0}, {"d", "b", false, 3}, {"e", "b", true, 2}, {"f", "c", false, 1},
			{"g", "gone", true, 6}, {"h", "elsewhere", true, 7},
		} {
			connections["elsewhere"], connections["gone"] = elsewhere, 999_999
			add(step.name, collections.NextTo{Connection: connections[step.next], Above: step.above})
			want = slices.Insert(want, step.at, step.name)
			var got []string
			for _, item := range inOrder(t, a, ada, ref) {
				got = append(got, names[item])
			}
			if slices.Reverse(got); !slices.Equal(got, want) {
				t.Fatalf("after %s: %v, want %v", step.name, got, want)
			}
		}
		var writers sync.WaitGroup
		for n := range 8 {
			writers.Go(func() {
				in := blockIn(ref, collections.BlockInput{Value: fmt.Sprint("at once ", n)}, 0)
				in.Targets[0].NextTo = collections.NextTo{Connection: connections["e"], Above: n%2 == 0}
				if _, err := a.Collections.CreateBlockIn(w.ctx(), ada, in); err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		items := inOrder(t, a, ada, ref)
		at := func(name string) int {
			return slices.IndexFunc(items, func(i domain.ItemRef) bool { return names[i] == name })
		}
		if len(items) != len(want)+8 || at("a")-at("e") != 5 || at("e")-at("b") != 5 {
			t.Errorf("e is at %d, with a at %d above and b at %d below, of %d", at("e"), at("a"), at("b"), len(items))
		}
		storetest.Check(t, s)
	})
}

// Undoing additions deletes blocks that are nowhere else, and leaves everything that others made or use.
func TestUndoAdding(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s, ada, bob := w.a, w.ctx(), w.S.Store, w.member("ada"), w.member("bob")
		here, other := storetest.Channel(t, s, ada.UserID, "Here", domain.Public), storetest.Channel(t, s, bob.UserID, "Other", domain.Public)
		ref := domain.Ref{ID: int64(here)}
		add := func(as domain.Actor, text string) (domain.ConnectionID, domain.BlockID) {
			t.Helper()
			made, err := a.Collections.CreateBlockIn(ctx, as, blockIn(ref, collections.BlockInput{Value: text}, 0))
			w.must(err)
			return made.Connection.ID, made.Block.ID
		}
		alone, aloneBlock := add(ada, "alone")
		shared, sharedBlock := add(ada, "in two channels")
		storetest.Connect(t, s, bob.UserID, other, domain.BlockRef(sharedBlock), 0)
		discussed, discussedBlock := add(ada, "with a comment")
		_, err := a.Collections.CreateComment(ctx, bob, discussedBlock, "Nice")
		w.must(err)
		foreign, foreignBlock := add(bob, "of somebody else")
		connected := storetest.Connect(t, s, ada.UserID, here, domain.ChannelRef(other), 0)
		_, found, err := func() (domain.ConnectionID, bool, error) {
			made, err := a.Collections.ConnectTo(ctx, ada, domain.Ref{ID: int64(other)}, domain.BlockRef(foreignBlock), 0)
			if err != nil {
				return 0, false, err
			}
			r, err := a.Collections.UndoAdding(ctx, ada, []domain.ConnectionID{made.Connection.ID})
			return made.Connection.ID, r.Count == 1, err
		}()
		if w.must(err); !found {
			t.Error("a connection of somebody else's block was kept")
		}
		ids := []domain.ConnectionID{alone, shared, discussed, foreign, connected, 999_999}
		before := w.Dump()
		if r, err := a.Collections.UndoAdding(ctx, bob, []domain.ConnectionID{alone, shared, connected}); err != nil || r != (collections.TakenBack{Kept: 3}) {
			t.Errorf("bob: %+v, %v", r, err)
		}
		if r, err := a.Collections.UndoAdding(ctx, domain.Actor{}, []domain.ConnectionID{alone}); err != nil || r != (collections.TakenBack{Kept: 1}) {
			t.Errorf("a guest: %+v, %v", r, err)
		}
		if _, err := a.Collections.UndoAdding(ctx, ada, make([]domain.ConnectionID, domain.MaxRemoved+1)); domain.KindOf(err) != domain.Invalid {
			t.Errorf("too many: %v", err)
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("what was refused changed %v", d)
		}
		var at, gone int
		var both sync.WaitGroup
		var lock sync.Mutex
		for range 2 {
			both.Go(func() {
				r, err := a.Collections.UndoAdding(ctx, ada, ids)
				if err != nil || r.Kept != 1 {
					t.Errorf("undone: %+v, %v", r, err)
				}
				lock.Lock()
				defer lock.Unlock()
				at, gone = at+r.Count, gone+r.Gone
			})
		}
		if both.Wait(); at != 4 || gone != 6 {
			t.Errorf("%d were undone, %d were gone", at, gone)
		}
		if left := inOrder(t, a, ada, ref); !slices.Equal(left, []domain.ItemRef{domain.BlockRef(foreignBlock)}) {
			t.Errorf("left: %v", left)
		}
		for block, exists := range map[domain.BlockID]bool{aloneBlock: false, sharedBlock: true, discussedBlock: true} {
			if _, err := a.Collections.Block(ctx, ada, block); (err == nil) != exists {
				t.Errorf("block %d: %v", block, err)
			}
		}
		old, _ := add(ada, "old")
		w.Clock.Advance(collections.UndoFor + time.Second)
		if r, err := a.Collections.UndoAdding(ctx, ada, []domain.ConnectionID{old}); err != nil || r.Kept != 1 {
			t.Errorf("after an hour: %+v, %v", r, err)
		}
		storetest.Check(t, s)
	})
}
