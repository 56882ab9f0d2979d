// Command generate makes the typed server code of one API description.
//
// The description is served and validated as it is written. The generator reads
// a copy to which overlay has been applied, so that the code it makes is small
// and fast; what overlay takes away (scopes, exclusive fields, error statuses) is
// enforced from the written description by package describe.
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

	"github.com/goccy/go-yaml"
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
	return reuseEncoders(filepath.Join(out, "oas_response_encoders_gen.go"))
}

// reuseEncoders has responses written by encoders that are used again. A new one for
// each grows from nothing by doubling: an eighth of the processor time of a page.
func reuseEncoders(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	const fresh, reused = "e := new(jx.Encoder)\n", "e := wire.GetEncoder()\n\tdefer wire.PutEncoder(e)\n"
	if !bytes.Contains(text, []byte(fresh)) {
		return fmt.Errorf("%s: no %q", file, fresh)
	}
	text = bytes.ReplaceAll(text, []byte(fresh), []byte(reused))
	imports := "\t\"github.com/go-faster/jx\"\n"
	text = bytes.Replace(text, []byte(imports), nil, 1)
	if !bytes.Contains(text, []byte(`"vitrine/internal/oas/wire"`)) {
		text = bytes.Replace(text, []byte("import (\n"), []byte("import (\n\t\"vitrine/internal/oas/wire\"\n"), 1)
	}
	text, err = format.Source(text)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}
