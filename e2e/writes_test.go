package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// create adds a block at a random position in the own channel.
func (w *writer) create() error {
	at := w.random.IntN(len(w.items) + 1)
	text := w.text()
	w.flight = flight{items: slices.Insert(slices.Clone(w.items), at, item{}), text: text}
	var made struct{ ID int64 }
	err := w.send(http.MethodPost, "/v3/blocks",
		fields{"value": text, "channels": []fields{{"id": w.own, "position": at + 1}}}, &made)
	if err != nil {
		return err
	}
	w.texts[made.ID] = text
	w.items = slices.Insert(w.items, at, item{block: made.ID})
	return nil
}

// refuse posts a block to the own channel and to a missing one. It must be created in neither.
func (w *writer) refuse() error {
	err := w.send(http.MethodPost, "/v3/blocks", fields{"value": w.text(), "channel_ids": []int64{w.own, 1 << 40}}, nil)
	if refused, ok := errors.AsType[statusError](err); ok && refused.status == http.StatusNotFound {
		return nil
	}
	return cmp.Or(err, errors.New("a block was made in a channel that is not there"))
}

// connect adds a block again that was removed from the own channel.
func (w *writer) connect() (bool, error) {
	block, found := w.anyBlock(func(id int64) bool {
		return !slices.ContainsFunc(w.items, func(i item) bool { return i.block == id })
	})
	if !found {
		return false, nil
	}
	at := w.random.IntN(len(w.items) + 1)
	w.flight.items = slices.Insert(slices.Clone(w.items), at, item{block: block})
	id, err := w.connection(fields{"connectable_id": block, "connectable_type": "Block",
		"channel_ids": []int64{w.own}, "position": at + 1})
	if err != nil {
		return true, err
	}
	w.items = slices.Insert(w.items, at, item{connection: id, block: block})
	return true, nil
}

// move moves an item of the own channel, and compares the position in the response.
func (w *writer) move() (bool, error) {
	from, err := w.anyItem()
	if err != nil {
		return false, err
	}
	top := len(w.items) - 1
	movement := []string{"insert_at", "move_to_top", "move_to_bottom", "move_up", "move_down"}[w.random.IntN(5)]
	body, to := fields{"movement": movement}, 0
	switch movement {
	case "insert_at":
		to = w.random.IntN(top + 1)
		body["position"] = to + 1
	case "move_to_top":
		to = top
	case "move_up":
		to = min(from+1, top)
	case "move_down":
		to = max(from-1, 0)
	}
	moved := w.items[from]
	w.flight.items = slices.Insert(slices.Delete(slices.Clone(w.items), from, from+1), to, moved)
	var answer struct{ Position int }
	if err := w.send(http.MethodPost, fmt.Sprintf("/v3/connections/%d/move", moved.connection), body, &answer); err != nil {
		return true, err
	}
	if answer.Position != to+1 {
		return true, fmt.Errorf("%s from %d: position %d, want %d", movement, from+1, answer.Position, to+1)
	}
	w.items = w.flight.items
	return true, nil
}

// disconnect removes an item from the own channel; its block stays.
func (w *writer) disconnect() (bool, error) {
	at, err := w.anyItem()
	if err != nil {
		return false, err
	}
	w.flight.items = slices.Delete(slices.Clone(w.items), at, at+1)
	err = w.send(http.MethodDelete, fmt.Sprintf("/v3/connections/%d", w.items[at].connection), nil, nil)
	if err == nil {
		w.items = w.flight.items
	}
	return true, err
}

// edit changes the text of a block.
func (w *writer) edit() error {
	block, _ := w.anyBlock(func(int64) bool { return true })
	w.flight.block, w.flight.text = block, w.text()
	err := w.send(http.MethodPut, fmt.Sprintf("/v3/blocks/%d", block), fields{"content": w.flight.text}, nil)
	if err == nil {
		w.texts[block] = w.flight.text
	}
	return err
}

// link connects a block at a random position of the shared channel.
func (w *writer) link() error {
	block, _ := w.anyBlock(func(int64) bool { return true })
	id, err := w.connection(fields{"connectable_id": block, "connectable_type": "Block",
		"channel_ids": []int64{w.shared}, "position": 1 + w.random.IntN(50)})
	if err == nil {
		w.links[id] = true
	}
	return err
}

// unlink removes one of the writer's connections from the shared channel.
func (w *writer) unlink() (bool, error) {
	id, found := pick(w.random, w.links, func(id int64) bool { return w.links[id] })
	if !found {
		return false, nil
	}
	w.flight.link = id
	err := w.send(http.MethodDelete, fmt.Sprintf("/v3/connections/%d", id), nil, nil)
	if err == nil {
		w.links[id] = false
	}
	return true, err
}
