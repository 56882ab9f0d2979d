package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/apptest"
	"vitrine/internal/store/storetest"
)

// If the database is behind a pooler, a statement is never cancelled there when the client hangs up, because this can
// crash PgBouncer 1.18. Without a pooler, it is cancelled.
func TestPoolerIsNotAskedToCancel(t *testing.T) {
	t.Parallel()
	for name, pooled := range map[string]bool{"pooler": true, "none": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := storetest.Migrated.Postgres(t)
			direct := o.URL
			if o.DirectURL != "" {
				direct = o.DirectURL
			}
			to := newRelay(t, direct)
			c, err := pgx.ParseConfig(direct)
			if err != nil {
				t.Fatal(err)
			}
			o.URL, o.DirectURL = to.url(c.User, c.Password, c.Database), ""
			if pooled {
				o.DirectURL = direct
			}
			r := apptest.Boot(t, o)
			hangUps(t, r, direct)
			r.Break() // waits until all connections are closed, which may still cancel statements
			switch cancels := to.cancels.Load(); {
			case pooled && cancels > 0:
				t.Errorf("a pooler is asked %d times to cancel a statement", cancels)
			case !pooled:
				until(t, "the server is asked to cancel a statement", func() bool { return to.cancels.Load() > 0 })
			}
		})
	}
}

// hangUps sends requests of several kinds whose clients hang up while a statement waits for a lock.
func hangUps(t *testing.T, r *apptest.Rig, direct string) {
	channel := r.Channel("ada", "Moss", "public")
	block := r.Block("ada", "Stone", channel)
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), direct)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
		return conn
	}
	conn, watch := connect(), connect() // a transaction has a fixed view of other connections' activity
	exec := func(query string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	waiting := func() (n int) {
		const query = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
		if err := watch.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, ask := range []struct{ as, method, path, body string }{
		{"", "GET", fmt.Sprint("/v3/channels/", channel), ""},
		{"ada", "GET", fmt.Sprintf("/v3/channels/%d/contents", channel), ""},
		{"ada", "PUT", fmt.Sprint("/v3/channels/", channel), `{"title":"Lichen"}`},
		{"ada", "POST", "/v3/blocks", fmt.Sprintf(`{"value":"More","channel_ids":[%d]}`, channel)},
		{"ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", block), ""},
		{"", "GET", "/explore", ""},
	} {
		exec("BEGIN")
		exec("LOCK TABLE channels IN ACCESS EXCLUSIVE MODE") // every kind of request needs it; with two locks, a job could hold the second
		ctx, hangUp := context.WithCancel(t.Context())
		var body any
		if ask.body != "" {
			body = ask.body
		}
		req, ended := r.Request(ask.as, ask.method, ask.path, body, "Accept", "text/html").WithContext(ctx), make(chan struct{})
		go func() {
			defer close(ended)
			r.S.Handler().ServeHTTP(httptest.NewRecorder(), req)
		}()
		until(t, ask.path+" waits for the lock", func() bool { return waiting() > 0 })
		hangUp()
		<-ended
		exec("ROLLBACK")
		until(t, "nobody waits", func() bool { return waiting() == 0 })
	}
	r.Do("", "GET", fmt.Sprint("/v3/channels/", channel), nil).Want(http.StatusOK)
}
