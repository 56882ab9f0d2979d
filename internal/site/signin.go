package site

// signInPage shows the form. Who is signed in goes on.
func signInPage(v *visit) error {
	if v.account != nil {
		return v.redirect(v.next())
	}
	return v.showSignIn(nil)
}

func (v *visit) showSignIn(f *form) error {
	return v.page("sign-in", "Sign in", f, struct{ Next string }{v.next()})
}

// signIn starts a session. What is wrong with an address or a password is never said.
func signIn(v *visit) error {
	f := v.form()
	session, err := v.app().SignIn(v.r.Context(), v.visitor(), f.trimmed("email"), f.values.Get("password"))
	if err != nil {
		if f.refused(err) {
			return v.showSignIn(f)
		}
		return err
	}
	if err := v.signedIn(session); err != nil {
		return err
	}
	return v.redirect(v.next())
}

// signOut ends the session of this browser, and may go back to where another account is
// asked for.
func signOut(v *visit) error {
	if v.secret != "" {
		if err := v.app().SignOut(v.r.Context(), v.secret); err != nil {
			return err
		}
		v.s.setCookie(v.w, v.s.sessionCookie(), "", -1)
	}
	return v.done(v.next(), "signed-out")
}
