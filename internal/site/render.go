package site

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/domain"
)

//go:embed templates
var templateFiles embed.FS

// view is what a template is given.
type view struct {
	Title   string // of the page, and its heading
	Path    string
	Section []link // the pages beside this one, nil for none
	Account *app.Account
	Note    string
	Form    *form
	Data    any // what the page alone has
}

// link is an entry of a navigation.
type link struct{ Path, Text string }

var settingsSection = []link{
	{"/settings/profile", "Profile"},
	{"/settings/email", "E-mail address"},
	{"/settings/password", "Password"},
	{"/settings/sessions", "Sessions"},
	{"/settings/storage", "Storage"},
	{"/settings/applications", "Authorised applications"},
	{"/settings/personal-access-tokens", "Personal access tokens"},
	{"/oauth/applications", "Your applications"},
	{"/settings/delete", "Delete account"},
}

var operatorSection = []link{
	{"/operator", "Server"},
	{"/operator/accounts", "Accounts"},
	{"/operator/sign-up", "Signing up"},
	{"/operator/jobs", "Failed jobs"},
}

// section gives the pages beside that of a path.
func section(path string) []link {
	switch first(path) {
	case "operator":
		return operatorSection
	case "settings":
		return settingsSection
	}
	if strings.HasPrefix(path, "/oauth/applications") {
		return settingsSection
	}
	return nil
}

// Current reports whether an entry of a navigation is the page, or what it is below.
func (v view) Current(l link) bool {
	return v.Path == l.Path || l.Path != "/operator" && strings.HasPrefix(v.Path, l.Path+"/")
}

// Operator reports whether an operator looks at the page.
func (v view) Operator() bool { return v.Account != nil && v.Account.Office == domain.OfficeOperator }

// Failed reports whether the page says that something is wrong.
func (v view) Failed() bool { return v.Form != nil && v.Form.status != 0 }

// parse reads the templates: each page on the parts that all share.
func (s *Site) parse() map[string]*template.Template {
	shared := template.Must(template.New("").Funcs(s.funcs()).ParseFS(templateFiles, "templates/*.html"))
	files, err := templateFiles.ReadDir("templates/pages")
	if err != nil {
		panic(err) // they are part of the program
	}
	pages := map[string]*template.Template{}
	for _, f := range files {
		page := template.Must(template.Must(shared.Clone()).ParseFS(templateFiles, "templates/pages/"+f.Name()))
		pages[strings.TrimSuffix(f.Name(), path.Ext(f.Name()))] = page
	}
	return pages
}

// funcs are what templates can do.
func (s *Site) funcs() template.FuncMap {
	return template.FuncMap{
		"at":      func(path string) string { return s.root + path },
		"asset":   func(name string) string { return s.root + "/assets/" + s.assets.hashed[name] },
		"file":    func(path string) string { return s.o.FilesURL + "/" + path },
		"input":   newInput,
		"day":     func(t time.Time) string { return t.UTC().Format("2 January 2006") },
		"minute":  func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") },
		"machine": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"browser": browser,
		"api":     func() string { return s.o.BaseURL },
		"mails":   func() bool { return s.o.Mails },
	}
}

// page shows a page. f may be nil; data is for the page's template.
func (v *visit) page(name, title string, f *form, data any) error {
	status := http.StatusOK
	if f != nil && f.status != 0 {
		status = f.status
	}
	return v.render(status, name, title, f, data)
}

// render writes a page, once it is whole.
func (v *visit) render(status int, name, title string, f *form, data any) error {
	if title == "" {
		title = http.StatusText(status)
	}
	if f == nil {
		f = &form{}
	}
	shown := view{Title: title, Path: v.r.URL.Path, Account: v.account, Form: f, Data: data}
	if v.account != nil && status != http.StatusNotFound {
		shown.Section = section(v.r.URL.Path)
	}
	if status < http.StatusBadRequest {
		shown.Note = v.note()
	}
	var body bytes.Buffer
	if err := v.s.pages[name].ExecuteTemplate(&body, "layout", shown); err != nil {
		return err
	}
	h := v.w.Header()
	if v.formsTo != "" {
		v.s.writeHeaders(h, v.formsTo)
	}
	for key, values := range f.header {
		h[key] = values
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(body.Bytes()) // the client has gone; nothing to do
	return nil
}
