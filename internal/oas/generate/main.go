// Command generate makes the typed server code of one API description.
//
// The description is served and validated as it is written. The generator reads
// a copy to which overlay has been applied, so that the code it makes is small
// and fast; what overlay takes away (scopes, exclusive fields, error statuses) is
// enforced from the written description by package describe.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
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
	return cmd.Run()
}
