package archtest

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	fences   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	links    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	goFiles  = regexp.MustCompile("`([a-z0-9_/]+\\.go)`")
)

// files returns the files of the repository.
func files(t *testing.T, fsys fs.FS) (all []string) {
	t.Helper()
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if base := path.Base(name); err == nil && entry.IsDir() {
			if name != "." && strings.HasPrefix(base, ".") || slices.Contains([]string{"testdata", "node_modules", "dist"}, base) {
				return fs.SkipDir
			}
			return nil
		}
		all = append(all, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// docs returns the Markdown files of the repository without their blocks of code, by path.
func docs(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range files(t, fsys) {
		if path.Ext(name) == ".md" {
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = fences.ReplaceAllString(string(text), "")
		}
	}
	return all
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(text string) (all []string) {
	for _, m := range headings.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, m[1]))
	}
	return all
}

// TestLinks follows the links of documents to files and headings of the repository.
func TestLinks(t *testing.T) {
	t.Parallel()
	fsys := os.DirFS(root(t))
	all := docs(t, fsys)
	for name, text := range all {
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := fs.Stat(fsys, target); err != nil {
				t.Errorf("%s: link to %s: no such file", name, m[1])
			} else if to, page := all[target]; anchor != "" && page && !slices.Contains(anchors(to), anchor) {
				t.Errorf("%s: link to %s: no such heading", name, m[1])
			}
		}
	}
}

// TestFilesOfDesign looks for the Go files that the design documents name, by the end of their
// paths, so that a renamed file is renamed there too.
func TestFilesOfDesign(t *testing.T) {
	t.Parallel()
	fsys := os.DirFS(root(t))
	all := files(t, fsys)
	for name, text := range docs(t, fsys) {
		if name != "ARCHITECTURE.md" && name != "CONTRIBUTING.md" && path.Dir(name) != "docs/design" {
			continue
		}
		for _, m := range goFiles.FindAllStringSubmatch(text, -1) {
			if name == "CONTRIBUTING.md" && !strings.Contains(m[1], "/") {
				continue // an example
			}
			if !slices.ContainsFunc(all, func(file string) bool { return strings.HasSuffix("/"+file, "/"+m[1]) }) {
				t.Errorf("%s: %s: no such file", name, m[1])
			}
		}
	}
}

// TestDesignIsShort limits ARCHITECTURE.md and the pages of its topics, so that they stay overviews.
func TestDesignIsShort(t *testing.T) {
	t.Parallel()
	for name, text := range docs(t, os.DirFS(root(t))) {
		limit := 0
		switch {
		case name == "ARCHITECTURE.md":
			limit = 1500
		case path.Dir(name) == "docs/design":
			limit = 900
		case name == "bench/README.md":
			limit = 2000
		}
		if words := len(strings.Fields(text)); limit > 0 && words > limit {
			t.Errorf("%s: %d words, the limit is %d: move details to docs/design or bench/results", name, words, limit)
		}
	}
}
