package transfer

import (
	"strings"

	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/catalog"
	"vitrine/internal/site/web"
	"vitrine/internal/weburl"
)

// importsShown is how many imports the page lists.
const importsShown = 20

// importsView is the page of imports. Live is the unfinished one, if any.
type importsView struct {
	Live    *present.Import
	Past    []present.Import
	Largest string              // size limit of files
	Source  string              // the default server
	Visible []domain.Visibility // choices for the channels of a file

	Encodings []string // choices for the encoding of a file
}

// importsPage lists imports, and the forms for new ones.
func importsPage(v *web.Visit) error { return showImports(v, nil) }

func showImports(v *web.Visit, f *web.Form) error {
	l, err := v.App().Transfer.Imports(v.R.Context(), v.Actor(), domain.Page{Number: 1, Per: importsShown})
	if err != nil {
		return err
	}
	shown := importsView{Largest: domain.FormatBytes(v.App().Content.UploadLimit()), Source: transfer.DefaultSource,
		Visible: []domain.Visibility{domain.Private, domain.Closed, domain.Public}, Encodings: domain.Encodings}
	for n := range l.Items {
		one := v.Addresses().Import(&l.Items[n])
		if one.State.Live() {
			shown.Live = &one
		} else {
			shown.Past = append(shown.Past, one)
		}
	}
	return v.Page("imports", v.T("transfer.import"), f, shown)
}

// startImport starts an import from a server or a file.
func startImport(v *web.Visit) error {
	f, upload, err := v.FormWithFile("upload_key")
	if err != nil {
		return err
	}
	if f.Failed() {
		return showImports(v, f)
	}
	in := transfer.StartImportInput{Upload: upload, Visibility: domain.Visibility(f.Get("visibility")), IntoVisible: f.Get("into_visible") == "yes"}
	switch f.Get("do") {
	case "server":
		in.Source, in.Choose = domain.FromArena, true
		in.Address, in.Token, in.What = f.Trimmed("address"), strings.TrimSpace(f.Secret("token")), names(f.Get("what"))
		in.Once = v.OnceKey("server", in.Address, in.Token, f.Get("what"))
	case "file":
		if upload == "" {
			f.Wrong("upload_key", v.T("transfer.file.none"))
			return showImports(v, f)
		}
		in.Encoding = f.Get("encoding")
		in.Once = v.OnceKey("file", upload, in.Encoding)
	default:
		return web.UnknownButton()
	}
	i, err := v.App().Transfer.StartImport(v.R.Context(), v.Actor(), in)
	if err != nil {
		if f.Refused(err, "address", "token", "what", "upload_key", "encoding", "into_visible") {
			return showImports(v, f)
		}
		return err
	}
	return v.Redirect(v.Addresses().Import(&i).Path())
}

// names parses one name per line. It accepts the address of a page as well.
func names(lines string) (all []string) {
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if u, err := weburl.Parse(line); err == nil {
			parts := strings.Split(strings.Trim(u.Path, "/"), "/")
			switch {
			case len(parts) == 1 && parts[0] != "":
				line = "@" + parts[0]
			case len(parts) == 2 && parts[0] == "group":
				line = strings.Join(parts, "/")
			case len(parts) >= 2:
				line = parts[1]
			}
		}
		if line != "" {
			all = append(all, line)
		}
	}
	return all
}

// importView is the page of one import.
type importView struct {
	present.Import
	Channels []domain.ImportStep
	Found    int // the number of existing ones
	LeftOut  []leftOut
	Summary  string // the result; "" until it has ended
	Read     string // format and encoding of the file
}

// leftOut is a skipped item. URL is its address, if it is a page.
type leftOut struct {
	domain.LeftOut
	URL string
}

// importPage shows the progress of an import, and at its end the skipped items.
func importPage(v *web.Visit) error { return showImport(v, nil) }

func showImport(v *web.Visit, f *web.Form) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	r, err := v.App().Transfer.Import(v.R.Context(), v.Actor(), domain.ImportID(id))
	if err != nil {
		return err
	}
	shown := importView{Import: v.Addresses().Import(&r.Import), Channels: r.Channels}
	for _, c := range r.Channels {
		if c.State != domain.StepFailed {
			shown.Found++
		}
	}
	if !r.State.Live() {
		shown.Summary = v.Lang.Imported(catalog.ImportSummary{Counts: r.Counts, File: r.File, Skipped: r.LeftOut})
		shown.Read = v.Lang.Read(r.File)
	}
	if r.Reason != nil {
		*r.Reason = v.Lang.Fault(*r.Reason)
	}
	for _, l := range r.LeftOut {
		l.Why = v.Lang.Fault(l.Why)
		one := leftOut{LeftOut: l}
		one.URL, _ = weburl.Canonical(l.Where) // "" if it is not a page's URL
		one.Where = v.Lang.Fault(l.Where)
		shown.LeftOut = append(shown.LeftOut, one)
	}
	if v.R.Header.Get("HX-Request") == "true" && r.State != domain.ImportQueued && r.State != domain.ImportRunning {
		v.W.Header().Set("HX-Refresh", "true") // the rest of the page changed too
	}
	return v.Page("import", v.T("transfer.import.title"), f, shown)
}

// changeImport stops an import, or continues it with the chosen channels.
func changeImport(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	f, ctx, which := v.Form(), v.R.Context(), domain.ImportID(id)
	note := ""
	switch f.Get("do") {
	case "stop":
		note, err = "import-stopped", v.App().Transfer.StopImport(ctx, v.Actor(), which)
	case "begin":
		var chosen []int64
		for _, value := range f.Values("channel") {
			n, err := web.ID(value)
			if err != nil {
				return err
			}
			chosen = append(chosen, n)
		}
		note, err = "import-begun", v.App().Transfer.ChooseImport(ctx, v.Actor(), which, chosen)
		if err != nil && f.Refused(err, "channels") {
			return showImport(v, f)
		}
	default:
		if _, err := v.App().Transfer.Import(ctx, v.Actor(), which); err != nil {
			return err
		}
		return web.UnknownButton()
	}
	if err != nil {
		return err
	}
	return v.Done(v.Addresses().Import(&domain.Import{ID: which}).Path(), note)
}
