// Package heavy gives slow tests a light version: go test ./... runs that one, and CI the heavy one at night.
package heavy

import "os"

// Env is the environment variable that, if not empty, makes tests run their heavy version.
const Env = "VITRINE_TEST_HEAVY"

// Count returns the number of repetitions, or the size, of a slow test.
func Count(light, full int) int {
	if os.Getenv(Env) != "" {
		return full
	}
	return light
}
