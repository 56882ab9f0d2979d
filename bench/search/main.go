// Search measures searches in the data of bench/gen:
//
//	go run ./bench/search --data-dir /tmp/bench-data
//	go run ./bench/search --data-dir /tmp/bench-data --clients 8 --rounds 50
//
// It first indexes the words of all blocks, which takes some time once.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"

	"vitrine/internal/app"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

type command struct {
	config.Common
	Viewer  int64  `default:"1" help:"ID of the user who searches."`
	Reader  int64  `help:"ID of the user who searches in followed things; by default the last user."`
	Rounds  int    `default:"5" help:"Number of measurements of each case by each client."`
	Clients int    `default:"1" help:"Number of simultaneous clients; with more than one, p50 and p99 are printed."`
	Only    string `help:"Regular expression of the cases to measure."`
	Owned   bool   `help:"Measure the lists of content of users and groups instead; changes the data."`
	Typos   bool   `help:"Measure corrections of misspelled words instead; changes the data."`
	Looks   bool   `help:"Measure searches by colour and for similar images instead; changes the data."`
	Meaning bool   `help:"Measure finding the nearest vectors instead; uses no data."`
	Vectors int    `default:"1000000" help:"Number of vectors for --meaning."`
	Writes  bool   `help:"Measure the cost of a document in a write instead; changes the data."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, config.AddFlags(), kong.Description("Measure searches."))
	if err := cmd.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context) error {
	if cmd.Meaning {
		return cmd.meaning()
	}
	cfg, problems := cmd.Resolve()
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	if cmd.Writes {
		return cmd.writes(ctx, cfg)
	}
	cfg.SQLiteSynchronous = "off"
	db, err := server.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // only reads
	if err := server.Migrate(ctx, db, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	s := store.New(db)
	if cmd.Owned {
		return cmd.owned(ctx, s)
	}
	who := people{domain.UserID(cmd.Viewer), domain.UserID(cmd.Reader), 1, 2}
	if cmd.Reader == 0 { // the last user of bench/gen
		if who.reader, err = last(ctx, s); err != nil {
			return err
		}
	}
	b := bench{s, app.New(app.Options{Store: s}), db}
	if cmd.Typos {
		return cmd.typos(ctx, b)
	}
	if cmd.Looks {
		return cmd.looks(ctx, b)
	}
	if cmd.Clients > 1 {
		return cmd.concurrent(ctx, b, who)
	}
	return cmd.alone(ctx, b, who)
}

// last returns the newest user.
func last(ctx context.Context, s *store.Store) (id domain.UserID, err error) {
	for {
		some, err := s.Users().Users(ctx, id, 1000)
		if err != nil || len(some) == 0 {
			return id, err
		}
		id = some[len(some)-1].ID
	}
}
