package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
	"vitrine/internal/obs"
	"vitrine/internal/server"
)

// The cases, by name.
const (
	getBlock  = "get block"
	firstPage = "page of 24"
	deepPage  = "page 1,000"
	wordFound = "search"
	newBlock  = "new block into one channel"
	newBlocks = "new block into 64 channels"
)

var cases = []string{getBlock, firstPage, deepPage, wordFound, newBlock, newBlocks}

// many is the number of channels of newBlocks, so that few clients write to the same one at a time.
const many = 64

// hopeless is the rate below which two rounds are enough. Each of them lasts until all clients have their responses.
const hopeless = 5

// per is the page size.
const per = 24

// peer is one of the compared servers.
type peer struct {
	name string
	dial func() (drive.Sender, error)
	// requests returns the requests of a case, or nil if the peer does not support it. Those that write are sent once.
	requests func(name string, n int) []drive.Request
	// read returns the comparable content of a response; nil if the peer only replays responses.
	read    func(name string, body []byte) (answer, error)
	outside bool // a separate process whose processor time is unknown
	status  map[string]int
}

// answer is what all responses to a case must have in common.
type answer struct {
	Items int   `json:"items"` // on the page
	Total int64 `json:"total"` // 0 if the response has none
}

// bench is a run.
type bench struct {
	command
	only  *regexp.Regexp
	notes io.Writer
	data  data

	peers    []*peer
	bare     *drive.Bare
	addr     string // of Vitrine
	blocks   []int64
	targets  []int64 // channels for new blocks; the small server has them too
	written  int
	postgres *pgx.Conn // to find its other processes; nil for SQLite
	closers  []func() error
	missing  []string // peers whose program is not installed
	figures  []figure
}

// stop stops everything that start started, in reverse order.
func (b *bench) stop() (err error) {
	for _, end := range slices.Backward(b.closers) {
		err = errors.Join(err, end())
	}
	return err
}

// start starts all peers.
func (b *bench) start(ctx context.Context, d data) error {
	b.data, b.bare = d, new(drive.Bare)
	if b.DatabaseURL != "" {
		conn, err := connect(ctx, b.DatabaseURL)
		if err != nil {
			return err
		}
		b.postgres = conn
		b.closers = append(b.closers, func() error { return conn.Close(context.WithoutCancel(ctx)) })
	}
	if err := b.startVitrine(ctx); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	handler := b.bare.Serve(l)
	b.closers = append(b.closers, handler.Close)
	b.peers = slices.Insert(b.peers, 0, &peer{name: "bare net/http", dial: least(l.Addr().String()), requests: b.ours, status: created})
	if err := b.choose(); err != nil {
		return err
	}
	if err := b.startPlain(ctx); err != nil {
		return err
	}
	if b.DatabaseURL != "" { // PocketBase has no PostgreSQL
		return nil
	}
	return b.startPocketBase(ctx)
}

// created maps cases to statuses other than 200.
var created = map[string]int{newBlock: http.StatusCreated, newBlocks: http.StatusCreated}

// least returns a function that dials minimal clients.
func least(addr string) func() (drive.Sender, error) {
	return func() (drive.Sender, error) { return drive.Dial(addr) }
}

// startVitrine starts the server in this process with default settings, except for rate limits and jobs.
func (b *bench) startVitrine(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	// The log is formatted and written as in production, but to /dev/null.
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	b.closers = append(b.closers, null.Close)
	cfg := b.data.cfg
	b.addr = l.Addr().String()
	cfg.BaseURL, cfg.SiteURL = "http://"+b.addr, "http://"+b.addr
	log, err := obs.Logger(null, cfg.LogFormat, cfg.LogLevel)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	s, err := server.New(ctx, cfg, server.Options{Log: log, Version: "bench"})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if err := s.Start(l); err != nil {
		return errors.Join(err, l.Close())
	}
	b.closers = append(b.closers, func() error { return s.Shutdown(context.WithoutCancel(ctx)) })
	b.peers = append(b.peers, &peer{name: "Vitrine", dial: least(b.addr), requests: b.ours, read: readOurs, status: created})
	return nil
}

// choose finds blocks that everybody sees, and creates channels to write to.
func (b *bench) choose() error {
	made := b.data.made
	step := max(1, (made.LastBlock-made.FirstBlock)/500)
	for id := made.FirstBlock; id <= made.LastBlock && len(b.blocks) < 400; id += step {
		a, err := drive.Record(b.addr, drive.Get(fmt.Sprintf("/v3/blocks/%d", id)))
		if err != nil {
			return err
		}
		if a.Status == http.StatusOK {
			b.blocks = append(b.blocks, id)
		}
	}
	if len(b.blocks) == 0 {
		return errors.New("no block that everybody sees")
	}
	for range many {
		a, err := drive.Record(b.addr, b.post("/v3/channels", `{"title":"Written to while measuring","visibility":"closed"}`))
		if err == nil && a.Status != http.StatusCreated {
			err = fmt.Errorf("making a channel: status %d: %s", a.Status, a.Body)
		}
		if err != nil {
			return err
		}
		var channel struct {
			ID int64 `json:"id"`
		}
		if err := json.Unmarshal(a.Body, &channel); err != nil {
			return err
		}
		b.targets = append(b.targets, channel.ID)
	}
	return nil
}

func (b *bench) post(path, format string, args ...any) drive.Request {
	return drive.Request{Method: http.MethodPost, Path: path, Body: fmt.Sprintf(format, args...),
		Header: []string{"Authorization: Bearer " + b.data.made.Token}}
}

// deep returns the page for "page 1,000", which is an earlier one in a smaller channel.
func (b *bench) deep() int { return min(1000, max(1, b.data.made.Large.Items/per)) }

// ours returns the requests of version 3, which the bare handler gets as well.
func (b *bench) ours(name string, n int) []drive.Request { return b.inWords(name, n, "/v3") }

// inWords returns the requests to Vitrine or to the small server, whose paths have different prefixes.
func (b *bench) inWords(name string, n int, prefix string) (all []drive.Request) {
	made := b.data.made
	switch name {
	case getBlock:
		for _, id := range b.blocks {
			all = append(all, drive.Get(fmt.Sprintf("%s/blocks/%d", prefix, id)))
		}
	case firstPage:
		all = append(all, drive.Get(fmt.Sprintf("%s/channels/%s/contents?page=1&per=%d", prefix, made.Middle.Slug, per)))
	case deepPage:
		all = append(all, drive.Get(fmt.Sprintf("%s/channels/%s/contents?page=%d&per=%d", prefix, made.Large.Slug, b.deep(), per)))
	case wordFound:
		all = append(all, drive.Get(fmt.Sprintf("%s/search?query=%s&per=%d", prefix, dataset.Uncommon, per), "Authorization: Bearer "+b.data.token))
	case newBlock, newBlocks:
		for range n {
			text, channel := b.text(name)
			all = append(all, b.post(prefix+"/blocks", `{"value":%q,"channel_ids":[%d]}`, text, channel))
		}
	}
	return all
}

// text returns the text of a new block, and its channel.
func (b *bench) text(name string) (text string, channel int64) {
	b.written++
	text = fmt.Sprintf("Note %d: a *short* text with a [link](https://www.example.org/%d).", b.written, b.written)
	if name == newBlocks {
		return text, b.targets[b.written%len(b.targets)]
	}
	return text, b.targets[0]
}

// readOurs reads a response of Vitrine or of the small server.
func readOurs(name string, body []byte) (a answer, err error) {
	var page struct {
		ID   int64             `json:"id"`
		Data []json.RawMessage `json:"data"`
		Meta struct {
			Total int64 `json:"total_count"`
		} `json:"meta"`
	}
	err = json.Unmarshal(body, &page)
	a = answer{len(page.Data), page.Meta.Total}
	if page.ID != 0 {
		a.Items = 1
	}
	return a, err
}

// startPlain starts the small server, and adds the database itself with the same data.
func (b *bench) startPlain(ctx context.Context) (err error) {
	var p *plain
	kind := "SQLite"
	if b.DatabaseURL != "" {
		kind = "pgx"
		p, err = newPlainPostgres(ctx, b.DatabaseURL, b.Clients)
	} else {
		p, err = newPlainSQLite(ctx, b.data.plain)
	}
	if err != nil {
		return err
	}
	b.closers = append(b.closers, p.close)
	for _, channel := range b.targets {
		if err := p.exec(ctx, fmt.Sprintf(`INSERT INTO channels VALUES (%d, 'written-to-%[1]d', 'Written to while measuring', FALSE, 1, 0, 0)
			ON CONFLICT DO NOTHING`, channel)); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b.closers = append(b.closers, p.serve(l).Close)
	b.peers = slices.Insert(b.peers, 1,
		&peer{name: "plain Go + " + kind, dial: least(l.Addr().String()), read: readOurs, status: created,
			requests: func(name string, n int) []drive.Request { return b.inWords(name, n, "") }},
		&peer{name: "raw " + kind, dial: p.raw(ctx), status: created, read: readOurs, requests: b.rawRequests})
	return nil
}

// all measures every selected case: in each round all peers in turn, in rotating order, so that disturbances affect all
// alike. The first round warms up.
func (b *bench) all(ctx context.Context) error {
	for _, name := range cases {
		if !b.only.MatchString(name) {
			continue
		}
		f := figure{Case: name, Peers: map[string]*result{}}
		taking, err := b.rehearse(name, &f)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		speeds := make([][]drive.Speed, len(taking))
		for r := range b.Rounds + 1 {
			for i := range taking {
				at := (i + r) % len(taking)
				if err := ctx.Err(); err != nil {
					return err
				}
				if n := len(speeds[at]); n == 2 && speeds[at][n-1].Rate < hopeless {
					continue
				}
				s, err := b.round(ctx, taking[at], name)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", name, taking[at].name, err)
				}
				if r > 0 {
					speeds[at] = append(speeds[at], s)
				}
			}
		}
		for i, p := range taking {
			f.Peers[p.name] = newResult(speeds[i], speeds[len(taking)-1], p.outside)
		}
		b.figures = append(b.figures, f)
	}
	return nil
}

// rehearse sends a request to every peer, compares the responses with Vitrine's, records these for the bare handler, and
// returns the peers that support the case, with Vitrine last.
func (b *bench) rehearse(name string, f *figure) (taking []*peer, err error) {
	ours := b.ours(name, 1)
	answers := map[string]drive.Answer{}
	for i, r := range ours {
		a, err := drive.Record(b.addr, r)
		if err != nil {
			return nil, err
		}
		if a.Status != statusOf(created, name) {
			return nil, fmt.Errorf("answer of Vitrine: status %d: %.300s", a.Status, a.Body)
		}
		answers[r.Path] = a
		if i == 0 {
			answers[""] = a
		}
	}
	b.bare.Know(answers)
	if f.Answer, err = readOurs(name, answers[""].Body); err != nil {
		return nil, err
	}
	for _, p := range b.peers {
		requests := p.requests(name, 1)
		if len(requests) == 0 {
			continue
		}
		taking = append(taking, p)
		if p.read == nil {
			continue
		}
		_, bodies, err := drive.Measure(p.dial, 1, prepared(requests[:1]), statusOf(p.status, name), drive.Bound{Requests: 1, Time: time.Minute}, true)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		a, err := p.read(name, bodies[0])
		if err != nil || a != f.Answer {
			return nil, fmt.Errorf("%s answers %+v, Vitrine %+v: %w", p.name, a, f.Answer, err)
		}
	}
	return taking, nil
}

func statusOf(statuses map[string]int, name string) int {
	if s, special := statuses[name]; special {
		return s
	}
	return http.StatusOK
}

func prepared(requests []drive.Request) []drive.Prepared {
	all := make([]drive.Prepared, len(requests))
	for i, r := range requests {
		all[i] = r.For("localhost")
	}
	return all
}

// round measures a peer once. The processor time includes that of PostgreSQL.
func (b *bench) round(ctx context.Context, p *peer, name string) (drive.Speed, error) {
	requests := p.requests(name, b.Requests)
	before, err := b.served(ctx)
	if err != nil {
		return drive.Speed{}, err
	}
	s, _, err := drive.Measure(p.dial, b.Clients, prepared(requests), statusOf(p.status, name), drive.Bound{Requests: b.Requests, Time: b.Time}, false)
	if err != nil {
		return s, err
	}
	after, err := b.served(ctx)
	s.CPU += (after - before).Seconds() / float64(len(s.Took))
	return s, err
}

// served returns the processor time of the PostgreSQL processes that serve the database, 0 for SQLite.
func (b *bench) served(ctx context.Context) (time.Duration, error) {
	if b.postgres == nil {
		return 0, nil
	}
	return drive.PostgresTime(ctx, b.postgres)
}
