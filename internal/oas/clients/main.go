// Command clients generates the types and operations of the Go and TypeScript clients from a description of the API.
package main

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"
)

func main() {
	in := flag.String("in", "", "description to read, YAML")
	goOut := flag.String("go", "", "folder of the Go package, whose name is that of the folder")
	tsOut := flag.String("ts", "", "folder of the TypeScript client")
	prefix := flag.String("prefix", "", "beginning of the names of the TypeScript files")
	flag.Parse()
	if err := run(*in, *goOut, *tsOut, *prefix); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

func run(in, goOut, tsOut, prefix string) error {
	text, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	var doc document
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return err
	}
	a := newAPI(doc, filepath.Base(in), filepath.Base(goOut))
	if a.err != nil {
		return a.err
	}
	source, err := format.Source(a.goSource())
	if err != nil {
		return fmt.Errorf("the generated code of the Go client: %w", err)
	}
	for path, text := range map[string][]byte{
		filepath.Join(goOut, "api_gen.go"):               source,
		filepath.Join(tsOut, prefix+"types.d.ts"):        a.tsTypes(),
		filepath.Join(tsOut, prefix+"operations_gen.js"): a.jsOperations(),
	} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
