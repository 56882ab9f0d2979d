package signon

import (
	"net/http"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// begin redirects to the provider. It is a link instead of a form, because some browsers apply the
// policy of a page to the redirects that follow its forms, and the provider's redirects are
// unknown. It changes nothing until the user confirms at the provider or here.
func begin(v *web.Visit) error {
	w := accounts.SignOnInput{Next: v.Next(), Invite: v.Query("invite"), Connect: v.Query("connect") != "", Prove: v.Query("confirm") != "", Setup: v.SetupCode()}
	if v.Account != nil && !w.Connect && !w.Prove {
		return v.Redirect(w.Next)
	}
	if v.Account == nil && (w.Connect || w.Prove) {
		return v.AskToSignIn()
	}
	if w.Connect && !v.App().Accounts.MayOpen(v.Session) {
		return v.AskToConfirm()
	}
	address, keep, err := v.App().SSO.BeginSignOn(v.R.Context(), v.Visitor(), v.Actor(), v.SignOn(), w)
	if err != nil {
		return failed(v, err, w.Next)
	}
	v.KeepSignOn(keep)
	return v.Leave(address)
}

// finish handles the redirect from the provider.
func finish(v *web.Visit) error {
	to, err := v.App().SSO.FinishSignOn(v.R.Context(), v.Visitor(), v.Actor(), v.Session, v.SignOn(),
		accounts.ProviderReply{State: v.Query("state"), Code: v.Query("code"), Issuer: v.Query("iss"), Error: v.Query("error")})
	switch {
	case err != nil:
		return failed(v, err, to.Next)
	case to.Proved:
		v.Renewed(to.Session)
		return v.Redirect(to.Next)
	case to.Confirm != "":
		v.KeepSignOn(v.SignOn())
		return v.Redirect("/sign-in/sso/confirm/" + to.Confirm)
	case to.Session == "": // already connected
		return v.Done(settingsPath, "sign-on-connected")
	}
	if err := v.SignedIn(to.Session); err != nil {
		return err
	}
	v.KeepSignedOn()
	if to.Made {
		if v.SetupCode() != "" {
			v.ForgetSetupCode()
		}
		return v.Done(to.Next, "welcome")
	}
	return v.Redirect(to.Next)
}

// failed explains why the sign-in failed, and offers to try again.
func failed(v *web.Visit, err error, next string) error {
	f := v.Form()
	if !f.Refused(err) {
		return err
	}
	return v.Page("failed", v.T("signon.title.failed"), f, struct{ Next string }{next})
}

// confirmView is an identity to be connected, with the ways to sign in for that.
type confirmView struct {
	accounts.PendingSignOn
	Here string
}

// confirmPage shows the form that connects the identity with the user's account. Visitors sign in
// first.
func confirmPage(v *web.Visit) error { return showConfirm(v, nil) }

func showConfirm(v *web.Visit, f *web.Form) error {
	p, err := v.App().SSO.PendingSignOn(v.R.Context(), v.SignOn(), v.Args[0])
	if err != nil {
		return over(v, err)
	}
	return v.Page("confirm", v.T("signon.title.confirm", v.App().SSO.ProviderName()), f, confirmView{p, v.Here()})
}

// over shows that the confirmation has expired. It returns other errors.
func over(v *web.Visit, err error) error {
	if domain.KindOf(err) != domain.NotFound {
		return err
	}
	f := v.Form()
	f.Refused(domain.NewForbidden("This sign-in was used already, took too long, or was begun in another browser: start again"))
	return v.Render(http.StatusNotFound, "failed", v.T("signon.title.failed"), f, struct{ Next string }{})
}

// signedOut explains that the user is still signed in at the provider, and links there. It is a
// link because some browsers apply the policy of a page to the redirects that follow its forms.
func signedOut(v *web.Visit) error {
	if v.Account != nil {
		return v.Redirect("")
	}
	if v.App().SSO.ProviderName() == "" {
		return domain.NewNotFound()
	}
	return v.Page("signed-out", v.T("signon.title.signed-out"), nil, struct{ There bool }{v.App().SSO.ProviderSignOut(v.R.Context()) != ""})
}

// signOutThere redirects to the provider, which asks for confirmation.
func signOutThere(v *web.Visit) error {
	to := v.App().SSO.ProviderSignOut(v.R.Context())
	if to == "" {
		return domain.NewNotFound()
	}
	return v.Leave(to)
}

// linkPage requires a click on a sign-in link of the command line, so that a program that opens
// links does not use it up.
func linkPage(v *web.Visit) error {
	u, err := v.App().SSO.SignInLink(v.R.Context(), v.Args[0])
	if err != nil {
		return err
	}
	return v.Page("link", v.T("signon.title.link"), nil, u)
}

// byLink signs in with the link.
func byLink(v *web.Visit) error {
	session, err := v.App().SSO.SignInByLink(v.R.Context(), v.Visitor(), v.Args[0])
	if err != nil {
		return err
	}
	return v.Enter(session, "", "")
}

// confirm connects the identity.
func confirm(v *web.Visit) error {
	if v.Account == nil {
		return v.AskToSignIn()
	}
	next, secret, err := v.App().SSO.ConfirmSignOn(v.R.Context(), v.Actor(), v.Session, v.SignOn(), v.Args[0])
	if err != nil {
		if f := v.Form(); f.Refused(err) {
			return showConfirm(v, f)
		}
		return over(v, err)
	}
	v.Renewed(secret)
	if next == "" {
		next = settingsPath
	}
	return v.Done(next, "sign-on-connected")
}

// settingsView lists the identities that the account is connected with.
type settingsView struct {
	Connections []accounts.Connection
	Usable      bool // at least one of them can be used to sign in
}

// settingsPageOf shows the connected identities.
func settingsPageOf(v *web.Visit) error { return showSettings(v, nil) }

func showSettings(v *web.Visit, f *web.Form) error {
	all, err := v.App().SSO.Connections(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	if len(all) == 0 && v.App().SSO.ProviderName() == "" {
		return domain.NewNotFound()
	}
	shown := settingsView{Connections: all}
	for _, c := range all {
		shown.Usable = shown.Usable || c.Usable
	}
	return v.Page("settings", v.T("signon.title.settings"), f, shown)
}

// disconnect removes an identity from the account.
func disconnect(v *web.Visit) error {
	f := v.Form()
	id, err := web.ID(f.Get("disconnect"))
	if err != nil {
		return err
	}
	secret, err := v.App().SSO.Disconnect(v.R.Context(), v.Actor(), v.Session, accounts.IdentityID(id))
	if err != nil {
		if f.Refused(err) {
			return showSettings(v, f)
		}
		return err
	}
	v.Renewed(secret)
	return v.Done(settingsPath, "sign-on-disconnected")
}
