package site

// emailPage asks for another address, and for the password again.
func emailPage(v *visit) error { return v.showEmail(nil) }

func (v *visit) showEmail(f *form) error { return v.page("email", "E-mail address", f, nil) }

// changeEmail has a link mailed to the new address, or kept for the operator to pass on.
func changeEmail(v *visit) error {
	f := v.form()
	err := v.app().ChangeEmail(v.r.Context(), v.visitor(), v.actor(), f.trimmed("email"), f.values.Get("password"))
	if err != nil {
		if f.refused(err, "email", "password") {
			return v.showEmail(f)
		}
		return err
	}
	if !v.s.o.Mails {
		return v.done("/settings/email", "email-kept")
	}
	return v.done("/settings/email", "email-sent")
}

// confirmEmailPage asks for a click, as confirmPage does.
func confirmEmailPage(v *visit) error {
	email, err := v.app().AddressLink(v.r.Context(), v.args[0])
	if err != nil {
		return v.deadLink(err)
	}
	return v.page("confirm-email", "Confirm your new address", nil, email)
}

// confirmEmail changes the address as the mailed link says, in whichever browser it is
// followed.
func confirmEmail(v *visit) error {
	if _, err := v.app().ConfirmEmail(v.r.Context(), v.args[0]); err != nil {
		return v.deadLink(err)
	}
	if v.account == nil {
		return v.done("/sign-in", "email")
	}
	return v.done("/settings/email", "email")
}
