package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"vitrine/internal/config"
)

// writeManual writes the manual page, vitrine(1), in man macros. The footer contains the version and the
// date of the build.
func writeManual(w io.Writer, app *kong.Application, build map[string]string) error {
	p := manualPage{}
	p.line(".TH VITRINE 1 %s %s", quoted(build["date"]), quoted("vitrine "+build["version"]))
	p.section("NAME")
	p.text("vitrine - " + strings.TrimSuffix(lowered(app.Help), "."))
	p.section("SYNOPSIS")
	p.line(".B vitrine\n.I command\n[flags]")
	p.section("DESCRIPTION")
	p.text("Vitrine is a single program with an embedded SQLite database. Large sites run several servers with PostgreSQL. " +
		"Without any settings, `vitrine serve` keeps its data in ./data and listens on 127.0.0.1:8080. " +
		"Every setting is a flag, an environment variable and a key in the configuration file that --config names. " +
		"The flag takes precedence over the variable, and the variable over the file. An empty value means the default.")
	p.section("COMMANDS")
	for _, command := range app.Leaves(true) {
		p.command(command)
	}
	p.section("SETTINGS")
	p.text("Each command accepts the settings that it needs. All commands that work on a site accept those of Data and Log and the default tier.")
	settings := settingsByTopic(app)
	for _, topic := range config.Topics() {
		p.line(".SS %s", quoted(topic))
		for _, f := range settings[topic] {
			p.flag(f)
		}
	}
	p.section("EXIT STATUS")
	for _, code := range [][2]string{{"0", "Success."}, {"1", "Failure."},
		{"2", "Invalid flags or settings; nothing was done."}, {"3", "Partial success; the failed items were reported."}} {
		p.line(".TP\n.B %s", code[0])
		p.text(code[1])
	}
	p.section("SIGNALS")
	p.text("After SIGTERM or SIGINT, running requests and jobs can finish within --shutdown-timeout.")
	_, err := io.WriteString(w, p.String())
	return err
}

// settingsByTopic returns each setting once.
func settingsByTopic(app *kong.Application) map[string][]*kong.Flag {
	all := map[string][]*kong.Flag{}
	seen := map[string]bool{}
	for _, command := range app.Leaves(true) {
		for _, f := range command.Flags {
			if config.IsSetting(f) && !seen[f.Name] {
				seen[f.Name] = true
				all[f.Group.Key] = append(all[f.Group.Key], f)
			}
		}
	}
	return all
}

// manualPage is the roff source.
type manualPage struct{ strings.Builder }

func (p *manualPage) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *manualPage) section(name string) { p.line(".SH %s", quoted(name)) }

// text writes escaped text.
func (p *manualPage) text(text string) { p.line("%s", escaped(text)) }

// command writes a command's help, arguments and own flags.
func (p *manualPage) command(c *kong.Node) {
	p.line(".SS %s", quoted("vitrine "+c.Path()+arguments(c)))
	p.text(c.Help)
	if c.Detail != "" {
		p.text(c.Detail)
	}
	for _, arg := range c.Positional {
		p.line(".TP\n.I %s", escaped(arg.Name))
		p.text(arg.Help)
	}
	for _, f := range c.Flags {
		if !config.IsSetting(f) && !f.Hidden {
			p.flag(f)
		}
	}
}

// arguments returns the summary of a command's arguments.
func arguments(c *kong.Node) string {
	var b strings.Builder
	for _, arg := range c.Positional {
		b.WriteString(" " + arg.Summary())
	}
	return b.String()
}

func (p *manualPage) flag(f *kong.Flag) {
	name := "--" + f.Name
	if !f.IsBool() {
		name += " " + strings.Trim(f.FormatPlaceHolder(), `"`)
	}
	p.line(".TP\n.B %s", quoted(name))
	help := f.Help
	if f.Default != "" {
		help += " Default: " + f.Default + "."
	}
	if f.Enum != "" {
		help += " One of: " + strings.Join(f.EnumSlice(), ", ") + "."
	}
	p.text(help)
	for _, env := range config.Variables(f) {
		p.line(".br\n.RI ( %s )", quoted(env))
	}
}

// escaped escapes special characters of roff.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "‘", "'", "’", "'").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return strings.ReplaceAll(text, "\n.", "\n\\&.")
}

// quoted returns a quoted macro argument.
func quoted(text string) string { return `"` + strings.ReplaceAll(escaped(text), `"`, `\(dq`) + `"` }

// lowered returns the text with a lower case first letter.
func lowered(text string) string { return strings.ToLower(text[:1]) + text[1:] }
