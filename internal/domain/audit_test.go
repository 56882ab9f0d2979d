package domain_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"vitrine/internal/domain"
)

// Acts contains each act once, and none is missing.
func TestActs(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("audit.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared []domain.Act
	for _, found := range regexp.MustCompile(`(?m)^\tAct\w+ +Act = "(.+)"$`).FindAllSubmatch(source, -1) {
		declared = append(declared, domain.Act(found[1]))
	}
	listed := slices.Clone(domain.Acts)
	slices.Sort(declared)
	slices.Sort(listed)
	if len(declared) == 0 || !slices.Equal(declared, listed) {
		t.Errorf("declared %v, listed %v", declared, listed)
	}
}
