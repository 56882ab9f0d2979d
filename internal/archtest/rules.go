package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// check returns a sentence for each violation of a rule.
func check(all []source) []string {
	var breaches []string
	for _, s := range all {
		for _, rule := range []func(source) []string{rooming, sqlImports, exits, inits, names, dialects, contexts} {
			for _, breach := range rule(s) {
				breaches = append(breaches, s.path+": "+breach)
			}
		}
	}
	return append(breaches, sizes(all)...)
}

// sizes limits the length of files. Packages are cut by topic, so their size has no limit.
func sizes(all []source) (breaches []string) {
	for _, s := range all {
		if !s.test && !s.generated && s.lines > maxFileLines {
			breaches = append(breaches, fmt.Sprintf("%s: %d lines, the limit is %d", s.path, s.lines, maxFileLines))
		}
	}
	return breaches
}

// rooming compares imports with the table.
func rooming(s source) (breaches []string) {
	may, known := allowedImports[s.pkg]
	if !known {
		return []string{fmt.Sprintf("package %s is unknown: add it to the table in internal/archtest/table.go", s.pkg)}
	}
	if s.test {
		return nil
	}
	for _, imported := range s.importsOfOurs() {
		switch {
		case strings.HasPrefix(s.pkg, imported+"/") && !slices.Contains(testPackages, s.pkg):
			breaches = append(breaches, fmt.Sprintf("%s may not import the package above it: what both need belongs in a third", s.pkg))
		case !allows(may, imported):
			breaches = append(breaches, fmt.Sprintf("%s may not import %s", s.pkg, imported))
		case imported == onlyCmd && !strings.HasPrefix(s.pkg, "cmd/"):
			breaches = append(breaches, fmt.Sprintf("only cmd imports %s", imported))
		case slices.Contains(testPackages, imported) && !slices.Contains(testPackages, s.pkg):
			breaches = append(breaches, fmt.Sprintf("%s is for tests and may not be shipped with %s", imported, s.pkg))
		}
	}
	return breaches
}

// allows reports whether a row of the table allows a package, including by "..." or "x/...".
func allows(may []string, pkg string) bool {
	return slices.ContainsFunc(may, func(entry string) bool {
		prefix, all := strings.CutSuffix(entry, "...")
		if !all {
			return entry == pkg
		}
		return strings.HasPrefix(pkg+"/", prefix)
	})
}

// sqlImports restricts database/sql to some packages.
func sqlImports(s source) (breaches []string) {
	if slices.Contains(sqlPackages, s.pkg) {
		return nil
	}
	for _, imported := range s.imports {
		if imported == "database/sql" || strings.HasPrefix(imported, "database/sql/") {
			breaches = append(breaches, fmt.Sprintf("only %s import %s", strings.Join(sqlPackages, ", "), imported))
		}
	}
	return breaches
}

// exits restricts ending the program to where it starts.
func exits(s source) (breaches []string) {
	if s.test || slices.Contains(exitPackages, s.pkg) {
		return nil
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := selector.X.(*ast.Ident)
		if !ok {
			return true
		}
		name := pkg.Name + "." + selector.Sel.Name
		if name == "os.Exit" || strings.HasPrefix(name, "log.Fatal") {
			breaches = append(breaches, fmt.Sprintf("only %s call %s: return an error", strings.Join(exitPackages, ", "), name))
		}
		return true
	})
	return breaches
}

// inits forbids side effects of imports.
func inits(s source) (breaches []string) {
	if s.generated {
		return nil
	}
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			breaches = append(breaches, "init() runs unasked: call it from where it is needed")
		}
	}
	return breaches
}

// names forbids vague package names.
func names(s source) []string {
	name := strings.TrimSuffix(s.file.Name.Name, "_test")
	if slices.Contains(vague, name) {
		return []string{fmt.Sprintf("package %s says nothing: name it for what it gives", name)}
	}
	return nil
}

// dialects restricts SQL for only one of the databases to a few files. It checks string literals,
// which contain the SQL, but not comments.
func dialects(s source) (breaches []string) {
	inStore := s.pkg == storePackage || strings.HasPrefix(s.pkg, storePackage+"/")
	if !inStore || s.test || slices.Contains(dialectFiles, s.path) {
		return nil
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text := strings.Join(strings.Fields(strings.ToLower(literal.Value)), " ")
		for _, word := range dialectWords {
			if strings.Contains(text, word) {
				breaches = append(breaches, fmt.Sprintf("%q belongs in one of %v", word, dialectFiles))
			}
		}
		return true
	})
	return breaches
}

// contexts restricts values in contexts, which hide the inputs of a function.
func contexts(s source) (breaches []string) {
	if s.test {
		return nil
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of := ""
		if pkg, ok := selector.X.(*ast.Ident); ok {
			of = pkg.Name
		}
		may := contextFiles
		switch name := of + "." + selector.Sel.Name; {
		case name == "context.WithValue", selector.Sel.Name == "Value" && len(call.Args) == 1 && isContext(selector.X):
		case name == "scope.With":
			may = scopeFiles
		case name == "scope.Of":
			may = []string{scopeReader}
		default:
			return true
		}
		if !slices.Contains(may, s.path) {
			breaches = append(breaches, fmt.Sprintf("only %s call %s on a context: pass an argument", strings.Join(may, ", "), selector.Sel.Name))
		}
		return true
	})
	return breaches
}

// isContext reports whether an expression is a context, by its name.
func isContext(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return strings.EqualFold(x.Name, "ctx")
	case *ast.SelectorExpr:
		return strings.EqualFold(x.Sel.Name, "ctx")
	case *ast.CallExpr:
		f, ok := x.Fun.(*ast.SelectorExpr)
		return ok && f.Sel.Name == "Context"
	}
	return false
}
