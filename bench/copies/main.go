// Copies measures ordinary requests of the built program while it copies pages, with a database that bench/gen has
// filled. The pages are those of the tests, from addresses of the loopback network, so it needs Linux.
//
//	make build && go run ./bench/gen --data-dir /tmp/copies --blocks 80000 --large 19000 --connections 150000 --json > /tmp/copies/made.json
//	go run ./bench/copies --bin bin/vitrine --data-dir /tmp/copies --made /tmp/copies/made.json
//
// It adds to the data.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alecthomas/kong"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

type command struct {
	Bin     string        `required:"" type:"existingfile" help:"The built program."`
	DataDir string        `required:"" type:"existingdir" help:"Data of bench/gen."`
	Made    string        `required:"" type:"existingfile" help:"What bench/gen printed with --json."`
	Time    time.Duration `default:"3m" help:"Duration of a row."`
	PerHour int           `default:"1000" help:"Copies an hour."`
	Burst   int           `default:"200" help:"Copies that are requested at once in the last row."`
	Reads   float64       `default:"60" help:"Reads a second."`
	Writes  float64       `default:"3" help:"Writes a second."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, kong.Description("Measure ordinary requests while pages are copied."))
	if err := cmd.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "copies:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context) (err error) {
	made, err := dataset.ReadMade(cmd.Made)
	if err != nil {
		return err
	}
	b := &bench{cmd: cmd, made: made}
	web, err := serveSites()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, web.close()) }()
	b.web = web
	b.server, err = drive.Start(exec.CommandContext(ctx, cmd.Bin, "serve", "--data-dir", cmd.DataDir, "--addr", "127.0.0.1:0", "--log-level", "error",
		"--rate-limits", "guest=0,free=0,premium=0,supporter=0", "--snapshot-quota", "free=0,premium=0,supporter=0", "--quota", "free=0,premium=0,supporter=0",
		"--fetch-allow", "127.0.0.0/8", "--snapshots", "always"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.server.Stop()) }()
	b.server.Token = b.made.Token
	b.reads, b.writes, err = drive.Ordinary{Token: b.made.Token, First: b.made.FirstBlock, Last: b.made.LastBlock,
		Read: b.made.Middle.Slug, Pages: b.made.Middle.Items / 24, Write: b.made.Small.Slug}.Requests(b.server.Addr)
	if err != nil {
		return err
	}
	fmt.Println("| | copies | seconds until all were there | reads, p50, p99, ms | ÷ without | writes, p50, p99, ms | ÷ without | peak RSS, MB |\n|---|--:|--:|--:|--:|--:|--:|--:|")
	if _, err := b.load(ctx, 5*time.Second); err != nil { // warms up
		return err
	}
	hourly := int(cmd.Time.Hours() * float64(cmd.PerHour))
	for _, row := range []struct {
		name   string
		copies int
		every  time.Duration
	}{
		{"without copies", 0, 0},
		{fmt.Sprintf("%d copies an hour", cmd.PerHour), hourly, time.Hour / time.Duration(cmd.PerHour)},
		{"without copies, again", 0, 0},
		{"as fast as possible", cmd.Burst, 0},
	} {
		if err := b.measure(ctx, row.name, row.copies, row.every); err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
	}
	return nil
}

// bench is a run of measurements.
type bench struct {
	cmd    command
	made   dataset.Made
	server *drive.Program
	web    *sites
	reads  []drive.Prepared
	writes []drive.Prepared
	first  result // the row without copies
}

// result contains the durations of requests.
type result struct{ reads, writes []time.Duration }

// measure sends the load, saves links for the server to copy, and prints a row.
func (b *bench) measure(ctx context.Context, name string, copies int, every time.Duration) error {
	if err := drive.ResetPeakMemory(b.server.Process.Pid); err != nil {
		return err
	}
	loading, stop := context.WithCancel(ctx)
	defer stop()
	var loaded result
	var failed error
	over := make(chan struct{})
	go func() {
		defer close(over)
		loaded, failed = b.load(loading, b.cmd.Time)
	}()
	began := time.Now()
	made, err := b.copy(ctx, copies, every)
	took := time.Since(began)
	if err == nil && copies > 0 && every == 0 {
		stop() // the load lasts as long as the copies
	}
	<-over
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	peak, err := drive.PeakMemory(b.server.Process.Pid)
	if err != nil {
		return err
	}
	if b.first.reads == nil {
		b.first = loaded
	}
	done := "– | –"
	if copies > 0 {
		done = fmt.Sprintf("%d of %d | %.0f", made, copies, took.Seconds())
	}
	fmt.Printf("| %s | %s | %s | %s | %d |\n", name, done, compared(loaded.reads, b.first.reads), compared(loaded.writes, b.first.writes), peak>>20)
	return nil
}

// compared formats the median and the 99th percentile, and their ratios to those without copies.
func compared(took, without []time.Duration) string {
	at := func(share float64) (ms, ratio float64) {
		now, then := drive.At(took, share).Seconds(), drive.At(without, share).Seconds()
		return now * 1e3, now / then
	}
	p50, r50 := at(0.5)
	p99, r99 := at(0.99)
	return fmt.Sprintf("%.1f, %.1f | %.2f, %.2f", p50, p99, r50, r99)
}

// load sends reads and writes at their rates, until the time is over or the context ends.
func (b *bench) load(ctx context.Context, d time.Duration) (r result, err error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var wg sync.WaitGroup
	var errs [2]error
	wg.Go(func() { r.reads, errs[0] = b.send(ctx, b.reads, http.StatusOK, b.cmd.Reads) })
	wg.Go(func() { r.writes, errs[1] = b.send(ctx, b.writes, http.StatusCreated, b.cmd.Writes) })
	wg.Wait()
	return r, errors.Join(errs[:]...)
}

// clients is how many requests of a kind are on their way at most.
const clients = 16

// send sends requests at a rate. The duration of a request begins when it is due, so a server that falls behind is not
// measured less often.
func (b *bench) send(ctx context.Context, requests []drive.Prepared, want int, rate float64) (took []time.Duration, err error) {
	var next atomic.Int64
	began := time.Now()
	each, errs := make([][]time.Duration, clients), make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			conn, err := drive.Dial(b.server.Addr)
			if err != nil {
				errs[i] = err
				return
			}
			defer func() { conn.Close() }()
			for {
				n := next.Add(1) - 1
				due := began.Add(time.Duration(float64(n) / rate * float64(time.Second)))
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Until(due)):
				}
				status, err := conn.Do(requests[int(n)%len(requests)], nil)
				if err != nil || status != want {
					errs[i] = errors.Join(err, fmt.Errorf("status %d, want %d", status, want))
					return
				}
				each[i] = append(each[i], time.Since(due))
			}
		})
	}
	wg.Wait()
	for _, some := range each {
		took = append(took, some...)
	}
	return took, errors.Join(errs...)
}

// copy saves links at a rate, waits until their pages are copied, and returns how many have a copy.
func (b *bench) copy(ctx context.Context, n int, every time.Duration) (made int, err error) {
	var blocks []int64
	for i := range n {
		var block struct{ ID int64 }
		link := map[string]any{"value": b.web.next(), "channel_ids": []string{b.made.Small.Slug}}
		if err := b.server.Call(ctx, "POST", "/v3/blocks", link, &block); err != nil {
			return made, err
		}
		blocks = append(blocks, block.ID)
		if i == n-1 {
			break
		}
		select {
		case <-ctx.Done():
			return made, ctx.Err()
		case <-time.After(every):
		}
	}
	patience := time.Now().Add(5 * time.Minute)
	for _, id := range blocks {
		for {
			there, ended, err := b.copied(ctx, id)
			if err != nil {
				return made, err
			}
			if there {
				made++
			}
			if there || ended || time.Now().After(patience) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return made, nil
}

// copied reports whether a block has a copy of its page, or will get none.
func (b *bench) copied(ctx context.Context, id int64) (there, ended bool, err error) {
	var list struct{ Data []struct{ ID int64 } }
	if err := b.server.Call(ctx, "GET", fmt.Sprintf("/ext/v1/blocks/%d/snapshots", id), nil, &list); err != nil {
		return false, false, err
	}
	var block struct{ State string }
	err = b.server.Call(ctx, "GET", fmt.Sprintf("/v3/blocks/%d", id), nil, &block)
	return len(list.Data) > 0, block.State == "failed", err
}
