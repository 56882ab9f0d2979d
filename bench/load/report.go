package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
)

const head = `| case | clients | bytes | bare, 1/s | Vitrine, 1/s | Vitrine ÷ bare | by CPU time | CPU, µs | p50, ms | p99, ms | raw, 1/s | Vitrine ÷ raw | slower than its rival |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|`

// report prints a line of a Markdown table for each subject: medians over the
// rounds, and for ratios their range.
func report(out io.Writer, g group, scores []score) {
	rival := scores[g.against]
	for i, s := range scores {
		slower := "–"
		if len(scores) > 1 && i != g.against {
			slower = spread(middleOf(over(rival.vitrine, s.vitrine, rate)), "×")
		}
		raw := "– | –"
		if len(s.raw) > 0 && s.raw[0].rate > 0 {
			raw = fmt.Sprintf("%.0f | %s", middleOf(of(s.raw, rate)).median, spread(middleOf(over(s.vitrine, s.raw, rate)), ""))
		}
		fmt.Fprintf(out, "| %s | %d | %d | %.0f | %.0f | %s | %s | %.0f | %s | %s | %s | %s |\n", s.name, s.clients, s.bytes,
			middleOf(of(s.bare, rate)).median, middleOf(of(s.vitrine, rate)).median,
			spread(middleOf(over(s.vitrine, s.bare, rate)), ""), spread(middleOf(over(s.bare, s.vitrine, cpu)), ""),
			1e6*middleOf(of(s.vitrine, cpu)).median, figure(1e3*middleOf(of(s.vitrine, p50)).median),
			figure(1e3*middleOf(of(s.vitrine, p99)).median), raw, slower)
	}
}

func spread(m middle, unit string) string {
	return fmt.Sprintf("%s%s (%s–%s)", figure(m.median), unit, figure(m.least), figure(m.most))
}

// figure prints a ratio with three digits at most.
func figure(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// profile starts the profiles that have a file to go to, and gives what ends them.
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
		runtime.GC() // the profile is as of the last collection
		return errors.Join(err, pprof.Lookup("allocs").WriteTo(to, 0), to.Close())
	}, nil
}
