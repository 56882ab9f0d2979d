package config

import (
	"fmt"
	"strings"
)

// Problem is an error in one setting. It never contains the value of a secret.
type Problem struct {
	Flag    string // without the dashes
	Message string
}

// Error returns one line with the flag and the environment variable.
func (p Problem) Error() string {
	return "--" + p.Flag + " (" + envName(p.Flag) + "): " + p.Message
}

// envName returns the environment variable of a flag.
func envName(flag string) string {
	return "VITRINE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// problems collects errors.
type problems []error

func (ps *problems) add(flag, format string, args ...any) {
	*ps = append(*ps, Problem{Flag: flag, Message: fmt.Sprintf(format, args...)})
}

// addErr adds err unless it is nil.
func (ps *problems) addErr(flag string, err error) {
	if err != nil {
		ps.add(flag, "%v", err)
	}
}
