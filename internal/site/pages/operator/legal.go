package operator

import (
	"strconv"

	"vitrine/internal/app/core"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// legalPath is the path for editing the operator's pages.
const legalPath = "/operator/pages"

// legalView is a page being edited, or the list of all pages. A new page has no address yet.
type legalView struct {
	All     []domain.LegalPage
	Page    domain.LegalPage
	Preview *domain.Text // of the edited text, nil for none
}

// legalPagesPage lists the operator's pages, and the form for a new one.
func legalPagesPage(v *web.Visit) error { return showLegalPages(v, nil, nil) }

func showLegalPages(v *web.Visit, f *web.Form, preview *domain.Text) error {
	all, err := v.App().Operating.LegalPages(v.R.Context())
	if err != nil {
		return err
	}
	return v.Page("pages", v.T("operator.title.pages"), f, legalView{All: all, Preview: preview})
}

// makeLegalPage creates a page or shows a preview.
func makeLegalPage(v *web.Visit) error {
	f, first := v.Form(), int64(0)
	if !saves(f) {
		return web.UnknownButton()
	}
	in := operating.LegalPageInput{Slug: f.Trimmed("slug"), Title: f.Trimmed("title"), Body: f.Get("body"), Seen: &first}
	preview, err := saveLegalPage(v, f, in)
	switch {
	case err != nil && f.Refused(err, "title", "slug", "body"):
		return showLegalPages(v, f, nil)
	case err != nil:
		return err
	case preview != nil:
		return showLegalPages(v, f, preview)
	}
	return v.Done(legalPath, "page")
}

// saveLegalPage saves a page or returns a preview.
func saveLegalPage(v *web.Visit, f *web.Form, in operating.LegalPageInput) (*domain.Text, error) {
	if f.Get("do") == "preview" {
		return core.Rendered(&in.Body), in.Validate()
	}
	_, err := v.App().Operating.SaveLegalPage(v.R.Context(), v.Actor(), in)
	return nil, err
}

// saves reports whether the button is one that saveLegalPage handles.
func saves(f *web.Form) bool { return f.Has("do", "save") || f.Has("do", "preview") }

// legalPagePage shows the form of a page.
func legalPagePage(v *web.Visit) error {
	p, err := v.App().Operating.LegalPage(v.R.Context(), v.Args[0])
	if err != nil {
		return err
	}
	f := web.Filled("title", p.Title, "body", markdown(p.Body))
	return v.Page("page", p.Title, f, legalView{Page: p})
}

// changeLegalPage saves, previews or deletes a page.
func changeLegalPage(v *web.Visit) error {
	p, err := v.App().Operating.LegalPage(v.R.Context(), v.Args[0])
	if err != nil {
		return err
	}
	f := v.Form()
	if f.Get("do") == "delete" {
		if err := v.App().Operating.DeleteLegalPage(v.R.Context(), v.Actor(), p.Slug); err != nil {
			return err
		}
		return v.Done(legalPath, "page-deleted")
	}
	if !saves(f) {
		return web.UnknownButton()
	}
	in := operating.LegalPageInput{Slug: p.Slug, Title: f.Trimmed("title"), Body: f.Get("body")}
	if seen, err := strconv.ParseInt(f.Get("seen"), 10, 64); err == nil && seen > 0 {
		in.Seen = &seen
	}
	preview, err := saveLegalPage(v, f, in)
	switch {
	case err != nil && f.Refused(err, "title", "body"), err == nil && preview != nil:
		return v.Page("page", p.Title, f, legalView{Page: p, Preview: preview})
	case err != nil:
		return err
	}
	return v.Done(legalPath+"/"+p.Slug, "page")
}
