package adapter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivershared/riverpilot"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// The tests in this file describe the parts of River that the job queue relies on although River does not
// promise them. If one fails after an upgrade, read River's change log for that part and adapt this package
// or the named statements before you adapt the test.

var migrated = dbtest.NewTemplate(func(o database.Options) error {
	db, err := database.Open(context.Background(), o)
	if err != nil {
		return err
	}
	lib, err := Library(db)
	if err == nil {
		_, err = db.MigrateLibrary(context.Background(), lib)
	}
	return errors.Join(err, db.Close())
})

// rig is a database with River's tables, and a client with the plug-in whose producer "a" works the queues
// "a_…".
type rig struct {
	*testing.T
	db      *database.DB
	plugin  *Plugin
	client  Client
	insert  Inserter
	fetches *fetches
	log     *lockedBuffer
}

func each(t *testing.T, f func(r *rig)) {
	t.Helper()
	migrated.Each(t, func(t *testing.T, o database.Options) {
		db, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		r := &rig{T: t, db: db, fetches: &fetches{found: make(chan string, 1000), ended: make(chan int64, 1000)}, log: new(lockedBuffer)}
		producers := func(queue string) string { return strings.TrimSuffix(queue, "_7") }
		r.insert, err = NewInserter(db.Dialect(), producers, &river.Config{FetchCooldown: time.Millisecond, Logger: slog.New(slog.DiscardHandler)})
		r.must(err)
		workers := river.NewWorkers()
		river.AddWorker(workers, river.WorkFunc(func(_ context.Context, job *river.Job[task]) error {
			switch job.Args.Name {
			case "fails":
				return errors.New("out of order")
			case "gives up":
				return rivertype.JobCancel(errors.New("out of order"))
			}
			return nil
		}))
		r.plugin = New(db, producers, func(producer string) Fetcher { r.fetches.producer = producer; return r.fetches })
		r.client, err = r.plugin.Client(&river.Config{
			ID: "test", FetchCooldown: time.Millisecond, FetchPollInterval: time.Hour, Workers: workers,
			Queues: map[string]river.QueueConfig{"a": {MaxWorkers: 2}}, Logger: slog.New(Quiet{slog.NewTextHandler(r.log, nil)}),
		})
		r.must(err)
		f(r)
	})
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// task is a job.
type task struct {
	Name string `json:"name"`
}

func (task) Kind() string { return "task" }

// enqueue enqueues a job in the queue "a_7".
func (r *rig) enqueue(name string, o river.InsertOpts) {
	r.Helper()
	o.Queue = "a_7"
	r.must(r.db.Transact(r.Context(), func(tx *database.Tx) error {
		_, err := r.insert.InsertTx(r.Context(), tx.SQL(), task{name}, &o)
		return err
	}))
}

// start starts the client until the end of the test.
func (r *rig) start() {
	r.Helper()
	r.must(r.client.Start(r.Context()))
	r.Cleanup(func() {
		if err := r.client.Stop(context.WithoutCancel(r.Context())); err != nil {
			r.Error(err)
		}
	})
	<-r.fetches.found // the first fetch
}

// await repeats notify until a fetch finds a job. Notifications are lost while the client is starting to listen.
func (r *rig) await(want string, notify func()) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for notify(); ; {
		select {
		case got := <-r.fetches.found:
			if got == want {
				return
			}
		case <-again.C:
			notify()
		case <-ctx.Done():
			r.Fatalf("River no longer makes a producer fetch %s after a notification: compare Plugin.Wake, Refetch and JobInsertMany with River's producer", want)
		}
	}
}

// fetches records what a producer fetches from the queue "a_7".
type fetches struct {
	producer string
	found    chan string
	ended    chan int64
}

// Fetch implements Fetcher.
func (f *fetches) Fetch(ctx context.Context, free int, lock Lock) ([]*rivertype.JobRow, error) {
	jobs, err := lock(ctx, "a_7", free)
	found := ""
	for _, job := range jobs {
		found = strings.ReplaceAll(string(job.EncodedArgs), ": ", ":") // PostgreSQL reformats JSON
	}
	f.found <- found
	return jobs, err
}

// Finish implements Fetcher.
func (f *fetches) Finish(job *rivertype.JobRow) { f.ended <- job.ID }

type lockedBuffer struct {
	sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.Lock()
	defer b.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.Lock()
	defer b.Unlock()
	return b.Buffer.String()
}

// River's plug-in interface has no unknown methods. A new one could be another way to fetch, insert or
// finish jobs, and would compile unnoticed because Plugin embeds StandardPilot.
func TestPilot(t *testing.T) {
	t.Parallel()
	known := []string{
		"JobCancel", "JobCleanerQueuesExcluded", "JobGetAvailable", "JobInsertMany", "JobRetry", "JobSetStateIfRunningMany",
		"PeriodicJobGetAll", "PeriodicJobKeepAliveAndReap", "PeriodicJobUpsertMany", "PilotInit",
		"ProducerInit", "ProducerKeepAlive", "ProducerShutdown", "QueueMetadataChanged",
	}
	pilot := reflect.TypeFor[riverpilot.Pilot]()
	for method := range pilot.Methods() {
		if !slices.Contains(known, method.Name) {
			t.Errorf("River's pilot has a new method %s: check whether Plugin must replace it, and then add it here", method.Name)
		}
	}
	for _, name := range known {
		if _, ok := pilot.MethodByName(name); !ok {
			t.Errorf("River's pilot no longer has the method %s: if Plugin replaces it, River does not call it any more", name)
		}
	}
}

// River calls the plug-in for each producer, and notifies producers by the replaced names: after an insert, a
// call of Wake and a call of Refetch.
func TestNotifications(t *testing.T) {
	t.Parallel()
	each(t, func(r *rig) {
		r.start()
		if r.fetches.producer != "a" {
			r.Errorf("River initialized the producer %q, want a", r.fetches.producer)
		}
		r.await(`{"name":"inserted"}`, func() {
			r.enqueue("inserted", river.InsertOpts{})
			if r.db.Dialect() == database.SQLite { // its driver does not listen
				r.plugin.Wake("a")
			}
		})
		r.enqueue("held", river.InsertOpts{ScheduledAt: time.Now().Add(time.Hour)})
		r.must(r.db.Transact(r.Context(), func(tx *database.Tx) error { // River does not notice this change
			_, err := tx.Exec(r.Context(), "UPDATE river_job SET state = 'available', scheduled_at = created_at WHERE state = 'scheduled'")
			return err
		}))
		r.await(`{"name":"held"}`, func() { r.plugin.Refetch("a") })
	})
}

// River notifies the producers of due jobs by the queue names that JobSchedule returns.
func TestScheduledJobs(t *testing.T) {
	t.Parallel()
	each(t, func(r *rig) {
		r.enqueue("later", river.InsertOpts{ScheduledAt: time.Now().Add(time.Hour)})
		tx, err := r.plugin.exec.Begin(r.Context())
		r.must(err)
		defer func() { _ = tx.Rollback(context.WithoutCancel(r.Context())) }()
		later := time.Now().Add(2 * time.Hour)
		got, err := tx.JobSchedule(r.Context(), &riverdriver.JobScheduleParams{Max: 10, Now: &later})
		if err != nil || len(got) != 1 || got[0].Job.Queue != "a" {
			r.Errorf("River scheduled %v, %v, want a job of the producer a", got, err)
		}
	})
}

// River looks for jobs that hang with this machine's clock, which may differ from that of the database by minutes.
func TestStuckJobsByTheClockOfTheDatabase(t *testing.T) {
	t.Parallel()
	each(t, func(r *rig) {
		r.enqueue("hangs", river.InsertOpts{})
		r.must(r.db.Transact(r.Context(), func(tx *database.Tx) error {
			at := map[database.Dialect]string{database.SQLite: "datetime('now', '-300 seconds')", database.Postgres: "now() - interval '300 seconds'"}[r.db.Dialect()]
			_, err := tx.Exec(r.Context(), "UPDATE river_job SET state = 'running', attempt = 1, attempted_at = "+at)
			return err
		}))
		for _, c := range []struct {
			ahead, runs time.Duration // of the database; how long a job may run
			stuck       int
		}{{0, time.Minute, 1}, {0, 10 * time.Minute, 0}, {8 * time.Minute, time.Minute, 1}, {8 * time.Minute, 10 * time.Minute, 0}, {-8 * time.Minute, time.Minute, 1}, {-8 * time.Minute, 10 * time.Minute, 0}} {
			r.plugin.Ahead = func() time.Duration { return c.ahead }
			machine := time.Now().Add(-c.ahead)
			tx, err := r.plugin.exec.Begin(r.Context())
			r.must(err)
			got, err := r.plugin.JobGetStuck(r.Context(), tx, &riverdriver.JobGetStuckParams{Max: 10, StuckHorizon: machine.Add(-c.runs)})
			r.must(errors.Join(err, tx.Rollback(r.Context())))
			if len(got) != c.stuck {
				r.Errorf("%+v: %d jobs are stuck", c, len(got))
			}
			for _, job := range got {
				if ran := machine.Sub(*job.AttemptedAt); (ran - 5*time.Minute).Abs() > time.Minute {
					r.Errorf("%+v: the job has run for %s", c, ran)
				}
			}
		}
	})
}

// The plug-in hides failures of jobs from the log, and removes a prefix from the stored text.
func TestTexts(t *testing.T) {
	t.Parallel()
	if got := ErrorText(rivertype.JobCancel(errors.New("out of order")).Error()); got != "out of order" {
		t.Errorf("River has another prefix for errors after which jobs are not retried: %q", got)
	}
	each(t, func(r *rig) {
		r.enqueue("fails", river.InsertOpts{MaxAttempts: 1})
		r.start()
		<-r.fetches.ended
		r.enqueue("gives up", river.InsertOpts{})
		r.await(`{"name":"gives up"}`, func() { r.plugin.Refetch("a") })
		<-r.fetches.ended
		if text := r.log.String(); text != "" {
			r.Errorf("River logs failures of jobs as warnings or errors again; drop them in Quiet:\n%s", text)
		}
	})
}

// Statements of package jobs use these columns and values directly.
func TestTables(t *testing.T) {
	t.Parallel()
	var states []string
	for _, s := range rivertype.JobStates() {
		states = append(states, string(s))
	}
	want := []string{"available", "cancelled", "completed", "discarded", "pending", "retryable", "running", "scheduled"}
	if slices.Sort(states); !slices.Equal(states, want) {
		t.Errorf("River's job states are %q, want %q: change the lists in inspect.go, state.go and dump.go of package jobs", states, want)
	}
	const text, integer, timestamp, object = "text", "integer", "timestamp", "JSON"
	columns := map[string]string{
		"id": integer, "kind": text, "queue": text, "args": object, "metadata": object, "errors": object, "state": text,
		"priority": integer, "attempt": integer, "max_attempts": integer, "attempted_by": object,
		"attempted_at": timestamp, "created_at": timestamp, "finalized_at": timestamp, "scheduled_at": timestamp,
	}
	types := map[database.Dialect]map[string][]string{
		database.SQLite: {text: {"text"}, integer: {"integer"}, timestamp: {"timestamp"}, object: {"blob"}},
		database.Postgres: {text: {"text", "USER-DEFINED"}, integer: {"bigint", "smallint"},
			timestamp: {"timestamp with time zone"}, object: {"jsonb", "ARRAY"}},
	}
	each(t, func(r *rig) {
		query, index := "SELECT name, lower(type) FROM pragma_table_info('river_job')", "SELECT count(*) FROM sqlite_schema WHERE sql LIKE $1"
		if r.db.Dialect() == database.Postgres {
			query = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'river_job'"
			index = "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE $1"
		}
		have := map[string]string{}
		rows, err := r.db.Reader().Query(r.Context(), query)
		r.must(err)
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var name, typ string
			r.must(rows.Scan(&name, &typ))
			have[name] = typ
		}
		r.must(rows.Err())
		for name, kind := range columns {
			if want := types[r.db.Dialect()][kind]; !slices.Contains(want, have[name]) {
				r.Errorf("river_job.%s has the type %q, want one of %q: find the column in the statements of package jobs", name, have[name], want)
			}
		}
		var n int
		r.must(r.db.Reader().QueryRow(r.Context(), index, "%ON %river_job %(state, queue, priority, scheduled_at, id)%").Scan(&n))
		if n != 1 {
			r.Errorf("found %d indexes of river_job on state, queue, priority, scheduled_at and id, which the picker and the states of classes use", n)
		}
	})
}

// On SQLite, River stores JSON as text. Programs with River 0.31 do not read JSONB.
func TestPlainJSON(t *testing.T) {
	t.Parallel()
	each(t, func(r *rig) {
		if r.db.Dialect() != database.SQLite {
			return
		}
		r.enqueue("fails", river.InsertOpts{Metadata: []byte(`{"a": 1}`)})
		r.start()
		<-r.fetches.ended
		r.must(r.client.Stop(r.Context())) // stores the result
		for _, column := range []string{"args", "metadata", "errors", "tags", "attempted_by"} {
			var typ, value string
			r.must(r.db.Reader().QueryRow(r.Context(), "SELECT typeof("+column+"), CAST("+column+" AS TEXT) FROM river_job").Scan(&typ, &value))
			if typ != "text" || !json.Valid([]byte(value)) {
				r.Errorf("River stored %s as %s: %q; lite.plainJSON must change its statements to store text", column, typ, value)
			}
		}
	})
}
