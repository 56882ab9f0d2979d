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

// keyedWriter makes blocks in a channel of its own, each with a key as its text.
type keyedWriter struct {
	scribe
	made   map[string]int64 // ids by text, zero where the answer is lost
	last   string           // the text acknowledged last
	flight string           // the text of the request that was not answered
	n      int
}

// add makes the block of a text, or makes sure that it is made.
func (w *keyedWriter) add(text string) (id int64, err error) {
	w.key = text
	defer func() { w.key = "" }()
	var made struct{ ID int64 }
	err = w.send(http.MethodPost, "/v3/blocks", fields{"value": text, "channel_ids": []int64{w.own}}, &made)
	return made.ID, err
}

// write makes blocks until a request is not answered.
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

// again sends once more what was answered last, and what was not answered.
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
	w.made[w.flight] = id // zero: it was carried out, and the server died before it kept the answer
	return nil
}

// verify holds what is in the channel against what was made.
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

// The program is killed in the middle of writes with keys. What was acknowledged is answered the
// same when it is sent again, what was in flight is carried out by then, and all took effect once.
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
