package e2e

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// lastLandedFile contains the commit of the program to upgrade from: the last one before the newest
// migration. A new migration must update it.
const lastLandedFile = "testdata/last-landed"

// errNoHistory means that this clone does not contain the commit.
var errNoHistory = errors.New("the commit is not in this clone")

// lastLanded builds the program at that commit, once. It skips the test if the source is not a
// clone, or too shallow.
func lastLanded(t *testing.T) string {
	t.Helper()
	onRequest(t)
	path, err := lastOnce()
	if errors.Is(err, errNoHistory) {
		t.Skipf("NOT TESTED: an upgrade from the last landed program, since %v. Fetch the whole history: git fetch --unshallow", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var lastOnce = sync.OnceValues(func() (path string, err error) {
	commit, err := os.ReadFile(lastLandedFile)
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	overlay, err := overlayOf(root, strings.TrimSpace(string(commit)))
	if err != nil {
		return "", err
	}
	path = filepath.Join(built, "vitrine-last")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-overlay", overlay, "-o", path, "./cmd/vitrine")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", bytes.TrimSpace(commit), err, out)
	}
	return path, nil
})

// sources are the paths that the program is built from.
var sources = []string{"go.mod", "go.sum", "api", "cmd", "internal"}

// sourceAt reads the source of a commit by path.
func sourceAt(root, commit string) (map[string][]byte, error) {
	if exec.Command("git", "-C", root, "cat-file", "-e", commit+"^{tree}").Run() != nil {
		return nil, fmt.Errorf("%w: %s", errNoHistory, commit)
	}
	packed, err := exec.Command("git", append([]string{"-C", root, "archive", commit}, sources...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git archive %s: %w", commit, err)
	}
	all := map[string][]byte{}
	files := tar.NewReader(bytes.NewReader(packed))
	for {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		if all[filepath.FromSlash(head.Name)], err = io.ReadAll(files); err != nil {
			return nil, err
		}
	}
}

// overlayOf writes a file for `go build -overlay` that replaces the present source with that of a
// commit. This way unchanged packages are not built again.
func overlayOf(root, commit string) (path string, err error) {
	older, err := sourceAt(root, commit)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range older {
		if present, err := os.ReadFile(filepath.Join(root, name)); err == nil && bytes.Equal(present, text) {
			continue
		}
		path := filepath.Join(built, "last", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600)); err != nil {
			return "", err
		}
		replace[filepath.Join(root, name)] = path
	}
	for _, source := range sources {
		err := filepath.WalkDir(filepath.Join(root, source), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			if older[name] == nil {
				replace[path] = "" // did not exist
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(built, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}
