package operator

import (
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// signUpSettings is who may sign up, and the links that let people in.
type signUpSettings struct {
	Mode  domain.SignUpMode
	Fixed bool // by a setting of the server
	Links []domain.SignUpLink
	Made  string // the address of a link that was made just now, which is shown this once
}

// signUpSettingsPage shows them.
func signUpSettingsPage(v *web.Visit) error { return showSignUpSettings(v, nil, "") }

func showSignUpSettings(v *web.Visit, f *web.Form, made string) (err error) {
	shown := signUpSettings{Made: made}
	if shown.Mode, shown.Fixed, err = v.App().SignUpMode(v.R.Context()); err != nil {
		return err
	}
	if shown.Links, err = v.App().SignUpLinks(v.R.Context(), v.Actor()); err != nil {
		return err
	}
	return v.Page("operator-sign-up", v.T("operator.title.sign-up"), f, shown)
}

// changeSignUp sets the mode, makes a link or ends one.
func changeSignUp(v *web.Visit) error {
	f, ctx := v.Form(), v.R.Context()
	if end := f.Get("end"); end != "" {
		id, err := web.ID(end)
		if err != nil {
			return err
		}
		if err := v.App().EndSignUpLink(ctx, v.Actor(), domain.SignUpLinkID(id)); err != nil {
			return err
		}
		return v.Done("/operator/sign-up", "sign-up-link")
	}
	switch f.Get("do") {
	case "mode":
		if err := v.App().SetSignUpMode(ctx, v.Actor(), domain.SignUpMode(f.Get("mode"))); err != nil {
			return refuseSignUpSettings(v, err, f)
		}
		return v.Done("/operator/sign-up", "sign-up")
	case "link":
		token, err := v.App().CreateSignUpLink(ctx, v.Actor(), f.Trimmed("note"))
		if err != nil {
			return refuseSignUpSettings(v, err, f)
		}
		return showSignUpSettings(v, nil, v.Addresses().Site+"/sign-up?invite="+token)
	}
	return web.UnknownButton()
}

func refuseSignUpSettings(v *web.Visit, err error, f *web.Form) error {
	if f.Refused(err, "mode", "note") {
		return showSignUpSettings(v, f, "")
	}
	return err
}
