package licenses_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/licenses"
)

const root = "../.."

// The output equals the files at the root, so that the reviewed text is shipped.
func TestPrint(t *testing.T) {
	t.Parallel()
	text := printed(t)
	for _, file := range []string{"NOTICE", "LICENSE", "THIRD-PARTY-NOTICES.txt"} {
		want, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, string(want)) {
			t.Errorf("%s is not printed whole: go generate ./internal/licenses", file)
		}
	}
}

// Every licence in the repository is printed.
func TestKeptLicenses(t *testing.T) {
	t.Parallel()
	text := words(printed(t))
	found := 0
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "LICENSE") && d.Name() != "PROVIDERS.md" {
			return err
		}
		found++
		license, err := os.ReadFile(path)
		if err == nil && !strings.Contains(text, words(string(license))) {
			t.Errorf("%s is not printed: it wants a line in internal/licenses/works", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 10 {
		t.Errorf("%d licences were found, want those of fonts, scripts and codecs", found)
	}
}

func printed(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := licenses.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// words normalizes white space, in which licences differ.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }
