package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// settleTime is how long fetching all contents may take after the last kill. It is shorter than the
// three and a half minutes after which a job is put back in any case.
const settleTime = 2 * time.Minute

// reader creates blocks from web pages in its own channel, and records the acknowledged ones in
// order.
type reader struct {
	client
	t       *testing.T
	p       program
	s       *process
	web     *web
	channel int64
	blocks  []int64
}

// read creates a reader with an empty, private channel.
func read(t *testing.T, path, databaseURL string, settings ...string) *reader {
	t.Helper()
	p := newProgram(t, path, databaseURL, append([]string{"VITRINE_FETCH_ALLOW=127.0.0.0/8"}, settings...)...)
	r := &reader{t: t, p: p, web: newWeb(t), client: client{token: p.user("ada")}}
	r.restart()
	var made struct{ ID int64 }
	r.must(r.send(http.MethodPost, "/v3/channels", fields{"title": "Read", "visibility": "private"}, &made))
	r.channel = made.ID
	return r
}

func (r *reader) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) restart() {
	r.t.Helper()
	r.s = r.p.serve()
	r.to(r.s.url, &http.Transport{})
}

// kill kills the server; ended waits for its end.
func (r *reader) kill() {
	if err := r.s.cmd.Process.Kill(); err != nil {
		r.t.Error(err)
	}
}

func (r *reader) ended() {
	r.t.Helper()
	if code := r.s.ended(r.t); code != -1 {
		r.t.Fatalf("the server ended by itself, exit code %d\n%s", code, r.s.log)
	}
}

// terminate stops a process gracefully.
func (r *reader) terminate(s *process) {
	r.t.Helper()
	r.must(s.cmd.Process.Signal(syscall.SIGTERM))
	if code := s.ended(r.t); code != 0 {
		r.t.Errorf("exit code %d\n%s", code, s.log)
	}
}

// page returns the address of the n-th page.
func (r *reader) page(n int) string { return fmt.Sprintf("%s/page/%d", r.web.url, n) }

// post creates blocks until there are n, or the server stops responding.
func (r *reader) post(n int) error {
	for len(r.blocks) < n {
		var made struct{ ID int64 }
		err := r.send(http.MethodPost, "/v3/blocks",
			fields{"value": r.page(len(r.blocks)), "channel_ids": []int64{r.channel}}, &made)
		if refused, ok := errors.AsType[statusError](err); ok {
			r.t.Fatal(refused)
		}
		if err != nil {
			return err
		}
		r.blocks = append(r.blocks, made.ID)
	}
	return nil
}

// contents returns the blocks of the channel in order, and how many are still being fetched.
func (r *reader) contents() (ids []int64, pending int) {
	r.t.Helper()
	for page := 1; ; page++ {
		var answer struct {
			Data []struct {
				ID   int64
				Type string
			}
		}
		r.must(r.send(http.MethodGet, fmt.Sprintf("/v3/channels/%d/contents?sort=position_asc&per=100&page=%d", r.channel, page), nil, &answer))
		for _, item := range answer.Data {
			ids = append(ids, item.ID)
			if item.Type == "PendingBlock" {
				pending++
			}
		}
		if len(answer.Data) < 100 {
			return ids, pending
		}
	}
}

// learn compares the channel with the acknowledged blocks. It may also contain the block of a
// request in flight.
func (r *reader) learn() {
	r.t.Helper()
	ids, _ := r.contents()
	if len(ids) < len(r.blocks) || len(ids) > len(r.blocks)+1 {
		r.t.Fatalf("the channel holds %d blocks, %d are acknowledged", len(ids), len(r.blocks))
	}
	for i, id := range r.blocks {
		if ids[i] != id {
			r.t.Fatalf("at %d is the block %d, acknowledged is %d", i+1, ids[i], id)
		}
	}
	r.blocks = ids
}

// settle waits until all contents are fetched, and returns the blocks in order.
func (r *reader) settle() []int64 {
	r.t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(settleTime); ; {
		ids, pending := r.contents()
		if pending == 0 {
			return ids
		}
		select {
		case <-end:
			r.t.Fatalf("%d blocks still wait for their content\n%s", pending, r.p.run("jobs", "--state", "running"))
		case <-tick.C:
		}
	}
}

// verify checks that the data contains n pages, each as one block, in order, with its content
// fetched once.
func (r *reader) verify(n int) {
	r.t.Helper()
	ids := r.settle()
	if len(ids) != n {
		r.t.Errorf("the channel holds %d blocks, want %d", len(ids), n)
	}
	r.terminate(r.s)
	db, err := database.Open(r.t.Context(), database.Options{URL: r.p.database})
	r.must(err)
	defer func() { r.must(db.Close()) }()
	for i, id := range ids {
		var url, title string
		r.must(db.Reader().QueryRow(r.t.Context(), "SELECT value_url, title FROM blocks WHERE id = $1", id).Scan(&url, &title))
		if url != r.page(i) || title != fmt.Sprint("Page ", i) {
			r.t.Errorf("at %d is %s (%s)", i+1, url, title)
		}
	}
	for what, query := range map[string]string{
		"blocks":                    "SELECT count(*) FROM blocks",
		"addresses":                 "SELECT count(DISTINCT value_url) FROM blocks",
		"connections":               "SELECT count(*) FROM connections",
		"links with an image":       "SELECT count(DISTINCT image_id) FROM blocks WHERE type = 'Link' AND state = 'available'",
		"processings that are done": "SELECT count(*) FROM processings WHERE state = 'done'",
		"files":                     "SELECT count(*) FROM files",
		"blobs":                     "SELECT count(*) FROM blobs WHERE stored_at IS NOT NULL",
		"jobs that are done":        "SELECT count(DISTINCT CAST(args AS TEXT)) FROM river_job WHERE kind = 'process_block' AND state = 'completed'",
		"jobs":                      "SELECT count(*) FROM river_job WHERE kind = 'process_block'",
		"activities":                "SELECT count(*) FROM activities WHERE item_type = 'Block'",
	} {
		var got int
		r.must(db.Reader().QueryRow(r.t.Context(), query).Scan(&got))
		if got != n {
			r.t.Errorf("there are %d %s, want %d", got, what, n)
		}
	}
	r.p.run("check")
	r.t.Logf("%d pages were asked for more than once", r.web.again())
}

// eachDatabase runs f on the built program with each database.
func eachDatabase(t *testing.T, f func(t *testing.T, r *reader), settings ...string) {
	t.Helper()
	path := build(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, read(t, path, "", settings...))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, read(t, path, dbtest.PostgresURL(t), settings...))
	})
}
