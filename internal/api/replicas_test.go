package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/jobs"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

// replicated contains two servers with one database, and the standby that they read.
type replicated struct {
	*apptest.Rig
	pair    *dbtest.Pair
	nodes   []http.Handler
	metrics string
}

// newReplicated creates a database on a pair, and servers that read a standby with a maximum lag of maxLag.
func newReplicated(t testing.TB, pair *dbtest.Pair, name string, maxLag time.Duration) *replicated {
	t.Helper()
	return newReplicatedAt(t, pair, name, pair.URL(dbtest.Standby, name), maxLag)
}

// newReplicatedAt is newReplicated with the address of the standby.
func newReplicatedAt(t testing.TB, pair *dbtest.Pair, name, replica string, maxLag time.Duration) *replicated {
	t.Helper()
	pair.Exec(dbtest.Primary, "CREATE DATABASE "+name)
	o := database.Options{URL: pair.URL(dbtest.Primary, name) + "&pool_max_conns=8"}
	db, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Migrate(t.Context(), store.Migrations(database.Postgres)); err != nil {
		t.Fatal(err)
	}
	if _, err := jobs.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r := &replicated{pair: pair, Rig: apptest.Boot(t, o, func(c *config.Config) {
		c.MetricsAddr = "127.0.0.1:0"
		c.Replicas = config.Replicas{URLs: []string{replica}, MaxLag: maxLag}
	})}
	r.nodes = []http.Handler{r.S.Handler(), r.Beside(func(*server.Options) {}).Handler()}
	r.serveMetrics()
	return r
}

// serveMetrics serves the metrics of the first server.
func (r *replicated) serveMetrics() {
	r.T.Helper()
	r.Listen()
	_, addr, _ := strings.Cut(r.Log("serving metrics")[0], "addr=")
	r.metrics = "http://" + strings.TrimSpace(addr) + "/metrics"
}

// value returns the value of a metric of the first server.
func (r *replicated) value(name string) (value float64) {
	r.T.Helper()
	res, err := http.Get(r.metrics)
	if err != nil {
		r.T.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.T.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "vitrine_replica_"+name); ok && (rest[0] == '{' || rest[0] == ' ') {
			value, err = strconv.ParseFloat(strings.Fields(rest)[len(strings.Fields(rest))-1], 64)
			if err != nil {
				r.T.Fatal(line)
			}
			return value
		}
	}
	r.T.Fatalf("no metric %s", name)
	return 0
}

// until waits for a condition that the servers reach on their own.
func until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// title returns the title of a channel as a user sees it on a server.
func (r *replicated) title(node http.Handler, as string, channel int64) string {
	r.T.Helper()
	got := r.SendTo(node, r.Request(as, "GET", fmt.Sprintf("/v3/channels/%d", channel), nil))
	return got.Want(http.StatusOK).Str("title")
}

// rename changes the title of a user's channel on a server.
func (r *replicated) rename(node http.Handler, as string, channel int64, title string) {
	r.T.Helper()
	r.SendTo(node, r.Request(as, "PUT", fmt.Sprintf("/v3/channels/%d", channel), map[string]any{"title": title})).Want(http.StatusOK)
}

// read waits until both servers serve guests from the replica.
func (r *replicated) read(t testing.TB, channel int64) {
	t.Helper()
	r.pair.Catch()
	was := r.title(r.nodes[0], "", channel)
	r.pair.Pause()
	defer r.pair.Resume()
	r.Exec("UPDATE channels SET title = 'Unseen' WHERE id = $1", channel)
	defer r.Exec("UPDATE channels SET title = $2 WHERE id = $1", channel, was)
	for _, node := range r.nodes {
		until(t, "the replica is read", func() bool { return r.title(node, "", channel) == was })
	}
}

// Reading requests use a standby, which may lag. A user who has written sees the result at once on any server. A late,
// lost or promoted standby is not used, without an error.
func TestReplicas(t *testing.T) {
	t.Parallel()
	pair := dbtest.NewPair(t)
	r := newReplicated(t, pair, "steady", time.Hour) // never late in this test
	a, b := r.nodes[0], r.nodes[1]
	channel := r.Channel("ada", "Before", "public")
	r.Person("bob")
	r.read(t, channel)
	pair.Catch()

	t.Run("own writes", func(t *testing.T) {
		pair.Pause()
		defer pair.Resume()
		r.rename(a, "ada", channel, "After")
		for i, node := range r.nodes {
			if got := r.title(node, "", channel); got != "Before" {
				t.Errorf("a guest sees %q at %d: not what the replica has", got, i)
			}
			if got := r.title(node, "bob", channel); got != "Before" {
				t.Errorf("a stranger sees %q at %d: not what the replica has", got, i)
			}
			if got := r.title(node, "ada", channel); got != "After" {
				t.Errorf("the owner sees %q at %d", got, i)
			}
		}
		if skipped := r.value(`skipped_total{reason="own_write"}`); skipped == 0 {
			t.Error("no read is counted that a replica was too late for")
		}
		r.SendTo(b, r.Request("bob", "GET", "/v3/me", nil)).Want(http.StatusOK)
	})
	t.Run("afterwards", func(t *testing.T) {
		pair.Catch()
		before := r.value("reads_total")
		for _, as := range []string{"", "bob", "ada"} {
			if got := r.title(a, as, channel); got != "After" {
				t.Errorf("%q sees %q", as, got)
			}
		}
		if n := r.value("reads_total") - before; n != 3 {
			t.Errorf("%v of 3 requests were read at the replica", n)
		}
	})
	t.Run("revoked", func(t *testing.T) {
		pair.Pause()
		defer pair.Resume()
		r.Exec("UPDATE tokens SET revoked_at = 1 WHERE user_id = $1 AND scope = 'read'", r.Person("bob").ID)
		r.SendTo(b, r.Request("bob/read", "GET", "/v3/me", nil)).Want(http.StatusUnauthorized)
	})
	t.Run("new account", func(t *testing.T) {
		pair.Pause()
		defer pair.Resume()
		r.Person("newcomer") // created without an actor, like on the command line
		for _, node := range r.nodes {
			r.SendTo(node, r.Request("newcomer", "GET", "/v3/me", nil)).Want(http.StatusOK)
			r.SendTo(node, r.Request("newcomer", "GET", "/v3/users/newcomer", nil)).Want(http.StatusOK)
		}
	})
	t.Run("storm", func(t *testing.T) { r.stress(t) })
	t.Run("cancelled", func(t *testing.T) { r.cancelled(t, channel) })
	t.Run("lost", func(t *testing.T) { r.lost(t, channel) })
	t.Run("silent", func(t *testing.T) { silent(t, pair) })
	late := newReplicated(t, pair, "late", time.Second)
	t.Run("late", func(t *testing.T) { late.late(t) })
	t.Run("promoted", func(t *testing.T) {
		pair.Promote()
		until(t, "it is left out", func() bool { return r.value("up") == 0 })
		r.rename(a, "ada", channel, "Later")
		if got := r.title(a, "", channel); got != "Later" {
			t.Errorf("a guest sees %q", got)
		}
		if len(r.Log("is not a standby")) == 0 {
			t.Error("the log says nothing of it")
		}
	})
}

// stress makes people write on one server and read on the other while the replica stops and starts.
func (r *replicated) stress(t *testing.T) {
	const people, rounds = 4, 12
	read, skipped := r.value("reads_total"), r.value(`skipped_total{reason="own_write"}`)
	channels := make([]int64, people)
	for i := range channels {
		channels[i] = r.Channel(fmt.Sprintf("writer%d", i), "Round 0", "public")
	}
	ctx, stop := context.WithCancel(t.Context())
	var writers, pauses sync.WaitGroup
	pauses.Go(func() {
		for ctx.Err() == nil {
			r.pair.Pause()
			time.Sleep(20 * time.Millisecond) // lets some read in between
			r.pair.Resume()
			time.Sleep(20 * time.Millisecond)
		}
	})
	for i, channel := range channels {
		writers.Go(func() {
			as := fmt.Sprintf("writer%d", i)
			for n := range rounds {
				want := fmt.Sprintf("Round %d", n+1)
				r.rename(r.nodes[n%2], as, channel, want)
				for range 4 {
					if got := r.title(r.nodes[(n+1)%2], as, channel); got != want {
						t.Errorf("%s sees %q after %q", as, got, want)
					}
				}
			}
		})
	}
	writers.Wait()
	stop()
	pauses.Wait()
	r.pair.Catch()
	if read == r.value("reads_total") || skipped == r.value(`skipped_total{reason="own_write"}`) {
		t.Error("of its reads none was at the replica, or none was kept from it")
	}
	for i, channel := range channels {
		if got := r.title(r.nodes[0], "", channel); got != fmt.Sprintf("Round %d", rounds) {
			t.Errorf("in the end a guest sees %q of writer%d", got, i)
		}
	}
}

// cancelled makes the replica's replay cancel a request's transaction between two statements. The reader does not
// notice, and the replica is used again.
func (r *replicated) cancelled(t *testing.T, channel int64) {
	r.pair.Exec(dbtest.Standby, "ALTER SYSTEM SET max_standby_streaming_delay = 0")
	r.pair.Exec(dbtest.Standby, "SELECT pg_reload_conf()")
	r.Block("ada", "Pebble", channel)
	r.pair.Catch()
	until(t, "it is read", func() bool { return r.value("up") == 1 })
	path := fmt.Sprintf("/v3/channels/%d/contents", channel)
	whole := r.Do("", "GET", path, nil).Want(http.StatusOK).Body
	failed, wrong, statements := r.value("failures_total"), len(r.Log("level=ERROR")), 0
	end := r.Intercept(func(ctx context.Context, query string) {
		if ctx.Value(guest{}) == nil {
			return // of a job, or of this connection
		}
		if statements++; statements == 2 {
			r.Exec("DO $$ BEGIN LOCK TABLE channels, blocks, connections, users IN ACCESS EXCLUSIVE MODE; END $$")
			r.pair.Catch()
		}
	})
	defer end()
	req := r.Request("", "GET", path, nil)
	got := r.SendTo(r.nodes[0], req.WithContext(context.WithValue(req.Context(), guest{}, true))).Want(http.StatusOK)
	if string(got.Body) != string(whole) {
		t.Errorf("the channel has %s, not %s", got.Body, whole)
	}
	if r.value("failures_total") == failed {
		t.Errorf("no statement of %d was cancelled", statements)
	}
	if now := r.Log("level=ERROR"); len(now) > wrong {
		t.Errorf("an error of the server: %q", now[wrong:])
	}
	until(t, "it is read again", func() bool { return r.value("up") == 1 })
}

// silent stops the traffic to the replica during reads, without refusing or closing connections.
func silent(t *testing.T, pair *dbtest.Pair) {
	const name = "silent"
	between := newRelay(t, pair.URL(dbtest.Standby, name))
	r := newReplicatedAt(t, pair, name, between.url("postgres", "", name), time.Hour)
	channel := r.Channel("ada", "Before", "public")
	r.pair.Catch()
	until(t, "it is read", func() bool { return r.value("up") == 1 })
	_, stop := r.readers(t, channel)
	defer stop()
	between.silence()
	defer between.speak()
	until(t, "it is left out", func() bool { return r.value("up") == 0 })
	r.rename(r.nodes[0], "ada", channel, "After")
	for _, node := range r.nodes {
		until(t, "a guest sees it", func() bool { return r.title(node, "", channel) == "After" })
	}
	between.speak()
	until(t, "it is read again", func() bool { return r.value("up") == 1 })
	before := r.value("reads_total")
	until(t, "requests read there", func() bool { return r.value("reads_total") > before })
}

// guest marks the context of a request, to distinguish its statements from others.
type guest struct{}

// readers starts four goroutines that read a channel on both servers until stop is called, and counts the responses.
func (r *replicated) readers(t *testing.T, channel int64) (answered *atomic.Int64, stop func()) {
	var ended atomic.Bool
	var readers sync.WaitGroup
	answered = new(atomic.Int64)
	for i := range 4 {
		readers.Go(func() {
			for !ended.Load() {
				for _, path := range []string{"", "/contents", "/connections"} {
					got := r.SendTo(r.nodes[i%2], r.Request([]string{"", "ada"}[i/2], "GET", fmt.Sprintf("/v3/channels/%d%s", channel, path), nil))
					if got.Status != http.StatusOK {
						t.Errorf("%s: %d %s", path, got.Status, got.Body)
					}
					answered.Add(1)
				}
			}
		})
	}
	return answered, func() {
		ended.Store(true)
		readers.Wait()
	}
}

// lost kills the replica during reads, which are not affected, and starts it again.
func (r *replicated) lost(t *testing.T, channel int64) {
	answered, stop := r.readers(t, channel)
	defer stop()
	some := func() {
		before := answered.Load()
		until(t, "readers are answered", func() bool { return answered.Load() >= before+20 })
	}
	some()
	r.pair.Kill(dbtest.Standby)
	some()
	until(t, "it is left out", func() bool { return r.value("up") == 0 })
	some()
	r.SendTo(r.nodes[0], r.Request("", "GET", "/readyz", nil)).Want(http.StatusOK)
	r.pair.Start(dbtest.Standby)
	until(t, "it is read again", func() bool { return r.value("up") == 1 })
	before := r.value("reads_total")
	some()
	if r.value("reads_total") == before {
		t.Error("nothing is read at the replica that came back")
	}
	if len(r.Log("database replica is excluded")) == 0 || len(r.Log("database replica is in use")) < 2 {
		t.Errorf("the log has %q", r.Log("database replica"))
	}
}

// late pauses the replica until it is not used any more, and resumes it.
func (r *replicated) late(t *testing.T) {
	channel := r.Channel("cleo", "Before", "public")
	until(t, "it is read", func() bool { return r.value("up") == 1 })
	r.pair.Catch()
	r.pair.Pause()
	defer r.pair.Resume()
	r.rename(r.nodes[0], "cleo", channel, "After")
	for _, node := range r.nodes {
		until(t, "a guest sees it", func() bool { return r.title(node, "", channel) == "After" })
	}
	if r.value("up") != 0 || r.value("lag_seconds") < 1 || r.value(`skipped_total{reason="late"}`) == 0 {
		t.Errorf("up %v, lag %v", r.value("up"), r.value("lag_seconds"))
	}
	r.pair.Resume()
	until(t, "it is read again", func() bool { return r.value("up") == 1 })
	// A primary without writes does not make a replica late.
	before := r.value("reads_total")
	time.Sleep(1500 * time.Millisecond)
	until(t, "it is read though nobody writes", func() bool {
		r.title(r.nodes[0], "", channel)
		return r.value("reads_total") > before
	})
}
