// Gen fills an empty database with data for measurements:
//
//	go run ./bench/gen --data-dir /tmp/bench-data --json > /tmp/bench-data/made.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"github.com/alecthomas/kong"

	"vitrine/bench/dataset"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

type command struct {
	config.Common
	Users       int    `default:"2000" help:"Accounts to create."`
	Channels    int    `default:"5000" help:"Channels in addition to the large and the small one."`
	Blocks      int    `default:"200000" help:"Blocks in ordinary channels."`
	Connections int    `default:"300000" help:"Connections in ordinary channels."`
	Large       int    `default:"1000000" help:"Items of the large channel."`
	Small       int    `default:"1000" help:"Items of the small channel."`
	Seed        uint64 `default:"1" help:"The same seed creates the same rows, except for the token."`
	JSON        bool   `name:"json" help:"Print the result as JSON."`

	People bool    `help:"Create people, follows, activities and notifications instead."`
	Scale  float64 `default:"1" help:"With --people: 1 is a million users and ten million activities."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, config.AddFlags(), kong.Description("Fill an empty database with data to measure on."))
	if err := cmd.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context, out io.Writer) error {
	cfg, problems := cmd.Resolve()
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	cfg.SQLiteSynchronous = "off" // after a power failure, just run this again
	db, err := server.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // for early returns with another error
	if err := server.Migrate(ctx, db, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	began := time.Now()
	report, err := cmd.fill(ctx, store.New(db))
	if err != nil {
		return err
	}
	if pool := database.Pool(db); pool != nil { // as autovacuum would do later
		if _, err := pool.Exec(ctx, "VACUUM (ANALYZE)"); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "filled in %s\n", time.Since(began).Round(100*time.Millisecond))
	return errors.Join(report(out), db.Close())
}

// fill creates the requested data and returns a function that prints a report.
func (cmd command) fill(ctx context.Context, s *store.Store) (report func(io.Writer) error, err error) {
	if cmd.People {
		made, err := dataset.FillAudience(ctx, s, dataset.AudienceSize{Scale: cmd.Scale, Seed: cmd.Seed})
		return func(out io.Writer) error { return printJSON(out, made) }, err
	}
	made, err := dataset.Fill(ctx, s, dataset.Size{Users: cmd.Users, Channels: cmd.Channels,
		Blocks: cmd.Blocks, Connections: cmd.Connections, Large: cmd.Large, Small: cmd.Small, Seed: cmd.Seed})
	return func(out io.Writer) error { return print(out, made, cmd.JSON) }, err
}

func printJSON(out io.Writer, made any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(made)
}

func print(out io.Writer, made dataset.Made, asJSON bool) error {
	if asJSON {
		return printJSON(out, made)
	}
	_, err := fmt.Fprintf(out, `%d users, %d channels, %d blocks, %d connections
large channel:  %d items, id %d, slug %s
small channel:  %d items, id %d, slug %s
middle channel: %d items, id %d, slug %s
blocks of ordinary channels: ids %d to %d
token of %s, to write with: %s
`, made.Users, made.Channels, made.Blocks, made.Connections,
		made.Large.Items, made.Large.ID, made.Large.Slug, made.Small.Items, made.Small.ID, made.Small.Slug,
		made.Middle.Items, made.Middle.ID, made.Middle.Slug, made.FirstBlock, made.LastBlock, made.User, made.Token)
	return err
}
