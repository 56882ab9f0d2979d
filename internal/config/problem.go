package config

import (
	"fmt"
	"slices"
)

// Problem is an error in one setting. It never contains the value of a secret.
type Problem struct {
	Flag    string // without the dashes
	Message string
	Place   string // file and line of the value; empty if it is not from a configuration file
}

// Error returns one line with the flag and the environment variable, or with the line of the
// configuration file.
func (p Problem) Error() string {
	if p.Place != "" {
		return p.Place + ": " + p.Flag + ": " + p.Message
	}
	return "--" + p.Flag + " (" + envName(p.Flag) + "): " + p.Message
}

// problems collects errors.
type problems []error

func (ps *problems) add(flag, format string, args ...any) {
	*ps = append(*ps, Problem{Flag: flag, Message: fmt.Sprintf(format, args...)})
}

// addErr adds err, or each of the errors that it joins, unless it is nil.
func (ps *problems) addErr(flag string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			ps.addErr(flag, one)
		}
	} else if err != nil {
		ps.add(flag, "%v", err)
	}
}

// on reports whether there is a problem with a setting.
func (ps *problems) on(flag string) bool {
	return slices.ContainsFunc(*ps, func(err error) bool {
		p, ok := err.(Problem)
		return ok && p.Flag == flag
	})
}
