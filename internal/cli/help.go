package cli

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"vitrine/internal/cli/console"
	"vitrine/internal/cli/manual"
	"vitrine/internal/config"
)

// newParser makes a parser. Settings are shown by topic, behind a command's own flags.
//
// For a line that begins with a command it knows that command alone, with all below it: to
// know the others takes longer than most commands run, for each has every setting.
func newParser(stdout, stderr io.Writer, args ...string) (*kong.Kong, error) {
	parser, err := kong.New(commandsFor(args), kong.Name("vitrine"), kong.Writers(stdout, stderr), kong.UsageOnError(),
		kong.Vars{"place": placeHelp, "version": versionLine()},
		kong.Description("A self-hosted server for collections that speaks the Are.na v3 API."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.ValueFormatter(withDefault),
		kong.Exit(func(code int) { panic(exited(code)) }))
	if err != nil {
		return nil, err
	}
	topics := config.Topics()
	for _, command := range parser.Model.Leaves(false) {
		for _, f := range command.Flags {
			if topic := config.Topic(f.Name); topic != "" && len(f.Envs) > 0 {
				f.Group = &kong.Group{Key: topic, Title: topic + ":"}
			}
		}
		slices.SortStableFunc(command.Flags, func(a, b *kong.Flag) int { return topicOf(topics, a) - topicOf(topics, b) })
	}
	return parser, nil
}

// commandsFor is the tree of all commands, or of the one that args begin with.
func commandsFor(args []string) any {
	all := reflect.TypeFor[commands]()
	if len(args) > 0 {
		for field := range all.Fields() {
			if _, command := field.Tag.Lookup("cmd"); command && strings.ToLower(field.Name) == args[0] {
				version, _ := all.FieldByName("ShowVersion")
				return reflect.New(reflect.StructOf([]reflect.StructField{field, version})).Interface()
			}
		}
	}
	return new(commands)
}

// withDefault adds to the help of a flag what applies without it, where its placeholder
// does not show that, and its variable.
func withDefault(v *kong.Value) string {
	var more []string
	if v.Flag != nil && v.Flag.PlaceHolder != "" && v.Default != "" {
		more = append(more, "default "+v.Default)
	}
	for _, env := range v.Tag.Envs {
		more = append(more, "$"+env)
	}
	if len(more) == 0 {
		return v.Help
	}
	return strings.TrimSuffix(v.Help, ".") + " (" + strings.Join(more, ", ") + ")."
}

// topicOf is where the topic of a flag stands; flags of the command itself come first.
func topicOf(topics []string, f *kong.Flag) int {
	if f.Group == nil {
		return -1
	}
	return slices.Index(topics, f.Group.Key)
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command to tell of, such as user create. Without it all are listed."`
}

// Run prints what --help of the command prints.
func (cmd *helpCmd) Run(c *console.Console) error {
	args := append([]string{c.Program}, cmd.Command...)
	if code := Run(c.Ctx, append(args, "--help"), c.Out, c.Err); code != exitOK {
		return console.ExitWith(code)
	}
	return nil
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (cmd *completionCmd) Run(c *console.Console) error { return manual.Script(c.Out, cmd.Shell) }

// completeCmd is what the scripts ask.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words so far, the last of which is completed."`
}

func (cmd *completeCmd) Run(c *console.Console) error {
	parser, err := newParser(c.Out, c.Err)
	if err != nil {
		return err
	}
	words := cmd.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, line := range manual.Complete(parser.Model, words) {
		fmt.Fprintln(c.Out, line)
	}
	return nil
}

type manCmd struct{}

func (manCmd) Run(c *console.Console) error {
	parser, err := newParser(c.Out, c.Err)
	if err != nil {
		return err
	}
	return manual.Page(c.Out, parser.Model, version())
}
