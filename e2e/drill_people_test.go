package e2e

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"
)

// giveUp is the timeout of requests in the drill.
const giveUp = 20 * time.Second

func patient() *http.Transport { return &http.Transport{ResponseHeaderTimeout: giveUp} }

// scribe creates blocks sequentially in its own channel, and records the acknowledged ones.
type scribe struct {
	client
	report *report
	name   string
	own    int64
	keyed  bool                                            // repeats a write until there is a response
	value  func(ctx context.Context, n int) (string, bool) // returns the value of the n-th block
	every  time.Duration

	acked   []int64 // ids, in order
	values  map[int64]string
	unknown map[string]bool // values of writes with unknown outcome
	batches map[string]int  // sizes of the accepted batches by id
	fault   error
}

// post sends one write. With a key, it repeats the write until there is a response.
func (s *scribe) post(ctx context.Context, path string, body fields, out any) (answered bool) {
	kind := "write"
	if s.keyed {
		s.key, kind = rand.Text(), "write, keyed"
		defer func() { s.key = "" }()
	}
	for first, end := time.Now(), time.Now().Add(settleTime); ; {
		began := time.Now()
		err := s.send(http.MethodPost, path, body, out)
		if err == nil {
			s.report.met(kind, began, nil)
			return true
		}
		s.report.met(kind, first, err) // a retry counts for the phase of the first failure
		if refused, ok := errors.AsType[statusError](err); ok && refused.status < 500 && refused.status != http.StatusRequestTimeout {
			if !strings.Contains(refused.body, "Idempotency-Key") {
				s.fault = fmt.Errorf("%s: %w", path, err)
			}
			return false
		}
		// After the end of the drill, only writes with a key are still retried.
		if !s.keyed || began.After(end) {
			return false
		}
		pause(context.WithoutCancel(ctx), 200*time.Millisecond)
	}
}

// write creates blocks until ctx is done.
func (s *scribe) write(ctx context.Context) {
	s.values, s.unknown = map[int64]string{}, map[string]bool{}
	for n := 0; pause(ctx, s.every); n++ {
		value, ok := s.value(ctx, n)
		if !ok {
			continue
		}
		var made struct{ ID int64 }
		if s.post(ctx, "/v3/blocks", fields{"value": value, "channel_ids": []int64{s.own}}, &made) {
			s.acked = append(s.acked, made.ID)
			s.values[made.ID] = value
		} else {
			s.unknown[value] = true
		}
	}
}

// batch sends batches until ctx is done.
func (s *scribe) batch(ctx context.Context) {
	s.batches = map[string]int{}
	for n := 0; pause(ctx, s.every); n++ {
		blocks := make([]fields, 20)
		for i := range blocks {
			blocks[i] = fields{"value": fmt.Sprintf("%s %d-%d", s.name, n, i)}
		}
		var made struct {
			BatchID string `json:"batch_id"`
		}
		if s.post(ctx, "/v3/blocks/batch", fields{"blocks": blocks, "channel_ids": []int64{s.own}}, &made) {
			s.batches[made.BatchID] = len(blocks)
		}
	}
}

// contents returns the ids of a channel's blocks in order, and the texts of Text blocks.
func (s *scribe) contents() (ids []int64, texts map[int64]string, err error) {
	texts = map[int64]string{}
	for page := 1; ; page++ {
		var answer struct {
			Data []struct {
				ID      int64
				Content struct{ Markdown string }
			}
			Meta struct {
				HasMorePages bool `json:"has_more_pages"`
			}
		}
		if err := s.send(http.MethodGet, fmt.Sprintf("/v3/channels/%d/contents?sort=position_asc&per=100&page=%d", s.own, page), nil, &answer); err != nil {
			return nil, nil, err
		}
		for _, block := range answer.Data {
			ids = append(ids, block.ID)
			texts[block.ID] = block.Content.Markdown
		}
		if !answer.Meta.HasMorePages {
			return ids, texts, nil
		}
	}
}

// verify checks that each acknowledged block exists exactly once, in the order of the writes. Only
// unanswered writes may have created further blocks, at most one each. It returns the number of
// blocks.
func (s *scribe) verify(t *testing.T) int {
	t.Helper()
	if s.fault != nil {
		t.Errorf("%s: %v", s.name, s.fault)
	}
	ids, texts, err := s.contents()
	if err != nil {
		t.Errorf("%s: %v", s.name, err)
		return 0
	}
	seen, next, others := map[string]bool{}, 0, 0
	for _, id := range ids {
		text := texts[id]
		if text != "" && seen[text] {
			t.Errorf("%s: %q is there twice", s.name, text)
		}
		seen[text] = true
		if next < len(s.acked) && id == s.acked[next] {
			if text != "" && text != s.values[id] {
				t.Errorf("%s: the block %d has the text %q, want %q", s.name, id, text, s.values[id])
			}
			next++
			continue
		}
		others++
		if text != "" && !s.unknown[text] {
			t.Errorf("%s: the block %d, %q, was not acknowledged", s.name, id, text)
		}
	}
	if next != len(s.acked) {
		t.Errorf("%s: block %d was acknowledged and is not there, or not in its place", s.name, s.acked[next])
	}
	if others > len(s.unknown) {
		t.Errorf("%s: %d blocks that were not acknowledged are there, of %d writes without an answer", s.name, others, len(s.unknown))
	}
	return len(ids)
}

// verifyBatches waits until all batches are done: each has created each of its blocks once. It
// returns the number of blocks.
func (s *scribe) verifyBatches(t *testing.T) (made int) {
	t.Helper()
	for id, size := range s.batches {
		var answer struct {
			Status string
			Done   int `json:"successful_count"`
		}
		for end := time.Now().Add(settleTime); answer.Status != "completed"; time.Sleep(200 * time.Millisecond) {
			if err := s.send(http.MethodGet, "/v3/blocks/batch/"+id, nil, &answer); err != nil || time.Now().After(end) {
				t.Errorf("the batch %s is %+v (%v)", id, answer, err)
				break
			}
		}
		if answer.Done != size {
			t.Errorf("the batch %s has made %d of %d blocks", id, answer.Done, size)
		}
		made += answer.Done
	}
	ids, texts, err := s.contents()
	if err != nil {
		t.Errorf("%s: %v", s.name, err)
	}
	seen := map[string]bool{}
	for _, text := range texts {
		seen[text] = true
	}
	if len(ids) != made || len(seen) != made {
		t.Errorf("%s: %d blocks with %d texts are there of the %d that batches have made", s.name, len(ids), len(seen), made)
	}
	return made
}

// look reads as guests and as a member until ctx is done.
func (s *scribe) look(ctx context.Context) {
	for n := 0; pause(ctx, s.every); n++ {
		began := time.Now()
		if n%4 == 3 {
			s.report.met("page", began, s.page("/"))
			continue
		}
		path := [...]string{fmt.Sprintf("/v3/channels/%d/contents?per=24", s.own), "/v3/me", "/v3/search?query=scribe"}[n%4]
		s.report.met("read", began, s.send(http.MethodGet, path, nil, nil))
	}
}

// page requests a page like a guest's browser.
func (c *client) page(path string) error {
	res, err := c.http.Get(c.base + path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = statusError{res.StatusCode, string(text)}
	}
	return err
}

// careful writes at random until ctx is done. After each failure it waits until requests in flight
// have finished, and compares everything that it knows with the server.
func (w *writer) careful(ctx context.Context, r *report) {
	base := w.base
	for pause(ctx, 50*time.Millisecond) {
		w.flight = flight{}
		began := time.Now()
		wrote, err := w.step()
		if wrote || err != nil {
			r.met("write", began, err)
		}
		if err == nil {
			continue
		}
		for end := time.Now().Add(settleTime); ; {
			pause(context.WithoutCancel(ctx), 3*time.Second)
			if w.send(http.MethodGet, fmt.Sprintf("/v3/channels/%d", w.own), nil, nil) == nil {
				break
			}
			if time.Now().After(end) {
				w.t.Errorf("%s: its channel cannot be read", w.name)
				return
			}
		}
		w.verify(base)
		w.http.Transport = patient()
	}
}

// crew is all users of the nodes.
type crew struct {
	scribes []*scribe // writers of texts, some with keys
	batcher *scribe
	linker  *scribe
	painter *scribe
	writers []*writer
	readers []*scribe
}

// newCrew creates the accounts and channels.
func newCrew(t *testing.T, p program, url, pages string, r *report) *crew {
	t.Helper()
	scribeOf := func(name string, every time.Duration, value func(ctx context.Context, n int) (string, bool)) *scribe {
		s := &scribe{client: client{token: p.userOf(name, "supporter")}, report: r, name: name, every: every, value: value, keyed: true}
		s.to(url, patient())
		var made struct{ ID int64 }
		if err := s.send(http.MethodPost, "/v3/channels", fields{"title": "Own of " + name, "visibility": "private"}, &made); err != nil {
			t.Fatal(err)
		}
		s.own = made.ID
		return s
	}
	c := &crew{}
	for i := range 6 {
		name := fmt.Sprintf("scribe%d", i)
		s := scribeOf(name, 60*time.Millisecond, func(_ context.Context, n int) (string, bool) { return fmt.Sprintf("%s %d", name, n), true })
		s.keyed = i%2 == 0
		c.scribes = append(c.scribes, s)
	}
	c.batcher = scribeOf("batcher", 3*time.Second, nil)
	c.linker = scribeOf("linker", 400*time.Millisecond, func(_ context.Context, n int) (string, bool) { return fmt.Sprintf("%s/page/%d", pages, n), true })
	c.painter = scribeOf("painter", 700*time.Millisecond, nil)
	c.painter.value = func(_ context.Context, n int) (string, bool) {
		began := time.Now()
		value, err := c.painter.upload("picture.png", "image/png", ordinaryPicture(mathrand.Uint64()))
		r.met("upload", began, err)
		return value, err == nil
	}
	for range 4 {
		reader := *c.scribes[0]
		reader.client = client{token: reader.token}
		reader.to(url, patient())
		reader.every = 40 * time.Millisecond
		c.readers = append(c.readers, &reader)
	}
	c.writers = p.crowd(url, 3)
	for _, w := range c.writers {
		w.to(url, patient())
	}
	return c
}
