package site

import (
	"strconv"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/domain"
)

// applicationView is the page of an application. Secret is shown once, when it is new.
type applicationView struct {
	domain.Application
	Secret string
}

// applicationsPage lists the applications that the account has registered, with the
// form for another.
func applicationsPage(v *visit) error { return v.showApplications(filled("kind", "confidential")) }

func (v *visit) showApplications(f *form) error {
	all, err := v.app().Applications(v.r.Context(), v.actor())
	if err != nil {
		return err
	}
	return v.page("applications", "Your applications", f, all)
}

// createApplication registers one, and shows its secret if it has one.
func createApplication(v *visit) error {
	f := v.form()
	secret, made, err := v.app().CreateApplication(v.r.Context(), v.actor(), applicationInput(f))
	if err != nil {
		if f.refused(err, "name", "redirect_uris") {
			return v.showApplications(f)
		}
		return err
	}
	if secret == "" {
		return v.done(applicationPath(made), "application")
	}
	return v.showApplication(nil, made, secret)
}

// applicationInput reads the fields of an application; its addresses are one per line.
func applicationInput(f *form) app.ApplicationInput {
	in := app.ApplicationInput{Name: f.trimmed("name"), Public: f.Has("kind", "public")}
	for line := range strings.Lines(f.get("redirect_uris")) {
		if line = strings.TrimSpace(line); line != "" {
			in.RedirectURIs = append(in.RedirectURIs, line)
		}
	}
	return in
}

func applicationPath(a domain.Application) string {
	return "/oauth/applications/" + strconv.FormatInt(int64(a.ID), 10)
}

// application reads the one that the address names.
func (v *visit) application() (domain.Application, error) {
	id, err := idOf(v.args[0])
	if err != nil {
		return domain.Application{}, err
	}
	return v.app().Application(v.r.Context(), v.actor(), domain.ApplicationID(id))
}

// applicationPage shows one application.
func applicationPage(v *visit) error {
	a, err := v.application()
	if err != nil {
		return err
	}
	return v.showApplication(nil, a, "")
}

func (v *visit) showApplication(f *form, a domain.Application, secret string) error {
	if f == nil {
		f = filled("name", a.Name, "redirect_uris", strings.Join(a.RedirectURIs, "\n"))
	}
	return v.page("application", a.Name, f, applicationView{a, secret})
}

// changeApplication saves an application, gives it a new secret, or deletes it.
func changeApplication(v *visit) error {
	a, err := v.application()
	if err != nil {
		return err
	}
	f, ctx := v.form(), v.r.Context()
	switch f.get("do") {
	case "save":
		if _, err := v.app().UpdateApplication(ctx, v.actor(), a.ID, applicationInput(f)); err != nil {
			if f.refused(err, "name", "redirect_uris") {
				return v.showApplication(f, a, "")
			}
			return err
		}
		return v.done(applicationPath(a), "application")
	case "rotate":
		secret, err := v.app().RotateSecret(ctx, v.actor(), a.ID)
		if err != nil {
			return err
		}
		return v.showApplication(nil, a, secret)
	case "delete":
		if err := v.app().DeleteApplication(ctx, v.actor(), a.ID); err != nil {
			return err
		}
		return v.done("/oauth/applications", "application-deleted")
	}
	return unknownButton()
}

// unknownButton refuses a form that says nothing that can be done.
func unknownButton() error { return domain.NewInvalid("The form does not say what to do") }
