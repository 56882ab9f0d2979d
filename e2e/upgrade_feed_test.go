package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// poets are users who create blocks in their own channels and follow each other. Each follower must
// see everything from followed users, on every node, at any time.
type poets struct {
	t       *testing.T
	people  map[string]*poet
	follows map[string][]string // followed names by follower
	made    []made
}

type poet struct {
	client
	id, channel int64
}

// made is a block with its author.
type made struct {
	by    string
	block int64
}

func (p program) poets(url string, names ...string) *poets {
	all := &poets{t: p.t, people: map[string]*poet{}, follows: map[string][]string{}}
	for _, name := range names {
		one := &poet{client: client{token: p.user(name)}}
		var me, channel struct{ ID int64 }
		all.must(one, url, http.MethodGet, "/v3/me", nil, &me)
		all.must(one, url, http.MethodPost, "/v3/channels", fields{"title": "Poems of " + name, "visibility": "closed"}, &channel)
		one.id, one.channel = me.ID, channel.ID
		all.people[name] = one
	}
	return all
}

func (p *poets) must(who *poet, url, method, path string, body fields, out any) {
	p.t.Helper()
	who.to(url, http.DefaultTransport)
	if err := who.send(method, path, body, out); err != nil {
		p.t.Fatalf("%s %s%s: %v", method, url, path, err)
	}
}

func (p *poets) follow(url, who, whom string) {
	p.t.Helper()
	p.must(p.people[who], url, http.MethodPut, fmt.Sprintf("/ext/v1/users/%d/follow", p.people[whom].id), nil, nil)
	p.follows[who] = append(p.follows[who], whom)
}

func (p *poets) unfollow(url, who, whom string) {
	p.t.Helper()
	p.must(p.people[who], url, http.MethodDelete, fmt.Sprintf("/ext/v1/users/%d/follow", p.people[whom].id), nil, nil)
	p.follows[who] = slices.DeleteFunc(p.follows[who], func(name string) bool { return name == whom })
}

// write creates a block through each node, and lets everyone read their feed.
func (p *poets) write(who string, urls ...string) {
	p.t.Helper()
	poet := p.people[who]
	for i, url := range urls {
		var block struct{ ID int64 }
		p.must(poet, url, http.MethodPost, "/v3/blocks", fields{"value": "A poem", "channel_ids": []int64{poet.channel}}, &block)
		p.made = append(p.made, made{who, block.ID})
		for reader := range p.follows {
			p.reads(urls[len(urls)-1-i], reader)
		}
	}
}

// reads waits until a feed is complete: the newest entries may wait for concurrent transactions.
// Until then, the feed must not skip older entries.
func (p *poets) reads(url, reader string) {
	p.t.Helper()
	want := p.want(reader)
	for {
		got := p.feed(url, reader)
		missing := len(want) - len(got)
		if missing < 0 || !slices.Equal(got, want[missing:]) || p.t.Context().Err() != nil {
			p.t.Fatalf("%s reads %v on %s, want %v", reader, got, url, want)
		}
		if missing == 0 {
			return
		}
	}
}

// want returns the expected feed of a reader, newest first.
func (p *poets) want(reader string) (blocks []int64) {
	for _, m := range slices.Backward(p.made) {
		if slices.Contains(p.follows[reader], m.by) {
			blocks = append(blocks, m.block)
		}
	}
	return blocks
}

// feed reads all pages of a reader's feed, and returns the blocks in it.
func (p *poets) feed(url, reader string) (blocks []int64) {
	p.t.Helper()
	for next := ""; ; {
		var page struct {
			Data []struct {
				Item struct {
					ID   int64
					Type string
				}
			}
			Meta struct {
				Next string `json:"next_cursor"`
			}
		}
		p.must(p.people[reader], url, http.MethodGet, "/v3/me/feed?limit=3"+next, nil, &page)
		for _, story := range page.Data {
			if story.Item.Type == "Text" {
				blocks = append(blocks, story.Item.ID)
			}
		}
		if page.Meta.Next == "" {
			return blocks
		}
		next = "&next=" + page.Meta.Next
	}
}
