package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

// rawRequests returns the cases for the database itself: the method is the case, the path what to read or where to write.
func (b *bench) rawRequests(name string, n int) (all []drive.Request) {
	made := b.data.made
	switch name {
	case getBlock:
		for _, id := range b.blocks {
			all = append(all, drive.Request{Method: name, Path: strconv.FormatInt(id, 10)})
		}
	case firstPage:
		all = []drive.Request{{Method: name, Path: made.Middle.Slug, Body: "1"}}
	case deepPage:
		all = []drive.Request{{Method: name, Path: made.Large.Slug, Body: strconv.Itoa(b.deep())}}
	case wordFound:
		all = []drive.Request{{Method: name, Path: dataset.Uncommon}}
	case newBlock, newBlocks:
		for range n {
			text, channel := b.text(name)
			all = append(all, drive.Request{Method: name, Path: strconv.FormatInt(channel, 10), Body: text})
		}
	}
	return all
}

// raw runs the small server's statements without a server.
type raw struct {
	*plain
	ctx context.Context
}

func (p *plain) raw(ctx context.Context) func() (drive.Sender, error) {
	return func() (drive.Sender, error) { return raw{p, ctx}, nil }
}

func (raw) Close() {}

func (s raw) Do(r drive.Prepared, keep *bytes.Buffer) (status int, err error) {
	n, _ := strconv.ParseInt(r.Path, 10, 64) // 0 for slugs and words
	status = http.StatusOK
	var answer any
	switch r.Method {
	case getBlock:
		answer, err = s.block(s.ctx, n)
	case firstPage, deepPage:
		at, wrong := strconv.ParseInt(r.Body, 10, 64)
		if wrong != nil {
			return 0, wrong
		}
		answer, err = s.contents(s.ctx, r.Path, at, per)
	case wordFound:
		answer, err = s.matches(r.Path)
	default:
		var id int64
		id, err = s.create(s.ctx, 1, r.Body, []int64{n})
		answer, status = plainBlock{ID: id}, http.StatusCreated
	}
	if err != nil || keep == nil { // only the first answer is compared
		return status, err
	}
	return status, json.NewEncoder(keep).Encode(answer)
}

// matches counts matches, and reads the ids of the first.
func (s raw) matches(text string) (l plainList, err error) {
	if err := s.row(s.ctx, s.found, s.query(text)).Scan(&l.Meta.Total); err != nil {
		return l, err
	}
	rows, err := s.rows(s.ctx, s.ids, s.query(text), per)
	if err != nil {
		return l, err
	}
	for rows.Next() {
		var b plainBlock
		if err := rows.Scan(&b.ID); err != nil {
			return l, err
		}
		l.Data = append(l.Data, b)
	}
	if err := rows.Err(); err != nil {
		return l, err
	}
	return l, rows.Close()
}
