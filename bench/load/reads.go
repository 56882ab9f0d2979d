package main

import (
	"fmt"
	"net/http"
	"slices"

	"vitrine/bench/drive"
)

func (b *bench) authorization() string { return "Authorization: Bearer " + b.made.Token }

// contents returns the path of a page of a channel.
func contents(slug string, page int, more string) string {
	return fmt.Sprintf("/v3/channels/%s/contents?page=%d&per=24%s", slug, page, more)
}

func lastPage(items int) int { return (items + 23) / 24 }

// read returns a subject that repeats the same requests.
func read(name string, requests ...drive.Request) subject {
	return subject{name: name, status: http.StatusOK, round: fixed(requests...)}
}

// reads returns the requests of ordinary size.
func (b *bench) reads() ([]group, error) {
	blocks := make([]drive.Request, len(b.blocks))
	for i, id := range b.blocks {
		blocks[i] = drive.Get(fmt.Sprintf("/v3/blocks/%d", id))
	}
	signed := slices.Clone(blocks)
	for i := range signed {
		signed[i].Header = []string{b.authorization()}
	}
	channel := "/v3/channels/" + b.made.Middle.Slug
	current, err := drive.Record(b.addr, drive.Get(channel))
	if err != nil {
		return nil, err
	}
	unchanged := read("GET channel, If-None-Match: 304", drive.Get(channel, "If-None-Match: "+current.Header.Get("ETag")))
	unchanged.status = http.StatusNotModified
	page := contents(b.made.Middle.Slug, 1, "")
	return []group{
		{subjects: []subject{read("GET block, guest", blocks...)}},
		{subjects: []subject{read("GET block, token", signed...)}},
		{subjects: []subject{read("GET channel", drive.Get(channel))}},
		{subjects: []subject{unchanged}},
		{subjects: []subject{read("GET contents, 24 items, guest", drive.Get(page))}},
		{subjects: []subject{read("GET contents, 24 items, token", drive.Get(page, b.authorization()))}},
		{subjects: []subject{read("GET contents, 24 items, gzip", drive.Get(page, "Accept-Encoding: gzip"))}},
		{subjects: []subject{
			read("GET channel of version 2 with 100 items", drive.Get("/v2/channels/"+b.made.Middle.Slug+"?per=100")),
			read("GET contents, 100 items", drive.Get("/v3/channels/"+b.made.Middle.Slug+"/contents?per=100"))}},
	}, nil
}

// pages compares pages of the large channel with pages of the small one; what describes both in the report.
func (b *bench) pages(what string) []group {
	large, small := b.made.Large, b.made.Small
	deepLarge, deepSmall := lastPage(large.Items)/2, lastPage(small.Items)/2
	page := func(name, slug string, number int, more string) subject {
		return read(name+what, drive.Get(contents(slug, number, more)))
	}
	return []group{
		{against: 1, subjects: []subject{
			page("large channel, page 1", large.Slug, 1, ""),
			page("small channel, page 1", small.Slug, 1, "")}},
		{against: 3, subjects: []subject{
			page("large channel, page 1,000", large.Slug, min(1000, lastPage(large.Items)), ""),
			page("large channel, page in the middle", large.Slug, deepLarge, ""),
			page("large channel, last page", large.Slug, lastPage(large.Items), ""),
			page("small channel, page in the middle", small.Slug, deepSmall, "")}},
		{against: 1, subjects: []subject{
			page("large channel, created_at_desc, page in the middle", large.Slug, deepLarge, "&sort=created_at_desc"),
			page("small channel, created_at_desc, page in the middle", small.Slug, deepSmall, "&sort=created_at_desc")}},
		{against: 1, subjects: []subject{
			page("large channel, updated_at_desc, page in the middle", large.Slug, deepLarge, "&sort=updated_at_desc"),
			page("small channel, updated_at_desc, page in the middle", small.Slug, deepSmall, "&sort=updated_at_desc")}},
		{against: 1, subjects: []subject{
			page("large channel, updated_at_desc, last page", large.Slug, lastPage(large.Items), "&sort=updated_at_desc"),
			page("small channel, updated_at_desc, last page", small.Slug, lastPage(small.Items), "&sort=updated_at_desc")}},
		{against: 1, subjects: []subject{
			page("large channel, of who added all, page in the middle", large.Slug, deepLarge, b.ofOwner),
			page("small channel, of who added all, page in the middle", small.Slug, deepSmall, b.ofOwner)}},
	}
}

// connections compare reading one connection.
func (b *bench) connections() []group {
	subjects := make([]subject, 2)
	for i, name := range []string{"GET connection in the large channel", "GET connection in the small channel"} {
		var requests []drive.Request
		for _, id := range b.sample[i] {
			requests = append(requests, drive.Get(fmt.Sprintf("/v3/connections/%d", id)))
		}
		subjects[i] = read(name, requests...)
	}
	return []group{{against: 1, subjects: subjects}}
}
