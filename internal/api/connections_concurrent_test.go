package api_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/apptest"
)

// atOnce sends n concurrent requests and returns the responses. A server error, or a request that reached its deadline,
// fails the test.
func atOnce(t *testing.T, n int, send func(i int) *apptest.Response) []*apptest.Response {
	t.Helper()
	answers, start := make([]*apptest.Response, n), make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			answers[i] = send(i)
		})
	}
	close(start)
	all.Wait()
	for i, res := range answers {
		if res != nil && (res.Status >= 500 || res.Status == 408) {
			t.Errorf("request %d: status %d: %s", i, res.Status, res.Body)
		}
	}
	return answers
}

// statuses counts the responses by status.
func statuses(answers []*apptest.Response) string {
	n := map[int]int{}
	for _, res := range answers {
		n[res.Status]++
	}
	return fmt.Sprint(n)
}

// dense checks that a channel's positions are 1..n and that its counts match its contents.
func dense(r *apptest.Rig, channel int64) {
	r.T.Helper()
	var positions []int64
	for page := int64(1); page > 0; {
		res := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc&per=100&page=%d", channel, page)
		positions = append(positions, res.Ints("data", "connection.position")...)
		if page++; !res.Bool("meta.has_more_pages") {
			page = 0
		}
	}
	for i, position := range positions {
		if position != int64(i)+1 {
			r.T.Errorf("channel %d: %v", channel, positions)
			break
		}
	}
	if n := r.Get("ada", "/v3/channels/%d", channel).Int("counts.contents"); n != int64(len(positions)) {
		r.T.Errorf("channel %d counts %d items and lists %d", channel, n, len(positions))
	}
}

// TestBusyChannel: twenty people concurrently create, connect, move and remove in one channel.
func TestBusyChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Busy", "public")
		var items []int64
		for i := range 5 {
			items = append(items, r.Channel("ada", fmt.Sprint("Item ", i), "closed"))
			r.Block("ada", fmt.Sprint("Block ", i), channel)
		}
		atOnce(t, 20, func(worker int) *apptest.Response {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 6 {
				if res := meddle(r, random, channel, items); res.Status >= 500 || res.Status == 408 {
					return res
				}
			}
			return nil
		})
		dense(r, channel)
	})
}

// meddle changes a channel at random.
func meddle(r *apptest.Rig, random *rand.Rand, channel int64, items []int64) *apptest.Response {
	at := 1 + random.IntN(12)
	contents := r.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents?per=4&page=%d", channel, 1+at%2), nil)
	connection := "/v3/connections/0"
	if contents.Status == 200 && contents.Len("data") > 0 {
		connections := contents.Ints("data", "connection.id")
		connection = fmt.Sprint("/v3/connections/", connections[random.IntN(len(connections))])
	}
	switch random.IntN(6) {
	case 0:
		return r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "New", "channel_ids": []int64{channel}})
	case 1:
		return r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "New", "channel_ids": []int64{channel}, "insert_at": at})
	case 2:
		return r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": "Channel",
			"connectable_id": items[random.IntN(len(items))], "channel_ids": []int64{channel}, "position": at})
	case 3:
		return r.Do("ada", "POST", connection+"/move", map[string]any{"movement": "insert_at", "position": at})
	case 4:
		return r.Do("ada", "POST", connection+"/move", map[string]any{"movement": []string{"move_to_top", "move_to_bottom", "move_up", "move_down"}[at%4]})
	}
	return r.Do("ada", "DELETE", connection, nil)
}

// TestTangledChannels: channels that contain each other are connected, opened, closed and changed concurrently, in every
// order.
func TestTangledChannels(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var channels []int64
		for i := range 4 {
			channels = append(channels, r.Channel("ada", fmt.Sprint("Tangle ", i), "closed"))
		}
		block := r.Block("ada", "Everywhere", channels...)
		atOnce(t, 20, func(worker int) *apptest.Response {
			random := rand.New(rand.NewPCG(2, uint64(worker)))
			for range 6 {
				some := slices.Clone(channels)
				random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
				if res := tangle(r, random.IntN(6), block, some); res.Status >= 500 || res.Status == 408 {
					return res
				}
			}
			return nil
		})
		for _, channel := range channels {
			dense(r, channel)
		}
	})
}

func tangle(r *apptest.Rig, what int, block int64, channels []int64) *apptest.Response {
	first := fmt.Sprint("/v3/channels/", channels[0])
	switch what {
	case 0:
		return r.Do("ada", "PUT", first, `{"visibility":"private"}`)
	case 1:
		return r.Do("ada", "PUT", first, `{"visibility":"public","description":"Open"}`)
	case 2:
		return r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": "Channel",
			"connectable_id": channels[0], "channel_ids": channels[1:], "position": 1})
	case 3:
		return r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "New", "channel_ids": channels})
	case 4:
		return r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", block), `{"content":"Changed"}`)
	}
	contents := r.Do("ada", "GET", first+"/contents?sort=created_at_asc", nil)
	if contents.Status != 200 || contents.Len("data") == 0 {
		return contents
	}
	return r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", contents.Int("data.0.connection.id")), nil)
}

// TestConnectAtOnce: concurrent requests connect an item once.
func TestConnectAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a, b := r.Channel("ada", "A", "public"), r.Channel("ada", "B", "public")
		item := r.Channel("ada", "Item", "closed")
		for kind, id := range map[string]int64{"Channel": item, "Block": r.Block("ada", "Block", item)} {
			before := contentCounts(r, a, b)
			answers := atOnce(t, 20, func(i int) *apptest.Response {
				targets := []int64{a, b}
				if i%2 == 1 {
					targets = []int64{b, a}
				}
				return r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": kind, "connectable_id": id, "channel_ids": targets})
			})
			connections := map[int64]bool{}
			for _, res := range answers {
				for _, connection := range res.Want(201).Ints("data", "id") {
					connections[connection] = true
				}
			}
			after := contentCounts(r, a, b)
			if len(connections) != 2 || after[0] != before[0]+1 || after[1] != before[1]+1 {
				t.Errorf("%s: connections %v, counts %v became %v", kind, connections, before, after)
			}
		}
	})
}

// TestRemoveAtOnce: concurrent requests remove a connection once.
func TestRemoveAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		w := newRow(r, "abc")
		answers := atOnce(t, 10, func(int) *apptest.Response { return r.Do("ada", "DELETE", w.at("b"), nil) })
		if got := statuses(answers); got != "map[204:1 404:9]" {
			t.Errorf("answers %s", got)
		}
		if got := w.letters(); got != "ac" {
			t.Errorf("left %q", got)
		}
	})
}
