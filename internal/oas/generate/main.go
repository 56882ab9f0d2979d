// Command generate generates the typed server code for one API description.
//
// Requests are validated against the original description, to which describe.Complete adds
// responses. The generator reads a copy modified by overlay, so that the generated code is small
// and fast. Package describe enforces everything that overlay removes (scopes, exclusive fields,
// error statuses).
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/goccy/go-yaml"

	"vitrine/internal/describe"
)

const config = `generator:
  features:
    disable_all: true
    enable: ["paths/server"]
`

func main() {
	in := flag.String("in", "", "description to read, YAML")
	out := flag.String("out", "", "folder to write")
	pkg := flag.String("package", "", "name of the generated package")
	flag.Parse()
	if err := run(*in, *out, *pkg); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(in, out, pkg string) error {
	text, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	if text, err = describe.Complete(text); err != nil {
		return err
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return err
	}
	overlay(doc)
	made, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "oas")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	spec, conf := filepath.Join(dir, pkg+".json"), filepath.Join(dir, "ogen.yml")
	for name, data := range map[string][]byte{spec: made, conf: []byte(config)} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return err
		}
	}
	cmd := exec.Command("go", "tool", "ogen", "--config", conf, "--package", pkg, "--target", out, "--clean", spec)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	if err := slim(out); err != nil {
		return err
	}
	return streamJSON(filepath.Join(out, "oas_response_encoders_gen.go"))
}

// encoding matches how generated code writes a JSON response: completely, into a new encoder.
var encoding = regexp.MustCompile(`e := new\(jx\.Encoder\)\n((?:\t.*\n)+?)\t+if _, err := e\.WriteTo\(w\); err != nil \{`)

// streamJSON replaces this with wire.WriteJSON, which buffers only small responses and reuses
// memory. Growing a new encoder took an eighth of the CPU time of a page, and a large one stayed in
// memory until the client had read it.
func streamJSON(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text = encoding.ReplaceAll(text, []byte("if err := wire.WriteJSON(w, func(e *jx.Encoder) {\n$1\t}); err != nil {"))
	if rest := []byte("new(jx.Encoder)"); bytes.Contains(text, rest) || !bytes.Contains(text, []byte("wire.WriteJSON")) {
		return fmt.Errorf("%s: the generator writes JSON in another way than it did", file)
	}
	if !bytes.Contains(text, []byte(`"vitrine/internal/oas/wire"`)) {
		text = bytes.Replace(text, []byte("import (\n"), []byte("import (\n\t\"vitrine/internal/oas/wire\"\n"), 1)
	}
	text, err = format.Source(text)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}
