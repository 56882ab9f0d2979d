package cli

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"vitrine/internal/config"
)

// Completions that are left to the shell.
const (
	filePaths   = ":files"
	folderPaths = ":folders"
)

// completions returns the completions of the last of the words after the program's name, each as the
// word, a tab and its help. :files or :folders means that the shell completes paths.
func completions(app *kong.Application, words []string) []string {
	words = joinFlags(words)
	if len(words) == 0 {
		words = []string{""}
	}
	line := position{node: app.Node, given: map[string]bool{}}
	current := words[len(words)-1]
	for _, word := range words[:len(words)-1] {
		line.pass(word)
	}
	return line.candidates(current)
}

// joinFlags joins "--flag", "=" and "value", which bash treats as three words.
func joinFlags(words []string) (out []string) {
	for i := 0; i < len(words); i++ {
		last := len(out) - 1
		if words[i] != "=" || last < 0 || !strings.HasPrefix(out[last], "--") {
			out = append(out, words[i])
			continue
		}
		if i+1 < len(words)-1 { // the value is complete
			out[last] += "=" + words[i+1]
		} else if i+1 < len(words) {
			out = append(out, words[i+1])
		} else {
			out = append(out, "")
		}
		i++
	}
	return out
}

// position is the state after the words before the current one.
type position struct {
	node    *kong.Node
	given   map[string]bool // flags
	waiting *kong.Flag      // flag that takes the next word as its value
	args    int             // number of positional arguments so far
	plain   bool            // after "--" there are no flags
}

func (p *position) pass(word string) {
	switch {
	case p.waiting != nil:
		p.waiting = nil
	case p.plain:
		p.args++
	case word == "--":
		p.plain = true
	case strings.HasPrefix(word, "-"):
		name, _, whole := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		p.given[name] = true
		if f := p.flag(name); f != nil && !whole && !f.IsBool() {
			p.waiting = f
		}
	default:
		for _, child := range p.node.Children {
			if child.Name == word || slices.Contains(child.Aliases, word) {
				p.node = child
				return
			}
		}
		p.args++
	}
}

func (p *position) candidates(current string) []string {
	if p.waiting != nil {
		return values(p.waiting.Value, p.waiting.PlaceHolder, current, "")
	}
	if name, value, found := strings.Cut(current, "="); found && !p.plain && strings.HasPrefix(name, "--") {
		f := p.flag(name[2:])
		if f == nil {
			return nil
		}
		return values(f.Value, f.PlaceHolder, value, name+"=")
	}
	if strings.HasPrefix(current, "-") && !p.plain {
		return p.flags(current)
	}
	var out []string
	for _, child := range p.node.Children {
		if !child.Hidden && strings.HasPrefix(child.Name, current) {
			out = append(out, child.Name+"\t"+child.Help)
		}
	}
	if n := len(p.node.Positional); n > 0 {
		arg := p.node.Positional[min(p.args, n-1)]
		if p.args < n || arg.IsCumulative() {
			out = append(out, values(arg, strings.ToUpper(arg.Tag.PlaceHolder), current, "")...)
		}
	}
	if len(out) == 0 && current == "" && !p.plain {
		return p.flags("")
	}
	return out
}

// flags returns the flags that begin with current and can still be set.
func (p *position) flags(current string) (out []string) {
	for _, level := range p.node.AllFlags(true) {
		for _, f := range level {
			if strings.HasPrefix("--"+f.Name, current) && (!p.given[f.Name] || f.IsCumulative()) {
				out = append(out, "--"+f.Name+"\t"+f.Help)
			}
		}
	}
	return out
}

func (p *position) flag(name string) *kong.Flag {
	for _, level := range p.node.AllFlags(false) {
		for _, f := range level {
			if f.Name == name {
				return f
			}
		}
	}
	return nil
}

// values returns the values of a flag or argument that begin with current, with a prefix.
func values(v *kong.Value, placeholder, current, prefix string) (out []string) {
	choices := config.Choices(v.Name)
	if v.Enum != "" {
		choices = v.EnumSlice()
	}
	for _, choice := range choices {
		if strings.HasPrefix(choice, current) {
			out = append(out, prefix+choice+"\t")
		}
	}
	switch {
	case len(choices) > 0:
	case slices.Contains([]string{"DIR", "FOLDER"}, placeholder):
		out = append(out, folderPaths)
	case slices.Contains([]string{"FILE", "PATH"}, placeholder):
		out = append(out, filePaths)
	}
	return out
}
