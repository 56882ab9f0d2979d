package web

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
	"vitrine/internal/site/catalog"
	"vitrine/internal/weburl"
)

//go:embed templates
var templateFiles embed.FS

// View is the data of a template.
type View struct {
	Title   string // of the page and of its heading
	Path    string
	Here    string // the address of the page on this site, with its query
	Section []Link // the page's navigation, nil for none
	Account *accounts.Account
	Actor   domain.Actor
	Reader  string // identifies the reader for the worker
	Changes string // cursor with which scripts learn what has changed since, "" if unknown
	Lang    *catalog.Language
	Langs   []*catalog.Language
	Head    Head
	Wide    bool
	Site    domain.Site
	Mark    string           // address of the site's picture, "" for none
	Closed  *domain.ReadOnly // the read-only mode, nil if the site is writable
	News    template.HTML    // the announcement, "" if there is none or the reader has put it away
	Note    string
	Undo    string // key of the removal to undo, "" for none
	InTrash bool   // the note is about something that is in Trash
	Form    *Form
	Data    any // the page's own data

	seeing bool
}

// Head contains a page's metadata for other programs. The zero Head is empty. A page without a
// Canonical address is excluded from search engines.
type Head struct {
	Canonical   string // canonical address; "" excludes the page from search engines
	Description string
	Kind        string // of Open Graph: "website", "article", "profile"
	Picture     Picture
	Feeds       []Alternate
	OEmbed      string // address of the JSON form
	Prev, Next  string // addresses of the adjacent pages of its list
}

// Picture represents a page when others link to it.
type Picture struct {
	URL, Alt      string
	Width, Height int64
}

// Alternate is a feed of the page.
type Alternate struct{ Type, Title, URL string }

// section returns the navigation of a path.
func (s *Site) section(path string) []Link {
	for _, section := range s.sections {
		for _, prefix := range section.Under {
			if path == prefix || strings.HasPrefix(path, prefix+"/") {
				return slices.DeleteFunc(slices.Clone(section.Links), func(l Link) bool { return l.If != nil && !l.If(s.o.App) })
			}
		}
	}
	return nil
}

// Current reports whether an entry of a navigation is the page or an ancestor of it.
func (v View) Current(l Link) bool {
	return v.Path == l.Path || l.Path != "/operator" && strings.HasPrefix(v.Path, l.Path+"/")
}

// Operator reports whether the reader is an operator.
func (v View) Operator() bool { return v.Account != nil && v.Account.Office == domain.OfficeOperator }

// Seeing reports whether the reader may see collections at all.
func (v View) Seeing() bool { return v.seeing }

// Initials returns the replacement for a missing profile picture.
func (v View) Initials() string { return domain.Initials(v.Account.Name) }

// Failed reports whether the page shows an error.
func (v View) Failed() bool { return v.Form.Failed() }

// pages are the templates by package and name, such as "look/channel". Those of the frame have no
// prefix. Each is parsed when it is first shown: all of them in every language take about 35 MB,
// and many are never shown.
type pages map[string]func() *template.Template

// parse prepares the templates of a language. Each page includes the shared templates of its
// package and of the frame.
func (s *Site) parse(lang *catalog.Language, sets []PageSet) pages {
	all := pages{}
	shared := folded(template.Must(template.New("").Funcs(s.funcs(lang)).ParseFS(templateFiles, "templates/*.html")), s.constants(lang))
	all[cellTemplates] = sync.OnceValue(func() *template.Template { return template.Must(shared.Clone()) })
	for _, name := range []string{"error", "offline"} {
		all["/"+name] = s.on(lang, shared, templateFiles, "templates/pages/"+name+".html")
	}
	for _, set := range sets {
		parts := template.Must(shared.Clone())
		own, err := fs.Glob(set.Templates, "*.html")
		if err != nil || len(own) == 0 {
			panic("site: the page set " + set.Name + " has no templates") // embedded files
		}
		for _, name := range own {
			if strings.HasPrefix(name, "_") {
				template.Must(parts.ParseFS(set.Templates, name))
			}
		}
		folded(parts, s.constants(lang))
		for _, name := range own {
			if !strings.HasPrefix(name, "_") {
				all[set.Name+"/"+strings.TrimSuffix(name, path.Ext(name))] = s.on(lang, parts, set.Templates, name)
			}
		}
	}
	return all
}

// on returns a function that parses a page on first use. It clones parts, which must never be
// executed themselves. It panics if the embedded file is not a valid template.
func (s *Site) on(lang *catalog.Language, parts *template.Template, files fs.FS, name string) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		return folded(template.Must(template.Must(parts.Clone()).ParseFS(files, name)), s.constants(lang))
	})
}

// funcs returns the functions of templates.
func (s *Site) funcs(lang *catalog.Language) template.FuncMap {
	all := template.FuncMap{
		"th":         func(id string, args ...any) template.HTML { return markup(lang, id, args) },
		"needs":      s.assets().needed,
		"picture":    s.o.Addresses.Picture,
		"input":      newInput,
		"hint":       func(id string, args ...any) string { return "hint:" + lang.Text(id, args...) },
		"day":        lang.Day,
		"minute":     lang.Minute,
		"machine":    present.Machine,
		"readable":   weburl.Readable,
		"dated":      func(t any) template.HTML { return timeTag(t, lang.Day) },
		"timed":      func(t any) template.HTML { return timeTag(t, lang.Minute) },
		"ago":        func(t time.Time) string { return ago(lang, s.o.Now().Sub(t)) },
		"bytes":      domain.FormatBytes,
		"provider":   s.o.App.SSO.ProviderName,
		"signOnOnly": s.o.App.SSO.OnlySignOn,
		"mails":      func() bool { return s.o.Mails },
		"dict":       dict,
		"once":       auth.NewKey,
		"prose":      prose,
		"noted":      noted,
		"minutes":    readingMinutes,
		"wordCount":  wordCount,
	}
	maps.Copy(all, s.constants(lang))
	return all
}

// constants returns the functions of templates whose results depend only on their arguments. A template that calls them
// with constants is folded.
func (s *Site) constants(lang *catalog.Language) template.FuncMap {
	return template.FuncMap{
		"t":     lang.Text,
		"at":    func(path string) string { return s.root + path },
		"asset": s.asset,
		"texts": func() string { return textsIn(lang) },
		"api":   func() string { return s.o.Addresses.API },
	}
}

// markup returns a text of the catalogue that contains HTML. Arguments are escaped unless they are
// HTML themselves.
func markup(lang *catalog.Language, id string, args []any) template.HTML {
	for i, arg := range args {
		switch arg := arg.(type) {
		case template.HTML:
			args[i] = string(arg)
		case int, int64: // formatted by the language
		default:
			args[i] = template.HTMLEscaper(arg)
		}
	}
	return template.HTML(lang.Text(id, args...))
}

// timeTag formats an instant, a time.Time or a pointer to one, as a time element.
func timeTag(t any, words func(time.Time) string) template.HTML {
	at, ok := t.(time.Time)
	if p, is := t.(*time.Time); is && p != nil {
		at, ok = *p, true
	}
	if !ok {
		return ""
	}
	return template.HTML(`<time datetime="` + present.Machine(at) + `">` + template.HTMLEscapeString(words(at)) + `</time>`)
}

// dict creates a map from pairs of names and values, for a template with several arguments.
func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// ago formats a duration in its largest unit, such as "3 days ago".
func ago(lang *catalog.Language, since time.Duration) string {
	n, unit := inUnit(since)
	if n == 0 {
		return lang.Text("web.ago.now")
	}
	return lang.Text(ages[unit].id, n)
}

// ages are the units of ages.
var ages = []struct {
	id   string
	long time.Duration
}{{"web.ago.years", 365 * day}, {"web.ago.months", 30 * day}, {"web.ago.days", day}, {"web.ago.hours", time.Hour}, {"web.ago.minutes", time.Minute}}

const day = 24 * time.Hour

// inUnit returns a duration in its largest unit, 0 if it is too short for any.
func inUnit(d time.Duration) (n, unit int) {
	for unit, of := range ages {
		if d >= of.long {
			return int(d / of.long), unit
		}
	}
	return 0, 0
}

// showMark shows the site's picture next to its name, and uses it for pages without a picture.
func (v *View) showMark(visit *Visit) {
	if v.Site.Picture == nil {
		return
	}
	image := visit.Addresses().Image(v.Site.Picture)
	v.Mark = image.Square().Src
	if v.Head.Canonical != "" && v.Head.Picture.URL == "" {
		large := image.Large()
		v.Head.Picture = Picture{URL: large.Src, Alt: v.Site.Name, Width: large.Width, Height: large.Height}
	}
}

// Page shows a page of the package. f may be nil. data is passed to the page's template.
func (v *Visit) Page(name, title string, f *Form, data any) error {
	status := http.StatusOK
	if f != nil && f.status != 0 {
		status = f.status
	}
	return v.Render(status, name, title, f, data)
}

// Render writes a page after it was rendered completely.
func (v *Visit) Render(status int, name, title string, f *Form, data any) error {
	if title == "" {
		title = http.StatusText(status)
	}
	if f == nil {
		f = &Form{}
	}
	if v.Lang == nil {
		v.Lang = v.s.texts().Languages[0]
	}
	v.countUnread()
	shown := View{Title: title, Path: v.R.URL.Path, Here: v.Here(), Account: v.Account, Actor: v.Actor(), Reader: v.reader(), Lang: v.Lang, Langs: v.s.texts().Languages,
		Head: v.Head, Wide: v.Wide, Site: v.Site(), News: v.announcement(), Closed: v.App().Operating.Mode(), Form: f, Data: data,
		seeing: v.App().Exposure.Admits(v.Actor()) == nil}
	if !middleware.From(v.R.Context()).Scope.Reads.AtReplica() { // which may lack changes from before the cursor
		shown.Changes = v.since
	}
	if v.Account != nil && status != http.StatusNotFound {
		shown.Section = v.s.section(v.R.URL.Path)
	}
	if status < http.StatusBadRequest {
		if !v.Framed { // otherwise the reader is on another site
			shown.Note, shown.Undo, shown.InTrash = v.Note()
		}
	} else {
		shown.Head, shown.Here = Head{}, "/" // the failed address may not work again
	}
	shown.showMark(v)
	frame := v.Frame
	if frame == "" || status >= http.StatusBadRequest {
		frame = "layout"
	}
	f.lang, f.fields = v.Lang, v.fields
	if f.given {
		f.dropLong()
	}
	if v.R.Method == http.MethodPost && status < http.StatusBadRequest {
		middleware.From(v.R.Context()).Scope.Memory.Must() // the page reports a completed change
	}
	body := pageBuffer{visit: v, free: name == "error"}
	if err := v.s.pages()[v.Lang.Code]()[v.pageSet+"/"+name]().ExecuteTemplate(&body, frame, shown); err != nil {
		return err
	}
	h := v.W.Header()
	if status != http.StatusOK || v.tag == "" {
		h.Set("Cache-Control", "no-store")
		h.Del("ETag")
	}
	v.s.writeHeaders(h, v)
	for key, values := range f.header {
		h[key] = values
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", v.Lang.Code)
	if shown.Reader != "" {
		h.Set("X-Reader", shown.Reader)
	}
	v.W.WriteHeader(status)
	_, _ = v.W.Write(body.text.Bytes()) // fails only if the client is gone
	return nil
}

// pageBuffer holds a page until it is complete. It is charged to the budget, unless it is an error
// page.
type pageBuffer struct {
	visit *Visit
	free  bool
	text  bytes.Buffer
}

// Write implements io.Writer.
func (b *pageBuffer) Write(p []byte) (int, error) {
	if !b.free {
		if err := b.visit.charge(len(p)); err != nil {
			return 0, err
		}
	}
	return b.text.Write(p)
}
