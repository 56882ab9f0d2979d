package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
	"vitrine/internal/config"
	"vitrine/internal/obs"
	"vitrine/internal/server"
)

// bench is a run of measurements.
type bench struct {
	rounds, requests, writes, workers int
	time                              time.Duration
	only                              *regexp.Regexp
	skipBare                          bool // without the bare handler
	count                             bool // only count statements
	statements                        atomic.Int64
	netHTTP                           bool // with the client of net/http
	out                               io.Writer
	made                              dataset.Made
	audience                          *dataset.Audience // nil unless measuring people
	channels                          map[string]int64  // channels created for people while measuring

	addr     string // of Vitrine
	bare     *drive.Bare
	bareAddr string
	rng      *rand.Rand
	blocks   []int64    // visible to everybody
	sample   [2][]int64 // connections of the large and of the small channel
	items    [2][]int64 // the items of these connections
	ofOwner  string     // filter by the user who owns both channels
	cookie   string     // of a browser signed in as that user

	followsCookie string // of a browser signed in as a user who follows hundreds
}

// run starts both servers in this process, each on its own port, and measures.
func (b *bench) run(ctx context.Context, cfg config.Config) (err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	bl, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, l.Close())
	}
	// The log is formatted and written as in production, but to /dev/null.
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return errors.Join(err, l.Close(), bl.Close())
	}
	defer func() { _ = null.Close() }()
	log, err := obs.Logger(null, cfg.LogFormat, cfg.LogLevel)
	if err != nil {
		return err
	}
	b.addr, b.bareAddr, b.bare = l.Addr().String(), bl.Addr().String(), new(drive.Bare)
	cfg.BaseURL, cfg.SiteURL = "http://"+b.addr, "http://"+b.addr
	options := server.Options{Log: log, Version: "bench"}
	if b.count {
		options.Observe = func(context.Context, string, bool) { b.statements.Add(1) }
	}
	s, err := server.New(ctx, cfg, options)
	if err != nil {
		return errors.Join(err, l.Close(), bl.Close())
	}
	if err := s.Start(l); err != nil {
		return errors.Join(err, l.Close(), bl.Close())
	}
	beside := b.bare.Serve(bl)
	defer func() { err = errors.Join(err, beside.Close(), s.Shutdown(context.WithoutCancel(ctx))) }()
	if b.audience != nil {
		return b.audienceCases(ctx)
	}
	if err := b.signIn(ctx, s); err != nil {
		return err
	}
	return b.all(ctx)
}

// all measures everything requested.
func (b *bench) all(ctx context.Context) error {
	b.rng = rand.New(rand.NewPCG(1, 2))
	if err := b.pick(); err != nil {
		return err
	}
	hidden, err := b.newChannel("Hidden while measuring", "private")
	if err != nil {
		return err
	}
	targets := make([]int64, 64)
	for i := range targets {
		if targets[i], err = b.newChannel("Written to while measuring", "closed"); err != nil {
			return err
		}
	}
	reads, err := b.reads()
	if err != nil {
		return err
	}
	if !b.count {
		fmt.Fprintln(b.out, head)
	}
	err = b.measure(ctx, slices.Concat(reads, b.website(), b.pages(""), b.connections(),
		[]group{b.creates(targets), b.inserts(), b.moves(), b.updates()}))
	if err == nil {
		err = b.hide(hidden)
	}
	if err == nil {
		err = b.measure(ctx, b.pages(", a private item in it"))
	}
	for _, id := range append(targets, hidden) {
		err = errors.Join(err, b.remove(fmt.Sprintf("/v3/channels/%d", id)))
	}
	return err
}

// measure runs the selected groups and reports each.
func (b *bench) measure(ctx context.Context, groups []group) error {
	for _, g := range groups {
		if !slices.ContainsFunc(g.subjects, func(s subject) bool { return b.only.MatchString(s.name) }) {
			continue
		}
		if b.count {
			if err := b.counted(g); err != nil {
				return err
			}
			continue
		}
		scores, err := b.contest(ctx, g)
		if err != nil {
			return err
		}
		report(b.out, g, scores)
	}
	return nil
}

// counted prints the number of statements of a request of each subject, after a warm-up request.
func (b *bench) counted(g group) error {
	for _, s := range g.subjects {
		after := s.after
		if after != nil { // undoing a write is not counted
			s.after = func([][]byte) error { return nil }
		}
		var answers map[string]drive.Answer
		for range 2 {
			b.statements.Store(0)
			var err error
			if answers, err = b.rehearse(s); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			n := b.statements.Load()
			if after != nil {
				err = after([][]byte{answers[""].Body})
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			b.statements.Store(n)
		}
		fmt.Fprintf(b.out, "%s: %.1f statements\n", s.name, float64(b.statements.Load())/float64(len(answers)-1))
	}
	return nil
}

// pick finds blocks that a guest sees, and connections from all parts of both channels.
func (b *bench) pick() error {
	for range 20 * 500 {
		if len(b.blocks) == 500 {
			break
		}
		id := b.made.FirstBlock + b.rng.Int64N(b.made.LastBlock-b.made.FirstBlock+1)
		a, err := drive.Record(b.addr, drive.Get(fmt.Sprintf("/v3/blocks/%d", id)))
		if err != nil {
			return err
		}
		if a.Status == http.StatusOK && !slices.Contains(b.blocks, id) {
			b.blocks = append(b.blocks, id)
		}
	}
	var owner struct {
		ID int64 `json:"id"`
	}
	a, err := drive.Record(b.addr, drive.Get("/v3/users/"+b.made.User))
	if err == nil {
		err = json.Unmarshal(a.Body, &owner)
	}
	if err != nil {
		return err
	}
	b.ofOwner = fmt.Sprint("&user_id=", owner.ID)
	for i, p := range []dataset.Place{b.made.Large, b.made.Small} {
		for range 10 {
			connections, blocks, err := b.on(contents(p.Slug, 1+b.rng.IntN(lastPage(p.Items)), ""))
			if err != nil {
				return err
			}
			b.sample[i], b.items[i] = append(b.sample[i], connections...), append(b.items[i], blocks...)
		}
	}
	return nil
}

// on returns the ids of the connections on a page, and of their items.
func (b *bench) on(page string) (connections, items []int64, err error) {
	a, err := drive.Record(b.addr, drive.Get(page))
	if err != nil {
		return nil, nil, err
	}
	var list struct {
		Data []struct {
			ID         int64 `json:"id"`
			Connection struct {
				ID int64 `json:"id"`
			} `json:"connection"`
		} `json:"data"`
	}
	if err := json.Unmarshal(a.Body, &list); err != nil || a.Status != http.StatusOK {
		return nil, nil, fmt.Errorf("%s: status %d: %v", page, a.Status, err)
	}
	for _, item := range list.Data {
		connections, items = append(connections, item.Connection.ID), append(items, item.ID)
	}
	return connections, items, nil
}
