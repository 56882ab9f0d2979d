package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Numbers and their nouns agree: commands print them with domain.Counted, since "%d files" is wrong for 1.
func TestNumbersAgree(t *testing.T) {
	t.Parallel()
	fixed := regexp.MustCompile(`"[^"\n]*%d [a-z]+[b-hj-rt-z]s\b[^"\n]*"`) // "%d is" and "%d was" agree
	paths, err := filepath.Glob("*.go")
	if err != nil || len(paths) < 20 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, text := range fixed.FindAllString(string(source), -1) {
			t.Errorf("%s prints %s: use domain.Counted", path, text)
		}
	}
}
