package account

import (
	"net/url"

	"vitrine/internal/app/accounts"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// signUpView is the data of the sign-up page.
type signUpView struct {
	accounts.SignUpOffer
	Invite string
	Next   string
}

// signUpPage shows the form, or explains why nobody can sign up.
func signUpPage(v *web.Visit) error {
	if v.Account != nil && v.Query("invite") != "" {
		return showJoin(v, nil, v.Query("invite"))
	}
	if v.Account != nil {
		return v.Redirect(v.Next())
	}
	return showSignUp(v, &web.Form{}, v.Query("invite"))
}

// joinView is an invite link for signed-in users.
type joinView struct {
	Group  *domain.Principal // the group to join, nil for none
	Other  bool              // the link is for another address
	Invite string
	Here   string
}

// showJoin offers a signed-in user to join the group of an invite link.
func showJoin(v *web.Visit, f *web.Form, invite string) error {
	offer, err := v.App().Accounts.SignUpOffer(v.R.Context(), invite)
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

// join makes the signed-in user a member of the link's group.
func join(v *web.Visit, f *web.Form) error {
	if err := v.App().People.JoinByLink(v.R.Context(), v.Actor(), f.Get("invite")); err != nil {
		if f.Refused(err) {
			return showJoin(v, f, f.Get("invite"))
		}
		return deadLink(v, err)
	}
	return v.Done("/", "joined")
}

func showSignUp(v *web.Visit, f *web.Form, invite string) error {
	offer, err := v.App().Accounts.SignUpOffer(v.R.Context(), invite)
	if err != nil {
		return err
	}
	if offer.First && v.App().Accounts.AsksForSetupCode(v.Visitor()) && v.SetupCode() == "" {
		return showSetup(v, f, invite)
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

// showSetup shows the form for the setup code, which the first account requires.
func showSetup(v *web.Visit, f *web.Form, invite string) error {
	return v.Page("setup", v.T("account.title.setup"), f, signUpView{Invite: invite, Next: v.Next()})
}

// enterSetupCode stores a correct setup code in the browser, and continues to the sign-up page.
func enterSetupCode(v *web.Visit, f *web.Form) error {
	code := f.Trimmed("setup_code")
	if err := v.App().Accounts.CheckSetupCode(v.R.Context(), v.Visitor(), code); err != nil {
		if f.Refused(err, "setup_code") {
			return showSetup(v, f, f.Get("invite"))
		}
		return err
	}
	v.KeepSetupCode(code)
	q := url.Values{}
	for _, name := range []string{"invite", "next"} {
		if value := f.Get(name); value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return v.Redirect("/sign-up")
	}
	return v.Redirect("/sign-up?" + q.Encode())
}

// signUp creates the account, or mails the link for it.
func signUp(v *web.Visit) error {
	f := v.Form()
	if v.Account != nil && f.Get("do") == "join" {
		return join(v, f)
	}
	if f.Get("do") == "setup" {
		return enterSetupCode(v, f)
	}
	in := accounts.SignUpInput{Name: f.Trimmed("name"), Slug: f.Trimmed("slug"), Email: f.Trimmed("email"),
		Password: f.Secret("password"), Invite: f.Get("invite"), SetupCode: v.SetupCode()}
	session, err := v.App().Accounts.SignUp(v.R.Context(), v.Visitor(), in)
	if err != nil {
		if f.Refused(err, "setup_code", "name", "slug", "email", "password") {
			if f.Error("setup_code") != "" { // the browser stored another code
				return showSetup(v, f, in.Invite)
			}
			return showSignUp(v, f, in.Invite)
		}
		return err
	}
	next := v.Next()
	if kind, ok := auth.TokenKind(in.Invite); next == "" && ok && kind == auth.Invited {
		next = "/invitations/" + in.Invite // to accept the invitation
	}
	if session == "" {
		v.ReturnLater(next)
		return lookInMail(v, in.Email, false)
	}
	if v.SetupCode() != "" {
		v.ForgetSetupCode()
	}
	if err := v.SignedIn(session); err != nil {
		return err
	}
	return v.Done(next, "welcome")
}

// confirmPage shows a form for the chosen password. This way mail scanners do not use up the link,
// and nobody can be tricked into an account whose password someone else knows.
func confirmPage(v *web.Visit) error {
	if err := v.App().Accounts.SignUpPending(v.R.Context(), v.Args[0]); err != nil {
		return deadLink(v, err)
	}
	return showConfirm(v, nil)
}

func showConfirm(v *web.Visit, f *web.Form) error {
	return v.Page("confirm", v.T("account.title.confirm"), f, nil)
}

// confirm creates the account of a mailed link.
func confirm(v *web.Visit) error {
	f := v.Form()
	session, _, err := v.App().Accounts.ConfirmSignUp(v.R.Context(), v.Visitor(), v.Args[0], f.Secret("password"))
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
