package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	storewebhooks "vitrine/internal/store/webhooks"
)

// A webhook with many deliveries waits for its turn after others, and those that are up to date do not wait for one that is
// behind.
func TestWebhookTurns(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		in := newReceiver(r, "/hook")
		r.Person("ada")
		r.Person("bob")
		awaitChanges(r)
		first, second := domain.WebhookID(addHook(r, "ada", in, nil).Int("id")), domain.WebhookID(addHook(r, "bob", in, nil).Int("id"))
		r.Exec("UPDATE webhooks SET leased_until = 99999999999")
		r.Channel("ada", "A", "public")
		r.Channel("ada", "B", "public")
		statements := r.Statements(func() { settle(r) })
		if n := strings.Count(strings.Join(statements, "\n"), "INSERT INTO webhook_deliveries"); n == 0 || n > 2 {
			t.Errorf("%d statements store the four deliveries", n) // one for each position
		}
		r.Exec("UPDATE webhook_deliveries SET next_at = next_at - 1000 WHERE webhook_id = $1", int64(first))
		r.Clock.Advance(time.Minute)
		err := r.S.Store.InTx(t.Context(), func(tx *store.Tx) error {
			if err := tx.Webhooks().ReleaseWebhook(t.Context(), first, r.Clock.Now(), 1000); err != nil {
				return err
			}
			r.Clock.Advance(time.Second)
			return tx.Webhooks().ReleaseWebhook(t.Context(), second, r.Clock.Now().Add(-2*time.Minute), 1000)
		})
		if err != nil {
			t.Fatal(err)
		}
		due, err := r.S.Store.Webhooks().DueWebhooks(t.Context(), false, r.Clock.Now(), 10)
		if err != nil || len(due) != 2 || due[0].ID != second {
			t.Errorf("%+v, %v", due, err)
		}
		r.Exec("UPDATE webhooks SET read_id = read_id - 1 WHERE id = $1", int64(first))
		for last, want := range map[bool]domain.WebhookID{false: first, true: second} {
			head := domain.ChangePosition{Transaction: 1 << 60, ID: 1 << 60}
			all, err := r.S.Store.Webhooks().Behind(t.Context(), storewebhooks.BehindInput{Head: head, Last: last, Limit: 1})
			if err != nil || len(all) != 1 || all[0].ID != want {
				t.Errorf("last %t: %+v, %v", last, all, err)
			}
		}
	})
}

// A webhook reads no further changes while 1,000 deliveries wait.
func TestWebhookCrowded(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		in := newReceiver(r, "/hook")
		awaitChanges(r)
		hook := addHook(r, "ada", in, nil)
		r.Exec(`INSERT INTO webhook_deliveries (webhook_id, message, channel_id, type, change, state, manual, next_at, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
			SELECT w.id, 'msg', 1000000 + n.i, 'ping', '', 'pending', FALSE, 9000000000000000, w.created_at FROM webhooks w, n`)
		var want []string
		for i := range 3 {
			want = append(want, fmt.Sprint("channel.created ", r.Channel("ada", fmt.Sprint(i), "private")))
			if i > 0 {
				continue
			}
			r.Exec("UPDATE webhooks SET leased_until = 99999999999")
			settle(r)
		}
		settle(r)
		if n := len(states(r, hook)); n != 50 { // a page of the log
			t.Errorf("%d deliveries", n)
		}
		r.Exec("UPDATE webhook_deliveries SET next_at = NULL WHERE type = 'ping'")
		r.Exec("UPDATE webhooks SET leased_until = 1")
		if settle(r); len(in.all) != 3 {
			t.Errorf("%d messages", len(in.all))
		}
		in.want("after it was crowded", want...)
	})
}

// What can be sent is sent even if the changes cannot be read.
func TestWebhookSendsWithoutReading(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	in := newReceiver(r, "/hook")
	r.Do("ada", "POST", pathOf(addHook(r, "ada", in, nil))+"/ping", nil).Want(http.StatusAccepted)
	r.Exec("ALTER TABLE change_epoch RENAME TO elsewhere")
	err := r.S.App.Webhooks.Work(t.Context())
	r.S.App.Webhooks.Wait()
	r.Exec("ALTER TABLE elsewhere RENAME TO change_epoch")
	if got := in.take(); err == nil || len(got) != 1 {
		t.Errorf("%d messages, error %v", len(got), err)
	}
}

// A new address starts without the failures of the former one, whose response does not matter any more.
func TestWebhookNewAddress(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		old, fresh := newReceiver(r, "/old"), newReceiver(r, "/new")
		awaitChanges(r)
		hook := addHook(r, "ada", old, nil)
		old.respond(500)
		id := r.Channel("ada", "A", "private")
		for range 4 {
			settle(r)
			r.Clock.Advance(time.Hour)
		}
		settle(r)
		r.Do("ada", "PATCH", pathOf(hook), map[string]any{"url": fresh.url()}).Want(http.StatusOK)
		settle(r)
		fresh.want("at once", fmt.Sprint("channel.created ", id))
		if got := r.Get("ada", "%s", pathOf(hook)); got.Get("failing_since") != nil {
			t.Errorf("%s", got.Body)
		}
		fresh.answer = func(w http.ResponseWriter, _ *http.Request) {
			r.Do("ada", "PATCH", pathOf(hook), map[string]any{"url": old.url()}).Want(http.StatusOK)
			w.WriteHeader(http.StatusGone)
		}
		old.take()
		old.respond(200)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", id), map[string]any{"title": "B"}).Want(http.StatusOK)
		settle(r)
		old.want("instead", fmt.Sprint("channel.updated ", id))
		if got := r.Get("ada", "%s", pathOf(hook)); !got.Bool("active") {
			t.Errorf("%s", got.Body)
		}
	})
}

// Tests do not end the pause of a receiver that fails again and again, and nothing is sent to hosts that were blocked later.
func TestWebhookTestsAndBlocks(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	in := newReceiver(r, "/hook")
	hook := addHook(r, "ada", in, nil)
	in.respond(500)
	ping := func() int {
		r.Do("ada", "POST", pathOf(hook)+"/ping", nil).Want(http.StatusAccepted)
		settle(r)
		return len(in.take())
	}
	if n := ping(); n != 1 {
		t.Errorf("the first test sends %d", n)
	}
	if n := ping(); n != 0 {
		t.Errorf("a test during the pause sends %d", n)
	}
	in.respond(200)
	r.Clock.Advance(6 * time.Second)
	if n := ping(); n != 2 {
		t.Errorf("after the pause it sends %d", n)
	}
	r.Operator("op")
	op := operating.OnSite(domain.Actor{UserID: r.Person("op").ID}, domain.Visitor{})
	if _, _, err := r.S.App.Moderation.AddToBlocklist(t.Context(), op, moderation.BlockInput{Kind: "domain", Value: "example.com"}); err != nil {
		t.Fatal(err)
	}
	if n := ping(); n != 0 || states(r, hook)[0] != "skipped" {
		t.Errorf("a blocked host gets %d: %v", n, states(r, hook))
	}
}
