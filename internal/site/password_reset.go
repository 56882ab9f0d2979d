package site

import (
	"net/http"

	"vitrine/internal/domain"
)

// forgotPage asks for the address of an account.
func forgotPage(v *visit) error {
	return v.page("forgot-password", "Forgotten password", nil, nil)
}

// forgot has a link mailed. What it says does not reveal whether there is an account.
func forgot(v *visit) error {
	f := v.form()
	email := f.trimmed("email")
	if err := v.app().ForgotPassword(v.r.Context(), v.visitor(), email); err != nil {
		if f.refused(err, "email") {
			return v.page("forgot-password", "Forgotten password", f, nil)
		}
		return err
	}
	return v.lookInMail(email, true)
}

// lookInMail says where the link that goes on is: in a mail, or with the operator of a
// server that sends none. ifKnown says that there is one only if the address has an
// account, which nobody is told.
func (v *visit) lookInMail(email string, ifKnown bool) error {
	title := "Look in your mail"
	if !v.s.o.Mails {
		title = "Ask for the link"
	}
	return v.page("look-in-mail", title, nil, struct {
		Email   string
		IfKnown bool
	}{email, ifKnown})
}

// resetPage asks for a new password, if the link still works.
func resetPage(v *visit) error {
	if err := v.app().PasswordLink(v.r.Context(), v.args[0]); err != nil {
		return v.deadLink(err)
	}
	return v.showReset(nil)
}

func (v *visit) showReset(f *form) error {
	return v.page("reset-password", "Choose a new password", f, nil)
}

// reset sets the password and signs in.
func reset(v *visit) error {
	f := v.form()
	session, err := v.app().ResetPassword(v.r.Context(), v.visitor(), v.args[0], f.values.Get("password"))
	if err != nil {
		if f.refused(err, "password") {
			return v.showReset(f)
		}
		return v.deadLink(err)
	}
	if err := v.signedIn(session); err != nil {
		return err
	}
	return v.done("/", "password-set")
}

// deadLink shows a page for a mailed link that does not work any more; other errors
// pass.
func (v *visit) deadLink(err error) error {
	if domain.KindOf(err) != domain.NotFound {
		return err
	}
	return v.render(http.StatusNotFound, "dead-link", "This link does not work", nil, nil)
}
