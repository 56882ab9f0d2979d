package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// reads and writes that go to the database.
func (w *world) touches() []touch {
	all := []touch{
		{"GET", at("/v3/blocks/%d", w.block), ""}, {"GET", at("/v3/blocks/%d/connections", w.block), ""},
		{"GET", at("/v3/channels/%d", w.closed), ""}, {"GET", "/v3/channels/closed/contents", ""},
		{"GET", "/v3/channels/closed/connections", ""}, {"GET", at("/v3/connections/%d", w.connection), ""},
		{"GET", "/v3/users/ada", ""}, {"GET", "/v3/me", ""}, {"GET", "/v3/ping", ""},
		{"GET", "/ext/v1/channels/closed/collaborators", ""},
		{"DELETE", at("/v3/connections/%d", w.connection), ""}, {"DELETE", "/v3/channels/closed", ""},
		{"DELETE", "/ext/v1/channels/closed/collaborators/User/1", ""},
	}
	for _, op := range w.writes() {
		all = append(all, touch{op.method, op.path, op.body})
	}
	return all
}

// Without its database the server answers 500, in the contract's shape and without a
// word of what is inside, and says that it is not ready.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		touches := w.touches()
		w.Break()
		for _, c := range touches {
			res := w.ask("ada", c)
			w.internal(t, c.method+" "+c.path, res)
			complete(t, c.method+" "+c.path, res)
			// The request id is random letters, and may spell any word.
			said := strings.ToLower(strings.ReplaceAll(string(res.Body), res.Header.Get("X-Request-Id"), ""))
			for _, word := range []string{"sql", "database", "closed", "select", "postgres", "vitrine.db", "/tmp", "goroutine"} {
				if strings.Contains(said, word) {
					t.Errorf("%s %s: %q in %s", c.method, c.path, word, res.Body)
				}
			}
		}
		w.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)
		ready := w.Do("", "GET", "/readyz", nil).Want(http.StatusServiceUnavailable)
		if string(ready.Body) != "not ready\n" || ready.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("/readyz: %q %v", ready.Body, ready.Header)
		}
		w.Do("", "GET", "/healthz", nil).Want(http.StatusOK)
	})
}

// A write that waits for another writer longer than the deadline answers 408 and has
// changed nothing; the next one goes through.
func TestDeadlineInTheDatabase(t *testing.T) {
	t.Parallel()
	brief := func(c *config.Config) { c.RequestTimeout = 200 * time.Millisecond }
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := r.Person("ada").ID
		channel := storetest.Channel(t, r.S.Store, ada, "Busy", domain.Closed)
		before := r.Dump()
		late := touch{"PUT", at("/v3/channels/%d", channel), `{"title":"Late"}`}
		// Another program holds SQLite's file, or PostgreSQL's row.
		err := r.DB().Transact(t.Context(), func(tx *database.Tx) error {
			if _, err := tx.Exec(t.Context(), "UPDATE channels SET version = version WHERE id = $1", channel); err != nil {
				return err
			}
			refused(t, "another program", (&world{Rig: r}).ask("ada", late), http.StatusRequestTimeout)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		// Another request holds SQLite's only writer, or the row.
		err = r.S.Store.InTx(t.Context(), func(tx *store.Tx) error {
			if err := tx.LockChannels(t.Context(), channel); err != nil {
				return err
			}
			for _, c := range []touch{
				late,
				{"DELETE", at("/v3/channels/%d", channel), ""},
				{"POST", "/v3/blocks", at(`{"value":"late","channel_ids":[%d]}`, channel)},
			} {
				res := (&world{Rig: r}).ask("ada", c)
				refused(t, c.method, res, http.StatusRequestTimeout)
				complete(t, c.method, res)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := before.Diff(r.Dump()); diff != nil {
			t.Errorf("the database has changed: %s", diff)
		}
	}, brief)
}

// A read whose deadline passes before one of its statements ends in 408.
func TestDeadlineInARead(t *testing.T) {
	t.Parallel()
	brief := func(c *config.Config) { c.RequestTimeout = 50 * time.Millisecond }
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := r.Person("ada").ID
		channel := storetest.Channel(t, r.S.Store, ada, "Slow", domain.Closed)
		storetest.Connect(t, r.S.Store, ada, channel, domain.BlockRef(storetest.Block(t, r.S.Store, ada, "x")), 0)
		end := r.Intercept(func(ctx context.Context, _ string) { <-ctx.Done() })
		for _, path := range []string{"/v3/channels/slow", "/v3/channels/slow/contents", "/v3/users/ada", "/ext/v1/channels/slow/collaborators"} {
			for _, who := range []string{"", "ada"} {
				res := r.Do(who, "GET", path, nil)
				refused(t, path, res, http.StatusRequestTimeout)
				complete(t, path, res)
				if !strings.Contains(res.Str("details.message"), "50ms") {
					t.Errorf("%s: the message %q does not say how long it may take", path, res.Body)
				}
			}
		}
		end()
		if _, err := r.S.Store.User(t.Context(), domain.Ref{ID: int64(ada)}); err != nil {
			t.Errorf("the database is not free again: %v", err)
		}
	}, brief)
}
