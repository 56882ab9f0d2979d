package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/database"
)

// The goals of the drill.
const (
	failoverGap = 5 * time.Second // without a write, when the primary fails
	// nodeErrors is how many requests may fail when a node is killed: those in progress, which a
	// balancer cannot safely send again.
	nodeErrors = 16
)

// fleet is a site of three nodes behind HAProxy. They use PostgreSQL with replicas behind
// PgBouncer, one of them for reads, Valkey and S3.
type fleet struct {
	t        *testing.T
	db       *cluster
	pooler   *pooler
	valkey   *part
	s3       *part
	balancer *part
	ports    []int   // of the nodes
	metrics  []int   // their metrics ports
	last     program // the last landed program
	present  program // built from the source
	nodes    []*process
	url      string
	report   *report
	former   int    // the primary that was cut off
	reached  func() // reconnects it
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	where := tools(t)
	f := &fleet{t: t, report: &report{}, nodes: make([]*process, 3)}
	last, present := lastLanded(t), build(t)
	for range f.nodes {
		f.ports, f.metrics = append(f.ports, freePort(t)), append(f.metrics, freePort(t))
	}
	f.db = newCluster(t, where["initdb"])
	f.pooler = newPooler(t, where["pgbouncer"], f.db)
	f.valkey, f.s3 = newValkey(t, where["valkey-server"]), newS3(t, where["versitygw"])
	f.balancer = newHAProxy(t, where["haproxy"], f.ports)
	for _, p := range []*part{f.pooler.part, f.valkey, f.s3, f.balancer} {
		p.begin()
	}
	f.url = fmt.Sprintf("http://127.0.0.1:%d", f.balancer.port)
	f.last = newProgram(t, last, f.db.url(), "VITRINE_DATABASE_URL="+f.pooler.url(), "VITRINE_DATABASE_DIRECT_URL="+f.db.url(),
		"VITRINE_DATABASE_REPLICA_URLS="+f.db.only(replica))
	f.last.env = append(f.last.env, "VITRINE_BASE_URL="+f.url, "VITRINE_SITE_URL="+f.url, "VITRINE_TRUSTED_PROXIES=127.0.0.1/32",
		fmt.Sprintf("VITRINE_REDIS_URL=redis://127.0.0.1:%d", f.valkey.port),
		fmt.Sprintf("VITRINE_BLOB_URL=s3://vitrine?endpoint=http://127.0.0.1:%d", f.s3.port),
		"VITRINE_BLOB_ACCESS_KEY="+s3Key, "VITRINE_BLOB_SECRET_KEY="+s3Secret,
		"VITRINE_FETCH_ALLOW=127.0.0.0/8", "VITRINE_DRAIN_DELAY=6s",
		"VITRINE_RATE_LIMITS=guest=1000000,free=30,premium=1000000,supporter=1000000")
	f.present = f.last
	f.present.path = present
	for i := range f.nodes {
		f.serve(f.last, i)
	}
	return f
}

// serve starts a node, and waits until it is ready.
func (f *fleet) serve(p program, i int) {
	f.t.Helper()
	p.dataDir = f.t.TempDir()
	p.env = append(p.env[:len(p.env):len(p.env)], fmt.Sprintf("VITRINE_ADDR=127.0.0.1:%d", f.ports[i]),
		fmt.Sprintf("VITRINE_METRICS_ADDR=127.0.0.1:%d", f.metrics[i]), "VITRINE_DATA_DIR="+p.dataDir)
	f.nodes[i] = p.serve()
	until(f.t, "a node is ready", func() bool { status, _ := readiness(f.nodes[i].url); return status == http.StatusOK })
}

// replace terminates a node and starts a program in its place, which the balancer then uses.
func (f *fleet) replace(p program, i int) {
	f.nodes[i].terminate(f.t)
	f.serve(p, i)
	time.Sleep(3 * time.Second)
}

// TestDrill causes every failure that an operator has to expect on a site of three nodes, while
// users read and write. No acknowledged write may be lost or duplicated, and all derived, stored
// and scheduled data must be correct afterwards.
func TestDrill(t *testing.T) {
	alone(t)
	f := newFleet(t)
	pages := newWeb(t)
	all := newCrew(t, f.last, f.url, pages.url, f.report)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var work sync.WaitGroup
	for _, s := range append([]*scribe{all.linker, all.painter}, all.scribes...) {
		work.Go(func() { s.write(ctx) })
	}
	work.Go(func() { all.batcher.batch(ctx) })
	for _, r := range all.readers {
		work.Go(func() { r.look(ctx) })
	}
	for _, w := range all.writers {
		work.Go(func() { w.careful(ctx, f.report) })
	}
	type step struct {
		name string
		run  func()
	}
	steps := []step{
		{"all is well", f.calm},
		{"upgrade", f.upgrade},
		{"a node is killed", f.killNode},
		{"Valkey is away", f.valkeyAway},
		{"S3 is away", f.s3Away},
		{"a replica lags", f.lag},
		{"the primary is killed", f.failover},
		{"the killed one returns", f.rejoin},
	}
	cuts := canCutOff(t)
	if cuts {
		steps = append(steps, step{"the primary is cut off", f.cutOff}, step{"the cut off one is in reach again", f.reach}, step{"the cut off one returns", f.rejoin})
	}
	steps = append(steps, step{"PgBouncer is taken out", f.withoutPooler})
	if cuts { // here the first node in the URL is the one that is cut off
		steps = append(steps, step{"the primary is cut off, without PgBouncer", f.cutOff}, step{"that one is in reach again", f.reach}, step{"that cut off one returns", f.rejoin})
	}
	steps = append(steps,
		step{"the primary is killed, without PgBouncer", f.failover},
		step{"that one returns", f.rejoin},
		step{"all is well again", f.calm})
	for _, s := range steps {
		f.report.begin(s.name)
		t.Logf("%s: %s", time.Now().Format(time.TimeOnly), s.name)
		s.run()
	}
	f.report.begin("what was under way ends")
	stop()
	work.Wait()
	f.report.begin("")
	f.report.phases = f.report.phases[:len(f.report.phases)-1]
	t.Logf("\n%s", f.report)
	f.limits()
	f.verify(all, pages)
	f.goals()
}

// calm waits for a while, in which every node must read from the replica.
func (f *fleet) calm() {
	before := f.replicaReads()
	time.Sleep(10 * time.Second)
	after := f.replicaReads()
	for i := range after {
		if after[i] <= before[i] {
			f.t.Errorf("node %d read nothing at the replica in 10 s", i+1)
		}
	}
	f.t.Logf("requests that nodes read at the replica in 10 s: from %v to %v", before, after)
}

// replicaReads returns how many requests each node has read from the replica since its start.
func (f *fleet) replicaReads() (all []int) {
	f.t.Helper()
	for _, port := range f.metrics {
		res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", port))
		if err != nil {
			f.t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			f.t.Fatal(err)
		}
		n := 0
		for _, found := range replicaReadsLine.FindAllSubmatch(text, -1) {
			more, _ := strconv.ParseFloat(string(found[1]), 64) // the pattern matches only numbers
			n += int(more)
		}
		all = append(all, n)
	}
	return all
}

// replicaReadsLine matches the metric of each replica.
var replicaReadsLine = regexp.MustCompile(`(?m)^vitrine_replica_reads_total\{[^}]*\} ([0-9.e+]+)$`)

// upgrade migrates while the last landed program serves, and replaces one node after another.
func (f *fleet) upgrade() {
	f.present.run("migrate")
	for i := range f.nodes {
		f.replace(f.present, i)
	}
}

func (f *fleet) killNode() {
	time.Sleep(2 * time.Second)
	if err := f.nodes[1].cmd.Process.Kill(); err != nil {
		f.t.Fatal(err)
	}
	f.nodes[1].ended(f.t)
	time.Sleep(8 * time.Second)
	f.serve(f.present, 1)
	time.Sleep(4 * time.Second)
}

// away kills a part and starts it again after a while.
func away(p *part, d time.Duration) {
	time.Sleep(2 * time.Second)
	p.kill()
	time.Sleep(d)
	p.begin()
	time.Sleep(6 * time.Second)
}

func (f *fleet) valkeyAway() { away(f.valkey, 8*time.Second) }
func (f *fleet) s3Away()     { away(f.s3, 15*time.Second) }

// lag pauses replay on the replica that is read. Once it lags more than allowed, nodes stop using
// it.
func (f *fleet) lag() {
	f.db.sql(replica, "SELECT pg_wal_replay_pause()")
	time.Sleep(15 * time.Second)
	before := f.replicaReads()
	time.Sleep(15 * time.Second)
	if after := f.replicaReads(); !slices.Equal(before, after) {
		f.t.Errorf("a replica that is 15 s late was read: from %v to %v", before, after)
	}
	f.db.sql(replica, "SELECT pg_wal_replay_resume()")
	time.Sleep(3 * time.Second)
}

// failover kills the primary, and promotes the synchronous replica a second later.
func (f *fleet) failover() {
	time.Sleep(2 * time.Second)
	f.db.servers[f.db.primary].kill()
	f.promote()
}

func (f *fleet) promote() {
	time.Sleep(time.Second)
	f.db.promote(1 - f.db.primary)
	if f.pooler != nil {
		f.pooler.lead(f.db)
	}
	time.Sleep(15 * time.Second)
}

// withoutPooler connects the nodes directly to PostgreSQL, one after another, and stops the pooler.
func (f *fleet) withoutPooler() {
	f.present.env = append(f.present.env[:len(f.present.env):len(f.present.env)], "VITRINE_DATABASE_URL="+f.db.url(), "VITRINE_DATABASE_DIRECT_URL=")
	for i := range f.nodes {
		f.replace(f.present, i)
	}
	f.pooler.kill()
	f.pooler = nil
	time.Sleep(5 * time.Second)
}

// cutOff disconnects the primary from the network. It keeps running as the primary, but all packets
// to it are dropped. The synchronous replica is promoted a second later.
func (f *fleet) cutOff() {
	time.Sleep(2 * time.Second)
	f.former = f.db.primary
	f.reached = cutOff(f.t, f.db.servers[f.former].port)
	f.promote()
}

// reach reconnects the former primary before it was stopped. Although it accepts writes, no node
// may write to it. Then it is stopped.
func (f *fleet) reach() {
	// Vacuuming writes too.
	theirs := "FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = 'vitrine' AND backend_start > '" + f.db.now(f.db.primary) + "'"
	f.reached()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		// Such a write waits for its replica, so the query sees it.
		if got := f.db.sql(f.former, "SELECT min(concat_ws(' ', application_name, wait_event, query)) "+theirs+" AND (backend_xid IS NOT NULL OR wait_event = 'SyncRep')"); got != "" {
			f.t.Errorf("the former primary is written to: %s", got)
		}
	}
	f.t.Logf("new connections to the former primary in ten seconds: %s", f.db.sql(f.former, "SELECT count(*) "+theirs))
	f.db.servers[f.former].kill()
}

// rejoin lets the lost server follow the new primary as a new copy, since it may have writes that
// no other server has. The primary then waits for it. The replica that is read may also have been
// ahead of the promoted one; then it is copied again too.
func (f *fleet) rejoin() {
	lost := 1 - f.db.primary
	f.db.anew(lost)
	name := f.db.servers[lost].name
	// Writes wait for a replica as soon as it is named, so it must be up to date first.
	f.db.until(f.db.primary, "SELECT count(*) FROM pg_stat_replication WHERE application_name = '"+name+"' AND state = 'streaming' AND pg_current_wal_lsn() - flush_lsn < 1000000", "1")
	f.db.sql(f.db.primary, "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'")
	f.db.sql(f.db.primary, "SELECT pg_reload_conf()")
	if said := f.db.stray(replica); said != "" {
		f.t.Logf("%s is made anew: %s", f.db.servers[replica].name, said)
		f.db.servers[replica].kill()
		f.db.anew(replica)
	}
	f.db.until(f.db.primary, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'async')", "2")
	time.Sleep(3 * time.Second)
}

// limits sends requests of one account to all nodes concurrently: exactly the limit is allowed.
func (f *fleet) limits() {
	const limit, clients = 30, 24 // one more is allowed every two seconds
	token := f.present.userOf("limited", "free")
	var mu sync.Mutex
	answers := map[int]int{}
	var asking sync.WaitGroup
	begun := time.Now()
	for i := range clients {
		asking.Go(func() {
			c := client{token: token}
			c.to(f.nodes[i%len(f.nodes)].url, patient())
			for range 10 {
				status := http.StatusOK
				if err := c.send(http.MethodGet, "/v3/me", nil, nil); err != nil {
					refused, _ := err.(statusError)
					status = refused.status
				}
				mu.Lock()
				answers[status]++
				mu.Unlock()
			}
		})
	}
	asking.Wait()
	took := time.Since(begun)
	f.t.Logf("limit of %d a minute, %d clients at three nodes for %.2f s: %v", limit, clients, took.Seconds(), answers)
	if most := limit + int(took/(2*time.Second)); answers[200] < limit || answers[200] > most || answers[200]+answers[429] != 10*clients {
		f.t.Errorf("answers %v, want %d to %d allowed and all others refused", answers, limit, most)
	}
}

// verify compares the data with the acknowledged writes.
func (f *fleet) verify(all *crew, pages *web) {
	t := f.t
	made := 0
	for _, s := range append([]*scribe{all.linker, all.painter}, all.scribes...) {
		made += s.verify(t)
	}
	made += all.batcher.verifyBatches(t)
	for _, w := range all.writers {
		w.verify(f.url)
	}
	links, pictures := len(all.linker.acked), len(all.painter.acked)
	for _, s := range []struct {
		*scribe
		kind string
	}{{all.linker, "Link"}, {all.painter, "Image"}} {
		for _, id := range s.acked {
			if kind := s.settled(t, id); kind != s.kind {
				t.Errorf("%s: the block %d is of type %s", s.name, id, kind)
			}
		}
	}
	for _, n := range f.nodes {
		n.terminate(t)
		if strings.Contains(n.log.String(), "panic") {
			t.Error("something panicked")
		}
	}
	db, err := database.Open(t.Context(), database.Options{URL: f.db.url()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	numbers := map[string]int{}
	for what, query := range map[string]string{
		"jobs":                  "SELECT count(*) FROM river_job",
		"jobs given up":         "SELECT count(*) FROM river_job WHERE state = 'discarded'",
		"jobs begun again":      "SELECT count(*) FROM river_job WHERE attempt > 1",
		"contents to get":       "SELECT count(*) FROM river_job WHERE kind = 'process_block'",
		"blocks of these":       "SELECT count(DISTINCT CAST(args AS TEXT)) FROM river_job WHERE kind = 'process_block' AND state = 'completed'",
		"links and pictures":    "SELECT count(*) FROM blocks WHERE type IN ('Link', 'Image') AND state = 'available'",
		"activities told twice": "SELECT count(*) FROM (SELECT 1 FROM activities WHERE item_type = 'Block' AND actor_id IN (SELECT id FROM users WHERE name LIKE 'scribe%') GROUP BY item_id, kind, channel_id HAVING count(*) > 1) again",
	} {
		var n int
		if err := db.Reader().QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		numbers[what] = n
	}
	if n := numbers["contents to get"]; n != numbers["blocks of these"] || n != numbers["links and pictures"] || n < links+pictures {
		t.Errorf("%d links and %d pictures were acknowledged: %v", links, pictures, numbers)
	}
	if numbers["jobs given up"] > 0 {
		t.Errorf("jobs were given up: %v\n%s", numbers, f.present.run("jobs"))
	}
	f.present.run("check", "--files")
	t.Logf("%d blocks of scribes, %d links, %d pictures, %d batches; pages got more than once: %d; %v",
		made, links, pictures, len(all.batcher.batches), pages.again(), numbers)
}

// goals compares the report with the goals.
func (f *fleet) goals() {
	f.report.within(f.t, "all is well", 0, failoverGap)
	f.report.within(f.t, "upgrade", 0, failoverGap)
	f.report.within(f.t, "a node is killed", nodeErrors, failoverGap)
	f.report.within(f.t, "Valkey is away", 0, failoverGap)
	f.report.within(f.t, "a replica lags", 0, failoverGap)
	for _, name := range []string{"the primary is killed", "the primary is cut off", "the primary is cut off, without PgBouncer", "the primary is killed, without PgBouncer"} {
		if gap := f.report.the(name).longestGap; gap > failoverGap {
			f.t.Errorf("%s: no write for %s", name, gap)
		}
	}
	if p := f.report.the("S3 is away"); len(p.errors["read"])+len(p.errors["page"])+len(p.errors["write"]) > 0 || p.longestGap > failoverGap {
		f.t.Errorf("S3 is away: what needs no files failed, or no write for %s: %v", p.longestGap, p.errors)
	}
	f.report.within(f.t, "the killed one returns", 0, failoverGap)
	f.report.within(f.t, "the cut off one is in reach again", 0, failoverGap)
	f.report.within(f.t, "the cut off one returns", 0, failoverGap)
	f.report.within(f.t, "PgBouncer is taken out", 0, failoverGap)
	f.report.within(f.t, "that one is in reach again", 0, failoverGap)
	f.report.within(f.t, "that cut off one returns", 0, failoverGap)
	f.report.within(f.t, "that one returns", 0, failoverGap)
	f.report.within(f.t, "all is well again", 0, failoverGap)
}
