package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"sync/atomic"
	"syscall"
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
	cmd    *exec.Cmd
	addr   string
	folder string
}

var listens = regexp.MustCompile(`listens on http://(\S+)`)

// start starts another node and waits until it listens.
func (s *site) start(ctx context.Context, program, url string) error {
	folder, err := os.MkdirTemp("", "bench-nodes-")
	if err != nil {
		return err
	}
	n := node{cmd: exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0", "--data-dir", folder, "--database-url", url,
		"--rate-limits", "guest=0,free=0,premium=0,supporter=0", "--work=false", "--log-level", "error"), folder: folder}
	n.cmd.Stderr = os.Stderr
	out, err := n.cmd.StdoutPipe()
	if err == nil {
		err = n.cmd.Start()
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	s.nodes = append(s.nodes, n)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := listens.FindStringSubmatch(lines.Text()); found != nil {
			s.nodes[len(s.nodes)-1].addr = found[1]
			return nil
		}
	}
	return fmt.Errorf("%s does not begin", program)
}

// stop ends all nodes.
func (s *site) stop() (err error) {
	for _, n := range s.nodes {
		_ = n.cmd.Process.Signal(syscall.SIGTERM) // it may have ended, which Wait reports
		err = errors.Join(err, n.cmd.Wait(), os.RemoveAll(n.folder))
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
	dial := func() (drive.Sender, error) { return drive.Dial(s.nodes[int(dialed.Add(1))%n].addr) }
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
		used, err := drive.ProcessTime(n.cmd.Process.Pid)
		if err != nil {
			return 0, 0, err
		}
		nodes += used
	}
	postgres, err = drive.PostgresTime(ctx, s.db)
	return nodes, postgres, err
}
