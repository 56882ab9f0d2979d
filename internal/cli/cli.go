// Package cli is the command line: what an operator types.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/alecthomas/kong"

	"vitrine/internal/app"
	"vitrine/internal/backup"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/obs"
	"vitrine/internal/redis"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the command could not do what it was asked to
	exitUsage   = 2 // bad flags or settings
	exitPartly  = 3 // it did so but for things that it has named
)

// commands is the tree of all commands.
type commands struct {
	Serve       serveCmd       `cmd:"" help:"Run the server."`
	Work        workCmd        `cmd:"" help:"Work jobs without serving requests, beside any servers, with or without --work=false."`
	Jobs        jobsCmd        `cmd:"" help:"List jobs that failed, and run them again."`
	Providers   providersCmd   `cmd:"" help:"Update the list of sites whose pages are embedded."`
	Migrate     migrateCmd     `cmd:"" help:"Bring the database's schema to this program's version."`
	Config      configCmd      `cmd:"" help:"Print the settings in effect, secrets hidden."`
	Check       checkCmd       `cmd:"" help:"Recompute every derived value in the database and report differences."`
	Backup      backupCmd      `cmd:"" help:"Copy the whole site to a folder, a file or a bucket, while servers run."`
	Restore     restoreCmd     `cmd:"" help:"Make a site of a backup, where nothing is: in an empty data folder, or an empty PostgreSQL database."`
	Import      importCmd      `cmd:"" help:"Bring collections in from elsewhere; run again, it takes what is new there."`
	User        userCmd        `cmd:"" help:"Make, list and change accounts."`
	Audit       auditCmd       `cmd:"" help:"Print the audit log, who did what and when, as lines of JSON."`
	Token       tokenCmd       `cmd:"" help:"Make, list and revoke personal access tokens."`
	App         appCmd         `cmd:"" help:"Register, list and delete OAuth applications."`
	Export      exportCmd      `cmd:"" help:"Write all that somebody has made and owns to a ZIP."`
	Healthcheck healthcheckCmd `cmd:"" help:"Ask a running server whether it is ready."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
	Licenses    licensesCmd    `cmd:"" help:"Print the licence, and those of all software of others that the program contains."`
	Completion  completionCmd  `cmd:"" help:"Print a script that has a shell complete commands and flags."`
	Man         manCmd         `cmd:"" help:"Print the manual page, for man -l -."`
	Help        helpCmd        `cmd:"" help:"Tell of a command, or list all."`
	Complete    completeCmd    `cmd:"" hidden:"" help:"What a shell asks to complete a line."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// console is what commands write to.
type console struct {
	ctx     context.Context
	program string // how to call this program again
	out     io.Writer
	err     io.Writer
}

// usageError is a problem with flags or settings, a line each.
type usageError struct{ problems []error }

func (e usageError) Error() string { return errors.Join(e.problems...).Error() }

// exited carries the code with which the parser wants to end, after --help.
type exited int

// Run runs the command line args, args[0] being the program, and gives the exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			wanted, ok := r.(exited)
			if !ok {
				panic(r)
			}
			code = int(wanted)
		}
	}()
	parser, err := newParser(stdout, stderr)
	if err != nil {
		return report(stderr, err)
	}
	parsed, err := parser.Parse(joined(args[1:]))
	if err != nil {
		return misused(stderr, err)
	}
	return report(stderr, parsed.Run(&console{ctx: ctx, program: callAgain(args[0]), out: stdout, err: stderr}))
}

// joined writes "--flag -5s" as "--flag=-5s": the parser takes "-5s" for flags, of which
// none is a digit.
func joined(args []string) (out []string) {
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		number := len(arg) > 1 && arg[0] == '-' && (arg[1] == '.' || '0' <= arg[1] && arg[1] <= '9')
		if last := len(out) - 1; number && last >= 0 && strings.HasPrefix(out[last], "--") && !strings.Contains(out[last], "=") {
			out[last] += "=" + arg
		} else {
			out = append(out, arg)
		}
	}
	return out
}

// misused prints what the parser has refused: a flag without its value in one line, as
// settings are, anything else with where to read on.
func misused(stderr io.Writer, err error) int {
	if flag, rest, found := strings.Cut(err.Error(), ": expected "); found && strings.Contains(rest, " value but got ") {
		fmt.Fprintf(stderr, "vitrine: %s: want a value; one that begins with a hyphen goes behind %[1]s=\n", flag)
	} else {
		fmt.Fprintf(stderr, "vitrine: %v\nTry `vitrine --help`.\n", err)
	}
	return exitUsage
}

// callAgain is how the person called this program: `go run` builds it into a
// folder that is gone afterwards.
func callAgain(arg0 string) string {
	if strings.Contains(arg0, "go-build") {
		return "go run ./cmd/vitrine"
	}
	return arg0
}

// report prints an error, a line for each problem, and gives the exit code.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errPartly) {
		return exitPartly
	}
	if said, ok := errors.AsType[exitWith](err); ok {
		return int(said)
	}
	if bad, ok := errors.AsType[usageError](err); ok {
		for _, p := range bad.problems {
			fmt.Fprintln(stderr, "vitrine:", p)
		}
		return exitUsage
	}
	if known, ok := errors.AsType[*domain.Error](err); ok && known.Kind == domain.Invalid {
		for _, field := range known.Lines() {
			fmt.Fprintln(stderr, "vitrine:", field)
		}
		return exitUsage
	}
	fmt.Fprintln(stderr, "vitrine:", err)
	return exitFailure
}

// settings checks the settings that all commands share, and makes the log.
func settings(c *console, common config.Common) (config.Config, *slog.Logger, error) {
	cfg, problems := common.Resolve()
	if len(problems) > 0 {
		return cfg, nil, usageError{problems}
	}
	log, err := obs.Logger(c.err, cfg.LogFormat, cfg.LogLevel)
	return cfg, log, err
}

// serverSettings checks all settings, and makes the log.
func serverSettings(c *console, flags config.Flags) (config.Config, *slog.Logger, error) {
	cfg, problems := flags.Resolve()
	if cfg.Blob.URL != "" { // what is in it only the storage knows
		if _, err := server.BlobOptions(cfg.Blob); err != nil {
			problems = append(problems, config.Problem{Flag: "blob-url", Message: err.Error()})
		}
	}
	if cfg.RedisURL != "" {
		if err := redis.Check(cfg.RedisURL); err != nil {
			problems = append(problems, config.Problem{Flag: "redis-url", Message: err.Error()})
		}
	}
	if cfg.Backup.To != "" {
		if err := backup.CheckPath(cfg.Backup.To); err != nil {
			problems = append(problems, config.Problem{Flag: "backup-to", Message: err.Error()})
		}
	}
	if len(problems) > 0 {
		return cfg, nil, usageError{problems}
	}
	log, err := obs.Logger(c.err, cfg.LogFormat, cfg.LogLevel)
	return cfg, log, err
}

// withApp runs fn with the service on the configured database.
func withApp(c *console, common config.Common, fn func(cfg config.Config, a *app.App) error) error {
	return withAppAt(c, common, "", fn)
}

// withAppAt is withApp for a website at an address, which links begin with.
func withAppAt(c *console, common config.Common, site string, fn func(cfg config.Config, a *app.App) error) error {
	cfg, log, err := settings(c, common)
	if err != nil {
		return err
	}
	db, err := server.OpenReady(c.ctx, cfg, log)
	if err != nil {
		return err
	}
	c.ctx = domain.WithOrigin(c.ctx, domain.Origin{Console: true})
	return errors.Join(fn(cfg, app.New(app.Options{Store: store.New(db), SiteURL: site})), db.Close())
}

// printJSON prints a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// eachOf visits a list that is read in parts, each after the id that visit gave last.
func eachOf[ID ~int64, T any](part func(after ID, limit int) ([]T, error), visit func(T) ID) error {
	const limit = 500
	for after := ID(0); ; {
		some, err := part(after, limit)
		if err != nil {
			return err
		}
		for _, one := range some {
			after = visit(one)
		}
		if len(some) < limit {
			return nil
		}
	}
}
