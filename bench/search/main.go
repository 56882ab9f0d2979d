// Search measures searches on the data that bench/gen has made:
//
//	go run ./bench/search --data-dir /tmp/bench-data
//
// It has the words of all blocks indexed first, which takes its time once.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

type command struct {
	config.Common
	Viewer  int64 `default:"1" help:"Id of the user who searches."`
	Rounds  int   `default:"5" help:"How often each case is measured."`
	Clients int   `default:"1" help:"How many search at once."`
	Owned   bool  `help:"Measure lists of what users made and groups have instead; changes the data."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, kong.Description("Measure searches."))
	if err := cmd.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context) error {
	cfg, problems := cmd.Resolve()
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	cfg.SQLiteSynchronous = "off"
	db, err := server.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // only read
	if err := server.Migrate(ctx, db, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	s := store.New(db)
	if cmd.Owned {
		return cmd.owned(ctx, s)
	}
	if err := indexed(ctx, s); err != nil {
		return err
	}
	fmt.Printf("%-44s %9s %9s %9s %7s\n", "case", "ms", "worst", "bare ms", "ratio")
	for _, c := range cases(db.Dialect(), domain.UserID(cmd.Viewer)) {
		if err := cmd.measure(ctx, s, db, c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// indexed has the words of all documents written.
func indexed(ctx context.Context, s *store.Store) error {
	began, total := time.Now(), 0
	for {
		var n int
		err := s.InTx(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.IndexPending(ctx, 2000)
			return err
		})
		if err != nil {
			return err
		}
		if total += n; n == 0 {
			break
		}
	}
	if total > 0 {
		fmt.Printf("indexed %d in %s\n", total, time.Since(began).Round(time.Second))
		return s.Analyze(ctx)
	}
	return nil
}

// measure searches round by round, in turn with the bare statement of the engine.
func (cmd command) measure(ctx context.Context, s *store.Store, db *database.DB, c testCase) error {
	var ours, bare []time.Duration
	var mu sync.Mutex
	var failure error
	for range cmd.Rounds {
		var all sync.WaitGroup
		for range cmd.Clients {
			all.Go(func() {
				took, err := timed(func() error { return c.search(ctx, s) })
				mu.Lock()
				defer mu.Unlock()
				ours, failure = append(ours, took), errors.Join(failure, err)
			})
		}
		all.Wait()
		took, err := timed(func() error { return c.plain(ctx, db) })
		if failure = errors.Join(failure, err); failure != nil {
			return failure
		}
		bare = append(bare, took)
	}
	slices.Sort(ours)
	slices.Sort(bare)
	a, b := ours[len(ours)/2], bare[len(bare)/2]
	fmt.Printf("%-44s %9.2f %9.2f %9.2f %7.2f\n", c.name, ms(a), ms(ours[len(ours)-1]), ms(b), float64(a)/float64(b))
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func timed(do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began), err
}

func (c testCase) search(ctx context.Context, s *store.Store) error {
	return s.InSnapshot(ctx, func(v *store.Snapshot) error {
		_, err := v.Search(ctx, store.SearchQuery{Search: c.q, Viewer: c.viewer, Words: words.Parse(c.q.Query), Exact: c.exact})
		return err
	})
}

func (c testCase) plain(ctx context.Context, db *database.DB) error {
	return db.View(ctx, func(q database.Querier) error {
		rows, err := q.Query(ctx, c.bare, c.args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	})
}
