package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

// writers is the number of clients that change one channel concurrently.
const writers = 4

func (b *bench) post(path, format string, args ...any) drive.Request {
	return drive.Request{Method: http.MethodPost, Path: path, Body: fmt.Sprintf(format, args...), Header: []string{b.authorization()}}
}

// creates measures creating blocks in one channel, and in many, so that two clients rarely write to the same one. The
// blocks are deleted at the end.
func (b *bench) creates(channels []int64) group {
	made := 0
	into := func(name string, channels []int64) subject {
		return subject{name: name, clients: 16, status: http.StatusCreated, after: func([][]byte) error { return nil },
			round: func() ([]drive.Request, error) {
				all := make([]drive.Request, b.writes)
				for i := range all {
					made++
					all[i] = b.post("/v3/blocks", `{"value":"Note %d: a *short* text with a [link](https://www.example.org/%d).","channel_ids":[%d]}`,
						made, made, channels[made%len(channels)])
				}
				return all, nil
			}}
	}
	return group{subjects: []subject{into("POST block into a channel, 16 clients", channels[:1]), into("POST block into 64 channels, 16 clients", channels)}}
}

// inserts compares connecting blocks in the middle of both channels, always at the same position, which uses up keys as
// fast as possible.
func (b *bench) inserts() group {
	into := func(name string, p dataset.Place) subject {
		return subject{name: name, clients: writers, status: http.StatusCreated, after: b.disconnect,
			round: func() ([]drive.Request, error) {
				all := make([]drive.Request, min(b.writes, len(b.blocks)))
				for i := range all {
					all[i] = b.post("/v3/connections", `{"connectable_id":%d,"connectable_type":"Block","channel_ids":[%d],"position":%d}`,
						b.blocks[i], p.ID, p.Items/2)
				}
				return all, nil
			}}
	}
	return group{against: 1, subjects: []subject{
		into("POST connection in the middle of the large channel", b.made.Large),
		into("POST connection in the middle of the small channel", b.made.Small)}}
}

// disconnect undoes connecting.
func (b *bench) disconnect(bodies [][]byte) error {
	for _, body := range bodies {
		var made struct {
			Data []struct {
				ID int64 `json:"id"`
			} `json:"data"`
		}
		if err := json.Unmarshal(body, &made); err != nil || len(made.Data) != 1 {
			return fmt.Errorf("an unexpected answer: %.200s", body)
		}
		if err := b.remove(fmt.Sprintf("/v3/connections/%d", made.Data[0].ID)); err != nil {
			return err
		}
	}
	return nil
}

// moves compares moving items between random positions.
func (b *bench) moves() group {
	into := func(name string, p dataset.Place, ids []int64) subject {
		return subject{name: name, clients: writers, status: http.StatusOK, after: func([][]byte) error { return nil },
			round: func() ([]drive.Request, error) {
				all := make([]drive.Request, b.writes)
				for i := range all {
					all[i] = b.post(fmt.Sprintf("/v3/connections/%d/move", ids[b.rng.IntN(len(ids))]),
						`{"movement":"insert_at","position":%d}`, 1+b.rng.IntN(p.Items))
				}
				return all, nil
			}}
	}
	return group{against: 1, subjects: []subject{
		into("POST move in the large channel", b.made.Large, b.sample[0]),
		into("POST move in the small channel", b.made.Small, b.sample[1])}}
}

// updates compares changing blocks in one or the other channel.
func (b *bench) updates() group {
	of := func(name string, ids []int64) subject {
		made := 0
		return subject{name: name, clients: writers, status: http.StatusOK, after: func([][]byte) error { return nil },
			round: func() ([]drive.Request, error) {
				all := make([]drive.Request, b.writes)
				for i := range all {
					made++
					all[i] = b.post(fmt.Sprintf("/v3/blocks/%d", ids[b.rng.IntN(len(ids))]), `{"title":"Note %d"}`, made)
					all[i].Method = http.MethodPut
				}
				return all, nil
			}}
	}
	return group{against: 1, subjects: []subject{
		of("PUT block in the large channel", b.items[0]),
		of("PUT block in the small channel", b.items[1])}}
}

// newChannel creates a channel and returns its id.
func (b *bench) newChannel(title, visibility string) (int64, error) {
	a, err := drive.Record(b.addr, b.post("/v3/channels", `{"title":%q,"visibility":%q}`, title, visibility))
	var made struct {
		ID int64 `json:"id"`
	}
	if err == nil && a.Status != http.StatusCreated {
		err = fmt.Errorf("making a channel: status %d: %s", a.Status, a.Body)
	}
	if err == nil {
		err = json.Unmarshal(a.Body, &made)
	}
	return made.ID, err
}

// hide puts a private channel into the large and the small channel.
func (b *bench) hide(channel int64) error {
	a, err := drive.Record(b.addr, b.post("/v3/connections", `{"connectable_id":%d,"connectable_type":"Channel","channel_ids":[%d,%d]}`,
		channel, b.made.Large.ID, b.made.Small.ID))
	if err == nil && a.Status != http.StatusCreated {
		err = fmt.Errorf("connecting a channel: status %d: %s", a.Status, a.Body)
	}
	return err
}

func (b *bench) remove(path string) error {
	a, err := drive.Record(b.addr, drive.Request{Method: http.MethodDelete, Path: path, Header: []string{b.authorization()}})
	if err == nil && a.Status != http.StatusNoContent {
		err = fmt.Errorf("DELETE %s: status %d: %s", path, a.Status, a.Body)
	}
	return err
}
