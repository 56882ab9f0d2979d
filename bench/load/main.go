// Load measures the server over loopback, compared with a bare handler that writes the same bytes:
//
//	go run ./bench/load --data-dir /tmp/bench-data --made /tmp/bench-data/made.json
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"vitrine/internal/config"
)

type command struct {
	config.Common
	People       bool          `help:"Measure what bench/gen --people made."`
	Made         string        `required:"" type:"existingfile" help:"What bench/gen --json printed."`
	Rounds       int           `default:"9" help:"Measurements of each case."`
	Requests     int           `default:"2000" help:"Requests of one measurement, at most."`
	Writes       int           `default:"200" help:"Writing requests of one measurement, at most."`
	Time         time.Duration `default:"1s" help:"Length of one measurement, at most."`
	Workers      int           `default:"8" help:"Clients at a time."`
	Only         string        `help:"Regular expression that the name of a case must match."`
	NetHTTP      bool          `name:"nethttp" help:"Send with the client of net/http, not with one that does the least."`
	SkipBare     bool          `help:"Leave the bare handler out, to profile."`
	Statements   bool          `help:"Count the statements of a request of each case instead of measuring it."`
	CPUProfile   string        `name:"cpuprofile" help:"File for a CPU profile of the measurements."`
	AllocProfile string        `name:"allocprofile" help:"File for a profile of all allocations."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, config.AddFlags(), kong.Description("Measure the server over loopback, beside a bare handler that writes the same bytes."))
	if err := cmd.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context, out io.Writer) (err error) {
	// Jobs only run for people, whose cases measure them too.
	flags := config.Flags(cmd.Common)
	flags.Set("rate-limits", "guest=0,free=0,premium=0,supporter=0")
	flags.Set("work", strconv.FormatBool(cmd.People))
	cfg, problems := flags.Resolve()
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	only, err := regexp.Compile(cmd.Only)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(cmd.Made)
	if err != nil {
		return err
	}
	b := &bench{rounds: cmd.Rounds, requests: cmd.Requests, writes: cmd.Writes, time: cmd.Time, workers: cmd.Workers,
		only: only, skipBare: cmd.SkipBare, netHTTP: cmd.NetHTTP, count: cmd.Statements, out: out}
	if b.made, b.audience, err = decode(bytes.NewReader(text), cmd.People); err != nil {
		return fmt.Errorf("%s: %w", cmd.Made, err)
	}
	profiles, err := profile(cmd.CPUProfile, cmd.AllocProfile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, profiles()) }()
	return b.run(ctx, cfg)
}
