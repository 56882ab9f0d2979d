package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/obs"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

// side is a set of data with its server.
type side struct {
	made       dataset.Made
	addr       string
	server     *server.Server
	postgres   *pgx.Conn // to find the processes that serve this set; nil on SQLite
	statements atomic.Int64
	rng        *rand.Rand

	reader string // token
	blocks []int64
	target int64 // channel to write to
	cases  []operation
}

// open serves a set and chooses what to request.
func open(ctx context.Context, folder, url string, made dataset.Made) (s *side, err error) {
	cfg, problems := config.Texts{"data-dir": folder, "database-url": url,
		"rate-limits": "guest=0,free=0,premium=0,supporter=0", "work": "false"}.Resolve()
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	s = &side{made: made, rng: rand.New(rand.NewPCG(1, 2))}
	if url != "" {
		if s.postgres, err = pgx.Connect(ctx, url); err != nil {
			return nil, err
		}
	}
	db, err := server.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s.reader, _, err = app.New(app.Options{Store: store.New(db)}).Accounts.CreateToken(ctx, domain.UserID(made.Reader), accounts.TokenInput{Name: "growth", Scope: domain.ScopeWrite})
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	log, err := obs.Logger(null, cfg.LogFormat, cfg.LogLevel)
	if err != nil {
		return nil, err
	}
	s.addr = l.Addr().String()
	cfg.BaseURL, cfg.SiteURL = "http://"+s.addr, "http://"+s.addr
	s.server, err = server.New(ctx, cfg, server.Options{Log: log, Version: "bench", Observe: func(context.Context, string, bool) { s.statements.Add(1) }})
	if err == nil {
		err = s.server.Start(l)
	}
	if err == nil {
		err = s.choose()
	}
	return s, err
}

func (s *side) close(ctx context.Context) error {
	err := s.remove(s.target)
	if s.postgres != nil {
		err = errors.Join(err, s.postgres.Close(ctx))
	}
	return errors.Join(err, s.server.Shutdown(ctx))
}

// used returns the processor time of this process, and of the PostgreSQL processes that serve this set.
func (s *side) used(ctx context.Context) (time.Duration, error) {
	all := drive.CPUTime()
	if s.postgres == nil {
		return all, nil
	}
	served, err := drive.PostgresTime(ctx, s.postgres)
	return all + served, err
}

// cost contains the costs of the requests of a round.
type cost struct {
	processor  float64 // seconds per request
	statements []int   // per request
}

// measure sends a round of requests, one after the other.
func (s *side) measure(ctx context.Context, o operation) (c cost, err error) {
	requests, err := o.round()
	if err != nil {
		return c, err
	}
	all := make([]drive.Prepared, len(requests))
	for i, r := range requests {
		all[i] = r.For(s.addr)
	}
	sender, err := drive.Dial(s.addr)
	if err != nil {
		return c, err
	}
	defer sender.Close()
	bodies := make([][]byte, 0, len(all))
	body := new(bytes.Buffer)
	before, err := s.used(ctx)
	if err != nil {
		return c, err
	}
	for _, r := range all {
		body.Reset()
		s.statements.Store(0)
		status, err := sender.Do(r, body)
		if err != nil || status != o.status {
			return c, fmt.Errorf("%s %s: status %d, want %d: %.300s (%v)", r.Method, r.Path, status, o.status, body, err)
		}
		c.statements = append(c.statements, int(s.statements.Load()))
		if o.after != nil {
			bodies = append(bodies, bytes.Clone(body.Bytes()))
		}
	}
	after, err := s.used(ctx)
	if err != nil {
		return c, err
	}
	c.processor = (after - before).Seconds() / float64(len(all))
	if o.after != nil {
		err = o.after(bodies)
	}
	return c, err
}

// ask sends a request without measuring it, and decodes its response.
func (s *side) ask(r drive.Request, status int, into any) error {
	a, err := drive.Record(s.addr, r)
	if err == nil && a.Status != status {
		err = fmt.Errorf("%s %s: status %d, want %d: %.300s", r.Method, r.Path, a.Status, status, a.Body)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(a.Body, into)
	}
	return err
}

func (s *side) post(path, format string, args ...any) drive.Request {
	return drive.Request{Method: http.MethodPost, Path: path, Body: fmt.Sprintf(format, args...), Header: bearer(s.made.Token)}
}

func bearer(token string) []string { return []string{"Authorization: Bearer " + token} }

func (s *side) remove(channel int64) error {
	return s.ask(drive.Request{Method: http.MethodDelete, Path: fmt.Sprint("/v3/channels/", channel), Header: bearer(s.made.Token)}, http.StatusNoContent, nil)
}

// choose finds blocks that everybody sees, creates a channel to write to, and adds the rare word.
func (s *side) choose() error {
	for len(s.blocks) < 200 {
		id := s.made.FirstBlock + s.rng.Int64N(s.made.LastBlock-s.made.FirstBlock+1)
		a, err := drive.Record(s.addr, drive.Get(fmt.Sprint("/v3/blocks/", id)))
		if err != nil {
			return err
		}
		if a.Status == http.StatusOK {
			s.blocks = append(s.blocks, id)
		}
	}
	var made struct {
		ID int64 `json:"id"`
	}
	if err := s.ask(s.post("/v3/channels", `{"title":"Written to while measuring","visibility":"closed"}`), http.StatusCreated, &made); err != nil {
		return err
	}
	s.target = made.ID
	for range 10 {
		err := s.ask(s.post("/v3/blocks", `{"value":"A rare word: zyxoryx","channel_ids":[%d]}`, s.target), http.StatusCreated, nil)
		if err != nil {
			return err
		}
	}
	s.cases = s.operations()
	return nil
}
