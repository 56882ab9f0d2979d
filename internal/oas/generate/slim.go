package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// change replaces text of the generated code.
type change struct {
	what string // of ogen is removed; for errors
	from *regexp.Regexp
	to   string
}

// Ogen's middleware is not used: ours works on http.Handler. Its code and the copies of parameters and bodies for it
// were an eighth of the generated lines. Ogen's errors, and its middleware too, import its parser of descriptions with
// two YAML libraries and a logger, so package failure replaces them.
var changes = []change{
	{"a call of middleware", regexp.MustCompile(`(?s)\tif m := s\.cfg\.Middleware; m != nil \{\n.*?\n\t\} else \{\n(.*?)\n\t\}\n`), "$1\n"},
	{"parameters for middleware", regexp.MustCompile(`(?s)func unpack\w+\(packed middleware\.Parameters\).*?\n\}\n`), ""},
	{"the body for middleware", regexp.MustCompile(`\n\s*(var rawBody \[\]byte|rawBody \[\]byte,|rawBody = append\(rawBody, buf\.\.\.\))\n`), "\n"},
	{"the body for middleware", regexp.MustCompile(`\b(request|req), rawBody, `), "$1, "},
	{"the option for middleware", regexp.MustCompile(`(?s)// WithMiddleware .*?\n\}\n`), ""},
	{"the setting of middleware", regexp.MustCompile(`\n\s*Middleware:? +(Middleware|nil,)\n`), "\n"},
	{"the import of middleware", regexp.MustCompile(`\t"github\.com/ogen-go/ogen/middleware"\n`), ""},
	{"the import of errors", regexp.MustCompile(`"github\.com/ogen-go/ogen/ogenerrors"`), `"vitrine/internal/oas/failure"`},
	{"errors", regexp.MustCompile(`\bogenerrors\.`), "failure."},
	{"the default error handler", regexp.MustCompile(`\n\s*ErrorHandler: +failure\.DefaultErrorHandler,\n`), "\n"},
}

// slim applies the changes to the files of a folder. It fails if one of them changed nothing, or if middleware is left,
// because ogen may generate other code than it did.
func slim(dir string) error {
	if err := os.Remove(filepath.Join(dir, "oas_middleware_gen.go")); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	if err != nil {
		return err
	}
	missing := slices.Clone(changes)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if c.from.Match(text) {
				text = c.from.ReplaceAll(text, []byte(c.to))
				missing = slices.DeleteFunc(missing, func(m change) bool { return m.from == c.from })
			}
		}
		if !bytes.Contains(text, []byte("context.")) {
			text = bytes.Replace(text, []byte("\t\"context\"\n"), nil, 1)
		}
		if bytes.Contains(text, []byte("iddleware.")) || bytes.Contains(text, []byte("rawBody")) {
			return fmt.Errorf("%s: some code for middleware is left", file)
		}
		if text, err = format.Source(text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return err
		}
	}
	var errs []error
	for _, c := range missing {
		errs = append(errs, fmt.Errorf("%s: the generator writes %s in another way than it did", dir, c.what))
	}
	return errors.Join(errs...)
}
