package account

import (
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// tokensView is the page of personal access tokens. Secret belongs to a new token, and is shown
// only once.
type tokensView struct {
	Tokens []domain.Token
	Secret string
	Made   domain.Token
}

// tokensPage lists the tokens, and the form for a new one.
func tokensPage(v *web.Visit) error { return showTokens(v, web.Filled("scope", "read"), tokensView{}) }

func showTokens(v *web.Visit, f *web.Form, shown tokensView) (err error) {
	if shown.Tokens, err = v.App().Accounts.OwnTokens(v.R.Context(), v.Actor()); err != nil {
		return err
	}
	return v.Page("tokens", v.T("account.title.tokens"), f, shown)
}

// changeTokens creates or revokes a token.
func changeTokens(v *web.Visit) error {
	f := v.Form()
	if revoked := f.Get("revoke"); revoked != "" {
		return revokeToken(v, revoked)
	}
	secret, made, err := v.App().Accounts.CreateOwnToken(v.R.Context(), v.Actor(), f.Trimmed("name"), domain.Scope(f.Get("scope")))
	if err != nil {
		if f.Refused(err, "name", "scope") {
			return showTokens(v, f, tokensView{})
		}
		return err
	}
	return showTokens(v, web.Filled("scope", "read"), tokensView{Secret: secret, Made: made})
}

func revokeToken(v *web.Visit, which string) error {
	id, err := web.ID(which)
	if err != nil {
		return err
	}
	if err := v.App().Accounts.RevokeOwnToken(v.R.Context(), v.Actor(), domain.TokenID(id)); err != nil {
		return err
	}
	return v.Done("/settings/personal-access-tokens", "token")
}
