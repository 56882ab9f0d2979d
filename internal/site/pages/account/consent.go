package account

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// consentView is the page that asks for consent.
type consentView struct {
	accounts.Consent
	Request string // the address that the form posts to: this page with the shown scope
	To      string // a short form of the redirect address; "" if there is no redirect
}

// authorizationRequest reads the application's request from the query.
func authorizationRequest(v *web.Visit) accounts.AuthorizationRequest {
	q := v.R.URL.Query()
	r := accounts.AuthorizationRequest{ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"),
		ResponseType: q.Get("response_type"), ResponseMode: q.Get("response_mode"), Scope: q.Get("scope"), State: q.Get("state"),
		CodeChallenge: q.Get("code_challenge"), CodeChallengeMethod: q.Get("code_challenge_method"),
		Resource: q.Get("resource"), From: v.Visitor()}
	for name, values := range q {
		if len(values) > 1 {
			r.Repeated = append(r.Repeated, name)
		}
	}
	slices.Sort(r.Repeated)
	return r
}

// consentPage shows the form for granting access to an application. It shows errors in the request
// before the user has to sign in.
func consentPage(v *web.Visit) error { return showConsent(v, nil) }

func showConsent(v *web.Visit, f *web.Form) error {
	c, err := v.App().Accounts.Authorization(v.R.Context(), v.Actor(), authorizationRequest(v))
	if err != nil {
		return refuseApplication(v, err)
	}
	if v.Account == nil {
		return v.AskToSignIn()
	}
	if c.RedirectURI != domain.OutOfBand {
		v.FormsTo = c.RedirectURI
	}
	return v.Page("consent", v.T("account.title.consent", c.Application.Name), f, consentView{c, shown(v, c.Limits.ScopeText(c.Scope)), destination(v, c.RedirectURI)})
}

// shown returns the path of this page with the scope that it shows. The form sends that scope, so that
// a change of the default in the meantime cannot grant another scope.
func shown(v *web.Visit, scope string) string {
	q := v.R.URL.Query()
	q.Set("scope", scope)
	return v.R.URL.EscapedPath() + "?" + q.Encode()
}

// consent allows or denies the request of the application.
func consent(v *web.Visit) error {
	if v.Account == nil {
		return v.AskToSignIn()
	}
	answer, r, f := v.App().Accounts.Deny, authorizationRequest(v), v.Form()
	r.Operating = f.Has("operating", "yes")
	switch f.Get("answer") {
	case "allow":
		answer = v.App().Accounts.Allow
	case "deny":
	default:
		return web.UnknownButton()
	}
	to, err := answer(v.R.Context(), v.Actor(), r)
	if err != nil && f.Refused(err, "operating") {
		return showConsent(v, f)
	}
	if err != nil {
		return refuseApplication(v, err)
	}
	return sendBack(v, to)
}

// sendBack redirects to the application, or shows the code if the user has to copy it there.
func sendBack(v *web.Visit, to string) error {
	query, carried := strings.CutPrefix(to, domain.OutOfBand)
	if to != "" && !carried {
		return v.Leave(to)
	}
	q, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		return err
	}
	data := struct{ Code string }{q.Get("code")}
	title := v.T("account.title.code")
	if data.Code == "" {
		title = v.T("account.title.denied")
	}
	return v.Page("code", title, nil, data)
}

// refuseApplication reports an invalid request to the application, or to the visitor if the
// application is unknown. It never redirects visitors who are not signed in, since this would be an
// open redirect (RFC 9700 section 4.11.2).
func refuseApplication(v *web.Visit, err error) error {
	refused, ok := errors.AsType[*accounts.OAuthError](err)
	if !ok {
		return err
	}
	if refused.Redirect != "" && v.Account != nil {
		return v.Leave(refused.Redirect)
	}
	return v.Render(http.StatusBadRequest, "refused", v.T("account.title.refused"), nil, refused)
}

// destination returns a redirect address for people: the host, or a text for an application on
// their own machine; "" for no address.
func destination(v *web.Visit, address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || address == domain.OutOfBand:
		return ""
	case u.Scheme == "http": // only loopback addresses can be registered
		return v.T("account.consent.on-machine", u.Host)
	case u.Scheme == "https":
		return u.Host
	}
	return v.T("account.consent.on-device", u.Scheme+":")
}
