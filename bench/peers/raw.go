package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

// rawRequests returns the cases for SQLite itself. The paths are not used.
func (b *bench) rawRequests(name string, n int) (all []drive.Request) {
	switch name {
	case wordFound:
		return []drive.Request{drive.Get(dataset.Uncommon)}
	case newBlock:
		for range n {
			all = append(all, drive.Request{Method: http.MethodPost, Body: b.text()})
		}
	}
	return all
}

// raw runs the small server's statements without a server. The clients share one writing connection.
type raw struct {
	*plain
	ctx     context.Context
	channel int64
}

func (p *plain) raw(ctx context.Context, channel int64) func() (drive.Sender, error) {
	return func() (drive.Sender, error) { return raw{p, ctx, channel}, nil }
}

func (raw) Close() {}

func (s raw) Do(r drive.Prepared, keep *bytes.Buffer) (status int, err error) {
	if r.Method == http.MethodPost {
		id, err := s.create(s.ctx, 1, r.Body, []int64{s.channel})
		return http.StatusCreated, kept(keep, err, plainBlock{ID: id})
	}
	l := plainList{}
	if err := s.found.QueryRowContext(s.ctx, quoted(r.Path)).Scan(&l.Meta.Total); err != nil {
		return 0, err
	}
	rows, err := s.ids.QueryContext(s.ctx, quoted(r.Path), per)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var b plainBlock
		if err := rows.Scan(&b.ID); err != nil {
			return 0, err
		}
		l.Data = append(l.Data, b)
	}
	return http.StatusOK, kept(keep, rows.Err(), l)
}

// kept writes the comparable content of an answer if it is needed.
func kept(keep *bytes.Buffer, err error, answer any) error {
	if err != nil || keep == nil {
		return err
	}
	return json.NewEncoder(keep).Encode(answer)
}
