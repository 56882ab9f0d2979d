package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// topics lists which topics of app.App each package outside internal/app uses. The test fails for a
// topic that is not listed, and for one that is listed but not used. Rigs and benchmarks may use all.
var topics = map[string][]string{
	"api/ext":               {"Accounts", "Changes", "Collections", "Content", "Finder", "Moderation", "Operating", "People", "Reading", "Transfer", "Webhooks"},
	"api/v2":                {"Collections", "Finder", "People"},
	"api/v3":                {"Collections", "Content", "Finder", "People"},
	"cli":                   {"Accounts", "Collections", "Content", "Moderation", "Operating", "People", "SSO"},
	"exporting":             {"Accounts", "Collections", "Content", "People", "Reading", "SSO", "Searches", "Transfer"},
	"feeds":                 {"Collections", "Content", "Finder", "Operating", "People", "Reading", "Searches"},
	"files":                 {"Content"},
	"httpedge":              {"Accounts", "Operating"},
	"importing":             {"Collections", "Content", "People", "Transfer"},
	"mcp":                   {"Collections", "Finder", "People"},
	"oauth":                 {"Accounts"},
	"sandbox":               {"Accounts", "Collections", "Content", "People"},
	"server":                {"Accounts", "Changes", "Collections", "Content", "Finder", "Moderation", "Operating", "People", "SSO", "Searches", "Transfer", "Webhooks"},
	"site/pages/account":    {"Accounts", "Collections", "Content", "People", "SSO", "Webhooks"},
	"site/pages/collect":    {"Collections", "Content", "Finder", "People"},
	"site/pages/look":       {"Accounts", "Collections", "Content", "Finder", "Moderation", "Operating", "People", "Searches"},
	"site/pages/moderation": {"Moderation"},
	"site/pages/operator":   {"Accounts", "Collections", "Content", "Finder", "Operating", "People", "Transfer"},
	"site/pages/people":     {"Changes", "Collections", "Finder", "People", "Searches"},
	"site/pages/read":       {"Reading"},
	"site/pages/signon":     {"Accounts", "SSO"},
	"site/pages/transfer":   {"Accounts", "Content", "Transfer"},
	"site/web":              {"Accounts", "Changes", "Collections", "Content", "Finder", "Operating", "People", "SSO", "Searches", "Transfer"},
}

// appTopics are the fields of app.App that hold use cases.
var appTopics = []string{"Accounts", "Changes", "Collections", "Content", "Finder", "Moderation", "Operating", "People", "Reading", "SSO", "Searches", "Transfer", "Webhooks"}

// undeclared compares the topics that packages use with the table.
func undeclared(all []source) (breaches []string) {
	used := map[string]map[string]bool{}
	for _, s := range all {
		if s.test || s.pkg == "app" || strings.HasPrefix(s.pkg, "app/") || strings.HasPrefix(s.pkg, "bench/") || slices.Contains(testPackages, s.pkg) {
			continue
		}
		for _, topic := range topicsOf(s.file) {
			if used[s.pkg] == nil {
				used[s.pkg] = map[string]bool{}
			}
			used[s.pkg][topic] = true
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(used)) {
		for _, topic := range slices.Sorted(maps.Keys(used[pkg])) {
			if !slices.Contains(topics[pkg], topic) {
				breaches = append(breaches, fmt.Sprintf("%s may not use app.App.%s: if it needs it, add it to the table in internal/archtest/topics.go", pkg, topic))
			}
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(topics)) {
		for _, topic := range topics[pkg] {
			if !used[pkg][topic] {
				breaches = append(breaches, fmt.Sprintf("%s does not use app.App.%s: remove it from the table in internal/archtest/topics.go", pkg, topic))
			}
		}
	}
	return breaches
}

// topicsOf returns the topics that a file selects from a value of the type *app.App. It recognizes the
// value by its name: a parameter or a field of this type in the file, or a field or method called app.
func topicsOf(file *ast.File) (found []string) {
	values := []string{"app", "App"}
	ast.Inspect(file, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && isApp(field.Type) {
			for _, name := range field.Names {
				values = append(values, name.Name)
			}
		}
		return true
	})
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if ok && slices.Contains(appTopics, s.Sel.Name) && slices.Contains(values, lastName(s.X)) {
			found = append(found, s.Sel.Name)
		}
		return true
	})
	return found
}

// isApp reports whether a type is *app.App.
func isApp(e ast.Expr) bool {
	pointer, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	s, ok := pointer.X.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "App" && lastName(s.X) == "app"
}

// lastName returns the last identifier of an expression such as h.app or v.App().
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr:
		return lastName(e.Fun)
	default:
		return ""
	}
}
