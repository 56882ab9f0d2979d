package account

import "vitrine/internal/site/web"

// passwordPage shows the form for a new password. Signing out other browsers is ticked.
func passwordPage(v *web.Visit) error { return showPassword(v, web.Filled("others", "end")) }

func showPassword(v *web.Visit, f *web.Form) error {
	return v.Page("password", v.T("account.title.password"), f, nil)
}

// changePassword sets the new password.
func changePassword(v *web.Visit) error {
	f := v.Form()
	secret, err := v.App().Accounts.ChangePassword(v.R.Context(), v.Actor(), v.Session, f.Secret("password"), endOthers(f))
	if err != nil {
		if f.Refused(err, "password") {
			return showPassword(v, f)
		}
		return err
	}
	v.Renewed(secret)
	return v.Done("/settings/password", "password")
}
