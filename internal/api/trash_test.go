package api_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

var changedAt = regexp.MustCompile(`"(updated_at|updated-at)":"[^"]*"`)

// readAll reads everything that a deletion could change, as several viewers, without times of change.
func readAll(r *apptest.Rig, paths []string) map[string]string {
	r.T.Helper()
	all := map[string]string{}
	for _, viewer := range []string{"", "ada", "ben", "eve"} {
		for _, path := range paths {
			res := r.Do(viewer, "GET", path, nil)
			all[viewer+" "+path] = fmt.Sprint(res.Status, changedAt.ReplaceAllString(string(res.Body), ""))
		}
	}
	return all
}

// alike compares two readings.
func alike(t *testing.T, when string, before, after map[string]string) {
	t.Helper()
	for what := range before {
		if before[what] != after[what] {
			t.Errorf("%s: %s\nbefore: %s\n after: %s", when, what, before[what], after[what])
		}
	}
}

// restoreLast restores what was deleted last.
func restoreLast(r *apptest.Rig, as string) {
	r.T.Helper()
	actor := actorOf(r, as)
	l, err := r.S.App.Collections.Trash(r.T.Context(), actor, domain.Page{Number: 1, Per: 10})
	if err != nil || len(l.Items) == 0 {
		r.T.Fatalf("%s has %d things in Trash, %v", as, len(l.Items), err)
	}
	if got, err := r.S.App.Collections.RestoreTrashed(r.T.Context(), actor, l.Items[0].ID); err != nil || got.Lost != 0 {
		r.T.Errorf("restoring %s: %+v, %v", l.Items[0].Label, got, err)
	}
}

// What was deleted is gone for everybody, and comes back from Trash as it was.
func TestTrash(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss, fern, secret := r.Channel("ada", "Moss", "public"), r.Channel("ben", "Fern", "closed"), r.Channel("ben", "Secret", "private")
		r.Block("ada", "Low", moss)
		middle := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "Middle *words*", "title": "Heart", "description": "About it", "metadata": map[string]any{"shelf": "3"},
			"channel_ids": []int64{moss}}).Want(201).Int("id")
		r.Connect("ada", "Channel", fern, moss)
		r.Connect("ben", "Block", middle, fern)
		r.Connect("ben", "Block", middle, secret)
		r.Connect("ben", "Channel", moss, secret)
		r.Connect("ben", "Channel", moss, fern)
		r.Block("ben", "High", moss, fern)
		for _, by := range []string{"ada", "ben", "eve"} {
			r.Do(by, "POST", fmt.Sprintf("/v3/blocks/%d/comments", middle), map[string]any{"body": "Says " + by}).Want(201)
		}
		inMoss := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Ints("data", "connection.id")
		r.Do("ada", "PUT", fmt.Sprintf("/v3/connections/%d", inMoss[1]), map[string]any{"metadata": map[string]any{"note": "kept"}}).Want(200)
		r.Do("eve", "POST", fmt.Sprintf("/ext/v1/channels/%d/follow", moss), nil)
		var paths []string
		for _, id := range []int64{moss, fern, secret} {
			paths = append(paths, fmt.Sprint("/v3/channels/", id), fmt.Sprintf("/v3/channels/%d/contents?sort=position_asc", id), fmt.Sprintf("/v3/channels/%d/contents?sort=created_at_desc", id),
				fmt.Sprintf("/v3/channels/%d/connections", id), fmt.Sprintf("/v3/channels/%d/followers", id), fmt.Sprint("/v2/channels/", id), fmt.Sprintf("/v2/channels/%d/contents", id))
		}
		paths = append(paths, fmt.Sprint("/v3/blocks/", middle), fmt.Sprintf("/v3/blocks/%d/connections", middle), fmt.Sprintf("/v3/blocks/%d/comments", middle),
			fmt.Sprint("/v2/blocks/", middle), fmt.Sprintf("/v2/blocks/%d/channels", middle), "/v3/users/ada", "/v3/users/ben", "/v3/users/eve",
			"/v3/users/ada/contents", "/v3/users/ben/contents", "/v2/users/ada", "/v2/users/ben/channels", "/v3/search?query=heart", "/v3/search?query=moss")
		before := readAll(r, paths)
		for _, path := range paths {
			if answer := before["ben "+path]; !strings.HasPrefix(answer, "200") {
				t.Errorf("%s: %s", path, answer)
			}
		}
		block, channel := fmt.Sprint("/v3/blocks/", middle), fmt.Sprint("/v3/channels/", moss)
		gone := func(paths ...string) {
			t.Helper()
			for _, viewer := range []string{"", "ada", "ben", "eve"} {
				for _, path := range paths {
					if res := r.Do(viewer, "GET", path, nil); res.Status != 404 && !(viewer == "" && res.Status == 401) {
						t.Errorf("%s %s is %d", viewer, path, res.Status)
					}
				}
			}
		}
		deleteBlock := func() { r.Do("ada", "DELETE", strings.Replace(block, "v3", "ext/v1", 1), nil).Want(204) }
		deleteChannel := func() { r.Do("ada", "DELETE", channel, nil).Want(204) }

		deleteBlock()
		gone(block, block+"/comments", block+"/connections")
		if n := r.Get("ada", "/v3/channels/%d", moss).Int("counts.contents"); n != 3 {
			t.Errorf("%d items are left", n)
		}
		restoreLast(r, "ada")
		alike(t, "the block", before, readAll(r, paths))

		// The connection of a block by another user, and of a channel, with its note and pin.
		pinned := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Ints("data", "connection.id")
		for _, id := range []int64{pinned[1], pinned[2]} {
			r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", id), nil).Want(204)
			r.Do("ada", "GET", fmt.Sprint("/v3/connections/", id), nil).Want(404)
		}
		if n := r.Get("ada", "/v3/channels/%d", moss).Int("counts.contents"); n != 2 {
			t.Errorf("%d items are left", n)
		}
		restoreLast(r, "ada")
		restoreLast(r, "ada")
		alike(t, "the connections", before, readAll(r, paths))

		deleteChannel()
		gone(channel, channel+"/contents", channel+"/connections")
		restoreLast(r, "ada")
		alike(t, "the channel", before, readAll(r, paths))

		said := r.Get("ben", "/v3/blocks/%d/comments", middle).Ints("data", "id")[1]
		r.Do("ben", "DELETE", fmt.Sprint("/v3/comments/", said), nil).Want(204)
		if n := r.Get("ada", "/v3/blocks/%d", middle).Int("comment_count"); n != 2 {
			t.Errorf("%d comments are left", n)
		}
		restoreLast(r, "ben")
		alike(t, "the comment", before, readAll(r, paths))

		// Both, in either order, restored in either order: restore takes the one that was deleted last.
		deleteBlock()
		deleteChannel()
		restoreLast(r, "ada")
		restoreLast(r, "ada")
		alike(t, "the block, then the channel", before, readAll(r, paths))
		deleteChannel()
		deleteBlock()
		restoreLast(r, "ada")
		restoreLast(r, "ada")
		alike(t, "the channel, then the block", before, readAll(r, paths))
	}, apptest.Trash)
}

func actorOf(r *apptest.Rig, name string) domain.Actor {
	return domain.Actor{UserID: r.Person(name).ID, Scope: domain.ScopeWrite}
}

// rowsInTrash counts the rows of all tables of Trash.
func rowsInTrash(r *apptest.Rig) (n int64) {
	r.T.Helper()
	err := r.DB().View(r.T.Context(), func(q database.Querier) error {
		return q.QueryRow(r.T.Context(), `SELECT (SELECT count(*) FROM trash_things) + (SELECT count(*) FROM trash_connections)
			+ (SELECT count(*) FROM trash_comments) + (SELECT count(*) FROM trash_files) + (SELECT count(*) FROM trash_followers) + (SELECT count(*) FROM trash_places)
			+ (SELECT count(*) FROM channel_feeds WHERE trash_id IS NOT NULL) + (SELECT count(*) FROM mailboxes WHERE trash_id IS NOT NULL)
			+ (SELECT count(*) FROM snapshots WHERE block_id IS NULL) + (SELECT count(*) FROM highlights WHERE block_id IS NULL)
			+ (SELECT count(*) FROM text_versions WHERE item_type LIKE 'Trashed%')`).Scan(&n)
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return n
}

// Deleting, restoring, changing and connecting the same things at once leaves every derived value right.
func TestTrashAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss, fern := r.Channel("ada", "Moss", "public"), r.Channel("ben", "Fern", "public")
		var blocks []int64
		for i := range 3 {
			blocks = append(blocks, r.Block("ada", fmt.Sprint("Block ", i), moss, fern))
		}
		r.Connect("ben", "Channel", moss, fern)
		r.S.Store.LimitTransitions(store.TransitionLimits{AtOnce: 1, Batch: 1})
		ada, ben := actorOf(r, "ada"), actorOf(r, "ben")
		for round := range 3 {
			block := blocks[round]
			inMoss := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Ints("data", "connection.id")
			answers := atOnce(t, 14, func(i int) *apptest.Response {
				switch i % 7 {
				case 6:
					return r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", inMoss[i%len(inMoss)]), nil)
				case 0:
					return r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", block), nil)
				case 1:
					return r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", moss), nil)
				case 2:
					return r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", block), map[string]any{"title": fmt.Sprint("Title ", i)})
				case 3:
					return r.Do("ben", "POST", "/v3/connections", map[string]any{"connectable_type": "Block", "connectable_id": block, "channel_ids": []int64{moss, fern}})
				case 4:
					return r.Do("ben", "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": "Words"})
				}
				l, err := r.S.App.Collections.Trash(t.Context(), ada, domain.Page{Number: 1, Per: 10})
				for _, thing := range l.Items {
					_, failed := r.S.App.Collections.RestoreTrashed(t.Context(), ada, thing.ID)
					if kind := domain.KindOf(failed); failed != nil && kind != domain.NotFound && kind != domain.Unprocessable {
						err = failed
					}
				}
				if err != nil {
					t.Error(err)
				}
				return r.Do("", "GET", "/v3/channels/none", nil)
			})
			for i, res := range answers {
				if res.Status >= 500 {
					t.Errorf("%d: status %d: %s", i, res.Status, res.Body)
				}
			}
			if _, err := r.S.App.Collections.RestoreTrashed(t.Context(), ben, 1); domain.KindOf(err) != domain.NotFound {
				t.Errorf("a stranger restores: %v", err)
			}
			storetest.Check(t, r.S.Store)
			l, err := r.S.App.Collections.Trash(t.Context(), ada, domain.Page{Number: 1, Per: 10})
			if err != nil {
				t.Fatal(err)
			}
			for _, thing := range l.Items {
				_, err := r.S.App.Collections.RestoreTrashed(t.Context(), ada, thing.ID)
				if err != nil && (thing.Kind != domain.TrashedConnection || domain.KindOf(err) != domain.Unprocessable) {
					t.Errorf("%+v: %v", thing, err)
				}
			}
			r.Get("ada", "/v3/channels/%d", moss).Want(200)
			r.Get("ada", "/v3/blocks/%d", block).Want(200)
			storetest.Check(t, r.S.Store)
		}
	}, apptest.Trash)
}

// A block comes back between the same neighbours, though others were added there until no keys were left.
func TestTrashKeepsPlaces(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss := r.Channel("ada", "Moss", "public")
		low, middle, high := r.Block("ada", "Low", moss), r.Block("ada", "Middle", moss), r.Block("ada", "High", moss)
		r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", middle), nil).Want(204)
		for range 40 {
			r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "New", "channels": []map[string]any{{"id": moss, "position": 2}}}).Want(201)
		}
		restoreLast(r, "ada")
		ids := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc&per=100", moss).Ints("data", "id")
		if ids[0] != low || ids[len(ids)-1] != high || !slices.Contains(ids, middle) {
			t.Errorf("%v", ids)
		}
	}, apptest.Trash)
}

// Files in Trash count towards the quota, but nobody gets them. They are gone when the block is deleted for good, also if
// the job stopped in between.
func TestTrashOfFiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/a.png", apptest.Serve("image/png", apptest.PNG(t, 90, 30)))
		moss, ada := r.Channel("ada", "Moss", "public"), actorOf(r, "ada")
		block := r.Block("ada", "https://example.com/a.png", moss)
		r.WorkJobs()
		r.Do("ben", "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": "Words"}).Want(201)
		file := strings.TrimPrefix(r.Get("ada", "/v3/blocks/%d", block).Str("image.src"), apptest.Base)
		used := func() (n int64) {
			u, err := r.S.Store.Counters().ByteUsage(t.Context(), ada.UserID, r.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			return u.Total
		}
		r.Do("", "GET", file, nil).Want(200)
		before := used()
		remove := func() { r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", block), nil).Want(204) }
		remove()
		r.Do("ada", "GET", file, nil).Want(404)
		if now := used(); now < before {
			t.Errorf("%d bytes became %d in Trash", before, now)
		}
		restoreLast(r, "ada")
		r.Do("", "GET", file, nil).Want(200)
		if now := used(); now != before {
			t.Errorf("%d bytes became %d", before, now)
		}
		remove()
		r.Clock.Advance(29 * 24 * time.Hour)
		all := r.S.App.Collections
		if err := all.PurgeTrash(t.Context()); err != nil || rowsInTrash(r) == 0 {
			t.Fatalf("deleted after 29 days, or %v", err)
		}
		l, err := all.Trash(t.Context(), ada, domain.Page{Number: 1, Per: 10})
		if err != nil || len(l.Items) != 1 {
			t.Fatal(l, err)
		}
		if err := all.PurgeTrashed(t.Context(), actorOf(r, "ben"), l.Items[0].ID); domain.KindOf(err) != domain.NotFound {
			t.Errorf("a stranger deletes: %v", err)
		}
		if err := all.PurgeTrashed(t.Context(), ada, l.Items[0].ID); err != nil {
			t.Fatal(err)
		}
		err = r.S.Store.InTx(t.Context(), func(tx *store.Tx) error { // the first batch, before the job is killed
			_, err := tx.Trash().PurgeSome(t.Context(), 1)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		storetest.Check(t, r.S.Store)
		if _, err := all.RestoreTrashed(t.Context(), ada, l.Items[0].ID); domain.KindOf(err) != domain.NotFound {
			t.Errorf("restored in part: %v", err)
		}
		r.WorkJobs()
		if n := rowsInTrash(r); n != 0 || used() >= before {
			t.Errorf("%d rows and %d bytes are left", n, used())
		}
	}, apptest.Trash)
}

// Saved copies, highlights and versions of a block, and versions of a channel, come back from Trash. The copies count towards
// the quota in the meantime. All of them are gone once the block is deleted for good.
func TestTrashKeepsCopies(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", []byte("<title>Moss</title>")))
		moss := r.Channel("ada", "Moss", "public")
		link, words := r.Block("ada", "https://example.com/", moss), r.Block("ada", "Moss on *stone*", moss)
		r.WorkJobs()
		copied := sendAs(r, "ada", fmt.Sprintf("/ext/v1/blocks/%d/snapshots", link), "text/html", "<!DOCTYPE html><title>Copy</title>").Want(201)
		marked := r.Do("ben", "POST", fmt.Sprintf("/ext/v1/blocks/%d/highlights", words), `{"target":{"selector":[{"type":"TextQuoteSelector","exact":"stone"}]}}`).Want(201)
		r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", words), map[string]any{"title": "Changed"}).Want(200)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", moss), map[string]any{"description": "Changed"}).Want(200)
		paths := []string{fmt.Sprintf("/ext/v1/blocks/%d/snapshots", link), fmt.Sprint("/ext/v1/snapshots/", copied.Int("id")), "/ext/v1/highlights",
			fmt.Sprintf("/ext/v1/blocks/%d/highlights", words), strings.TrimPrefix(marked.Header.Get("Location"), apptest.Base),
			fmt.Sprintf("/ext/v1/blocks/%d/versions", words), fmt.Sprintf("/ext/v1/channels/%d/versions", moss)}
		if err := r.S.App.Reading.KeepPlace(t.Context(), actorOf(r, "ben"), domain.BlockID(words), 4_200); err != nil {
			t.Fatal(err)
		}
		storetest.Exec(t, r.DB(), fmt.Sprintf("INSERT INTO link_failures (block_id, since, times, reason) VALUES (%d, 5, 2, 'Timeout')", link))
		rows := func() (place, failures int64) {
			t.Helper()
			err := r.DB().View(t.Context(), func(q database.Querier) error {
				return q.QueryRow(t.Context(), `SELECT (SELECT COALESCE(sum(place), 0) FROM reading_places), (SELECT COALESCE(sum(times), 0) FROM link_failures)`).Scan(&place, &failures)
			})
			if err != nil {
				t.Fatal(err)
			}
			return place, failures
		}
		before := readAll(r, paths)
		usage := r.Get("ada", "/ext/v1/me/usage").Int("snapshots.bytes")
		remove := func() {
			r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", link), nil).Want(204)
			r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", words), nil).Want(204)
			r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", moss), nil).Want(204)
		}
		remove()
		for _, by := range []string{"ada", "ben"} {
			for _, path := range paths {
				if res := r.Do(by, "GET", path, nil); res.Status != 404 && (path != "/ext/v1/highlights" || res.Int("partOf.total") != 0) {
					t.Errorf("%s %s: %d %s", by, path, res.Status, res.Body)
				}
			}
		}
		if n := r.Get("ada", "/ext/v1/me/usage").Int("snapshots.bytes"); n != usage || n == 0 {
			t.Errorf("%d bytes of copies became %d in Trash", usage, n)
		}
		storetest.Check(t, r.S.Store)
		for range 3 {
			restoreLast(r, "ada")
		}
		alike(t, "restored", before, readAll(r, paths))
		if place, failures := rows(); place != 4_200 || failures != 2 {
			t.Errorf("read up to %d, %d failures", place, failures)
		}
		remove()
		r.Clock.Advance(31 * 24 * time.Hour)
		if err := r.S.App.Collections.PurgeTrash(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := r.Get("ada", "/ext/v1/me/usage").Int("snapshots.bytes"); n != 0 || rowsInTrash(r) != 0 {
			t.Errorf("%d bytes of copies and %d rows are left", n, rowsInTrash(r))
		}
	}, apptest.Trash)
}

// Deleting an account deletes what it has in Trash, and its comments in the Trash of others.
func TestTrashOfAccounts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss, fern := r.Channel("ada", "Moss", "public"), r.Channel("ben", "Fern", "public")
		hers, his := r.Block("ada", "Hers", moss, fern), r.Block("ben", "His", moss, fern)
		for _, block := range []int64{hers, his} {
			for _, by := range []string{"ada", "ben"} {
				r.Do(by, "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": "Says " + by}).Want(201)
			}
		}
		r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", hers), nil).Want(204)
		r.Do("ben", "DELETE", fmt.Sprint("/ext/v1/blocks/", his), nil).Want(204)
		r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", moss), nil).Want(204)
		r.Operator("ben")
		ada := actorOf(r, "ada")
		if err := r.S.App.Accounts.DeleteAccount(t.Context(), ada, r.Proved(ada.UserID), "ada"); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		ben := actorOf(r, "ben")
		l, err := r.S.App.Collections.Trash(t.Context(), ben, domain.Page{Number: 1, Per: 10})
		if err != nil || len(l.Items) != 1 || len(l.Items[0].Places) != 1 {
			t.Fatalf("%+v, %v", l, err)
		}
		got, err := r.S.App.Collections.RestoreTrashed(t.Context(), ben, l.Items[0].ID)
		if err != nil || got.Lost != 1 { // the connection to the channel that is gone
			t.Errorf("%+v, %v", got, err)
		}
		if n := r.Get("ben", "/v3/blocks/%d", his).Int("comment_count"); n != 1 {
			t.Errorf("%d comments", n)
		}
		if n := rowsInTrash(r); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	}, apptest.Trash)
}
