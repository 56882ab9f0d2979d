// Package cli is the command line: what an operator types.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"vitrine/internal/cli/accounts"
	"vitrine/internal/cli/console"
	"vitrine/internal/cli/moderation"
	"vitrine/internal/domain"
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
	Serve       serveCmd                `cmd:"" help:"Run the server."`
	Work        workCmd                 `cmd:"" help:"Work jobs without serving requests, beside any servers, with or without --work=false."`
	Jobs        jobsCmd                 `cmd:"" help:"List jobs that failed, and run them again."`
	Providers   providersCmd            `cmd:"" help:"Update the list of sites whose pages are embedded."`
	Migrate     migrateCmd              `cmd:"" help:"Bring the database's schema to this program's version."`
	Config      configCmd               `cmd:"" help:"Print the settings in effect, secrets hidden."`
	Check       checkCmd                `cmd:"" help:"Recompute every derived value in the database and report differences."`
	Backup      backupCmd               `cmd:"" help:"Copy the whole site to a folder, a file or a bucket, while servers run."`
	Restore     restoreCmd              `cmd:"" help:"Make a site of a backup, where nothing is: in an empty data folder, or an empty PostgreSQL database."`
	Import      importCmd               `cmd:"" help:"Bring collections in from elsewhere; run again, it takes what is new there."`
	User        accounts.UserCmd        `cmd:"" help:"Make, list and change accounts."`
	Reports     moderation.ReportsCmd   `cmd:"" help:"List what people have reported, and decide about it."`
	Hidden      moderation.HiddenCmd    `cmd:"" help:"Hide a block, channel or comment from all but who made it, and show it again."`
	Blocklist   moderation.BlocklistCmd `cmd:"" help:"Block sites, providers of mail, files and networks."`
	Audit       accounts.AuditCmd       `cmd:"" help:"Print the audit log, who did what and when, as lines of JSON."`
	Token       accounts.TokenCmd       `cmd:"" help:"Make, list and revoke personal access tokens."`
	App         accounts.AppCmd         `cmd:"" help:"Register, list and delete OAuth applications."`
	Export      exportCmd               `cmd:"" help:"Write all that somebody has made and owns to a ZIP."`
	Healthcheck healthcheckCmd          `cmd:"" help:"Ask a running server whether it is ready."`
	Version     versionCmd              `cmd:"" help:"Print the version."`
	Licenses    licensesCmd             `cmd:"" help:"Print the licence, and those of all software of others that the program contains."`
	Completion  completionCmd           `cmd:"" help:"Print a script that has a shell complete commands and flags."`
	Man         manCmd                  `cmd:"" help:"Print the manual page, for man -l -."`
	Help        helpCmd                 `cmd:"" help:"Tell of a command, or list all."`
	Complete    completeCmd             `cmd:"" hidden:"" help:"What a shell asks to complete a line."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

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
	for i, arg := range args[1:] {
		if !utf8.ValidString(arg) { // the parser would put other characters in its place
			return report(stderr, console.UsageError{fmt.Errorf("argument %d: must be valid UTF-8", i+1)}) // it may be a secret
		}
	}
	stdout, stderr = console.Escaping(stdout), console.Escaping(stderr)
	line := joined(args[1:])
	parser, err := newParser(stdout, stderr, line...)
	if err != nil {
		return report(stderr, err)
	}
	parsed, err := parser.Parse(line)
	if err != nil {
		return misused(stderr, err)
	}
	return report(stderr, parsed.Run(&console.Console{Ctx: ctx, Program: callAgain(args[0]), Out: stdout, Err: stderr}))
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
	if errors.Is(err, console.ErrPartly) {
		return exitPartly
	}
	if said, ok := errors.AsType[console.ExitWith](err); ok {
		return int(said)
	}
	if bad, ok := errors.AsType[console.UsageError](err); ok {
		for _, p := range bad {
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
