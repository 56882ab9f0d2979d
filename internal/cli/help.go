package cli

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"vitrine/internal/config"
)

// newParser creates the command line parser. The help lists a command's own flags first, and then
// settings by topic.
//
// If args begins with a command, the parser only contains that command and its subcommands:
// building all others takes longer than most commands run, because each has all settings.
func newParser(stdout, stderr io.Writer, args ...string) (*kong.Kong, error) {
	parser, err := kong.New(commandsFor(args), kong.Name("vitrine"), kong.Writers(stdout, stderr), kong.UsageOnError(),
		config.AddFlags(), kong.Vars{"place": placeHelp, "version": versionLine()},
		kong.Description("A self-hosted server for collections that speaks the Are.na v3 API."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.ValueFormatter(withDefault),
		kong.Exit(func(code int) { panic(exited(code)) }))
	if err != nil {
		return nil, err
	}
	topics := config.Topics()
	for _, command := range parser.Model.Leaves(false) {
		slices.SortStableFunc(command.Flags, func(a, b *kong.Flag) int { return topicOf(topics, a) - topicOf(topics, b) })
	}
	return parser, nil
}

// commandsFor returns the tree of all commands, or only of the one that args begins with.
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

// withDefault adds a flag's default, unless its placeholder shows it, and its environment variable
// to the help.
func withDefault(v *kong.Value) string {
	var more []string
	if f := v.Flag; f != nil {
		if f.PlaceHolder != "" && v.Default != "" && f.PlaceHolder != strconv.Quote(v.Default) {
			more = append(more, "default "+v.Default)
		}
		for _, env := range config.Variables(f) {
			more = append(more, "$"+env)
		}
	}
	if len(more) == 0 {
		return v.Help
	}
	return strings.TrimSuffix(v.Help, ".") + " (" + strings.Join(more, ", ") + ")."
}

// topicOf returns the index of a flag's topic, or -1 for a command's own flags, which come first.
func topicOf(topics []string, f *kong.Flag) int {
	if f.Group == nil {
		return -1
	}
	return slices.Index(topics, f.Group.Key)
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command, such as user create. Without it, all commands are listed."`
}

// Run prints the output of the command's --help.
func (cmd *helpCmd) Run(c *console) error {
	args := append([]string{c.Program}, cmd.Command...)
	if code := Run(c.Ctx, append(args, "--help"), c.Out, c.Err); code != exitOK {
		return exitWith(code)
	}
	return nil
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (cmd *completionCmd) Run(c *console) error { return writeCompletion(c.Out, cmd.Shell) }

// completeCmd is called by the completion scripts.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"Words of the line; the last one is completed."`
}

func (cmd *completeCmd) Run(c *console) error {
	parser, err := newParser(c.Out, c.Err)
	if err != nil {
		return err
	}
	words := cmd.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, line := range completions(parser.Model, words) {
		fmt.Fprintln(c.Out, line)
	}
	return nil
}

type manCmd struct{}

func (manCmd) Run(c *console) error {
	parser, err := newParser(c.Out, c.Err)
	if err != nil {
		return err
	}
	return writeManual(c.Out, parser.Model, version())
}
