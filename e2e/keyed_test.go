package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/database/dbtest"
)

// keyedWriter creates blocks in its own channel. The text of each is also its key.
type keyedWriter struct {
	scribe
	made   map[string]int64 // ids by text, 0 if the response was lost
	last   string           // the last acknowledged text
	flight string           // the text of the unanswered request
	n      int
}

// add creates the block of a text, or confirms that it was created.
func (w *keyedWriter) add(text string) (id int64, err error) {
	w.key = text
	defer func() { w.key = "" }()
	var made struct{ ID int64 }
	err = w.send(http.MethodPost, "/v3/blocks", fields{"value": text, "channel_ids": []int64{w.own}}, &made)
	return made.ID, err
}

// write creates blocks until a request gets no response.
func (w *keyedWriter) write(acknowledged func()) error {
	for {
		w.n++
		w.flight = fmt.Sprintf("%s-%d", w.name, w.n)
		id, err := w.add(w.flight)
		if err != nil {
			return err
		}
		w.made[w.flight], w.last = id, w.flight
		acknowledged()
	}
}

// again repeats the last acknowledged request and the unanswered one.
func (w *keyedWriter) again() error {
	if w.last != "" {
		if id, err := w.add(w.last); err != nil || id != w.made[w.last] {
			return fmt.Errorf("%s was answered with %d, and again with %d, %v", w.last, w.made[w.last], id, err)
		}
	}
	id, err := w.add(w.flight)
	refused, ok := errors.AsType[statusError](err)
	if err != nil && !(ok && (refused.status == http.StatusServiceUnavailable || refused.status == http.StatusUnprocessableEntity)) {
		return err
	}
	w.made[w.flight] = id // zero: committed, but the server died before it stored the response
	return nil
}

// verify compares the channel with the created blocks.
func (w *keyedWriter) verify() error {
	ids, texts, err := w.contents()
	if err != nil {
		return err
	}
	if len(ids) != len(w.made) || len(texts) != len(w.made) {
		return fmt.Errorf("%s made %d blocks, and there are %d", w.name, len(w.made), len(ids))
	}
	seen := map[string]bool{}
	for id, text := range texts {
		if made, ok := w.made[text]; !ok || seen[text] || made != 0 && made != id {
			return fmt.Errorf("%s: %s is %d, which was answered with %d, or is there twice", w.name, text, id, made)
		}
		seen[text] = true
	}
	return nil
}

// The program is killed during writes with keys. Repeating an acknowledged request returns the same
// response, repeating one in flight completes it, and each takes effect once.
func TestKillWithKeys(t *testing.T) {
	t.Parallel()
	path := build(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killWithKeys(t, newProgram(t, path, ""))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killWithKeys(t, newProgram(t, path, dbtest.PostgresURL(t)))
	})
}

func killWithKeys(t *testing.T, p program) {
	all := make([]*keyedWriter, 8)
	s := p.serve()
	for i := range all {
		w := &keyedWriter{made: map[string]int64{}}
		w.name = fmt.Sprintf("writer%d", i)
		w.token = p.user(w.name)
		w.to(s.url, http.DefaultTransport)
		var channel struct{ ID int64 }
		if err := w.send(http.MethodPost, "/v3/channels", fields{"title": w.name, "visibility": "private"}, &channel); err != nil {
			t.Fatal(err)
		}
		w.own = channel.ID
		all[i] = w
	}
	each := func(what string, do func(w *keyedWriter) error) {
		t.Helper()
		var doing sync.WaitGroup
		for _, w := range all {
			doing.Go(func() {
				if err := do(w); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			})
		}
		doing.Wait()
		if t.Failed() {
			t.Fatalf("%s", s.log)
		}
	}
	for range 2 {
		after := int64(100 + rand.IntN(100)) // so that each has written
		var acks atomic.Int64
		var killed atomic.Bool
		each("write", func(w *keyedWriter) error {
			w.to(s.url, new(http.Transport))
			err := w.write(func() {
				if acks.Add(1) == after {
					killed.Store(true)
					_ = s.cmd.Process.Kill()
				}
			})
			if killed.Load() {
				return nil
			}
			_ = s.cmd.Process.Kill() // so that the others end
			return err
		})
		if code := s.ended(t); code != -1 {
			t.Fatalf("the server ended by itself, exit code %d\n%s", code, s.log)
		}
		s = p.serve()
		each("again", func(w *keyedWriter) error {
			w.to(s.url, new(http.Transport))
			return w.again()
		})
		each("verify", (*keyedWriter).verify)
		p.run("check")
		t.Logf("killed after %d writes", acks.Load())
	}
}
