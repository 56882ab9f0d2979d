package site

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/domain"
)

// consentView is what the page asks.
type consentView struct {
	app.Consent
	Request string // the address of this page, to which the answer goes
	To      string // where the answer leads, in short; "" if nowhere
}

// authorizationRequest reads what the application asks for from the address.
func (v *visit) authorizationRequest() app.AuthorizationRequest {
	q := v.r.URL.Query()
	r := app.AuthorizationRequest{ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"),
		ResponseType: q.Get("response_type"), Scope: q.Get("scope"), State: q.Get("state"),
		CodeChallenge: q.Get("code_challenge"), CodeChallengeMethod: q.Get("code_challenge_method")}
	for name, values := range q {
		if len(values) > 1 {
			r.Repeated = append(r.Repeated, name)
		}
	}
	slices.Sort(r.Repeated)
	return r
}

// consentPage asks whether an application may act for the account. What is wrong with
// the request is told before anybody has to sign in for it.
func consentPage(v *visit) error {
	c, err := v.app().Authorization(v.r.Context(), v.actor(), v.authorizationRequest())
	if err != nil {
		return v.refuseApplication(err)
	}
	if v.account == nil {
		return v.askToSignIn()
	}
	if c.RedirectURI != domain.OutOfBand {
		v.formsTo = c.RedirectURI
	}
	return v.page("consent", "Allow "+c.Application.Name+"?", nil, consentView{c, v.here(), destination(c.RedirectURI)})
}

// consent allows or denies what the address asks for.
func consent(v *visit) error {
	if v.account == nil {
		return v.askToSignIn()
	}
	answer := v.app().Deny
	switch v.form().get("answer") {
	case "allow":
		answer = v.app().Allow
	case "deny":
	default:
		return unknownButton()
	}
	to, err := answer(v.r.Context(), v.actor(), v.authorizationRequest())
	if err != nil {
		return v.refuseApplication(err)
	}
	return v.sendBack(to)
}

// sendBack leads to the application, or shows the code to who has to carry it there
// themself.
func (v *visit) sendBack(to string) error {
	query, carried := strings.CutPrefix(to, domain.OutOfBand)
	if to != "" && !carried {
		return v.leave(to)
	}
	q, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		return err
	}
	data := struct{ Code string }{q.Get("code")}
	title := "Your code"
	if data.Code == "" {
		title = "Not allowed"
	}
	return v.page("code", title, nil, data)
}

// refuseApplication tells an application what is wrong with its request, or, where it
// is not known who asks, the visitor. Who is not signed in is never sent to the
// application: a link of this site would lead them wherever its author likes (RFC 9700
// section 4.11.2).
func (v *visit) refuseApplication(err error) error {
	refused, ok := errors.AsType[*app.OAuthError](err)
	if !ok {
		return err
	}
	if refused.Redirect != "" && v.account != nil {
		return v.leave(refused.Redirect)
	}
	return v.render(http.StatusBadRequest, "refused", "The application’s request was refused", nil, refused)
}

// destination is a redirect address as people read it: the host, or that the
// application is on their own machine; "" for none.
func destination(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || address == domain.OutOfBand:
		return ""
	case u.Scheme == "http": // nothing else can be registered
		return "a program on this machine, at " + u.Host
	case u.Scheme == "https":
		return u.Host
	}
	return "an application on this device, by " + u.Scheme + ":"
}
