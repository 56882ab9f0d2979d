package config

import (
	"fmt"
	"strings"
)

// Problem is one thing wrong with one setting. It never holds a secret's value.
type Problem struct {
	Flag    string // without the dashes
	Message string
}

// Error is one line that names the flag and the environment variable.
func (p Problem) Error() string {
	return "--" + p.Flag + " (" + envName(p.Flag) + "): " + p.Message
}

// envName is the environment variable of a flag.
func envName(flag string) string {
	return "VITRINE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// problems collects what is wrong.
type problems []error

func (ps *problems) add(flag, format string, args ...any) {
	*ps = append(*ps, Problem{Flag: flag, Message: fmt.Sprintf(format, args...)})
}

// addErr notes err, if there is one.
func (ps *problems) addErr(flag string, err error) {
	if err != nil {
		ps.add(flag, "%v", err)
	}
}
