// Growth compares the costs of requests in a large and a small set of data, in statements and in processor time:
//
//	go run ./bench/growth --small /tmp/small --large /tmp/big     # folders with what bench/gen made, and made.json
//
// With --small-url and --large-url the sets are PostgreSQL databases on this machine. This process serves both. They
// take turns, with one request of one client at a time. The time is the processor time of this process, including the
// client, and of PostgreSQL. Elapsed time would depend more on other processes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/alecthomas/kong"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

type command struct {
	Small    string `required:"" type:"existingdir" help:"Folder of the small set, with its made.json."`
	Large    string `required:"" type:"existingdir" help:"Folder of the large set."`
	SmallURL string `name:"small-url" help:"Database of the small set, if it is not in its folder."`
	LargeURL string `name:"large-url" help:"Database of the large set."`
	Rounds   int    `default:"7" help:"Measurements of each case."`
	Only     string `help:"Regular expression that the name of a case must match."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, kong.Description("Compare what requests cost in a large set of data and in a small one."))
	if err := cmd.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context, out io.Writer) (err error) {
	only, err := regexp.Compile(cmd.Only)
	if err != nil {
		return err
	}
	var sides [2]*side
	for i, at := range [2][2]string{{cmd.Small, cmd.SmallURL}, {cmd.Large, cmd.LargeURL}} {
		made, err := dataset.ReadMade(filepath.Join(at[0], "made.json"))
		if err != nil {
			return err
		}
		if sides[i], err = open(ctx, at[0], at[1], made); err != nil {
			return fmt.Errorf("%s: %w", at[0], err)
		}
		defer func() { err = errors.Join(err, sides[i].close(context.WithoutCancel(ctx))) }()
	}
	fmt.Fprintln(out, "| case | statements, small | large | processor time, µs, small | large | large ÷ small, median | least |\n|---|--:|--:|--:|--:|--:|--:|")
	for n := range sides[0].cases {
		pair := [2]operation{sides[0].cases[n], sides[1].cases[n]}
		if !only.MatchString(pair[0].name) {
			continue
		}
		if err := cmd.compare(ctx, out, sides, pair); err != nil {
			return fmt.Errorf("%s: %w", pair[0].name, err)
		}
	}
	return nil
}

// compare measures a case in both sets, in alternating order, and prints its line. The first round warms up and counts
// statements.
func (cmd command) compare(ctx context.Context, out io.Writer, sides [2]*side, pair [2]operation) error {
	var took [2][]float64
	var statements [2][]int
	for round := range cmd.Rounds + 1 {
		for k := range sides {
			i := (k + round) % 2
			if err := ctx.Err(); err != nil {
				return err
			}
			cost, err := sides[i].measure(ctx, pair[i])
			if err != nil {
				return err
			}
			if statements[i] = append(statements[i], cost.statements...); round > 0 {
				took[i] = append(took[i], cost.processor)
			}
		}
	}
	var ratios []float64
	for r := range took[0] {
		ratios = append(ratios, took[1][r]/took[0][r])
	}
	small, large := drive.MiddleOf(took[0]), drive.MiddleOf(took[1])
	_, err := fmt.Fprintf(out, "| %s | %s | %s | %.0f | %.0f | %.2f | %.2f |\n", pair[0].name, spread(statements[0]), spread(statements[1]),
		1e6*small.Median, 1e6*large.Median, drive.MiddleOf(ratios).Median, large.Least/small.Least)
	return err
}

// spread formats the numbers of statements of requests: one number if all are equal.
func spread(all []int) string {
	least, limit := slices.Min(all), slices.Max(all)
	if least == limit {
		return fmt.Sprint(least)
	}
	slices.Sort(all)
	return fmt.Sprintf("%d (%d–%d)", all[len(all)/2], least, limit)
}
