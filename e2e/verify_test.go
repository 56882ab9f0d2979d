package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
)

// text returns a unique text.
func (w *writer) text() string { return fmt.Sprintf("%s %d %d", w.name, w.writes, w.random.Uint64()) }

// connection creates a connection and returns its id.
func (w *writer) connection(body fields) (int64, error) {
	var made struct{ Data []struct{ ID int64 } }
	err := w.send(http.MethodPost, "/v3/connections", body, &made)
	if err == nil && len(made.Data) != 1 {
		err = fmt.Errorf("%d connections were made", len(made.Data))
	}
	if err != nil {
		return 0, err
	}
	return made.Data[0].ID, nil
}

// anyItem returns the index of a random item in the writer's own channel, which must not be empty,
// and looks up the id of its connection.
func (w *writer) anyItem() (int, error) {
	at := w.random.IntN(len(w.items))
	if w.items[at].connection == 0 {
		page, err := w.contents(1, at+1)
		if err != nil {
			return 0, err
		}
		if len(page) != 1 || page[0].block != w.items[at].block {
			return 0, fmt.Errorf("position %d holds %v, want the block %d", at+1, page, w.items[at].block)
		}
		w.items[at] = page[0]
	}
	return at, nil
}

func (w *writer) anyBlock(fits func(id int64) bool) (int64, bool) {
	return pick(w.random, w.texts, fits)
}

// pick returns a random matching key. The result depends only on the random numbers.
func pick[K cmp.Ordered, V any](random *rand.Rand, m map[K]V, fits func(K) bool) (found K, ok bool) {
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(k K) bool { return !fits(k) })
	if len(keys) == 0 {
		return found, false
	}
	return keys[random.IntN(len(keys))], true
}

// contents reads a page of the writer's own channel from the bottom.
func (w *writer) contents(per, page int) ([]item, error) {
	var answer struct {
		Data []struct {
			ID         int64
			Connection struct{ ID, Position int64 }
		}
	}
	path := fmt.Sprintf("/v3/channels/%d/contents?sort=position_asc&per=%d&page=%d", w.own, per, page)
	if err := w.send(http.MethodGet, path, nil, &answer); err != nil {
		return nil, err
	}
	items := make([]item, len(answer.Data))
	for i, d := range answer.Data {
		if want := int64((page-1)*per + i + 1); d.Connection.Position != want {
			return nil, fmt.Errorf("position %d where %d should be", d.Connection.Position, want)
		}
		items[i] = item{connection: d.Connection.ID, block: d.ID}
	}
	return items, nil
}

// verify compares the server's data with acknowledged writes and the one in flight, and updates the
// writer.
func (w *writer) verify(url string) {
	w.t.Helper()
	w.to(url, http.DefaultTransport)
	w.verifyItems()
	for id, want := range w.texts {
		var got struct{ Content struct{ Markdown string } }
		err := w.send(http.MethodGet, fmt.Sprintf("/v3/blocks/%d", id), nil, &got)
		switch text := got.Content.Markdown; {
		case err != nil:
			w.t.Errorf("%s: the block %d: %v", w.name, id, err)
		case text != want && (id != w.flight.block || text != w.flight.text):
			w.t.Errorf("%s: the block %d has the text %q, want %q", w.name, id, text, want)
		default:
			w.texts[id] = text
		}
	}
	for id, want := range w.links {
		err := w.send(http.MethodGet, fmt.Sprintf("/v3/connections/%d", id), nil, nil)
		refused, _ := errors.AsType[statusError](err)
		switch there := err == nil; {
		case !there && refused.status != http.StatusNotFound:
			w.t.Errorf("%s: the connection %d: %v", w.name, id, err)
		case there != want && id != w.flight.link:
			w.t.Errorf("%s: the connection %d: there is %t, want %t", w.name, id, there, want)
		default:
			w.links[id] = there
		}
	}
}

// verifyItems compares the writer's own channel.
func (w *writer) verifyItems() {
	w.t.Helper()
	var all []item
	for page := 1; ; page++ {
		items, err := w.contents(100, page)
		if err != nil {
			w.t.Errorf("%s: contents: %v", w.name, err)
			return
		}
		all = append(all, items...)
		for _, i := range items {
			if _, known := w.texts[i.block]; !known {
				w.texts[i.block] = w.flight.text // created by the request in flight
			}
		}
		if len(items) < 100 {
			break
		}
	}
	asItWas := slices.EqualFunc(all, w.items, same)
	carriedOut := w.flight.items != nil && slices.EqualFunc(all, w.flight.items, same)
	if !asItWas && !carriedOut {
		w.t.Errorf("%s: the channel holds\n%v, acknowledged is\n%v, in flight\n%v", w.name, all, w.items, w.flight.items)
	}
	w.items = all
}

// same compares an item with its known ids.
func same(got, known item) bool {
	return (known.block == 0 || known.block == got.block) &&
		(known.connection == 0 || known.connection == got.connection)
}
