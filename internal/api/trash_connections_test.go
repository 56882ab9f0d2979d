package api_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// inTrash lists what somebody can restore.
func inTrash(r *apptest.Rig, who string) []collections.TrashedThing {
	r.T.Helper()
	l, err := r.S.App.Collections.Trash(r.T.Context(), actorOf(r, who), domain.Page{Number: 1, Per: 10})
	if err != nil || l.Total != int64(len(l.Items)) {
		r.T.Fatal(l, err)
	}
	return l.Items
}

// restored restores something and returns the kind of the error.
func restored(r *apptest.Rig, who string, id domain.TrashID) domain.Kind {
	r.T.Helper()
	_, err := r.S.App.Collections.RestoreTrashed(r.T.Context(), actorOf(r, who), id)
	if err == nil {
		return 0
	}
	return domain.KindOf(err)
}

// What somebody removes from a channel of another user, both can restore. What its creator removes, only they can restore.
func TestTrashOfConnections(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss := r.Channel("ada", "Moss", "public")
		r.Collaborate("ada", moss, "eve")
		block, own := r.Block("ben", "Words", moss), r.Block("ben", "Own", moss)
		conns := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Ints("data", "connection.id")
		remove := func(as string, id int64) { r.Do(as, "DELETE", fmt.Sprint("/v3/connections/", id), nil).Want(204) }

		remove("eve", conns[0])
		for who, n := range map[string]int{"ada": 1, "eve": 1, "ben": 0} {
			if all := inTrash(r, who); len(all) != n {
				t.Errorf("%s has %d things", who, len(all))
			}
		}
		thing := inTrash(r, "ada")[0]
		if thing.Kind != domain.TrashedConnection || thing.Count != 1 || len(thing.Items) != 1 || thing.Items[0].Block.ID != domain.BlockID(block) ||
			thing.Items[0].Seen || len(thing.Places) != 1 || thing.DeletedBy.Slug != "eve" {
			t.Errorf("%+v", thing)
		}
		if kind := restored(r, "ben", thing.ID); kind != domain.NotFound {
			t.Errorf("a stranger restores: %v", kind)
		}
		if err := r.S.App.Collections.PurgeTrashed(t.Context(), actorOf(r, "eve"), thing.ID); domain.KindOf(err) != domain.NotFound {
			t.Errorf("a collaborator deletes for good: %v", err)
		}
		if err := r.S.App.Collections.EmptyTrash(t.Context(), actorOf(r, "eve"), thing.ID); err != nil {
			t.Fatal(err)
		}
		if kind := restored(r, "eve", thing.ID); kind != 0 {
			t.Errorf("the remover: %v", kind)
		}
		if is := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Ints("data", "connection.id"); !slices.Equal(is, conns) {
			t.Errorf("%v became %v", conns, is)
		}
		remove("ben", conns[1])
		if n := len(inTrash(r, "ada")); n != 0 {
			t.Errorf("the owner of the channel has %d things", n)
		}
		thing = inTrash(r, "ben")[0]

		// The same item was added again: the removed connection stays in Trash.
		again := r.Connect("ben", "Block", own, moss)
		if kind := restored(r, "ben", thing.ID); kind != domain.Unprocessable {
			t.Errorf("an item that is in the channel again: %v", kind)
		}
		remove("ada", again)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", moss), map[string]any{"visibility": "private"}).Want(200)
		if kind := restored(r, "ben", thing.ID); kind != domain.Unprocessable {
			t.Errorf("a channel that is private: %v", kind)
		}
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", moss), map[string]any{"visibility": "closed"}).Want(200)
		if kind := restored(r, "ben", thing.ID); kind != domain.Forbidden {
			t.Errorf("a channel that is closed: %v", kind)
		}
		r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", moss), nil).Want(204)
		if kind := restored(r, "ben", thing.ID); kind != domain.Unprocessable {
			t.Errorf("a deleted channel: %v", kind)
		}
		restoreLast(r, "ada") // the channel
		r.Do("ben", "DELETE", fmt.Sprint("/ext/v1/blocks/", own), nil).Want(204)
		if all := inTrash(r, "ada"); len(all) != 1 || len(all[0].Items) != 0 || restored(r, "ada", all[0].ID) != domain.Unprocessable {
			t.Errorf("a deleted block: %+v", all)
		}
		restoreLast(r, "ben") // the block
		restoreLast(r, "ada")
		if is := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Ints("data", "connection.id"); !slices.Equal(is, []int64{conns[0], again}) {
			t.Errorf("%v became %v", conns, is)
		}
		storetest.Check(t, r.S.Store)
		r.Clock.Advance(31 * 24 * time.Hour)
		if err := r.S.App.Collections.PurgeTrash(t.Context()); err != nil || rowsInTrash(r) != 0 {
			t.Errorf("%d rows are left, %v", rowsInTrash(r), err)
		}
	}, apptest.Trash)
}

// Many connections that were removed at once are restored at once, with their pins and dates, by Trash and by the undo.
func TestTrashOfManyConnections(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss, fern := r.Channel("ada", "Moss", "public"), r.Channel("ben", "Fern", "private")
		for i := range 6 {
			r.Block([]string{"ada", "ben"}[i%2], fmt.Sprint("Block ", i), moss)
		}
		r.Connect("ben", "Channel", fern, moss)
		list := fmt.Sprintf("/v3/channels/%d/contents?sort=position_asc", moss)
		conns := r.Get("ben", "%s", list).Ints("data", "connection.id")
		if _, err := r.S.App.Collections.Select(t.Context(), actorOf(r, "ada"), domain.ConnectionID(conns[2])); err != nil {
			t.Fatal(err)
		}
		r.Clock.Advance(time.Hour)
		paths := []string{list, fmt.Sprint("/v3/channels/", moss), "/v3/users/ada", "/v3/users/ben"}
		before := readAll(r, paths)
		var ids []domain.ConnectionID
		for _, id := range conns[1:6] {
			ids = append(ids, domain.ConnectionID(id))
		}
		ref := domain.Ref{ID: moss}
		removed, err := r.S.App.Collections.RemoveConnections(t.Context(), actorOf(r, "ada"), ref, ids)
		if err != nil || removed.Count != 5 {
			t.Fatal(removed, err)
		}
		thing := inTrash(r, "ada")[0]
		if thing.Count != 5 || len(thing.Items) != 3 || len(thing.Places) != 1 {
			t.Errorf("%+v", thing)
		}
		restoreLast(r, "ada")
		alike(t, "restored", before, readAll(r, paths))

		removed, err = r.S.App.Collections.RemoveConnections(t.Context(), actorOf(r, "ada"), ref, ids)
		if err != nil {
			t.Fatal(err)
		}
		undone, err := r.S.App.Collections.UndoRemoval(t.Context(), actorOf(r, "ada"), removed.Undo)
		if err != nil || undone.Count != 5 || undone.Lost != 0 || len(undone.Placed) != 5 || undone.Placed[0] != (collections.Placing{Connection: ids[0], Position: 2}) {
			t.Errorf("%+v, %v", undone, err)
		}
		alike(t, "undone", before, readAll(r, paths))
		if n := rowsInTrash(r); n != 0 {
			t.Errorf("%d rows are in Trash", n)
		}

		// The undo of an earlier removal does not undo a later one.
		if removed, err = r.S.App.Collections.RemoveConnections(t.Context(), actorOf(r, "ada"), ref, ids[:1]); err != nil {
			t.Fatal(err)
		}
		restoreLast(r, "ada")
		r.Clock.Advance(time.Minute)
		if _, err := r.S.App.Collections.RemoveConnections(t.Context(), actorOf(r, "ada"), ref, ids); err != nil {
			t.Fatal(err)
		}
		if undone, err = r.S.App.Collections.UndoRemoval(t.Context(), actorOf(r, "ada"), removed.Undo); err != nil || undone.Count != 1 {
			t.Errorf("%+v, %v", undone, err)
		}

		// A collaborator removes own items and those of others. The owner can restore only the latter.
		r.Collaborate("ada", moss, "ben")
		conns = r.Get("ben", "%s", list).Ints("data", "connection.id")
		r.Block("ada", "Another", moss)
		for _, id := range r.Get("ben", "%s", list).Ints("data", "connection.id") {
			ids = append(ids, domain.ConnectionID(id))
		}
		if removed, err = r.S.App.Collections.RemoveConnections(t.Context(), actorOf(r, "ben"), ref, ids[5:]); err != nil || removed.Count != len(conns)+1 {
			t.Fatal(removed, err)
		}
		if his, hers := inTrash(r, "ben"), inTrash(r, "ada"); len(his) != 2 || len(hers) != 2 || his[0].ID != hers[0].ID || his[0].Count+his[1].Count != removed.Count {
			t.Errorf("%+v\n%+v", his, hers)
		}
		storetest.Check(t, r.S.Store)
		if undone, err = r.S.App.Collections.UndoRemoval(t.Context(), actorOf(r, "ben"), removed.Undo); err != nil || undone.Count != removed.Count {
			t.Errorf("%+v, %v", undone, err)
		}
		storetest.Check(t, r.S.Store)
	}, apptest.Trash)
}

// Deleting by operators deletes the removed connections of an item, and does not name what is hidden.
func TestTrashOfConnectionsHidden(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss := r.Channel("ada", "Moss", "public")
		block := r.Block("ben", "Words", moss)
		what, moderating, by := domain.Subject{Type: domain.SubjectBlock, ID: block}, r.S.App.Moderation, operating.OnSite(actorOf(r, "eve"), domain.Visitor{})
		if err := moderating.Report(t.Context(), actorOf(r, "ada"), moderation.ReportInput{About: what, Reason: moderation.Spam}); err != nil {
			t.Fatal(err)
		}
		conn := r.Get("ada", "/v3/channels/%d/contents", moss).Ints("data", "connection.id")[0]
		r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", conn), nil).Want(204)
		r.Operator("eve")
		if _, err := moderating.Hide(t.Context(), by, moderation.HideInput{About: what, Text: "Rule 3"}); err != nil {
			t.Fatal(err)
		}
		thing := inTrash(r, "ada")[0]
		if len(thing.Items) != 0 || thing.Count != 1 || restored(r, "ada", thing.ID) != domain.Unprocessable {
			t.Errorf("a hidden block: %+v", thing)
		}
		cases, err := moderating.Cases(t.Context(), by, false, 0, 1)
		if err != nil || len(cases) != 1 {
			t.Fatal(cases, err)
		}
		if _, err := moderating.Decide(t.Context(), by, cases[0].ID, moderation.Decision{Outcome: moderation.Deleted}); err != nil {
			t.Fatal(err)
		}
		if thing = inTrash(r, "ada")[0]; thing.Count != 0 || restored(r, "ada", thing.ID) != domain.Unprocessable {
			t.Errorf("a block that operators deleted: %+v", thing)
		}
	}, apptest.Trash)
}
