package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"

	"vitrine/bench/drive"
)

const head = `| case | clients | bytes | bare, 1/s | Vitrine, 1/s | Vitrine ÷ bare | by CPU time | CPU, µs | slower than its rival |
|---|--:|--:|--:|--:|--:|--:|--:|--:|`

// report prints a line of a Markdown table for each subject: medians over the rounds, and for ratios their range.
func report(out io.Writer, g group, scores []score) {
	rival := scores[g.against]
	for i, s := range scores {
		slower := "–"
		if len(scores) > 1 && i != g.against {
			slower = spread(drive.MiddleOf(drive.Over(rival.vitrine, s.vitrine, drive.Rate)), "×")
		}
		fmt.Fprintf(out, "| %s | %d | %d | %.0f | %.0f | %s | %s | %.0f | %s |\n", s.name, s.clients, s.bytes,
			drive.MiddleOf(drive.Of(s.bare, drive.Rate)).Median, drive.MiddleOf(drive.Of(s.vitrine, drive.Rate)).Median,
			spread(drive.MiddleOf(drive.Over(s.vitrine, s.bare, drive.Rate)), ""), spread(drive.MiddleOf(drive.Over(s.bare, s.vitrine, drive.CPU)), ""),
			1e6*drive.MiddleOf(drive.Of(s.vitrine, drive.CPU)).Median, slower)
	}
}

func spread(m drive.Middle, unit string) string {
	return fmt.Sprintf("%s%s (%s–%s)", figure(m.Median), unit, figure(m.Least), figure(m.Most))
}

// figure formats a ratio with at most three digits.
func figure(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// profile starts the requested profiles and returns a function that ends them.
func profile(cpu, allocs string) (end func() error, err error) {
	var file *os.File
	if cpu != "" {
		if file, err = os.Create(cpu); err != nil {
			return nil, err
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return func() error {
		var err error
		if file != nil {
			pprof.StopCPUProfile()
			err = file.Close()
		}
		if allocs == "" {
			return err
		}
		to, failed := os.Create(allocs)
		if failed != nil {
			return errors.Join(err, failed)
		}
		runtime.GC() // the profile reflects the last collection
		return errors.Join(err, pprof.Lookup("allocs").WriteTo(to, 0), to.Close())
	}, nil
}
