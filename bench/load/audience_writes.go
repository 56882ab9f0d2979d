package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

// writesPerRound is the number of requests in a round of writes if each needs its own person or preparation.
const writesPerRound = 10

// write returns a subject with one client that writes, and calls undo for each response unless it is nil.
func write(name string, status int, round func() ([]drive.Request, error), undo func(body []byte) error) subject {
	return subject{name: name, clients: 1, status: status, round: round, after: func(bodies [][]byte) error {
		for _, body := range bodies {
			if undo == nil {
				continue
			}
			if err := undo(body); err != nil {
				return err
			}
		}
		return nil
	}}
}

// channelOf returns the channel that a person writes to. It creates the channel on the first call.
func (b *bench) channelOf(name string) (int64, error) {
	if id, ok := b.channels[name]; ok {
		return id, nil
	}
	var made struct {
		ID int64 `json:"id"`
	}
	err := b.got(b.as(name, "POST", "/v3/channels", `{"title":"Room of %s","visibility":"closed"}`, name), http.StatusCreated, &made)
	if b.channels == nil {
		b.channels = map[string]int64{}
	}
	b.channels[name] = made.ID
	return made.ID, err
}

// connected returns the requests that connect n blocks of a person.
func (b *bench) connected(name string, n int) (all []drive.Request, err error) {
	channel, err := b.channelOf(name)
	for i := range min(int64(n), b.audience.Blocks) {
		all = append(all, b.as(name, "POST", "/v3/connections", `{"connectable_id":%d,"connectable_type":"Block","channel_ids":[%d]}`,
			b.audience.FirstBlock+i, channel))
	}
	return all, err
}

type connections struct {
	Data []struct {
		ID int64 `json:"id"`
	} `json:"data"`
}

// posts compares connecting, disconnecting and deleting a block by the number of a person's followers.
func (b *bench) posts() ([]group, error) {
	var connect, disconnect, remove group
	names := []string{dataset.Star}
	for _, n := range slices.Backward(dataset.Followed) {
		names = append(names, dataset.FollowedBy(n))
	}
	for _, name := range append(names, dataset.Twin) {
		connect.subjects = append(connect.subjects, write("POST connection by "+name, http.StatusCreated,
			func() ([]drive.Request, error) { return b.connected(name, min(b.writes, 50)) },
			func(body []byte) error { return b.undone(name, body) }))
		disconnect.subjects = append(disconnect.subjects, write("DELETE connection by "+name, http.StatusNoContent,
			func() ([]drive.Request, error) { return b.prepared(name, writesPerRound, b.connection) }, nil))
		remove.subjects = append(remove.subjects, write("DELETE block by "+name, http.StatusNoContent,
			func() ([]drive.Request, error) { return b.prepared(name, writesPerRound, b.block) }, nil))
	}
	all := []group{connect, disconnect, remove}
	for i := range all {
		all[i].against = len(names)
	}
	return all, nil
}

// prepared creates n things and returns the requests that delete them.
func (b *bench) prepared(name string, n int, one func(name string, i int) (drive.Request, error)) (all []drive.Request, err error) {
	for i := range n {
		r, err := one(name, i)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func (b *bench) connection(name string, i int) (drive.Request, error) {
	all, err := b.connected(name, i+1)
	if err != nil {
		return drive.Request{}, err
	}
	var made connections
	if err := b.got(all[i], http.StatusCreated, &made); err != nil {
		return drive.Request{}, err
	}
	return b.as(name, "DELETE", fmt.Sprintf("/v3/connections/%d", made.Data[0].ID), ""), nil
}

func (b *bench) block(name string, i int) (drive.Request, error) {
	channel, err := b.channelOf(name)
	if err != nil {
		return drive.Request{}, err
	}
	var made struct {
		ID int64 `json:"id"`
	}
	err = b.got(b.as(name, "POST", "/v3/blocks", `{"value":"Note %d","channel_ids":[%d]}`, i, channel), http.StatusCreated, &made)
	return b.as(name, "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", made.ID), ""), err
}

// undone removes the connection of a response.
func (b *bench) undone(name string, body []byte) error {
	var made connections
	if err := json.Unmarshal(body, &made); err != nil {
		return err
	}
	for _, c := range made.Data {
		err := b.got(b.as(name, "DELETE", fmt.Sprintf("/v3/connections/%d", c.ID), ""), http.StatusNoContent, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// follows compares following and unfollowing a person with many followers, one with thousands of activities, and one
// with few followers and no activities.
func (b *bench) follows() ([]group, error) {
	var start, stop group
	for _, p := range []struct {
		name string
		id   int64
	}{{dataset.Star, b.audience.People[dataset.Star].ID}, {"one who did much", b.audience.Productive}, {dataset.SmallReader, b.audience.People[dataset.SmallReader].ID}} {
		at := fmt.Sprintf("/ext/v1/users/%d/follow", p.id)
		all := func(method string) (requests []drive.Request) {
			for _, n := range dataset.Followed {
				requests = append(requests, b.as(dataset.FollowedBy(n), method, at, ""))
			}
			return append(requests, b.as(dataset.Twin, method, at, ""), b.as(dataset.Inbox, method, at, ""))
		}
		apply := func(method string, status int) error {
			for _, r := range all(method) {
				if err := b.got(r, status, nil); err != nil {
					return err
				}
			}
			return nil
		}
		follow := write("follow "+p.name, http.StatusOK, fixed(all("PUT")...), nil)
		follow.after = func([][]byte) error { return apply("DELETE", http.StatusNoContent) }
		start.subjects = append(start.subjects, follow)
		stop.subjects = append(stop.subjects, write("unfollow "+p.name, http.StatusNoContent,
			func() ([]drive.Request, error) { return all("DELETE"), apply("PUT", http.StatusOK) }, nil))
	}
	start.against, stop.against = 2, 2
	return []group{start, stop}, nil
}

// marks compares reading all notifications, and then the list of unread ones.
func (b *bench) marks() (all []group, err error) {
	marks := group{against: 1}
	for _, name := range []string{dataset.Inbox, dataset.SmallInbox} {
		marks.subjects = append(marks.subjects, write("mark all read by "+name, http.StatusOK,
			fixed(slices.Repeat([]drive.Request{b.as(name, "POST", "/v3/me/notifications/read", "")}, writesPerRound)...), nil))
	}
	unread, err := b.leaves("notifications?unread=true after that", "/v3/me/notifications?limit=24&unread=true", 1, dataset.Inbox, dataset.SmallInbox)
	return []group{marks, unread}, err
}

// ends compares changing and deleting a channel with many followers to one with few. Each run deletes channels that
// bench/gen created for this, so it can only be measured once.
func (b *bench) ends() ([]group, error) {
	hide, end := group{against: 1}, group{against: 1}
	left := map[string][]int64{"10,000 followers": b.audience.Crowded, "10 followers": b.audience.Quiet}
	for _, name := range []string{"10,000 followers", "10 followers"} {
		turn := func(to string) (all []drive.Request) {
			for _, id := range left[name] {
				all = append(all, b.as(dataset.Star, "PUT", fmt.Sprintf("/v3/channels/%d", id), `{"visibility":%q}`, to))
			}
			return all
		}
		private := write("make a channel with "+name+" private", http.StatusOK, func() ([]drive.Request, error) { return turn("private"), nil }, nil)
		private.after = func([][]byte) error {
			for _, r := range turn("closed") {
				if err := b.got(r, http.StatusOK, nil); err != nil {
					return err
				}
			}
			return nil
		}
		hide.subjects = append(hide.subjects, private)
		end.subjects = append(end.subjects, write("DELETE channel with "+name, http.StatusNoContent, func() ([]drive.Request, error) {
			if len(left[name]) == 0 {
				return nil, fmt.Errorf("all channels that were made to be deleted are gone")
			}
			id := left[name][0]
			left[name] = left[name][1:]
			return []drive.Request{b.as(dataset.Star, "DELETE", fmt.Sprintf("/v3/channels/%d", id), "")}, nil
		}, nil))
	}
	return []group{hide, end}, nil
}
