package app_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// Sixteen concurrent requests with one key create one thing, and all get it as the answer.
func TestOnceInParallel(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.member("ada")
		channel, err := w.a.Collections.CreateChannel(w.ctx(), ada, collections.CreateChannelInput{Title: "Ferns"})
		w.must(err)
		blocks, channels := make([]domain.BlockID, 16), make([]domain.ChannelID, 16)
		var all sync.WaitGroup
		for i := range blocks {
			all.Go(func() {
				b, err := w.a.Collections.CreateBlock(w.ctx(), ada, onceBlock(channel.Channel, "k", "a fern"))
				c, err2 := w.a.Collections.CreateChannel(w.ctx(), ada, collections.CreateChannelInput{Title: "Mosses", Once: "c"})
				if err := errors.Join(err, err2); err != nil {
					t.Error(err)
				}
				blocks[i], channels[i] = b.ID, c.ID
			})
		}
		all.Wait()
		for i := range blocks {
			if blocks[i] != blocks[0] || channels[i] != channels[0] || blocks[i] == 0 || channels[i] == 0 {
				t.Errorf("blocks %v, channels %v", blocks, channels)
				break
			}
		}
		if c, err := w.a.Collections.Channel(w.ctx(), ada, domain.Ref{ID: int64(channel.ID)}); err != nil || c.Blocks != 1 {
			t.Errorf("the channel has %d blocks, %v", c.Blocks, err)
		}
	})
}

func onceBlock(c domain.Channel, key core.OnceKey, value string) collections.CreateBlockInput {
	return collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: value},
		Targets: []collections.Target{{Channel: domain.Ref{ID: int64(c.ID)}}}, Once: key}
}

func TestOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada, eve := w.member("ada"), w.member("eve")
		full, err := w.a.Collections.CreateChannel(w.ctx(), ada, collections.CreateChannelInput{Title: "Ferns", Visibility: domain.Public})
		w.must(err)
		c := full.Channel
		first, err := w.a.Collections.CreateBlock(w.ctx(), ada, onceBlock(c, "k", "one"))
		w.must(err)
		if again, err := w.a.Collections.CreateBlock(w.ctx(), ada, onceBlock(c, "k", "one")); err != nil || again.ID != first.ID {
			t.Errorf("again: %d, %v, want %d", again.ID, err, first.ID)
		}
		if theirs, err := w.a.Collections.CreateBlock(w.ctx(), eve, onceBlock(c, "k", "one")); err != nil || theirs.ID == first.ID {
			t.Errorf("another user gets %d, %v", theirs.ID, err)
		}
		if _, err := w.a.Collections.CreateChannel(w.ctx(), ada, collections.CreateChannelInput{Title: "x", Once: "k"}); domain.KindOf(err) != domain.Conflict {
			t.Errorf("a key of a block for a channel: %v", err)
		}
		// A failed request does not use up its key.
		if _, err := w.a.Collections.CreateBlock(w.ctx(), ada, onceBlock(domain.Channel{ID: 1_000_000}, "f", "x")); domain.KindOf(err) != domain.NotFound {
			t.Fatal(err)
		}
		fresh, err := w.a.Collections.CreateBlock(w.ctx(), ada, onceBlock(c, "f", "x"))
		w.must(err)
		// If the thing was deleted in the meantime, the answer says so and nothing is created again.
		w.must(w.a.Collections.DeleteBlock(w.ctx(), ada, fresh.ID))
		if _, err := w.a.Collections.CreateBlock(w.ctx(), ada, onceBlock(c, "f", "x")); domain.KindOf(err) != domain.NotFound {
			t.Errorf("of a deleted block: %v", err)
		}
		// A day later the same key counts as new, before the sweep and after it.
		w.Clock.Advance(core.OnceKept + time.Second)
		if later, err := w.a.Collections.CreateBlock(w.ctx(), ada, onceBlock(c, "k", "one")); err != nil || later.ID == first.ID {
			t.Errorf("a day later: %d, %v", later.ID, err)
		}
		w.Clock.Advance(core.OnceKept + time.Second)
		w.must(w.a.Accounts.SweepAccounts(w.ctx()))
		if n := len(w.Dump()["once_keys"]); n != 0 {
			t.Errorf("%d keys are left", n)
		}
	})
}

func TestUndoRemoval(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada, eve := w.member("ada"), w.member("eve")
		full, err := w.a.Collections.CreateChannel(w.ctx(), ada, collections.CreateChannelInput{Title: "Ferns", Visibility: domain.Public})
		w.must(err)
		ref := domain.Ref{ID: int64(full.ID)}
		nested, err := w.a.Collections.CreateChannel(w.ctx(), ada, collections.CreateChannelInput{Title: "Within"})
		w.must(err)
		var blocks []domain.BlockID
		for _, who := range []domain.Actor{ada, ada, eve, ada} {
			b, err := w.a.Collections.CreateBlock(w.ctx(), who, onceBlock(full.Channel, "", "x"))
			w.must(err)
			blocks = append(blocks, b.ID)
		}
		_, err = w.a.Collections.Connect(w.ctx(), ada, domain.ChannelRef(nested.ID), []collections.Target{{Channel: ref, Position: 3, Metadata: []byte(`{"a":"b"}`)}})
		w.must(err)
		was := w.shelf(ada, ref)
		var ids []domain.ConnectionID
		for _, c := range was[1:4] { // eve's block, the channel, and one of ada's
			ids = append(ids, c.Connection.ID)
		}
		// A stranger may remove only their own connections.
		r, err := w.a.Collections.RemoveConnections(w.ctx(), eve, ref, append(ids, 1_000_000))
		if w.must(err); r.Count != 1 || r.Kept != 2 || r.Gone != 1 || r.Undo == "" {
			t.Fatalf("eve: %+v", r)
		}
		if _, err := w.a.Collections.UndoRemoval(w.ctx(), ada, r.Undo); domain.KindOf(err) != domain.NotFound {
			t.Errorf("another's removal: %v", err)
		}
		if back, err := w.a.Collections.UndoRemoval(w.ctx(), eve, r.Undo); err != nil || back.Count != 1 {
			t.Errorf("%+v, %v", back, err)
		}
		w.same(was, w.shelf(ada, ref))
		ids = ids[:0]
		for _, c := range w.shelf(ada, ref)[1:4] {
			ids = append(ids, c.Connection.ID)
		}
		events := len(w.Dump()["activities"])
		r, err = w.a.Collections.RemoveConnections(w.ctx(), ada, ref, ids)
		if w.must(err); r.Count != 3 || r.Kept != 0 || r.Gone != 0 {
			t.Fatalf("ada: %+v", r)
		}
		if _, err := w.a.Collections.Block(w.ctx(), ada, blocks[2]); domain.KindOf(err) != domain.NotFound {
			t.Errorf("eve's block, in no channel: %v", err)
		}
		for range 2 {
			if back, err := w.a.Collections.UndoRemoval(w.ctx(), ada, r.Undo); err != nil || back.Count != 3 || back.Lost != 0 {
				t.Errorf("%+v, %v", back, err)
			}
		}
		w.same(was, w.shelf(ada, ref))
		if n := len(w.Dump()["activities"]); n != events {
			t.Errorf("%d activities, before %d", n, events)
		}
		// What was deleted in the meantime is not restored, and the answer says so.
		ids = []domain.ConnectionID{w.shelf(ada, ref)[0].Connection.ID, w.shelf(ada, ref)[4].Connection.ID}
		r, err = w.a.Collections.RemoveConnections(w.ctx(), ada, ref, ids)
		w.must(err)
		w.must(w.a.Collections.DeleteBlock(w.ctx(), ada, blocks[0]))
		if back, err := w.a.Collections.UndoRemoval(w.ctx(), ada, r.Undo); err != nil || back.Count != 1 || back.Lost != 1 {
			t.Errorf("%+v, %v", back, err)
		}
		for _, id := range []string{"", "x", "a\x00b", "\xff", r.Undo + "x"} {
			if _, err := w.a.Collections.UndoRemoval(w.ctx(), ada, id); domain.KindOf(err) != domain.NotFound {
				t.Errorf("%q: %v", id, err)
			}
		}
		ids = []domain.ConnectionID{w.shelf(ada, ref)[0].Connection.ID}
		r, err = w.a.Collections.RemoveConnections(w.ctx(), ada, ref, ids)
		w.must(err)
		w.Clock.Advance(collections.UndoFor + time.Second)
		if _, err := w.a.Collections.UndoRemoval(w.ctx(), ada, r.Undo); domain.KindOf(err) != domain.NotFound {
			t.Errorf("after an hour: %v", err)
		}
		w.must(w.a.Accounts.SweepAccounts(w.ctx()))
		if n := len(w.Dump()["removals"]); n != 0 {
			t.Errorf("%d removals are left", n)
		}
	})
}

// shelf returns the contents of a channel, from the top.
func (w *accountsRig) shelf(actor domain.Actor, ref domain.Ref) []collections.Content {
	w.t.Helper()
	l, err := w.a.Collections.Contents(w.ctx(), actor, ref, collections.ContentsInput{Page: domain.Page{Number: 1, Per: 100}, Sort: domain.ContentSort{Desc: true}})
	w.must(err)
	return l.Items
}

// same compares items, creators, metadata and their order.
func (w *accountsRig) same(want, got []collections.Content) {
	w.t.Helper()
	if len(want) != len(got) {
		w.t.Fatalf("%d items, want %d", len(got), len(want))
	}
	for i := range want {
		a, b := want[i].Connection, got[i].Connection
		if a.Item != b.Item || a.Maker.ID != b.Maker.ID || a.Metadata != b.Metadata || a.Position != b.Position {
			w.t.Errorf("%d: %+v, want %+v", i, b, a)
		}
	}
}

// Undoing a sort restores the exact order. What others added or removed in the meantime stays so.
func TestUndoSort(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada, eve := w.member("ada"), w.member("eve")
		full, err := w.a.Collections.CreateChannel(w.ctx(), ada, collections.CreateChannelInput{Title: "Ferns", Visibility: domain.Public})
		w.must(err)
		ref := domain.Ref{ID: int64(full.ID)}
		for _, text := range []string{"c", "a", "d", "b"} {
			_, err := w.a.Collections.CreateBlock(w.ctx(), ada, onceBlock(full.Channel, "", text))
			w.must(err)
		}
		order := func() (said string) {
			for _, c := range w.shelf(ada, ref) {
				said += c.Block.Content.Plain
			}
			return said
		}
		before := order()
		sorted, err := w.a.Collections.SortOnce(w.ctx(), ada, ref, domain.OnceByTitle)
		if w.must(err); sorted.Count == 0 || sorted.Undo == "" || order() == before {
			t.Fatalf("%+v, %s", sorted, order())
		}
		if _, err := w.a.Collections.UndoRemoval(w.ctx(), eve, sorted.Undo); domain.KindOf(err) != domain.NotFound {
			t.Errorf("another's: %v", err)
		}
		for range 2 {
			if back, err := w.a.Collections.UndoRemoval(w.ctx(), ada, sorted.Undo); err != nil || back.Count != sorted.Count || back.Lost != 0 || order() != before {
				t.Errorf("%+v, %v: %s", back, err, order())
			}
		}
		if again, err := w.a.Collections.SortOnce(w.ctx(), ada, ref, domain.OnceByTitle); err != nil {
			t.Fatal(err)
		} else {
			sorted = again
		}
		_, err = w.a.Collections.CreateBlock(w.ctx(), eve, onceBlock(full.Channel, "", "e"))
		w.must(err)
		for _, c := range w.shelf(ada, ref) {
			if c.Block.Content.Plain == "c" {
				_, err := w.a.Collections.RemoveConnections(w.ctx(), ada, ref, []domain.ConnectionID{c.Connection.ID})
				w.must(err)
			}
		}
		if back, err := w.a.Collections.UndoRemoval(w.ctx(), ada, sorted.Undo); err != nil || back.Lost != 1 || order() != "e"+strings.ReplaceAll(before, "c", "") {
			t.Errorf("%+v, %v: %s", back, err, order())
		}
	})
}
