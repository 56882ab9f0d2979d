// Peers compares Vitrine with others on the same data, in one run:
//
//	go run ./bench/peers                              # 200,000 blocks, 300,000 connections, a channel of 50,000
//	go run ./bench/peers --data-dir /tmp/peers        # keeps the data for the next run
//	go run ./bench/peers --blocks 2000 --connections 3000 --large 1000 --rounds 3
//	go run ./bench/peers --database-url postgres://…  # an empty database on this machine, which keeps the data for the next run
//
// The others are a handler of net/http that writes the same bytes, a small handwritten server in Go with SQLite or pgx
// (plain.go), the same statements without a server, and, on SQLite, PocketBase if it is installed. Vitrine, the handler and the small
// server also run in this process, each on its own port. All of them sync each write to disk.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"time"

	"github.com/alecthomas/kong"
)

type command struct {
	DataDir     string        `help:"Folder for the data, which is kept and reused; by default a temporary folder."`
	DatabaseURL string        `name:"database-url" help:"Empty PostgreSQL database, or one filled by an earlier run; by default SQLite."`
	Users       int           `default:"2000" help:"Accounts to create."`
	Channels    int           `default:"5000" help:"Channels in addition to the large one."`
	Blocks      int           `default:"200000" help:"Blocks, including those of the large channel."`
	Connections int           `default:"300000" help:"Connections, including those of the large channel."`
	Large       int           `default:"50000" help:"Items of the large channel."`
	Seed        uint64        `default:"1" help:"The same seed creates the same rows."`
	Rounds      int           `default:"7" help:"Measurements of each case."`
	Requests    int           `default:"4000" help:"Requests of one measurement, at most."`
	Time        time.Duration `default:"1s" help:"Length of one measurement, at most."`
	Clients     int           `default:"16" help:"Number of simultaneous connections."`
	Only        string        `help:"Regular expression that the name of a case must match."`
	PocketBase  string        `name:"pocketbase" default:"pocketbase" help:"Program of PocketBase, as a path or on the PATH."`
	JSON        bool          `name:"json" help:"Print the figures as JSON."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, kong.Description("Measure Vitrine beside others on the same data."))
	if err := cmd.run(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// run creates the data and measures. It reports its progress to notes.
func (cmd command) run(ctx context.Context, out, notes io.Writer) (err error) {
	only, err := regexp.Compile(cmd.Only)
	if err != nil {
		return err
	}
	dir := cmd.DataDir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "vitrine-peers-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	d, err := cmd.prepare(ctx, dir, notes)
	if err != nil {
		return err
	}
	b := &bench{command: cmd, only: only, notes: notes}
	err = b.start(ctx, d)
	if err == nil {
		err = b.all(ctx)
	}
	if err = errors.Join(err, b.stop()); err != nil {
		return err
	}
	return b.report(out)
}
