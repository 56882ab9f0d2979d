package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

// audienceCases measures feeds, notifications and followers, each as a ratio to somebody with few.
func (b *bench) audienceCases(ctx context.Context) error {
	fmt.Fprintln(b.out, head)
	for _, cases := range []func() ([]group, error){b.feeds, b.inboxes, b.audiences, b.posts, b.follows, b.marks, b.ends} {
		groups, err := cases()
		if err == nil {
			err = b.measure(ctx, groups)
		}
		if err != nil {
			return errors.Join(err, b.sweep())
		}
	}
	return b.sweep()
}

// as returns a request by the person with a name.
func (b *bench) as(name, method, path, format string, args ...any) drive.Request {
	r := drive.Request{Method: method, Path: path, Header: []string{"Authorization: Bearer " + b.audience.People[name].Token}}
	if format != "" {
		r.Body = fmt.Sprintf(format, args...)
	}
	return r
}

// got sends a request of a preparation or an undo, and decodes the response into v unless that is nil.
func (b *bench) got(r drive.Request, want int, v any) error {
	a, err := drive.Record(b.addr, r)
	if err == nil && a.Status != want {
		err = fmt.Errorf("%s %s: status %d, want %d: %s", r.Method, r.Path, a.Status, want, a.Body)
	}
	if err == nil && v != nil {
		err = json.Unmarshal(a.Body, v)
	}
	return err
}

// leaf returns the path of the n-th page of a list with cursors, or of the last one.
func (b *bench) leaf(name, list string, n int) (string, error) {
	at := list
	for range n - 1 {
		var page struct {
			Meta struct {
				Next string `json:"next_cursor"`
			} `json:"meta"`
		}
		if err := b.got(b.as(name, "GET", at, ""), http.StatusOK, &page); err != nil || page.Meta.Next == "" {
			return at, err
		}
		at = list + "&next=" + page.Meta.Next
	}
	return at, nil
}

// leaves compares the n-th page of a list for several people. The last person is the reference.
func (b *bench) leaves(what, list string, n int, names ...string) (g group, err error) {
	g.against = len(names) - 1
	for _, name := range names {
		at, err := b.leaf(name, list, n)
		if err != nil {
			return g, err
		}
		g.subjects = append(g.subjects, read(fmt.Sprintf("%s, page %d of %s", what, n, name), b.as(name, "GET", at, "")))
	}
	return g, nil
}

func (b *bench) feeds() (all []group, err error) {
	readers := []string{dataset.Reader, dataset.Silent}
	for _, n := range dataset.Following {
		readers = append(readers, dataset.ReaderOf(n))
	}
	first, err := b.leaves("feed", "/v3/me/feed?limit=24", 1, append(readers, dataset.SmallReader)...)
	if err != nil {
		return nil, err
	}
	for _, n := range []int{3, 100} {
		later, err := b.leaves("feed", "/v3/me/feed?limit=24", n, dataset.Reader, dataset.SmallReader)
		if err != nil {
			return nil, err
		}
		all = append(all, later)
	}
	return append([]group{first}, all...), nil
}

func (b *bench) inboxes() (all []group, err error) {
	for _, p := range []struct {
		list string
		page int
	}{{"/v3/me/notifications?limit=24", 1}, {"/v3/me/notifications?limit=24&unread=true", 1}, {"/v3/me/notifications?limit=24", 3}} {
		g, err := b.leaves(p.list[len("/v3/me/"):], p.list, p.page, dataset.Inbox, dataset.SmallInbox)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	deep, err := b.leaf(dataset.Inbox, "/v3/me/notifications?limit=24", 400)
	all[2].subjects = slices.Insert(all[2].subjects, 0, read("notifications, page 400 of "+dataset.Inbox, b.as(dataset.Inbox, "GET", deep, "")))
	all[2].against++
	return all, err
}

// audiences compares pages of followers.
func (b *bench) audiences() (all []group, err error) {
	few := dataset.FollowedBy(100)
	for _, per := range []int{24, 100} {
		page := func(name string, number int) subject {
			at := fmt.Sprintf("/v3/users/%s/followers?per=%d&page=%d", b.audience.People[name].Slug, per, number)
			return read(fmt.Sprintf("followers of %s, page %d of %d", name, number, per), b.as(dataset.Twin, "GET", at, ""))
		}
		last := int(b.audience.People[dataset.Star].Followers) / per
		all = append(all, group{against: 3, subjects: []subject{page(dataset.Star, 1), page(dataset.Star, min(1000, last)), page(dataset.Star, last), page(few, 1)}})
	}
	return all, nil
}

// sweep deletes what the measurements created.
func (b *bench) sweep() (err error) {
	for name, id := range b.channels {
		err = errors.Join(err, b.got(b.as(name, "DELETE", fmt.Sprintf("/v3/channels/%d", id), ""), http.StatusNoContent, nil))
	}
	return err
}

// decode reads the output of bench/gen.
func decode(text io.Reader, people bool) (made dataset.Made, audience *dataset.Audience, err error) {
	d := json.NewDecoder(text)
	if people {
		audience = new(dataset.Audience)
		return made, audience, d.Decode(audience)
	}
	return made, nil, d.Decode(&made)
}
