package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"vitrine/bench/drive"
)

// figure is the result of a case.
type figure struct {
	Case   string             `json:"case"`
	Answer answer             `json:"answer"` // common to all peers
	Peers  map[string]*result `json:"peers"`
}

// result is the result of a peer: medians over the rounds, times over all requests.
type result struct {
	Rate    float64 `json:"rate"` // requests per second
	Least   float64 `json:"least"`
	Most    float64 `json:"most"`
	CPU     float64 `json:"cpu_us"` // per request, including the client's; 0 if unknown
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Vitrine float64 `json:"vitrine_to_it"`     // Vitrine's rate divided by the peer's
	ByCPU   float64 `json:"vitrine_to_it_cpu"` // the same by processor time; 0 if unknown
}

func newResult(speeds, vitrine []drive.Speed, outside bool) *result {
	vitrine = vitrine[:len(speeds)] // of the same rounds
	var took []time.Duration
	for _, s := range speeds {
		took = append(took, s.Took...)
	}
	rate := drive.MiddleOf(drive.Of(speeds, drive.Rate))
	r := &result{Rate: rate.Median, Least: rate.Least, Most: rate.Most,
		P50: milliseconds(drive.At(took, 0.5)), P99: milliseconds(drive.At(took, 0.99)),
		Vitrine: drive.MiddleOf(drive.Over(vitrine, speeds, drive.Rate)).Median}
	if !outside {
		r.CPU = 1e6 * drive.MiddleOf(drive.Of(speeds, drive.CPU)).Median
		r.ByCPU = drive.MiddleOf(drive.Over(speeds, vitrine, drive.CPU)).Median
	}
	return r
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// report prints a table of requests per second and one of all figures, or JSON.
func (b *bench) report(out io.Writer) error {
	if b.JSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"made": map[string]int{"blocks": b.data.made.Blocks, "connections": b.data.made.Connections,
			"large": b.data.made.Large.Items}, "clients": b.Clients, "rounds": b.Rounds, "not_installed": b.missing, "cases": b.figures})
	}
	fmt.Fprintf(out, "%d blocks, %d connections, a channel of %d; %d clients, %d rounds; requests a second\n\n",
		b.data.made.Blocks, b.data.made.Connections, b.data.made.Large.Items, b.Clients, b.Rounds)
	names := b.names()
	fmt.Fprintf(out, "| case | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("--:|", len(names)))
	for _, f := range b.figures {
		fmt.Fprintf(out, "| %s |", b.title(f))
		for _, name := range names {
			fmt.Fprintf(out, " %s |", f.rate(name, b.missing))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, "\n| case | of | 1/s (least–most) | p50, ms | p99, ms | CPU, µs | Vitrine ÷ it | by CPU time |\n|---|---|--:|--:|--:|--:|--:|--:|")
	for _, f := range b.figures {
		for _, name := range names {
			if r := f.Peers[name]; r != nil {
				fmt.Fprintf(out, "| %s | %s | %s (%s–%s) | %s | %s | %s | %s | %s |\n", f.Case, name, digits(r.Rate), digits(r.Least), digits(r.Most),
					digits(r.P50), digits(r.P99), digits(r.CPU), digits(r.Vitrine), digits(r.ByCPU))
			}
		}
	}
	return nil
}

// names returns the names of all peers, Vitrine's last, and of the missing ones.
func (b *bench) names() []string {
	var all []string
	for _, p := range b.peers {
		all = append(all, p.name)
	}
	return slices.Insert(all, len(all)-1, b.missing...)
}

// title returns the name of a case with the common answer.
func (b *bench) title(f figure) string {
	switch f.Case {
	case firstPage:
		return fmt.Sprintf("%s (of %d)", f.Case, f.Answer.Total)
	case deepPage:
		return fmt.Sprintf("page %d of %d items", b.deep(), f.Answer.Total)
	case wordFound:
		return fmt.Sprintf("search, a word in %d blocks, by score with its total", f.Answer.Total)
	}
	return f.Case
}

// rate returns a cell of the first table.
func (f figure) rate(name string, missing []string) string {
	if r := f.Peers[name]; r != nil {
		return digits(r.Rate)
	}
	if slices.Contains(missing, name) {
		return "not installed"
	}
	return "–"
}

// digits formats a number with at most two decimals, and fewer if it is large.
func digits(x float64) string {
	switch {
	case x == 0:
		return "–"
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
