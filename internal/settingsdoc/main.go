// Command settingsdoc writes the tables of settings into docs/operators.md.
package main

//go:generate go run . -in ../../docs/operators.md

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"

	"vitrine/internal/config"
)

// The tables are between these lines.
const (
	begin = "<!-- begin of the settings, written by go generate ./internal/settingsdoc -->\n"
	end   = "<!-- end of the settings -->\n"
)

func main() {
	path := flag.String("in", "", "document to update")
	flag.Parse()
	if err := update(*path); err != nil {
		fmt.Fprintln(os.Stderr, "settingsdoc:", err)
		os.Exit(1)
	}
}

func update(path string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := replaced(old)
	if err != nil || bytes.Equal(text, old) {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// replaced returns the document with current tables.
func replaced(document []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(document, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, errors.New("the document does not contain the lines that enclose the settings")
	}
	return bytes.Join([][]byte{before, []byte(begin), []byte(tables()), []byte(end), after}, nil), nil
}

// tables returns a table of settings for each topic.
func tables() string {
	var b strings.Builder
	for _, topic := range config.Topics() {
		fmt.Fprintf(&b, "\n**%s**\n\n| flag | default | |\n|---|---|---|\n", topic)
		for _, d := range config.Declarations() {
			if d.Topic == topic {
				b.WriteString(row(d))
			}
		}
	}
	return b.String() + "\n"
}

func row(d config.Declaration) string {
	preset := ""
	if d.Default != "" {
		preset = "`" + d.Default + "` "
	}
	about := marked(d.Help)
	if d.Secret() && d.FileHelp != "" {
		about += " Secret."
	}
	if d.See != "" {
		about += " See " + d.See + "."
	}
	return fmt.Sprintf("| `--%s` | %s| %s |\n", d.Flag, preset, about)
}

// code matches the parts of a help text that Markdown would change, or that are code.
var code = regexp.MustCompile(`--[a-z][a-z-]*[a-z]|\\,|'vitrine [a-z -]*'`)

// marked returns a help text as Markdown.
func marked(text string) string {
	text = code.ReplaceAllStringFunc(text, func(s string) string { return "`" + strings.Trim(s, "'") + "`" })
	return strings.ReplaceAll(text, "|", `\|`)
}
