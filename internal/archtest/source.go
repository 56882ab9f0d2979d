package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// module is the prefix of our import paths.
const module = "vitrine/"

// source is a parsed Go file.
type source struct {
	path      string // from the root of the module, with slashes
	pkg       string // its package, as named in the table
	test      bool
	generated bool
	lines     int
	file      *ast.File
	imports   []string // unquoted paths
}

// sources parses all Go files of the module at the root of fsys.
func sources(fsys fs.FS) ([]source, error) {
	var all []source
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if entry.IsDir() {
			hidden := name != "." && strings.HasPrefix(base, ".")
			if hidden || base == "testdata" || base == "node_modules" {
				return fs.SkipDir
			}
			if _, err := fs.Stat(fsys, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir // another module, such as tools
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		s, err := parse(fsys, name)
		if err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

func parse(fsys fs.FS, name string) (source, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return source{}, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	s := source{
		path:      name,
		pkg:       packageOf(path.Dir(name)),
		test:      strings.HasSuffix(name, "_test.go"),
		generated: ast.IsGenerated(file),
		lines:     bytes.Count(text, []byte("\n")),
		file:      file,
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return source{}, err
		}
		s.imports = append(s.imports, imported)
	}
	return s, nil
}

// packageOf returns a folder's name in the table.
func packageOf(dir string) string {
	if dir == "api" { // the handwritten descriptions, not internal/api
		return "description"
	}
	return strings.TrimPrefix(dir, "internal/")
}

// importsOfOurs returns the packages of this module that a file imports.
func (s source) importsOfOurs() []string {
	var found []string
	for _, imported := range s.imports {
		if dir, ok := strings.CutPrefix(imported, module); ok {
			found = append(found, packageOf(dir))
		}
	}
	return found
}
