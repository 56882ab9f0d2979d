package description_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	description "vitrine/api"
	"vitrine/internal/describe"
)

const digest = "shapes.digest"

var (
	update = flag.Bool("update", false, "write "+digest+" anew from the shapes")
	shapes = flag.String("shapes", "", "the shapes of the public API (default ../shared/contract/v3-shapes.json beside the repository)")
)

// TestContract compares v3.yaml with the shapes of the public API in both
// directions, for its operations and all schemas that they refer to.
func TestContract(t *testing.T) {
	t.Parallel()
	ours, contract := factsOf(written(t)), contractFacts(t)
	for _, difference := range compare(ours, contract) {
		t.Error(difference)
	}
	for _, owner := range slices.Sorted(maps.Keys(contract)) {
		if !strings.HasPrefix(owner, "$") && ours[owner] == nil {
			t.Logf("not yet served: %s (%s)", owner, contract[owner]["operationId"])
		}
	}
}

// TestDigest compares the digest with the shapes if they are available.
//
// It is not parallel: with -update it writes what TestContract reads.
func TestDigest(t *testing.T) {
	text, err := os.ReadFile(shapesPath(t))
	if errors.Is(err, fs.ErrNotExist) && !*update {
		t.Skip("no shapes here")
	}
	if err != nil {
		t.Fatal(err)
	}
	var doc object
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	made := factsOf(doc).text()
	if *update {
		if err := os.WriteFile(digest, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(digest)
	if err != nil {
		t.Fatal(err)
	}
	if made != string(kept) {
		t.Errorf("%s is not what the shapes say; run go test ./api -update", digest)
	}
	if parseFacts(made).text() != made {
		t.Error("the digest loses facts")
	}
}

// contractFacts reads the digest, so the facts are the same on every machine.
func contractFacts(t *testing.T) facts {
	t.Helper()
	text, err := os.ReadFile(digest)
	if err != nil {
		t.Fatal(err)
	}
	return parseFacts(string(text))
}

// shapesPath returns the path of the shapes, or "" if they are not available.
func shapesPath(t *testing.T) string {
	t.Helper()
	if *shapes != "" {
		return *shapes
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return filepath.Join(root, "..", "shared", "contract", "v3-shapes.json")
		}
		if filepath.Dir(root) == root {
			t.Fatal("no go.mod above this folder")
		}
		root = filepath.Dir(root)
	}
}

// written returns v3.yaml as a new tree.
func written(t *testing.T) object {
	t.Helper()
	text, err := describe.Complete(description.V3)
	if err != nil {
		t.Fatal(err)
	}
	var doc object
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}
