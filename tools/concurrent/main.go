// Command concurrent prints arguments of go test that select the tests that do several things at once: their
// packages and a pattern. CI runs these with the race detector, and all tests at night.
//
//	go test -race $(go -C tools run ./concurrent)
//
// A test does several things at once if it starts a goroutine, or gives a function to a helper that does.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	packages, names, err := find(os.DirFS("../internal"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, p := range packages {
		fmt.Println("./internal/" + p)
	}
	fmt.Printf("-run=^(%s)$\n", strings.Join(names, "|"))
}

// A test is a test function, or a helper of tests.
type test struct {
	folder string
	*ast.FuncDecl
}

// find returns the concurrent tests in all test files and packages for tests of a folder: their packages and
// names, both sorted.
func find(tree fs.FS) (packages, names []string, err error) {
	var tests, helpers []test
	err = fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		dir := filepath.ToSlash(filepath.Dir(path))
		if err != nil || !strings.HasSuffix(path, "_test.go") && !(strings.HasSuffix(path, ".go") && strings.HasSuffix(dir, "test")) {
			return err
		}
		source, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || f.Body == nil:
			case f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test"):
				tests = append(tests, test{dir, f})
			case takesFunction(f):
				helpers = append(helpers, test{dir, f})
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	starters := map[string]bool{} // names of helpers that start goroutines, in any package
	for grown := true; grown; {
		grown = false
		for _, f := range helpers {
			if !starters[f.Name.Name] && concurrent(f.FuncDecl, starters) {
				starters[f.Name.Name], grown = true, true
			}
		}
	}
	for _, f := range tests {
		if concurrent(f.FuncDecl, starters) {
			packages, names = append(packages, f.folder), append(names, f.Name.Name)
		}
	}
	slices.Sort(packages)
	slices.Sort(names)
	return slices.Compact(packages), slices.Compact(names), nil
}

func takesFunction(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		_, ok := p.Type.(*ast.FuncType)
		return ok
	})
}

// concurrent reports whether a function contains a go statement, a call of a method Go, as of sync.WaitGroup,
// or one of a helper that starts goroutines.
func concurrent(f *ast.FuncDecl, starters map[string]bool) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			switch called := n.Fun.(type) {
			case *ast.SelectorExpr:
				found = found || called.Sel.Name == "Go" || starters[called.Sel.Name]
			case *ast.Ident:
				found = found || starters[called.Name]
			}
		}
		return !found
	})
	return found
}
