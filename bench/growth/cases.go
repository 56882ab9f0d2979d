package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

// operation is a case: repeated requests.
type operation struct {
	name   string
	status int
	round  func() ([]drive.Request, error)
	after  func(bodies [][]byte) error // receives the responses; may be nil
}

// each is the number of requests per round of a cheap kind, and few that of writes and searches.
const each, slowRequests = 400, 20

func (s *side) operations() (all []operation) {
	read := func(name string, n int, request func(i int) drive.Request) {
		all = append(all, operation{name: name, status: http.StatusOK, round: func() ([]drive.Request, error) {
			requests := make([]drive.Request, n)
			for i := range requests {
				requests[i] = request(i)
			}
			return requests, nil
		}})
	}
	same := func(name string, n int, path string, header ...string) {
		read(name, n, func(int) drive.Request { return drive.Get(path, header...) })
	}
	mine, readers := bearer(s.made.Token), bearer(s.reader)
	block := func(i int) string { return fmt.Sprint("/v3/blocks/", s.blocks[i%len(s.blocks)]) }
	contents := func(p dataset.Place, page int) string {
		return fmt.Sprintf("/v3/channels/%s/contents?per=24&page=%d", p.Slug, page)
	}
	read("GET block, guest", each, func(i int) drive.Request { return drive.Get(block(i)) })
	read("GET block, token", each, func(i int) drive.Request { return drive.Get(block(i), mine...) })
	same("GET channel, with its counts", each, "/v3/channels/"+s.made.Large.Slug)
	same("GET user, with their counts", each, "/v3/users/"+s.made.User)
	same("page of 24 of a channel of 100, guest", each, contents(s.made.Middle, 1))
	same("page of 24 of a channel of 100, token", each, contents(s.made.Middle, 1), mine...)
	same("page 1 of the large channel", each, contents(s.made.Large, 1))
	read("pages deep in the large channel", each, func(int) drive.Request {
		return drive.Get(contents(s.made.Large, 1+s.rng.IntN(s.made.Large.Items/24)))
	})
	read("the channels that a block is in", slowRequests, func(i int) drive.Request { return drive.Get(block(i) + "/connections?per=24") })
	same("what a user has, page 1", slowRequests, "/v3/users/"+s.made.User+"/contents?per=24")
	same("feed of somebody who follows hundreds", slowRequests, "/v3/me/feed", readers...)
	same("notifications", slowRequests, "/v3/me/notifications", readers...)
	search := func(name, query string) { same("search, "+name, slowRequests, "/v3/search?per=24&"+query, readers...) }
	search("a word that nothing has", "query=zyzzyvaq")
	search("a word in ten blocks", "query=zyxoryx")
	search("an uncommon word", "query="+dataset.Uncommon)
	search("a common word", "query=amber")
	search("two common words", "query=amber+water")
	search("a common word, newest first", "query=amber&sort=created_at_desc")
	search("a common word, by chance", "query=amber&sort=random&seed=7")
	search("a common word in what one follows", "query=amber&scope=following")
	s.inChannel(same)
	search("everything, newest first", "query=*&sort=created_at_desc")
	return append(all, s.writes()...)
}

// inChannel adds searches in the large channel, each as a guest, as its owner, and as somebody who follows hundreds.
func (s *side) inChannel(same func(name string, n int, path string, header ...string)) {
	for _, viewer := range []struct {
		name   string
		header []string
	}{{"", bearer(s.reader)}, {", its owner", bearer(s.made.Token)}} {
		for _, words := range [][2]string{{"a common word", "amber"}, {"an uncommon word", dataset.Uncommon}, {"a word in ten blocks", "zyxoryx"}, {"a word that nothing has", "zyzzyvaq"}} {
			for _, order := range [][2]string{{"", ""}, {", newest first", "&sort=created_at_desc"}} {
				same("search, "+words[0]+" in the large channel"+order[0]+viewer.name, slowRequests,
					fmt.Sprintf("/v3/search?per=24&query=%s&channel_id=%d%s", words[1], s.made.Large.ID, order[1]), viewer.header...)
			}
		}
	}
}

// writes returns operations that change things and keep their number, except for blocks in a separate channel.
func (s *side) writes() []operation {
	n := 0
	connect := func(channel int64, more string) func() ([]drive.Request, error) {
		return func() ([]drive.Request, error) {
			all := make([]drive.Request, slowRequests)
			for i := range all {
				all[i] = s.post("/v3/connections", `{"connectable_id":%d,"connectable_type":"Block","channel_ids":[%d]%s}`,
					s.blocks[i], channel, more)
			}
			return all, nil
		}
	}
	remove := func(path string, ids *[]int64) operation {
		return operation{status: http.StatusNoContent, round: func() ([]drive.Request, error) {
			all := make([]drive.Request, len(*ids))
			for i, id := range *ids {
				all[i] = drive.Request{Method: http.MethodDelete, Path: fmt.Sprint(path, id), Header: bearer(s.made.Token)}
			}
			*ids = nil
			return all, nil
		}}
	}
	// undone returns a case that deletes things created before, without measuring that.
	undone := func(name string, make func() ([]drive.Request, error), path string) operation {
		var ids []int64
		o := remove(path, &ids)
		o.name = name
		measured := o.round
		o.round = func() ([]drive.Request, error) {
			requests, err := make()
			if err != nil {
				return nil, err
			}
			for _, r := range requests {
				id, err := s.makeOne(r)
				if err != nil {
					return nil, err
				}
				ids = append(ids, id)
			}
			return measured()
		}
		return o
	}
	create := func() ([]drive.Request, error) {
		all := make([]drive.Request, slowRequests)
		for i := range all {
			n++
			all[i] = s.post("/v3/blocks", `{"value":"Note %d: a *short* text with a [link](https://www.example.org/%d).","channel_ids":[%d]}`, n, n, s.target)
		}
		return all, nil
	}
	into := connect(s.made.Large.ID, fmt.Sprint(`,"position":`, s.made.Large.Items/2))
	follow := func(method string) func() ([]drive.Request, error) {
		return func() ([]drive.Request, error) {
			return []drive.Request{{Method: method, Path: "/ext/v1/users/" + s.made.User + "/follow", Header: bearer(s.reader)}}, nil
		}
	}
	once := func(method string) func([][]byte) error {
		return func([][]byte) error {
			requests, _ := follow(method)()
			a, err := drive.Record(s.addr, requests[0])
			if err == nil && a.Status >= 300 {
				err = fmt.Errorf("%s: status %d: %.200s", method, a.Status, a.Body)
			}
			return err
		}
	}
	return []operation{
		{name: "POST block into a channel", status: http.StatusCreated, round: create, after: func([][]byte) error { return nil }},
		{name: "POST connection in the middle of the large channel", status: http.StatusCreated, round: into, after: func(bodies [][]byte) error {
			var ids []int64
			for _, b := range bodies {
				id, err := made(b)
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			o := remove("/v3/connections/", &ids)
			requests, err := o.round()
			for _, r := range requests {
				if err == nil {
					err = s.ask(r, o.status, nil)
				}
			}
			return err
		}},
		undone("DELETE connection in the large channel", into, "/v3/connections/"),
		undone("DELETE block", create, "/ext/v1/blocks/"),
		{name: "POST move in the large channel", status: http.StatusOK, after: func([][]byte) error { return nil }, round: s.moves},
		{name: "PUT block", status: http.StatusOK, round: func() ([]drive.Request, error) {
			ids, err := s.owned()
			all := make([]drive.Request, len(ids))
			for i, id := range ids {
				n++
				all[i] = s.post(fmt.Sprint("/v3/blocks/", id), `{"title":"Note %d"}`, n)
				all[i].Method = http.MethodPut
			}
			return all, err
		}},
		{name: "follow somebody", status: http.StatusOK, round: follow(http.MethodPut), after: once(http.MethodDelete)},
		{name: "end that", status: http.StatusNoContent, round: func() ([]drive.Request, error) {
			if err := once(http.MethodPut)(nil); err != nil {
				return nil, err
			}
			return follow(http.MethodDelete)()
		}},
	}
}

// makeOne creates a block or a connection and returns its id.
func (s *side) makeOne(r drive.Request) (int64, error) {
	a, err := drive.Record(s.addr, r)
	if err != nil || a.Status != http.StatusCreated {
		return 0, fmt.Errorf("%s: status %d: %.300s (%v)", r.Path, a.Status, a.Body, err)
	}
	return made(a.Body)
}

// made returns the id in the response of a creation.
func made(body []byte) (int64, error) {
	var one struct {
		ID   int64 `json:"id"`
		Data []struct {
			ID int64 `json:"id"`
		} `json:"data"`
	}
	err := json.Unmarshal(body, &one)
	if err == nil && one.ID == 0 && len(one.Data) == 1 {
		one.ID = one.Data[0].ID
	}
	if err == nil && one.ID == 0 {
		err = fmt.Errorf("an unexpected answer: %.200s", body)
	}
	return one.ID, err
}

// sample returns the ids of the items on a page of the large channel, and of its connections.
func (s *side) sample() (connections, blocks []int64, err error) {
	var list struct {
		Data []struct {
			ID         int64 `json:"id"`
			Connection struct {
				ID int64 `json:"id"`
			} `json:"connection"`
		} `json:"data"`
	}
	err = s.ask(drive.Get(fmt.Sprintf("/v3/channels/%s/contents?per=24&page=%d", s.made.Large.Slug, 1+s.rng.IntN(s.made.Large.Items/24))), http.StatusOK, &list)
	for _, item := range list.Data {
		connections, blocks = append(connections, item.Connection.ID), append(blocks, item.ID)
	}
	return connections, blocks, err
}

// owned returns blocks of the writing user.
func (s *side) owned() ([]int64, error) {
	_, blocks, err := s.sample()
	return blocks[:min(slowRequests, len(blocks))], err
}

func (s *side) moves() ([]drive.Request, error) {
	connections, _, err := s.sample()
	all := make([]drive.Request, min(slowRequests, len(connections)))
	for i := range all {
		all[i] = s.post(fmt.Sprintf("/v3/connections/%d/move", connections[i]), `{"movement":"insert_at","position":%d}`, 1+s.rng.IntN(s.made.Large.Items))
	}
	return all, err
}
