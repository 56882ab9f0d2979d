package operator

import (
	"strconv"

	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// signUpSettings contains the sign-up mode and the invite links.
type signUpSettings struct {
	Mode  domain.SignUpMode
	Fixed bool // by a setting of the server
	Links []operating.SignUpLinkView
	Made  string // the address of a new link, shown only once
	For   domain.SignUpLink
}

// operatorOf returns the acting operator.
func operatorOf(v *web.Visit) operating.Operator { return operating.OnSite(v.Actor(), v.Visitor()) }

// signUpSettingsPage shows the settings.
func signUpSettingsPage(v *web.Visit) error { return showSignUpSettings(v, nil, signUpSettings{}) }

func showSignUpSettings(v *web.Visit, f *web.Form, shown signUpSettings) (err error) {
	if shown.Mode, shown.Fixed, err = v.App().Accounts.SignUpMode(v.R.Context()); err != nil {
		return err
	}
	if shown.Links, err = v.App().Operating.SignUpLinks(v.R.Context(), operatorOf(v)); err != nil {
		return err
	}
	if !f.Posted() {
		f = web.Filled("places", "1", "days", strconv.Itoa(operating.DefaultLinkDays))
	}
	return v.Page("operator-sign-up", v.T("operator.title.sign-up"), f, shown)
}

// changeSignUp sets the mode, or creates or ends a link.
func changeSignUp(v *web.Visit) error {
	f, ctx := v.Form(), v.R.Context()
	if end := f.Get("end"); end != "" {
		id, err := web.ID(end)
		if err != nil {
			return err
		}
		if err := v.App().Operating.EndSignUpLink(ctx, operatorOf(v), domain.SignUpLinkID(id)); err != nil {
			return err
		}
		return v.Done("/operator/sign-up", "sign-up-link")
	}
	switch f.Get("do") {
	case "mode":
		if err := v.App().Operating.SetSignUpMode(ctx, v.Actor(), domain.SignUpMode(f.Get("mode"))); err != nil {
			return refuseSignUpSettings(v, err, f)
		}
		return v.Done("/operator/sign-up", "sign-up")
	case "link":
		return makeLink(v, f)
	}
	return web.UnknownButton()
}

// makeLink creates a link for the number of people in the form.
func makeLink(v *web.Visit, f *web.Form) error {
	for _, field := range []string{"places", "days"} {
		if number(f, field) < 0 {
			f.Wrong(field, "must be a number from 1")
		}
	}
	if f.Failed() {
		return showSignUpSettings(v, f, signUpSettings{})
	}
	in := operating.SignUpLinkInput{Note: f.Trimmed("note"), Places: number(f, "places"), Days: number(f, "days"), Group: f.Trimmed("group"),
		Vouched: f.Has("vouched", "yes")}
	token, l, err := v.App().Operating.CreateSignUpLink(v.R.Context(), operatorOf(v), in)
	if err != nil {
		return refuseSignUpSettings(v, err, f)
	}
	return showSignUpSettings(v, nil, signUpSettings{Made: v.App().Operating.SignUpAddress(token), For: l})
}

// number parses a count. It returns 0, which means the default, for an empty field, and -1 for
// anything that is not a number from 1.
func number(f *web.Form, field string) int64 {
	text := f.Trimmed(field)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return -1
	}
	return n
}

func refuseSignUpSettings(v *web.Visit, err error, f *web.Form) error {
	if f.Refused(err, "mode", "note", "places", "days", "group") {
		return showSignUpSettings(v, f, signUpSettings{})
	}
	return err
}
