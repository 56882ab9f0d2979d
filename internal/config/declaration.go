package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Declaration declares a setting. Flag, environment variable, key in the configuration file, help,
// manual, documentation, shell completion and `vitrine config` derive from it.
type Declaration struct {
	Flag        string // without the dashes; also the key in the configuration file
	Topic       string
	Common      bool   // every command has it
	Reloads     bool   // a running server takes a new value
	Default     string // empty for none, or if it depends on other settings
	Placeholder string // also determines the type in the configuration file
	Help        string
	FileHelp    string // help of --flag-file, which names a file with the value; empty for no such flag
	See         string // Markdown link to details; may be empty
	kind
}

// configFlag names the flag of the configuration file.
const configFlag = "config"

// fileSuffix ends the name of a flag that names a file with the value of another flag.
const fileSuffix = "-file"

// Env returns the environment variable.
func (d Declaration) Env() string { return envName(d.Flag) }

// Choices returns the possible values, if there are few.
func (d Declaration) Choices() []string { return d.choices }

// Secret reports whether the value is a secret or may contain one.
func (d Declaration) Secret() bool { return d.hide != nil }

// file returns the declaration of the flag that names a file with the value.
func (d Declaration) file() Declaration {
	return Declaration{Flag: d.Flag + fileSuffix, Topic: d.Topic, Common: d.Common, Placeholder: "FILE", Help: d.FileHelp}
}

// Declarations returns all settings, each followed by the one that names a file with its value.
func Declarations() []Declaration {
	all := make([]Declaration, 0, 2*len(settings))
	for _, d := range settings {
		all = append(all, d)
		if d.FileHelp != "" {
			all = append(all, d.file())
		}
	}
	return all
}

// Choices returns the possible values of a setting for shell completion, if there are few.
func Choices(flag string) []string {
	if i := slices.IndexFunc(settings, func(d Declaration) bool { return d.Flag == flag }); i >= 0 {
		return settings[i].choices
	}
	return nil
}

// envName returns the environment variable of a flag.
func envName(flag string) string {
	return "VITRINE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// kind parses the text of a setting into a Config and prints it. The zero kind does neither.
type kind struct {
	parse   func(c *Config, text string) error // may return joined errors; text is not empty
	print   func(c *Config) string
	raw     func(c *Config) string   // print with secrets; nil for settings without secrets
	hide    func(text string) string // replaces secrets in the text; nil for settings without secrets
	choices []string
}

// secret returns the kind with secrets hidden in its output.
func (k kind) secret(hide func(string) string) kind {
	print := k.print
	k.raw, k.hide, k.print = print, hide, func(c *Config) string { return hide(print(c)) }
	return k
}

// field returns the kind of a field of Config.
func field[T any](at func(*Config) *T, parse func(string) (T, error), print func(T) string) kind {
	return kind{
		parse: func(c *Config, text string) (err error) {
			*at(c), err = parse(text)
			return err
		},
		print: func(c *Config) string { return print(*at(c)) },
	}
}

func asIs(text string) string { return text }

// checked returns the kind of a text that check accepts.
func checked(at func(*Config) *string, check func(string) error) kind {
	return field(at, func(text string) (string, error) { return text, check(text) }, asIs)
}

// text returns the kind of any text.
func text(at func(*Config) *string) kind {
	return checked(at, func(string) error { return nil })
}

// choice returns the kind of one of several words.
func choice(at func(*Config) *string, words ...string) kind {
	k := checked(at, func(text string) error { return oneOf(text, words) })
	k.choices = words
	return k
}

// either returns the kind of a bool with other words than true and false.
func either(at func(*Config) *bool, no, yes string) kind {
	words := []string{no, yes}
	k := field(at, func(text string) (bool, error) { return text == yes, oneOf(text, words) },
		func(set bool) string {
			if set {
				return yes
			}
			return no
		})
	k.choices = words
	return k
}

func oneOf(value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return quotedError(value, "want "+orList(allowed))
}

// each parses the non-empty items of a comma-separated list and returns all errors joined.
func each[T any](text string, parse func(item string) (T, error)) (all []T, err error) {
	var errs []error
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		one, err := parse(item)
		if err != nil {
			errs = append(errs, err)
		} else {
			all = append(all, one)
		}
	}
	return all, errors.Join(errs...)
}

func joinTexts(items []string) string { return strings.Join(items, ",") }

func boolean(at func(*Config) *bool) kind {
	k := field(at, parseBool, strconv.FormatBool)
	k.choices = []string{"true", "false"}
	return k
}

func duration(at func(*Config) *time.Duration) kind {
	return field(at, parseDuration, time.Duration.String)
}

func delay(at func(*Config) *time.Duration) kind {
	return field(at, parseDelay, time.Duration.String)
}

func size(at func(*Config) *int64) kind { return field(at, parseSize, formatSize) }

func count(at func(*Config) *int) kind { return field(at, parseCount, strconv.Itoa) }
