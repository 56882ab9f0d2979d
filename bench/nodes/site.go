package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/bench/drive"
)

// site contains the nodes and their database.
type site struct {
	db    *pgx.Conn
	nodes []node
}

// node is one process of the program.
type node struct {
	*drive.Program
	folder string
}

// start starts another node and waits until it listens.
func (s *site) start(ctx context.Context, bin, url string) error {
	folder, err := os.MkdirTemp("", "bench-nodes-")
	if err != nil {
		return err
	}
	program, err := drive.Start(exec.CommandContext(ctx, bin, "serve", "--addr", "127.0.0.1:0", "--data-dir", folder, "--database-url", url,
		"--rate-limits", "guest=0,free=0,premium=0,supporter=0", "--work=false", "--log-level", "error"))
	if err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	s.nodes = append(s.nodes, node{program, folder})
	return nil
}

// stop ends all nodes.
func (s *site) stop() (err error) {
	for _, n := range s.nodes {
		err = errors.Join(err, n.Stop(), os.RemoveAll(n.folder))
	}
	return err
}

// figures are the results of one measurement.
type figures struct {
	rate            float64 // requests per second
	nodes, postgres float64 // seconds of processor time per request
}

// measure sends reads to the first n nodes.
func (s *site) measure(ctx context.Context, n int, cmd command, requests []drive.Prepared) (f figures, err error) {
	nodes, postgres, err := s.used(ctx)
	if err != nil {
		return f, err
	}
	var dialed atomic.Int64
	dial := func() (drive.Sender, error) { return drive.Dial(s.nodes[int(dialed.Add(1))%n].Addr) }
	speed, _, err := drive.Measure(dial, cmd.Clients, requests, http.StatusOK, drive.Bound{Requests: 1 << 30, Time: cmd.Time}, false)
	if err != nil {
		return f, err
	}
	nodesThen, postgresThen, err := s.used(ctx)
	many := float64(len(speed.Took))
	return figures{speed.Rate, (nodesThen - nodes).Seconds() / many, (postgresThen - postgres).Seconds() / many}, err
}

// used returns the processor time of the nodes, and of the PostgreSQL processes that serve them.
func (s *site) used(ctx context.Context) (nodes, postgres time.Duration, err error) {
	for _, n := range s.nodes {
		used, err := drive.ProcessTime(n.Process.Pid)
		if err != nil {
			return 0, 0, err
		}
		nodes += used
	}
	postgres, err = drive.PostgresTime(ctx, s.db)
	return nodes, postgres, err
}
