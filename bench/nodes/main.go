// Nodes compares reads at one, two and three nodes of the program with one PostgreSQL, in requests and in processor
// time:
//
//	go run ./bench/nodes --program bin/vitrine --made /tmp/nodes/made.json --database-url "$URL"
//
// All nodes and clients run on this machine, so more nodes only answer more requests if one node leaves processors idle.
// The costs of a request, in the nodes and in PostgreSQL, are comparable in any case.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

// maxNodes is the number of nodes.
const maxNodes = 3

type command struct {
	Program     string        `default:"bin/vitrine" help:"The built program."`
	Made        string        `required:"" type:"existingfile" help:"File with the output of bench/gen --json."`
	DatabaseURL string        `name:"database-url" required:"" help:"PostgreSQL database that bench/gen filled, on this machine."`
	Clients     int           `default:"24" help:"Number of clients; each sends its next request after the response to the previous one."`
	Rounds      int           `default:"5" help:"Measurements of each number of nodes, in turn."`
	Time        time.Duration `default:"2s" help:"Length of one measurement."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, kong.Description("Compare reads at one, two and three nodes."))
	if err := cmd.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "nodes:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context, out io.Writer) (err error) {
	made, err := dataset.ReadMade(cmd.Made)
	if err != nil {
		return err
	}
	db, err := pgx.Connect(ctx, cmd.DatabaseURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	s := site{db: db}
	defer func() { err = errors.Join(err, s.stop()) }()
	for range maxNodes {
		if err := s.start(ctx, cmd.Program, cmd.DatabaseURL); err != nil {
			return err
		}
	}
	requests, err := s.requests(made)
	if err != nil {
		return err
	}
	var all [maxNodes][]figures
	for range cmd.Rounds + 1 { // the first warms up
		for n := range all {
			f, err := s.measure(ctx, n+1, cmd, requests)
			if err != nil {
				return fmt.Errorf("%d nodes: %w", n+1, err)
			}
			all[n] = append(all[n], f)
		}
	}
	fmt.Fprintln(out, "| nodes | requests a second ÷ those of one | time of nodes a request, µs | of PostgreSQL, µs | of both ÷ that of one |\n|--:|--:|--:|--:|--:|")
	for n, fs := range all {
		of := func(figure func(figures) float64) drive.Middle {
			var values []float64
			for _, f := range fs[1:] {
				values = append(values, figure(f))
			}
			return drive.MiddleOf(values)
		}
		over := func(figure func(figures) float64) drive.Middle {
			var values []float64
			for i, f := range fs[1:] {
				values = append(values, figure(f)/figure(all[0][i+1]))
			}
			return drive.MiddleOf(values)
		}
		fmt.Fprintf(out, "| %d | %.2f | %.0f | %.0f | %.2f |\n", n+1, over(func(f figures) float64 { return f.rate }).Median,
			of(func(f figures) float64 { return f.nodes }).Median*1e6, of(func(f figures) float64 { return f.postgres }).Median*1e6,
			over(func(f figures) float64 { return f.nodes + f.postgres }).Median)
	}
	return nil
}

// requests returns requests for blocks and pages of channels, as guests and as a member.
func (s *site) requests(made dataset.Made) (all []drive.Prepared, err error) {
	rng := rand.New(rand.NewPCG(1, 2))
	token := "Authorization: Bearer " + made.Token
	for len(all) < 300 {
		block := drive.Get(fmt.Sprint("/v3/blocks/", made.FirstBlock+rng.Int64N(made.LastBlock-made.FirstBlock+1)), token)
		a, err := drive.Record(s.nodes[0].Addr, block)
		if err != nil {
			return nil, err
		}
		if a.Status == http.StatusOK { // not in a private channel
			page := rng.IntN(made.Middle.Items/24) + 1
			all = append(all, block.For(s.nodes[0].Addr),
				drive.Get(fmt.Sprintf("/v3/channels/%d/contents?per=24&page=%d", made.Middle.ID, page)).For(s.nodes[0].Addr),
				drive.Get(fmt.Sprintf("/v3/channels/%d/contents?per=24&page=%d", made.Middle.ID, page), token).For(s.nodes[0].Addr))
		}
	}
	return all, nil
}
