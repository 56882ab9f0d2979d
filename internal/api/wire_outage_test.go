package api_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// touches returns reads and writes that use the database.
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

// Without its database the server responds with 503, in the contract's form and without internal details, and reports
// that it is not ready.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		touches := w.touches()
		w.Break()
		for _, c := range touches {
			res := w.ask("ada", c)
			w.away(t, c.method+" "+c.path, res)
			complete(t, c.method+" "+c.path, res)
			// The random request id may contain any word.
			said := strings.ToLower(strings.ReplaceAll(string(res.Body), res.Header.Get("X-Request-Id"), ""))
			for _, word := range []string{"sql", "database", "closed", "select", "postgres", "vitrine.db", "/tmp", "goroutine"} {
				if strings.Contains(said, word) {
					t.Errorf("%s %s: %q in %s", c.method, c.path, word, res.Body)
				}
			}
		}
		w.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)
		ready := w.Do("", "GET", "/readyz", nil).Want(http.StatusServiceUnavailable)
		if string(ready.Body) != "not ready: stopping\n" || ready.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("/readyz: %q %v", ready.Body, ready.Header)
		}
		w.Do("", "GET", "/healthz", nil).Want(http.StatusOK)
	})
}

// away checks the 503 of an outage: Retry-After, and no internal details, which are logged.
func (w *world) away(t *testing.T, name string, res *apptest.Response) {
	t.Helper()
	refused(t, name, res, http.StatusServiceUnavailable)
	if res.Header.Get("Retry-After") != "5" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: %v", name, res.Header)
	}
	log := strings.Join(w.Log(res.Header.Get("X-Request-Id")), "")
	if !strings.Contains(log, "status=503") || !strings.Contains(log, "error=") {
		t.Errorf("%s: the log does not tell the cause: %q", name, log)
	}
}

// cut is a proxy between the server and its database that can cut the connection.
type cut struct {
	net.Listener
	to string

	mu    sync.Mutex
	apart bool
	conns []net.Conn
}

func (c *cut) run() {
	for {
		client, err := c.Accept()
		if err != nil {
			return
		}
		c.mu.Lock()
		database, err := net.Dial("unix", c.to)
		if c.apart || err != nil {
			_ = client.Close()
			c.mu.Unlock()
			continue
		}
		c.conns = append(c.conns, client, database)
		c.mu.Unlock()
		go func() { _, _ = io.Copy(client, database); _ = client.Close() }()
		go func() { _, _ = io.Copy(database, client); _ = database.Close() }()
	}
}

func (c *cut) set(apart bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.apart = apart
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

// behind returns the address of a PostgreSQL database through a cut.
func behind(t *testing.T, address string) (string, *cut) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	if query.Get("host") == "" {
		t.Skip("the database is not on a socket")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c := &cut{Listener: l, to: query.Get("host") + "/.s.PGSQL.5432"}
	go c.run()
	u.Host = l.Addr().String()
	query.Del("host")
	query.Set("sslmode", "disable")
	u.RawQuery = query.Encode()
	return u.String(), c
}

// While PostgreSQL is unreachable, all APIs respond with 503 to any request. When it is back, the same server works
// again.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		if o.URL == "" || !strings.HasPrefix(o.URL, "postgres") {
			t.Skip("SQLite is a file")
		}
		var c *cut
		o.URL, c = behind(t, o.URL)
		r := apptest.Boot(t, o)
		w := &world{Rig: r}
		channel := storetest.Channel(t, r.S.Store, r.Person("ada").ID, "Away", domain.Closed)
		asked := []touch{
			{"GET", at("/v3/channels/%d", channel), ""}, {"GET", "/v3/channels/away/contents", ""}, {"GET", "/v3/me", ""},
			{"PUT", at("/v3/channels/%d", channel), `{"title":"New"}`}, {"POST", "/v3/channels", `{"title":"New"}`},
			{"DELETE", at("/v3/channels/%d", channel), ""}, {"GET", "/ext/v1/channels/away/collaborators", ""},
			{"GET", "/files/0123456789abcdefghijkl/a.png", ""},
		}
		session, _, _ := auth.NewToken(auth.Session)
		before := r.Dump()
		c.set(true)
		for range 2 { // first lost connections, then refused ones
			for _, one := range asked {
				w.away(t, one.method+" "+one.path, w.ask("ada", one))
			}
		}
		page := r.Do("", "GET", "/sign-in", nil, "Cookie", "__Host-vitrine="+session+"; vitrine="+session, "Accept", "text/html")
		if page.Status != http.StatusServiceUnavailable || page.Header.Get("Retry-After") != "5" {
			t.Errorf("a page: %d %v", page.Status, page.Header)
		}
		form := r.Do("", "POST", "/sign-in", strings.NewReader("email=ada@example.org&password=something+long"), "Content-Type", "application/x-www-form-urlencoded")
		if form.Status != http.StatusServiceUnavailable || form.Header.Get("Retry-After") != "5" || !strings.HasPrefix(form.Header.Get("Content-Type"), "text/html") {
			t.Errorf("a form: %d %v %.200s", form.Status, form.Header, form.Body)
		}
		token := r.Do("", "POST", "/v3/oauth/token", strings.NewReader("grant_type=client_credentials&client_id=1&client_secret=2"), "Content-Type", "application/x-www-form-urlencoded")
		if token.Status != http.StatusServiceUnavailable || token.Header.Get("Retry-After") != "5" || token.Str("error") != "temporarily_unavailable" {
			t.Errorf("a token: %d %v %s", token.Status, token.Header, token.Body)
		}
		r.Do("", "GET", "/readyz", nil).Want(http.StatusServiceUnavailable)
		r.Do("", "GET", "/healthz", nil).Want(http.StatusOK)
		c.set(false)
		if diff := before.Diff(r.Dump()); diff != nil {
			t.Errorf("the database has changed: %s", diff)
		}
		for _, one := range asked[:5] {
			if res := w.ask("ada", one); res.Status/100 != 2 {
				t.Errorf("%s %s: %d when it is back", one.method, one.path, res.Status)
			}
		}
		r.Do("", "GET", "/readyz", nil).Want(http.StatusOK)
	})
}

// A write that waits for another writer beyond its deadline gets 408 and changes nothing. The next one succeeds.
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
			if err := tx.Channels().LockChannels(t.Context(), channel); err != nil {
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

// A read whose deadline passes before one of its statements gets 408.
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
		if _, err := r.S.Store.Users().User(t.Context(), domain.Ref{ID: int64(ada)}); err != nil {
			t.Errorf("the database is not free again: %v", err)
		}
	}, brief)
}
