package account

import (
	"vitrine/internal/app/accounts"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// signUpView is what the page for signing up shows.
type signUpView struct {
	accounts.SignUpOffer
	Invite string
	Next   string
}

// signUpPage shows the form, or says why nobody can sign up.
func signUpPage(v *web.Visit) error {
	if v.Account != nil && v.Query("invite") != "" {
		return showJoin(v, nil, v.Query("invite"))
	}
	if v.Account != nil {
		return v.Redirect(v.Next())
	}
	return showSignUp(v, &web.Form{}, v.Query("invite"))
}

// joinView is a link for signing up as somebody sees it who has an account.
type joinView struct {
	Group  *domain.Principal // that they can join by it, nil for none
	Other  bool              // it is for the address of somebody else
	Invite string
	Here   string
}

// showJoin offers who is signed in the group of a link.
func showJoin(v *web.Visit, f *web.Form, invite string) error {
	offer, err := v.App().SignUpOffer(v.R.Context(), invite)
	if err != nil {
		return err
	}
	shown := joinView{Group: offer.Link.Group, Invite: invite, Here: "/sign-up?invite=" + invite,
		Other: offer.Link.Email != "" && offer.Link.Email != v.Account.Email}
	title := v.T("account.title.joined-already")
	if shown.Group != nil {
		title = v.T("account.title.join", shown.Group.Name)
	}
	return v.Page("join", title, f, shown)
}

// join makes who is signed in a member of the group of a link.
func join(v *web.Visit, f *web.Form) error {
	if err := v.App().JoinByLink(v.R.Context(), v.Actor(), f.Get("invite")); err != nil {
		if f.Refused(err) {
			return showJoin(v, f, f.Get("invite"))
		}
		return deadLink(v, err)
	}
	return v.Done("/", "joined")
}

func showSignUp(v *web.Visit, f *web.Form, invite string) error {
	offer, err := v.App().SignUpOffer(v.R.Context(), invite)
	if err != nil {
		return err
	}
	if offer.Email != "" && !f.Posted() {
		f = web.Filled("email", offer.Email, "name", offer.Link.Name, "slug", offer.Link.Slug)
	}
	title := v.T("account.title.sign-up")
	if offer.First {
		title = v.T("account.title.first")
	}
	return v.Page("sign-up", title, f, signUpView{offer, invite, v.Next()})
}

// signUp makes the account, or has the link mailed that will.
func signUp(v *web.Visit) error {
	f := v.Form()
	if v.Account != nil && f.Get("do") == "join" {
		return join(v, f)
	}
	in := accounts.SignUpInput{Name: f.Trimmed("name"), Slug: f.Trimmed("slug"), Email: f.Trimmed("email"),
		Password: f.Secret("password"), Invite: f.Get("invite")}
	session, err := v.App().SignUp(v.R.Context(), v.Visitor(), in)
	if err != nil {
		if f.Refused(err, "name", "slug", "email", "password") {
			return showSignUp(v, f, in.Invite)
		}
		return err
	}
	next := v.Next()
	if kind, ok := auth.TokenKind(in.Invite); next == "" && ok && kind == auth.Invited {
		next = "/invitations/" + in.Invite // which is still to be accepted
	}
	if session == "" {
		v.ReturnLater(next)
		return lookInMail(v, in.Email, false)
	}
	if err := v.SignedIn(session); err != nil {
		return err
	}
	return v.Done(next, "welcome")
}

// confirmPage asks for the password that was chosen. So programs that look at mails do not
// use the link up, and nobody is talked into an account of which another has the password.
func confirmPage(v *web.Visit) error {
	if err := v.App().SignUpPending(v.R.Context(), v.Args[0]); err != nil {
		return deadLink(v, err)
	}
	return showConfirm(v, nil)
}

func showConfirm(v *web.Visit, f *web.Form) error {
	return v.Page("confirm", v.T("account.title.confirm"), f, nil)
}

// confirm makes the account that a mailed link is for.
func confirm(v *web.Visit) error {
	f := v.Form()
	session, _, err := v.App().ConfirmSignUp(v.R.Context(), v.Visitor(), v.Args[0], f.Secret("password"))
	if err != nil {
		if f.Refused(err, "password") {
			return showConfirm(v, f)
		}
		return deadLink(v, err)
	}
	if err := v.SignedIn(session); err != nil {
		return err
	}
	return v.Done(v.ReturnNow(), "welcome")
}
