package account

import "vitrine/internal/site/web"

// passwordPage asks for the current password and a new one.
func passwordPage(v *web.Visit) error { return showPassword(v, nil) }

func showPassword(v *web.Visit, f *web.Form) error {
	return v.Page("password", v.T("account.title.password"), f, nil)
}

// changePassword sets it, and signs out all other browsers.
func changePassword(v *web.Visit) error {
	f := v.Form()
	err := v.App().ChangePassword(v.R.Context(), v.Actor(), v.Session.ID,
		f.Secret("current"), f.Secret("password"))
	if err != nil {
		if f.Refused(err, "current", "password") {
			return showPassword(v, f)
		}
		return err
	}
	return v.Done("/settings/password", "password")
}
