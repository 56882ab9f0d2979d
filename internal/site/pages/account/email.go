package account

import "vitrine/internal/site/web"

// emailPage shows the form for another e-mail address.
func emailPage(v *web.Visit) error { return showEmail(v, nil) }

func showEmail(v *web.Visit, f *web.Form) error {
	return v.Page("email", v.T("account.title.email"), f, nil)
}

// changeEmail mails a link to the new address, or stores it for the operator to pass on.
func changeEmail(v *web.Visit) error {
	f := v.Form()
	err := v.App().Accounts.ChangeEmail(v.R.Context(), v.Visitor(), v.Actor(), v.Session, f.Trimmed("email"))
	if err != nil {
		if f.Refused(err, "email") {
			return showEmail(v, f)
		}
		return err
	}
	if !v.Mails() {
		return v.Done("/settings/email", "email-kept")
	}
	return v.Done("/settings/email", "email-sent")
}

// confirmEmailPage requires a click, like confirmPage.
func confirmEmailPage(v *web.Visit) error {
	email, err := v.App().Accounts.AddressLink(v.R.Context(), v.Args[0])
	if err != nil {
		return deadLink(v, err)
	}
	return v.Page("confirm-email", v.T("account.title.confirm-email"), nil, email)
}

// confirmEmail changes the address. The link works in any browser.
func confirmEmail(v *web.Visit) error {
	changed, secret, err := v.App().Accounts.ConfirmEmail(v.R.Context(), v.Actor(), v.Session, v.Args[0], endOthers(v.Form()))
	if err != nil {
		return deadLink(v, err)
	}
	if secret != "" {
		v.Renewed(secret)
	}
	if v.Account == nil || v.Account.ID != changed.ID {
		return v.Done("/sign-in", "email")
	}
	return v.Done("/settings/email", "email")
}
