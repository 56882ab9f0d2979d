package site_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/site/catalog"
)

// said maps the functions that return errors to users to the index of their message argument.
var said = map[string]int{"Add": 2, "InvalidField": 2, "NewUnprocessable": 0, "NewForbidden": 0, "NewUnauthenticated": 0,
	"NewTooMany": 0, "NewUnavailableFor": 1, "Wrap": 1, "Wrong": 1, "Forbidden": 0, "endImport": 4, "giveUp": 3, "skipFor": 0}

// reasons are the functions that return the reason why a value is refused, as their last result.
var reasons = []string{"BadRedirectURI", "badScheme", "metadataValue", "metadataString", "failureOf", "stopText"}

// faults collects the error messages for users from the source, as formats of package fmt with
// their positions.
type faults struct {
	t      *testing.T
	set    *token.FileSet
	consts map[string]string // by folder and name
	found  map[string]string
}

func (f *faults) read(root string) {
	f.t.Helper()
	var files []*ast.File
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(f.set, path, nil, 0)
		files = append(files, file)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
				for i, name := range spec.Names {
					f.consts[f.folder(name)+name.Name] = f.fold(spec.Values[i])
				}
			}
			return true
		})
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool { f.look(n); return true })
	}
}

func (f *faults) folder(n ast.Node) string {
	return filepath.Dir(f.set.Position(n.Pos()).Filename) + "/"
}

// look records the message of a call or a literal.
func (f *faults) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if slices.Contains(reasons, n.Name.Name) {
			ast.Inspect(n, func(n ast.Node) bool {
				if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
					f.note(n, f.fold(r.Results[len(r.Results)-1]))
				}
				return true
			})
		}
	case *ast.CallExpr:
		name := nameOf(n.Fun)
		at, ok := said[name]
		if !ok || at >= len(n.Args) {
			return
		}
		text := f.fold(n.Args[at])
		if name == "Forbidden" {
			text = "You may not " + text
		}
		f.note(n, text)
	case *ast.CompositeLit:
		at, ok := map[string]int{"FieldError": 2, "Error": 2, "errUnavailable": 0}[nameOf(n.Type)]
		if !ok {
			return
		}
		for i, e := range n.Elts {
			kv, keyed := e.(*ast.KeyValueExpr)
			if key := nameOf(keyOf(kv)); keyed && (key == "Text" || key == "Message" || key == "Reason" || key == "reason") {
				f.note(n, f.fold(kv.Value))
			} else if !keyed && i == at {
				f.note(n, f.fold(e))
			}
		}
	}
}

func (f *faults) note(n ast.Node, text string) {
	if letters := strings.NewReplacer("%s", "", "%d", "", "You may not ", "").Replace(text); strings.ContainsAny(letters, "abcdefghijklmnopqrstuvwxyz") {
		f.found[text] = f.set.Position(n.Pos()).String()
	}
}

func keyOf(kv *ast.KeyValueExpr) ast.Expr {
	if kv == nil {
		return nil
	}
	return kv.Key
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// fold converts an expression to a format: values that are only known at run time become %d for
// numbers, and %s otherwise.
func (f *faults) fold(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return strings.ReplaceAll(text, "%q", "%s")
		}
	case *ast.BinaryExpr:
		return f.fold(e.X) + f.fold(e.Y)
	case *ast.Ident:
		if text, ok := f.consts[f.folder(e)+e.Name]; ok {
			return text
		}
	case *ast.CallExpr:
		switch nameOf(e.Fun) {
		case "Sprintf":
			return f.fold(e.Args[0])
		case "Itoa", "FormatInt":
			return "%d"
		}
	}
	return "%s"
}

// Error messages are written in English in the code, since API clients read them too. The catalogue
// has a German translation for each.
func TestFaultsAreTranslated(t *testing.T) {
	t.Parallel()
	f := faults{t, token.NewFileSet(), map[string]string{}, map[string]string{}}
	for _, root := range []string{"../domain", "../app", "../store", "../exporting", "../fetch", "../httpedge", "../importing/files", "../importing/source", "../oidc", "."} {
		f.read(root)
	}
	if len(f.found) < 100 {
		t.Fatalf("found %d texts, which is fewer than there are", len(f.found))
	}
	texts := catalog.New()
	used := map[string]bool{}
	for text, at := range f.found {
		sample := strings.NewReplacer("%d", "7", "%s", "x").Replace(text)
		for _, lang := range texts.Languages[1:] {
			if lang.Fault(sample) == sample {
				t.Errorf("%s says %q, which has no %s in catalog/%s/faults.json", at, text, lang.Name, lang.Code)
			}
			used[lang.FaultOf(sample)] = true
		}
		if same := texts.Languages[0].Fault(sample); same != sample {
			t.Errorf("in English %q is %q", sample, same)
		}
	}
	for _, reason := range []string{"The server answered 404 Not Found", "The answer is larger than 6 MiB", "It took too long", "It could not be processed",
		"The file is gone", "Only http and https addresses are fetched", "The address is too long", "The address leads to a site that is blocked here",
		"The document is broken", "The document is locked by a password", "The document takes too long to show",
		"This is a web page, not a feed", "This is not an Atom, RSS or JSON feed", "The feed is broken and cannot be read", "The feed defines XML entities, which are not read",
		"The account that added the feed is suspended", "The account that added the feed may no longer add to this channel",
		"The address is not a web page", "The page has too many elements", "The copy is too large", "The page could not be copied",
		"The feed has moved to the address of another feed of this channel", "The server says that the feed is gone for good"} {
		for _, lang := range texts.Languages[1:] {
			used[lang.FaultOf(reason)] = true
			if lang.Fault(reason) == reason {
				t.Errorf("%q has no %s", reason, lang.Name)
			}
		}
	}
	source := "" // of reasons, which replace a %s
	for _, folder := range []string{"../app/content", "../capture", "../domain", "../fetch", "../importing", "../importing/files", "../importing/source"} {
		source += sourceOf(t, folder)
	}
	verbs := regexp.MustCompile(`%(?:\[\d\])?[ds]`)
	for _, lang := range texts.Languages[1:] {
		for english, translated := range lang.Faults() {
			if !used[english] && !strings.Contains(source, `"`+strings.Split(english, "%")[0]) {
				t.Errorf("nothing says %q", english)
			}
			if a, b := len(verbs.FindAllString(english, -1)), len(verbs.FindAllString(translated, -1)); a < b {
				t.Errorf("%q takes %d values, and in %s %d", english, a, lang.Name, b)
			}
		}
	}
}

// sourceOf returns all Go code of a folder.
func sourceOf(t *testing.T, folder string) (all string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatal(folder, err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all += string(b)
	}
	return all
}

// Arguments of an error message keep their value and position.
func TestFaultsHoldTheirValues(t *testing.T) {
	t.Parallel()
	german := catalog.New().Languages[1]
	for english, want := range map[string]string{
		"must be at most 255 characters long":                   "darf höchstens 255 Zeichen lang sein",
		"must be one of read, write":                            "muss eines von read, write sein",
		"There are 20 pages: delete one first":                  "Es gibt schon 20 Seiten: Löschen Sie zuerst eine",
		"something new that nobody has translated so far":       "something new that nobody has translated so far",
		"must be at most many characters long":                  "must be at most many characters long",
		"":                                                      "",
		"You may not change this block":                         "Sie dürfen diesen Block nicht ändern",
		fmt.Sprintf("must be at most %d characters long", 1000): "darf höchstens 1000 Zeichen lang sein",
	} {
		if got := german.Fault(english); got != want {
			t.Errorf("%q is %q, want %q", english, got, want)
		}
	}
}
