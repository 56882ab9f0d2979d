package account

import (
	"net/http"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// forgotPage shows the form for the address of an account.
func forgotPage(v *web.Visit) error {
	if v.App().SSO.OnlySignOn() {
		return v.Redirect("/sign-in")
	}
	return v.Page("forgot-password", v.T("account.title.forgot"), nil, nil)
}

// forgot mails a link. The answer does not reveal whether the account exists.
func forgot(v *web.Visit) error {
	f := v.Form()
	email := f.Trimmed("email")
	if err := v.App().Accounts.ForgotPassword(v.R.Context(), v.Visitor(), email); err != nil {
		if f.Refused(err, "email") {
			return v.Page("forgot-password", v.T("account.title.forgot"), f, nil)
		}
		return err
	}
	return lookInMail(v, email, true)
}

// lookInMail explains where to find the link: in the mail, or with the operator if the server sends
// no mail. If ifKnown is set, the text says that the mail exists only if the address has an
// account.
func lookInMail(v *web.Visit, email string, ifKnown bool) error {
	title := v.T("account.title.look-in-mail")
	if !v.Mails() {
		title = v.T("account.title.ask-for-link")
	}
	return v.Page("look-in-mail", title, nil, struct {
		Email   string
		IfKnown bool
	}{email, ifKnown})
}

// resetPage shows the form for a new password, if the link still works.
func resetPage(v *web.Visit) error {
	if err := v.App().Accounts.PasswordLink(v.R.Context(), v.Args[0]); err != nil {
		return deadLink(v, err)
	}
	return showReset(v, nil)
}

func showReset(v *web.Visit, f *web.Form) error {
	return v.Page("reset-password", v.T("account.title.reset"), f, nil)
}

// reset sets the password and signs in, or asks for the second factor.
func reset(v *web.Visit) error {
	f := v.Form()
	secret, err := v.App().Accounts.ResetPassword(v.R.Context(), v.Visitor(), v.Args[0], f.Secret("password"))
	if err != nil {
		if f.Refused(err, "password") {
			return showReset(v, f)
		}
		return deadLink(v, err)
	}
	return v.Enter(secret, "", "password-set")
}

// deadLink shows a page for a mailed link that no longer works. It returns other errors.
func deadLink(v *web.Visit, err error) error {
	if domain.KindOf(err) != domain.NotFound {
		return err
	}
	return v.Render(http.StatusNotFound, "dead-link", v.T("account.title.dead-link"), nil, nil)
}
