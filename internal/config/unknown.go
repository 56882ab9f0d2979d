package config

import (
	"reflect"
	"slices"
	"strings"
)

// otherVariables are those that are no settings of the server: of commands and of the tests.
var otherVariables = []string{"VITRINE_PASSWORD", "VITRINE_PASSWORD_FILE"}

// kubernetes begins the variables that Kubernetes gives to pods next to a service called vitrine.
var kubernetes = []string{"VITRINE_SERVICE_", "VITRINE_PORT"}

// Unknown is an environment variable that looks like a setting and is none.
type Unknown struct {
	Name    string
	Closest string // the setting that is meant, perhaps; empty if none is similar
}

// UnknownVariables returns the variables among environ ("NAME=value") that begin with VITRINE_ and that
// nothing reads, such as misspelt settings. Those of tests, VITRINE_TEST_…, are not among them.
func UnknownVariables(environ []string) (unknown []Unknown) {
	known := slices.Clone(otherVariables)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Flags]()) {
		if name := f.Tag.Get("env"); name != "" {
			known = append(known, name)
		}
	}
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "VITRINE_") || strings.HasPrefix(name, "VITRINE_TEST_") || slices.Contains(known, name) ||
			slices.ContainsFunc(kubernetes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		unknown = append(unknown, Unknown{name, closest(name, known)})
	}
	slices.SortFunc(unknown, func(a, b Unknown) int { return strings.Compare(a.Name, b.Name) })
	return unknown
}

// closest returns the name to which the fewest changes of letters lead, if they are few.
func closest(name string, among []string) (best string) {
	name = strings.ToUpper(name[:min(len(name), 100)])
	fewest := len(name)/4 + 1
	for _, other := range among {
		if d := distance(name, other); d < fewest {
			best, fewest = other, d
		}
	}
	return best
}

// distance counts the letters to insert, remove or replace (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
