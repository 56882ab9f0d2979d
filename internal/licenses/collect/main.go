// Command collect writes THIRD-PARTY-NOTICES.txt: the licences of the Go modules that the program
// links on any released platform, and of third-party works in this repository. It also compresses
// that file for embedding.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/licenses/works"
)

// program is the package whose dependencies are collected.
const program = "vitrine/cmd/vitrine"

// work is a third-party work with its licence files.
type work struct {
	name, source string
	folder       string
	files        []string // in folder; nil means those that licenseFiles finds
}

const heading = `What the program contains of others, and under which licences.

Each licence stands below the names of what it is for. The source of every Go module is what
its name and version have been at https://proxy.golang.org; that of the rest is at the address
beside it. How a codec under the LGPL is replaced by a version of your own is described in
internal/media/codec/modules/README.md.
`

func main() {
	log.SetFlags(0)
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	if err := run(*root); err != nil {
		log.Fatal(err)
	}
}

func run(root string) error {
	all, err := linked(root)
	if err != nil {
		return err
	}
	for _, k := range works.Kept() {
		all = append(all, work{strings.TrimSpace(k.Name + " " + k.Version), k.Source, k.Folder, k.Files})
	}
	text, err := third(root, all)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "THIRD-PARTY-NOTICES.txt"), text, 0o644); err != nil {
		return err
	}
	return pack(root, "NOTICE", "LICENSE", "THIRD-PARTY-NOTICES.txt")
}

// module is a package's module in the output of `go list`.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// ours reports whether a module is a part of this repository.
func (m module) ours() bool { return m.Main || m.Replace != nil && m.Replace.Version == "" }

// linked returns the modules for all platforms by name, preceded by Go itself.
func linked(root string) ([]work, error) {
	byName := map[string]work{}
	for _, platform := range works.Platforms() {
		goos, goarch, _ := strings.Cut(platform, "/")
		list := exec.Command("go", "list", "-deps", "-json=Module", program)
		list.Dir, list.Stderr = root, os.Stderr
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", platform, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct{ Module *module }
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if m := p.Module; m != nil && !m.ours() { // nil for the standard library
				name := m.Path + " " + m.Version
				byName[name] = work{name: name, folder: m.Dir}
			}
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	works := []work{{name: "The Go programming language, its runtime and standard library", source: "https://go.dev",
		folder: strings.TrimSpace(string(goroot)), files: []string{"LICENSE", "PATENTS"}}}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		works = append(works, byName[name])
	}
	return works, nil
}

// third writes the licences, identical ones once.
func third(root string, works []work) ([]byte, error) {
	var texts []string // in the order of first use
	names := map[string][]string{}
	for _, w := range works {
		text, err := w.license(root)
		if err != nil {
			return nil, err
		}
		if names[text] == nil {
			texts = append(texts, text)
		}
		names[text] = append(names[text], strings.TrimSpace(w.name+"  "+w.source))
	}
	var b bytes.Buffer
	b.WriteString(heading)
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%[1]s\n%[2]s\n%[1]s\n\n%[3]s", strings.Repeat("=", 80), strings.Join(names[text], "\n"), text)
	}
	return b.Bytes(), nil
}

// license joins the licence files of w.
func (w work) license(root string) (string, error) {
	if w.files == nil {
		var err error
		if w.files, err = licenseFiles(w.folder); err != nil {
			return "", fmt.Errorf("%s: %w", w.name, err)
		}
	}
	var b strings.Builder
	for _, file := range w.files {
		path := filepath.Join(w.folder, file)
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("%s: %w", w.name, err)
		}
		if b.Len() > 0 {
			b.WriteString("\n" + strings.Repeat("-", 80) + "\n\n")
		}
		for line := range strings.Lines(strings.Trim(string(text), "\ufeff\r\n\f ")) {
			b.WriteString(strings.TrimRight(line, " \t\r\n\f") + "\n")
		}
	}
	return b.String(), nil
}

// licenseFiles returns the names of the licence and notice files in a module's folder.
func licenseFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		stem, _, _ := strings.Cut(cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), name), "-")
		known := slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, stem)
		if known && e.Type().IsRegular() && filepath.Ext(name) != ".GO" {
			files = append(files, e.Name())
		}
	}
	if len(files) == 0 {
		return nil, errors.New("it has no licence")
	}
	return files, nil
}

// pack concatenates and compresses files for embedding.
func pack(root string, files ...string) error {
	var all []byte
	for i, file := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		if i > 0 {
			all = append(all, "\n"+strings.Repeat("=", 80)+"\n\n"...)
		}
		all = append(all, text...)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "internal/licenses/notices.txt.zst"), w.EncodeAll(all, nil), 0o644)
}
