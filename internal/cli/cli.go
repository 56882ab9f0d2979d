// Package cli implements the command line.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"vitrine/internal/domain"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the command failed
	exitUsage   = 2 // invalid flags or settings
	exitPartly  = 3 // the command was partly successful and reported the rest
)

// commands is the tree of commands.
type commands struct {
	Serve       serveCmd       `cmd:"" help:"Run the server."`
	Work        workCmd        `cmd:"" help:"Run jobs without serving requests. Other servers and workers can run at the same time."`
	Jobs        jobsCmd        `cmd:"" help:"List failed jobs, and retry them."`
	Providers   providersCmd   `cmd:"" help:"Update the list of sites whose pages can be embedded."`
	Migrate     migrateCmd     `cmd:"" help:"Migrate the database's schema to this program's version."`
	Upgrade     upgradeCmd     `cmd:"" help:"Rehearse an upgrade with a copy of the site."`
	Config      configCmd      `cmd:"" help:"Print the settings in effect, with secrets hidden."`
	Check       checkCmd       `cmd:"" help:"Recompute every derived value in the database and report differences."`
	Doctor      doctorCmd      `cmd:"" help:"Examine settings, addresses, mail, storage, clocks, disks, database, backups, jobs and nodes."`
	Backup      backupCmd      `cmd:"" help:"Back up the whole site to a folder, a file or a bucket."`
	Restore     restoreCmd     `cmd:"" help:"Restore a backup into an empty data folder or an empty PostgreSQL database."`
	Import      importCmd      `cmd:"" help:"Bring collections in from elsewhere; run again, it takes what is new there."`
	User        userCmd        `cmd:"" help:"Create, list and change accounts."`
	Reports     reportsCmd     `cmd:"" help:"List reports, and decide about them."`
	ReadOnly    readOnlyCmd    `cmd:"" name:"readonly" help:"Make the site read-only, or end that."`
	Reload      reloadCmd      `cmd:"" help:"Reload the settings of the server on this machine, without interrupting requests."`
	Announce    announceCmd    `cmd:"" help:"Show an announcement on every page, or remove it."`
	Hidden      hiddenCmd      `cmd:"" help:"Hide a block, channel or comment from everyone except its owner, or show it again."`
	Blocklist   blocklistCmd   `cmd:"" help:"Block domains, mail providers, files and networks."`
	Audit       auditCmd       `cmd:"" help:"Print the audit log as lines of JSON."`
	Token       tokenCmd       `cmd:"" help:"Create, list and revoke personal access tokens."`
	App         appCmd         `cmd:"" help:"Register, list and delete OAuth applications."`
	Export      exportCmd      `cmd:"" help:"Export everything that an account owns as a ZIP."`
	MCP         mcpCmd         `cmd:"" name:"mcp" help:"Connect an assistant that starts programs to the MCP endpoint of a server, by standard input and output."`
	Sync        syncCmd        `cmd:"" help:"Keep a directory of Markdown and files in step with a channel, or with all your channels."`
	Healthcheck healthcheckCmd `cmd:"" help:"Check whether a running server is ready."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
	Licenses    licensesCmd    `cmd:"" help:"Print the licences of Vitrine and of the software that it contains."`
	Completion  completionCmd  `cmd:"" help:"Print a script for shell completion."`
	Man         manCmd         `cmd:"" help:"Print the manual page, for man -l -."`
	Help        helpCmd        `cmd:"" help:"Show help for a command, or list all commands."`
	Complete    completeCmd    `cmd:"" hidden:"" help:"Called by shells to complete a line."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// exited is the panic value with the exit code that the parser wants, after --help.
type exited int

// Run runs a command line, where args[0] is the program, and returns the exit code.
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
		if !utf8.ValidString(arg) { // the parser would replace invalid characters
			return report(stderr, usageError{fmt.Errorf("argument %d: must be valid UTF-8", i+1)}) // does not repeat the argument, which may be a secret
		}
	}
	stdout, stderr = Escaping(stdout), Escaping(stderr)
	line := joined(args[1:])
	parser, err := newParser(stdout, stderr, line...)
	if err != nil {
		return report(stderr, err)
	}
	parsed, err := parser.Parse(line)
	if err != nil {
		return misused(stderr, err)
	}
	return report(stderr, parsed.Run(&console{Ctx: ctx, Program: callAgain(args[0]), Out: stdout, Err: stderr}))
}

// joined rewrites "--flag -5s" as "--flag=-5s", because the parser would treat "-5s" as flags. No
// flag is a digit.
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

// misused prints an error of the parser. A flag without its value is reported in one line, like
// errors in settings; other errors refer to --help.
func misused(stderr io.Writer, err error) int {
	if flag, rest, found := strings.Cut(err.Error(), ": expected "); found && strings.Contains(rest, " value but got ") {
		fmt.Fprintf(stderr, "vitrine: %s: want a value; write one that begins with a hyphen as %[1]s=VALUE\n", flag)
	} else {
		fmt.Fprintf(stderr, "vitrine: %v\nTry `vitrine --help`.\n", err)
	}
	return exitUsage
}

// callAgain returns the command to call this program again. `go run` builds it into a temporary
// folder.
func callAgain(arg0 string) string {
	if strings.Contains(arg0, "go-build") {
		return "go run ./cmd/vitrine"
	}
	return arg0
}

// report prints an error, one line per problem, and returns the exit code.
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
