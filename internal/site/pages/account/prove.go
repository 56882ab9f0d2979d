package account

import (
	"errors"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// proveView is the data of the page for confirmations.
type proveView struct {
	accounts.ProofWays
	Next string
}

// provePage shows the form for a confirmation before a sensitive action.
func provePage(v *web.Visit) error { return showProve(v, nil) }

func showProve(v *web.Visit, f *web.Form) error {
	ways, err := v.App().SSO.ProofWays(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	return v.Page("prove", v.T("account.title.prove"), f, proveView{ways, v.Next()})
}

// prove confirms the session with the posted method, or has a link mailed, and continues to the action.
func prove(v *web.Visit) error {
	f, ctx := v.Form(), v.R.Context()
	var secret string
	var err error
	switch f.Get("by") {
	case "password":
		secret, err = v.App().Accounts.ProveByPassword(ctx, v.Visitor(), v.Actor(), v.Session, f.Secret("password"))
	case "passkey":
		secret, err = v.App().Accounts.ProveByPasskey(ctx, v.Visitor(), v.Actor(), v.Session, f.Get("passkey"))
	case "mail":
		if err = v.App().SSO.MailProofLink(ctx, v.Actor(), v.Session); err == nil {
			v.ReturnLater(v.Next())
			return lookInMail(v, v.Account.Email, false)
		}
	default:
		return web.UnknownButton()
	}
	if errors.Is(err, accounts.ErrRenewed) { // usually because of a second click
		return goOn(v, v.Next())
	}
	if err != nil {
		if f.Refused(err, "password") {
			return showProve(v, f)
		}
		return err
	}
	v.Renewed(secret)
	return goOn(v, v.Next())
}

// goOn redirects to the action for which the user has confirmed.
func goOn(v *web.Visit, next string) error {
	if next == "" {
		next = "/settings/profile"
	}
	return v.Redirect(next)
}

// proofOptions returns the passkey options for the browser.
func proofOptions(v *web.Visit) error {
	options, err := v.App().Accounts.ProofOptions(v.R.Context(), v.Actor(), v.Session)
	return answerOptions(v, options, err)
}

// proofLinkPage requires a click, so that a program that opens links in mails does not use up the link.
func proofLinkPage(v *web.Visit) error {
	if err := v.App().Accounts.ProofLink(v.R.Context(), v.Actor(), v.Session, v.Args[0]); err != nil {
		return refuseProofLink(v, err)
	}
	return v.Page("prove-link", v.T("account.title.prove"), nil, nil)
}

// proveByLink confirms the session with a mailed link, and continues to the action.
func proveByLink(v *web.Visit) error {
	secret, err := v.App().Accounts.ProveByLink(v.R.Context(), v.Visitor(), v.Actor(), v.Session, v.Args[0])
	if err != nil {
		return refuseProofLink(v, err)
	}
	v.Renewed(secret)
	return goOn(v, v.ReturnNow())
}

// refuseProofLink explains why a mailed link cannot be used here.
func refuseProofLink(v *web.Visit, err error) error {
	if domain.KindOf(err) == domain.Forbidden {
		return err
	}
	return deadLink(v, err)
}

// endOthers reports whether the user ticked the box that signs out all other browsers.
func endOthers(f *web.Form) bool { return f.Has("others", "end") }
