package e2e

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/store"
)

// later returns migrations that a future version might contain: tables change, an index is created
// concurrently, and then something that the previous version needs is removed.
func later(t *testing.T, d database.Dialect, upto int) fs.FS {
	t.Helper()
	all := fstest.MapFS{}
	present := store.Migrations(d)
	names, err := fs.Glob(present, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(present, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &fstest.MapFile{Data: text}
	}
	index := "-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY IF NOT EXISTS blocks_later ON blocks (later);\n"
	if d == database.SQLite {
		index = "-- +goose Up\nCREATE INDEX blocks_later ON blocks (later);\n"
	}
	for i, text := range []string{
		"-- +goose Up\nALTER TABLE blocks ADD COLUMN later TEXT NOT NULL DEFAULT '';\nALTER TABLE connections ADD COLUMN later BIGINT;\nCREATE TABLE later (id BIGINT PRIMARY KEY);\n",
		index,
		"-- +goose Up\n-- serves: 9001\nDROP TABLE later;\n",
	}[:upto] {
		all[fmt.Sprintf("900%d_later.sql", i+1)] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// migrateLater migrates like `vitrine migrate` of such a version.
func migrateLater(t *testing.T, p program, upto int) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{URL: p.database})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context(), later(t, db.Dialect(), upto)); err != nil {
		t.Fatal(err)
	}
}

// readiness returns a node's response at /readyz.
func readiness(url string) (status int, body string) {
	res, err := http.Get(url + "/readyz")
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, strings.TrimSpace(string(text))
}

// nodes receive requests in turn, like those behind a balancer. Each must be ready before and all
// the time.
type nodes struct {
	mu    sync.Mutex
	urls  []string
	next  int
	acks  int
	acked *sync.Cond
	over  bool
}

func newNodes(urls ...string) *nodes {
	n := &nodes{urls: urls}
	n.acked = sync.NewCond(&n.mu)
	return n
}

func (n *nodes) set(urls ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.urls = urls
}

func (n *nodes) has(url string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Contains(n.urls, url)
}

// turn returns the node for the next request; "" at the end.
func (n *nodes) turn() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return ""
	}
	n.next++
	return n.urls[n.next%len(n.urls)]
}

func (n *nodes) acknowledged() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.acks++
	n.acked.Broadcast()
}

// more waits for a number of further acknowledged writes.
func (n *nodes) more(acks int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for want := n.acks + acks; n.acks < want && !n.over; {
		n.acked.Wait()
	}
}

func (n *nodes) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
	n.acked.Broadcast()
}

// look polls the readiness of each node until stop is called, and fails if one is not ready.
func (n *nodes) look(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for tick := time.NewTicker(20 * time.Millisecond); ctx.Err() == nil; {
			n.mu.Lock()
			urls := slices.Clone(n.urls)
			n.mu.Unlock()
			for _, url := range urls {
				if status, body := readiness(url); status != http.StatusOK && n.has(url) {
					t.Errorf("a node left the balancer: %d %s", status, body)
					cancel()
				}
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// write lets all writers write to the nodes in turn until the end. wait waits for them.
func (n *nodes) write(t *testing.T, all []*writer) (wait func()) {
	var writing sync.WaitGroup
	for _, w := range all {
		writing.Go(func() {
			for url := n.turn(); url != ""; url = n.turn() {
				w.to(url, http.DefaultTransport)
				w.flight = flight{}
				acked, err := w.step()
				if err != nil {
					t.Errorf("%s, write %d: %v", w.name, w.writes, err)
					n.end()
					return
				}
				if acked {
					w.writes++
					n.acknowledged()
				}
			}
		})
	}
	return writing.Wait
}

// crowd creates n writers that share a channel.
func (p program) crowd(url string, n int) []*writer {
	p.t.Helper()
	seed := rand.Uint64()
	p.t.Logf("seed %d", seed)
	all := make([]*writer, n)
	for i := range all {
		slug := fmt.Sprintf("writer%d", i)
		all[i] = newWriter(p.t, slug, p.user(slug), rand.New(rand.NewPCG(seed, uint64(i+1))))
	}
	shared := all[0].channel(url, "Shared", "public")
	for _, w := range all {
		w.own, w.shared = w.channel(url, "Own", "private"), shared
	}
	return all
}

// terminate stops a server with SIGTERM.
func (s *process) terminate(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := s.ended(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.log)
	}
}

// refused runs a command that must fail because the database is too new.
func (p program) refused(args ...string) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), p.path, args...)
	cmd.Env = p.env
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "serves programs from version 9001 on") {
		p.t.Errorf("vitrine %v: %v\n%s", args, err, out)
	}
}

// between is the number of acknowledged writes between two changes.
const between = 80

// The last landed program and the present one serve the same database while it is migrated, also to
// a future version, and while users write through both. No node leaves the balancer, no request
// fails, and all counts are correct. Only a migration that removes something that a node needs
// makes it leave.
func TestUpgradeAtNoon(t *testing.T) {
	t.Parallel()
	last := program{path: lastLanded(t)}
	last = newProgram(t, last.path, dbtest.PostgresURL(t))
	present := last
	present.path = build(t)

	first := last.serve()
	all := last.crowd(first.url, 6)
	read := last.poets(first.url, "basho", "issa", "buson", "chiyo")
	read.follow(first.url, "chiyo", "basho")
	read.follow(first.url, "buson", "basho")
	balancer := newNodes(first.url)
	stopLooking := balancer.look(t)
	wait := balancer.write(t, all)
	balancer.more(between)
	read.write("basho", first.url, first.url)
	present.run("migrate")
	read.write("basho", first.url)
	read.unfollow(first.url, "buson", "basho")
	second := present.serve()
	balancer.set(first.url, second.url)
	balancer.more(between)
	read.follow(first.url, "buson", "issa")
	read.follow(second.url, "chiyo", "issa")
	read.write("basho", second.url, first.url)
	read.write("issa", first.url, second.url)
	read.unfollow(second.url, "chiyo", "basho")
	read.follow(first.url, "issa", "basho")
	read.write("issa", first.url, second.url)
	migrateLater(t, present, 2)
	balancer.more(between)
	read.write("basho", first.url, second.url)
	balancer.set(second.url)
	balancer.more(between)
	first.terminate(t)
	balancer.more(between)
	read.write("basho", second.url)
	balancer.end()
	wait()
	stopLooking()

	for _, w := range all {
		w.verify(second.url)
	}
	present.run("check")
	migrateLater(t, present, 3)
	status, body := readiness(second.url)
	if status != http.StatusServiceUnavailable || !strings.Contains(body, "serves programs from version 9001 on") {
		t.Errorf("/readyz of a program that is too old: %d %s", status, body)
	}
	present.refused("check")
	present.refused("serve")
	present.refused("migrate")
}

// When it starts, the present program migrates an SQLite file of the last landed one. It keeps
// serving after a future version has migrated the file, until a migration removes something that it
// needs.
func TestUpgradeOfAFile(t *testing.T) {
	t.Parallel()
	last := newProgram(t, lastLanded(t), "")
	present := last
	present.path = build(t)
	var all []*writer
	var read *poets
	for i, p := range []program{last, present, last, present} { // the previous version may run again
		s := p.serve()
		if i == 0 {
			all = p.crowd(s.url, 3)
			read = p.poets(s.url, "basho", "issa", "chiyo")
			read.follow(s.url, "chiyo", "basho")
		}
		read.write("basho", s.url)
		if i == 2 {
			read.follow(s.url, "chiyo", "issa")
		}
		read.write("issa", s.url)
		balancer := newNodes(s.url)
		wait := balancer.write(t, all)
		balancer.more(between)
		balancer.end()
		wait()
		for _, w := range all {
			w.verify(s.url)
		}
		s.terminate(t)
		p.run("check")
		if i == 2 {
			migrateLater(t, p, 2)
		}
	}
	migrateLater(t, present, 3)
	present.refused("check")
	present.refused("serve")
}
