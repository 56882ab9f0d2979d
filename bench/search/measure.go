package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// bench contains the store and connection for measurements.
type bench struct {
	s   *store.Store
	app *app.App
	db  *database.DB
}

// times are the durations of several rounds.
type times []time.Duration

// at returns the time that a fraction (0..1) of the rounds did not exceed, in milliseconds.
func (t times) at(share float64) float64 {
	if len(t) == 0 {
		return 0
	}
	slices.Sort(t)
	return float64(t[min(int(share*float64(len(t))), len(t)-1)].Microseconds()) / 1000
}

// alone measures each case with one client. Each round also measures the statements of the database
// on their own.
func (cmd command) alone(ctx context.Context, b bench, who people) error {
	fmt.Printf("%-42s %8s %8s %8s %6s %8s %6s %8s %6s\n", "case, ms", "search", "answer", "bare", "ratio", "ranked", "ratio", "plain", "ratio")
	return cmd.each(b, who, func(c testCase) error {
		var search, answer, bare, ranked, plain times
		for range cmd.Rounds {
			if err := errors.Join(search.spend(b, func() error { return c.search(ctx, b) }), answer.spend(b, func() error { return c.answer(ctx, b) }),
				bare.spend(b, func() error { return b.run(ctx, c.bare) }),
				ranked.spend(b, func() error { return b.run(ctx, c.ranked) }), plain.spend(b, func() error { return b.run(ctx, c.plain) })); err != nil {
				return err
			}
		}
		fmt.Printf("%-42s %8.2f %8.2f %8.2f %6.1f", c.name, search.at(0.5), answer.at(0.5), bare.at(0.5), search.at(0.5)/bare.at(0.5))
		for _, beside := range []struct {
			asked []statement
			times times
		}{{c.ranked, ranked}, {c.plain, plain}} {
			if len(beside.asked) == 0 {
				fmt.Printf(" %8s %6s", "", "")
				continue
			}
			fmt.Printf(" %8.2f %6.1f", beside.times.at(0.5), search.at(0.5)/beside.times.at(0.5))
		}
		fmt.Println()
		return nil
	})
}

// concurrent measures each case with many concurrent clients. It then measures the bare statements, or
// the plain ones if the query has filters.
func (cmd command) concurrent(ctx context.Context, b bench, who people) error {
	fmt.Printf("%-42s %9s %9s %9s %9s %9s %9s\n", "case, ms", "p50", "p99", "bare p50", "bare p99", "plain p50", "plain p99")
	return cmd.each(b, who, func(c testCase) error {
		ours, err := cmd.together(func() error { return c.answer(ctx, b) })
		if err != nil {
			return err
		}
		bare, err := cmd.together(func() error { return b.run(ctx, c.bare) })
		fmt.Printf("%-42s %9.2f %9.2f %9.2f %9.2f", c.name, ours.at(0.5), ours.at(0.99), bare.at(0.5), bare.at(0.99))
		if len(c.plain) > 0 && err == nil {
			var plain times
			plain, err = cmd.together(func() error { return b.run(ctx, c.plain) })
			fmt.Printf(" %9.2f %9.2f", plain.at(0.5), plain.at(0.99))
		}
		fmt.Println()
		return err
	})
}

// each calls do for the selected cases.
func (cmd command) each(b bench, who people, do func(c testCase) error) error {
	only, err := regexp.Compile(cmd.Only)
	if err != nil {
		return err
	}
	for _, c := range cases(b.db.Dialect(), who) {
		if !only.MatchString(c.name) {
			continue
		}
		if err := do(c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// together calls do in all clients concurrently, once per round.
func (cmd command) together(do func() error) (all times, failure error) {
	var clients sync.WaitGroup
	var mu sync.Mutex
	for range cmd.Clients {
		clients.Go(func() {
			var mine times
			var err error
			for range cmd.Rounds {
				err = errors.Join(err, mine.add(do))
			}
			mu.Lock()
			defer mu.Unlock()
			all, failure = append(all, mine...), errors.Join(failure, err)
		})
	}
	clients.Wait()
	return all, failure
}

// add measures the duration of one call.
func (t *times) add(do func() error) error {
	began := time.Now()
	err := do()
	*t = append(*t, time.Since(began))
	return err
}

// spend is add for processor time, which other processes do not affect. Only SQLite runs in this process.
func (t *times) spend(b bench, do func() error) error {
	if b.db.Dialect() != database.SQLite {
		return t.add(do)
	}
	began := spent()
	err := do()
	*t = append(*t, spent()-began)
	return err
}

// spent returns the processor time of this process.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail with this argument
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// search finds the page, as ids.
func (c testCase) search(ctx context.Context, b bench) error {
	return b.s.InSnapshot(ctx, func(v *store.Snapshot) error {
		_, err := v.Search(ctx, store.SearchQuery{Search: c.q, Viewer: c.viewer, Words: words.Parse(c.q.Query)})
		return err
	})
}

// answer builds the complete response except its JSON: the page with everything that it shows.
func (c testCase) answer(ctx context.Context, b bench) error {
	actor := domain.Actor{UserID: c.viewer, Tier: domain.TierSupporter}
	_, err := b.app.Finder.Search(ctx, actor, c.q, &c.q.Seed)
	return err
}

// run runs statements and reads all rows.
func (b bench) run(ctx context.Context, all []statement) error {
	return b.db.View(ctx, func(q database.Querier) error {
		for _, s := range all {
			rows, err := q.Query(ctx, s.text, s.args...)
			if err != nil {
				return err
			}
			for rows.Next() {
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				return err
			}
		}
		return nil
	})
}
