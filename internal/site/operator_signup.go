package site

import (
	"vitrine/internal/domain"
)

// signUpSettings is who may sign up, and the links that let people in.
type signUpSettings struct {
	Mode  domain.SignUpMode
	Fixed bool // by a setting of the server
	Links []domain.SignUpLink
	Made  string // the address of a link that was made just now, which is shown this once
}

// signUpSettingsPage shows them.
func signUpSettingsPage(v *visit) error { return v.showSignUpSettings(nil, "") }

func (v *visit) showSignUpSettings(f *form, made string) (err error) {
	shown := signUpSettings{Made: made}
	if shown.Mode, shown.Fixed, err = v.app().SignUpMode(v.r.Context()); err != nil {
		return err
	}
	if shown.Links, err = v.app().SignUpLinks(v.r.Context(), v.actor()); err != nil {
		return err
	}
	return v.page("operator-sign-up", "Signing up", f, shown)
}

// changeSignUp sets the mode, makes a link or ends one.
func changeSignUp(v *visit) error {
	f, ctx := v.form(), v.r.Context()
	if end := f.get("end"); end != "" {
		id, err := idOf(end)
		if err != nil {
			return err
		}
		if err := v.app().EndSignUpLink(ctx, v.actor(), domain.SignUpLinkID(id)); err != nil {
			return err
		}
		return v.done("/operator/sign-up", "sign-up-link")
	}
	switch f.get("do") {
	case "mode":
		if err := v.app().SetSignUpMode(ctx, v.actor(), domain.SignUpMode(f.get("mode"))); err != nil {
			return v.refuseSignUpSettings(err, f)
		}
		return v.done("/operator/sign-up", "sign-up")
	case "link":
		token, err := v.app().CreateSignUpLink(ctx, v.actor(), f.trimmed("note"))
		if err != nil {
			return v.refuseSignUpSettings(err, f)
		}
		return v.showSignUpSettings(nil, v.s.o.SiteURL+"/sign-up?invite="+token)
	}
	return unknownButton()
}

func (v *visit) refuseSignUpSettings(err error, f *form) error {
	if f.refused(err, "mode", "note") {
		return v.showSignUpSettings(f, "")
	}
	return err
}
