package api_test

import (
	"net/http"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
)

// touch is a request about something.
type touch struct{ method, path, body string }

// hiddenTouches returns bob's requests about things that only ada may see, with their ids and slugs in every possible
// place.
func (w *world) hiddenTouches(bobs int64) []touch {
	bobBlock := w.Block("bob", "Bob's", bobs)
	secret, slug := at("%d", w.secret), `"secret"`
	all := []touch{
		{"GET", at("/v3/blocks/%d", w.hidden), ""},
		{"PUT", at("/v3/blocks/%d", w.hidden), `{"title":"x"}`},
		{"GET", at("/v3/blocks/%d/connections", w.hidden), ""},
		{"GET", at("/v3/connections/%d", w.hiddenConnection), ""},
		{"PUT", at("/v3/connections/%d", w.hiddenConnection), `{"metadata":{"a":1}}`},
		{"DELETE", at("/v3/connections/%d", w.hiddenConnection), ""},
		{"POST", at("/v3/connections/%d/move", w.hiddenConnection), `{"movement":"move_up"}`},
		{"POST", "/v3/connections", at(`{"connectable_type":"Block","connectable_id":%d,"channel_ids":[%d]}`, w.hidden, bobs)},
		{"POST", "/v3/connections", at(`{"connectable_type":"Channel","connectable_id":%d,"channel_ids":[%d]}`, w.secret, bobs)},
		{"POST", "/v3/connections", at(`{"connectable_type":"Channel","connectable_id":%d,"channel_ids":[%d]}`, w.secret, w.secret)},
	}
	for _, id := range []string{secret, "secret"} {
		path := "/v3/channels/" + id
		all = append(all, touch{"GET", path, ""}, touch{"PUT", path, `{"title":"x"}`}, touch{"DELETE", path, ""},
			touch{"GET", path + "/contents", ""}, touch{"GET", path + "/connections", ""},
			touch{"GET", "/ext/v1/channels/" + id + "/collaborators", ""},
			touch{"POST", "/ext/v1/channels/" + id + "/collaborators", at(`{"user_id":%d}`, w.Person("bob").ID)},
			touch{"DELETE", at("/ext/v1/channels/%s/collaborators/User/%d", id, w.Person("bob").ID), ""})
	}
	for _, id := range []string{secret, slug} {
		for _, list := range []string{at(`"channel_ids":[%d,%s]`, bobs, id), at(`"channels":[{"id":%d},{"id":%s,"position":1}]`, bobs, id)} {
			all = append(all, touch{"POST", "/v3/blocks", `{"value":"x",` + list + `}`},
				touch{"POST", "/v3/connections", at(`{"connectable_type":"Block","connectable_id":%d,%s}`, bobBlock, list)})
		}
	}
	return all
}

// Hidden things get the same response as missing ones, byte for byte except for the request id.
func TestHidden(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		touches := w.hiddenTouches(w.Channel("bob", "Bobs", "closed"))
		before := w.Dump()
		missing := w.Do("bob", "GET", "/v3/blocks/9223372036854775807", nil)
		for _, c := range touches {
			name := c.method + " " + c.path + " " + c.body
			res := w.ask("bob", c)
			refused(t, name, res, http.StatusNotFound)
			if string(res.Body) != string(missing.Body) {
				t.Errorf("%s: %s tells more than %s", name, res.Body, missing.Body)
			}
			if c.method == "GET" {
				refused(t, name+" as guest", w.ask("", c), http.StatusNotFound)
				refused(t, name+" with a read token", w.ask("bob/read", c), http.StatusNotFound)
			}
			w.unchanged(t, before, name)
		}
		// An open channel inside the secret one does not reveal it.
		res := w.Do("bob", "GET", at("/v3/blocks/%d/connections?filter=ALL", w.block), nil).Want(http.StatusOK)
		if res.Int("meta.total_count") != 2 {
			t.Errorf("bob sees %s", res.Body)
		}
		w.connect("Block", w.block, w.secret)
		again := w.Do("bob", "GET", at("/v3/blocks/%d/connections?filter=ALL", w.block), nil).Want(http.StatusOK)
		if string(again.Body) != string(res.Body) || again.Header.Get("ETag") != res.Header.Get("ETag") {
			t.Errorf("a private connection shows: %s", again.Body)
		}
	})
}

// Requests for hidden things do not wait for those who change them, and so take no locks on them. SQLite has no row
// locks.
func TestHiddenIsNotLocked(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		if w.S.Store.Database() != database.Postgres.String() {
			return
		}
		touches := append(w.hiddenTouches(w.Channel("bob", "Bobs", "closed")),
			touch{"DELETE", at("/ext/v1/channels/%d/blocks/%d", w.secret, w.hidden), ""},
			touch{"DELETE", at("/ext/v1/blocks/%d", w.hidden), ""},
			touch{"POST", at("/ext/v1/blocks/%d/reprocess", w.hidden), ""},
			touch{"POST", at("/v3/blocks/%d/comments", w.hidden), `{"body":"x"}`})
		err := w.DB().Transact(t.Context(), func(tx *database.Tx) error {
			for _, lock := range []struct {
				query string
				id    int64
			}{
				{"SELECT id FROM channels WHERE id = $1 FOR UPDATE", w.secret},
				{"SELECT id FROM blocks WHERE id = $1 FOR UPDATE", w.hidden},
			} {
				if err := tx.QueryRow(t.Context(), lock.query, lock.id).Scan(new(int64)); err != nil {
					return err
				}
			}
			for _, c := range touches {
				if refused(t, c.method+" "+c.path+" "+c.body, w.ask("bob", c), http.StatusNotFound); t.Failed() {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func (w *world) ask(as string, c touch) *apptest.Response {
	w.T.Helper()
	if c.body == "" {
		return w.Do(as, c.method, c.path, nil)
	}
	return w.Do(as, c.method, c.path, c.body)
}

// Deleted things are gone for their owner, too.
func TestDeleted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		bobs := w.Channel("bob", "Bobs", "closed")
		touches := w.hiddenTouches(bobs)
		w.Do("ada", "DELETE", at("/v3/channels/%d", w.secret), nil).Want(http.StatusNoContent)
		before := w.Dump()
		for _, c := range touches {
			if c.path == at("/v3/blocks/%d", w.hidden) || c.path == at("/v3/blocks/%d/connections", w.hidden) {
				continue // the block stays
			}
			for _, who := range []string{"ada", "bob"} {
				name := who + ": " + c.method + " " + c.path + " " + c.body
				if res := w.ask(who, c); res.Status != http.StatusNotFound && res.Status != http.StatusForbidden {
					t.Errorf("%s: status %d: %s", name, res.Status, res.Body)
				}
				w.unchanged(t, before, name)
			}
		}
		refused(t, "the deleted", w.Do("ada", "GET", "/v3/channels/secret", nil), http.StatusNotFound)
		w.Do("ada", "GET", at("/v3/blocks/%d", w.hidden), nil).Want(http.StatusOK)
	})
}
