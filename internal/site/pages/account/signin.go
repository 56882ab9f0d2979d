package account

import "vitrine/internal/site/web"

// signInView is the data of the sign-in page.
type signInView struct {
	Next     string
	Passkeys bool // the server offers passkeys to browsers
}

// signInPage shows the form. Signed-in users are redirected.
func signInPage(v *web.Visit) error {
	if v.Account != nil {
		return v.Redirect(v.Next())
	}
	return showSignIn(v, nil)
}

func showSignIn(v *web.Visit, f *web.Form) error {
	return v.Page("sign-in", v.T("account.title.sign-in"), f, signInView{v.Next(), v.App().Accounts.PasskeysPossible()})
}

// signIn starts a session, or asks for the second factor. Errors never reveal whether the address
// or the password is wrong.
func signIn(v *web.Visit) error {
	f := v.Form()
	secret, err := v.App().Accounts.SignIn(v.R.Context(), v.Visitor(), f.Trimmed("email"), f.Secret("password"))
	if err != nil {
		if f.Refused(err) {
			return showSignIn(v, f)
		}
		return err
	}
	return v.Enter(secret, v.Next(), "")
}

// signOut ends the current session. It may redirect to a page that requires another account.
func signOut(v *web.Visit) error {
	if v.Secret != "" {
		if err := v.App().Accounts.SignOut(v.R.Context(), v.Secret); err != nil {
			return err
		}
		v.ForgetSession()
	}
	if v.ForgetSignedOn() {
		return v.Redirect("/sign-in/sso/signed-out")
	}
	return v.Done(v.Next(), "signed-out")
}
