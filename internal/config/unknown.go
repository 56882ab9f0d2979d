package config

import (
	"slices"
	"strings"
)

// otherVariables are variables that commands read but that are not settings of the server.
var otherVariables = []string{"VITRINE_PASSWORD", "VITRINE_PASSWORD_FILE", "VITRINE_SANDBOX"}

// kubernetes are prefixes of the variables that Kubernetes sets in pods next to a service called vitrine.
var kubernetes = []string{"VITRINE_SERVICE_", "VITRINE_PORT"}

// Unknown is an environment variable that looks like a setting but is not.
type Unknown struct {
	Name    string
	Closest string // the most similar setting; empty if no setting is similar
}

// UnknownVariables returns the variables among environ ("NAME=value") that begin with VITRINE_ but are
// never read, such as misspelt settings. Variables of tests, VITRINE_TEST_…, are not reported.
func UnknownVariables(environ []string) (unknown []Unknown) {
	known := slices.Clone(otherVariables)
	for _, d := range Declarations() {
		known = append(known, d.Env())
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

// closest returns the name with the smallest distance to name, or "" if the distance is large.
func closest(name string, among []string) (best string) {
	name = strings.ToUpper(name[:min(len(name), 100)])
	shortest := len(name)/4 + 1
	for _, other := range among {
		if d := distance(name, other); d < shortest {
			best, shortest = other, d
		}
	}
	return best
}

// distance returns the Levenshtein distance of a and b.
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
