package account

import (
	"strconv"
	"strings"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// applicationView is the page of an application. Secret is shown only once, when it is new.
type applicationView struct {
	domain.Application
	Secret string
}

// applicationsPage lists the applications that the account registered, and the form for a new one.
func applicationsPage(v *web.Visit) error {
	return showApplications(v, web.Filled("kind", "confidential"))
}

func showApplications(v *web.Visit, f *web.Form) error {
	all, err := v.App().Accounts.Applications(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	return v.Page("applications", v.T("account.title.applications"), f, all)
}

// createApplication registers an application, and shows its secret if it has one.
func createApplication(v *web.Visit) error {
	f := v.Form()
	secret, made, err := v.App().Accounts.CreateApplication(v.R.Context(), v.Actor(), applicationInput(f))
	if err != nil {
		if f.Refused(err, "name", "redirect_uris") {
			return showApplications(v, f)
		}
		return err
	}
	if secret == "" {
		return v.Done(applicationPath(made), "application")
	}
	return showApplication(v, nil, made, secret)
}

// applicationInput reads the fields of an application. The form has one redirect URI per line.
func applicationInput(f *web.Form) accounts.ApplicationInput {
	in := accounts.ApplicationInput{Name: f.Trimmed("name"), Public: f.Has("kind", "public"), ForV2: f.Has("for_v2", "yes"),
		Expiring: f.Has("expiring", "yes")}
	for line := range strings.Lines(f.Get("redirect_uris")) {
		if line = strings.TrimSpace(line); line != "" {
			in.RedirectURIs = append(in.RedirectURIs, line)
		}
	}
	return in
}

func applicationPath(a domain.Application) string {
	return "/oauth/applications/" + strconv.FormatInt(int64(a.ID), 10)
}

// application returns the application in the path.
func application(v *web.Visit) (domain.Application, error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return domain.Application{}, err
	}
	return v.App().Accounts.Application(v.R.Context(), v.Actor(), domain.ApplicationID(id))
}

// applicationPage shows one application.
func applicationPage(v *web.Visit) error {
	a, err := application(v)
	if err != nil {
		return err
	}
	return showApplication(v, nil, a, "")
}

func showApplication(v *web.Visit, f *web.Form, a domain.Application, secret string) error {
	if f == nil {
		f = web.Filled("name", a.Name, "redirect_uris", strings.Join(a.RedirectURIs, "\n"))
		if a.ForV2 {
			f.Default("for_v2", "yes")
		}
		if a.Expiring {
			f.Default("expiring", "yes")
		}
	}
	return v.Page("application", a.Name, f, applicationView{a, secret})
}

// changeApplication saves an application, gives it a new secret, or deletes it.
func changeApplication(v *web.Visit) error {
	a, err := application(v)
	if err != nil {
		return err
	}
	f, ctx := v.Form(), v.R.Context()
	switch f.Get("do") {
	case "save":
		if _, err := v.App().Accounts.UpdateApplication(ctx, v.Actor(), a.ID, applicationInput(f)); err != nil {
			if f.Refused(err, "name", "redirect_uris") {
				return showApplication(v, f, a, "")
			}
			return err
		}
		return v.Done(applicationPath(a), "application")
	case "rotate":
		secret, err := v.App().Accounts.RotateSecret(ctx, v.Actor(), a.ID)
		if err != nil {
			return err
		}
		return showApplication(v, nil, a, secret)
	case "delete":
		if err := v.App().Accounts.DeleteApplication(ctx, v.Actor(), a.ID); err != nil {
			return err
		}
		return v.Done("/oauth/applications", "application-deleted")
	}
	return web.UnknownButton()
}
