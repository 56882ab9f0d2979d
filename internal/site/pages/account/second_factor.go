package account

import (
	"encoding/json"
	"net/http"
	"net/url"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// factorView is the page shown after a correct password.
type factorView struct {
	Email    string
	Next     string
	Passkeys bool // the server offers passkeys to browsers
}

// factorPage shows the form for a passkey or a recovery code. It redirects visitors who have not
// entered a password to the sign-in page.
func factorPage(v *web.Visit) error {
	if v.Account != nil && v.Half() == "" {
		return v.Redirect(v.Next())
	}
	return showFactor(v, nil)
}

func showFactor(v *web.Visit, f *web.Form) error {
	u, err := v.App().Accounts.HalfSignIn(v.R.Context(), v.Half())
	if domain.KindOf(err) == domain.Unauthenticated {
		return beginAgain(v)
	}
	if err != nil {
		return err
	}
	return v.Page("second-factor", v.T("account.title.second-factor"), f, factorView{u.Email, v.Next(), v.App().Accounts.PasskeysPossible()})
}

// beginAgain redirects to the sign-in page after the first step has expired.
func beginAgain(v *web.Visit) error {
	to := "/sign-in"
	if next := v.Next(); next != "" {
		to += "?next=" + url.QueryEscape(next)
	}
	if v.Half() == "" {
		return v.Redirect(to)
	}
	v.ForgetHalf()
	return v.Done(to, "half-over")
}

// finishSignIn starts the session after the second factor.
func finishSignIn(v *web.Visit) error {
	f, ctx := v.Form(), v.R.Context()
	if _, err := v.App().Accounts.HalfSignIn(ctx, v.Half()); domain.KindOf(err) == domain.Unauthenticated {
		return beginAgain(v)
	}
	finish, answer := v.App().Accounts.FinishByCode, f.Trimmed("code")
	if given := f.Get("passkey"); given != "" {
		finish, answer = v.App().Accounts.FinishByPasskey, given
	}
	session, err := finish(ctx, v.Visitor(), v.Half(), answer)
	if err != nil {
		if f.Refused(err, "code") {
			return showFactor(v, f)
		}
		return err
	}
	v.ForgetHalf()
	return v.Enter(session, v.Next(), "")
}

// factorOptions returns the passkey options for the script.
func factorOptions(v *web.Visit) error {
	options, err := v.App().Accounts.FactorOptions(v.R.Context(), v.Half())
	if domain.KindOf(err) == domain.Unauthenticated {
		return beginAgain(v)
	}
	return answerOptions(v, options, err)
}

func answerOptions(v *web.Visit, options []byte, err error) error {
	if err != nil {
		return err
	}
	return v.JSON(http.StatusOK, json.RawMessage(options))
}

// passkeyOptions returns the passkey options for a sign-in without a password.
func passkeyOptions(v *web.Visit) error {
	if v.HeadOnly() {
		return v.JSON(http.StatusOK, nil)
	}
	options, err := v.App().Accounts.PasskeyOptions(v.R.Context(), v.PasskeyAsked())
	return answerOptions(v, options, err)
}

// signInByPasskey starts a session without a password.
func signInByPasskey(v *web.Visit) error {
	f := v.Form()
	session, err := v.App().Accounts.SignInByPasskey(v.R.Context(), v.Visitor(), v.PasskeyAnswered(), f.Get("passkey"))
	if err != nil {
		if f.Refused(err) {
			return showSignIn(v, f)
		}
		return err
	}
	return v.Enter(session, v.Next(), "")
}
