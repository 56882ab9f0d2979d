package site

import (
	"vitrine/internal/app"
	"vitrine/internal/auth"
)

// signUpView is what the page for signing up shows.
type signUpView struct {
	app.SignUpOffer
	Invite string
	Next   string
}

// signUpPage shows the form, or why there is none.
func signUpPage(v *visit) error {
	if v.account != nil {
		return v.redirect(v.next())
	}
	return v.showSignUp(&form{}, v.query("invite"))
}

func (v *visit) showSignUp(f *form, invite string) error {
	offer, err := v.app().SignUpOffer(v.r.Context(), invite)
	if err != nil {
		return err
	}
	if offer.Email != "" && f.values == nil {
		f = filled("email", offer.Email)
	}
	title := "Sign up"
	if offer.First {
		title = "Make the first account"
	}
	return v.page("sign-up", title, f, signUpView{offer, invite, v.next()})
}

// signUp makes the account, or has the link mailed that will.
func signUp(v *visit) error {
	f := v.form()
	in := app.SignUpInput{Name: f.trimmed("name"), Slug: f.trimmed("slug"), Email: f.trimmed("email"),
		Password: f.values.Get("password"), Invite: f.get("invite")}
	session, err := v.app().SignUp(v.r.Context(), v.visitor(), in)
	if err != nil {
		if f.refused(err, "name", "slug", "email", "password") {
			return v.showSignUp(f, in.Invite)
		}
		return err
	}
	next := v.next()
	if kind, ok := auth.TokenKind(in.Invite); next == "" && ok && kind == auth.Invited {
		next = "/invitations/" + in.Invite // which is still to be accepted
	}
	if session == "" {
		v.returnLater(next)
		return v.lookInMail(in.Email, false)
	}
	if err := v.signedIn(session); err != nil {
		return err
	}
	return v.done(next, "welcome")
}

// confirmPage asks for the password that was chosen. So programs that look at mails do not
// use the link up, and nobody is talked into an account of which another has the password.
func confirmPage(v *visit) error {
	if err := v.app().SignUpPending(v.r.Context(), v.args[0]); err != nil {
		return v.deadLink(err)
	}
	return v.showConfirm(nil)
}

func (v *visit) showConfirm(f *form) error { return v.page("confirm", "Confirm your address", f, nil) }

// confirm makes the account that a mailed link is for.
func confirm(v *visit) error {
	f := v.form()
	session, _, err := v.app().ConfirmSignUp(v.r.Context(), v.visitor(), v.args[0], f.values.Get("password"))
	if err != nil {
		if f.refused(err, "password") {
			return v.showConfirm(f)
		}
		return v.deadLink(err)
	}
	if err := v.signedIn(session); err != nil {
		return err
	}
	return v.done(v.returnNow(), "welcome")
}
