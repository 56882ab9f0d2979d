package site

import "vitrine/internal/domain"

// tokensView is the page of personal access tokens. Secret is that of one that was made
// just now, which is shown this once.
type tokensView struct {
	Tokens []domain.Token
	Secret string
	Made   domain.Token
}

// tokensPage lists the tokens, with the form for another.
func tokensPage(v *visit) error { return v.showTokens(filled("scope", "read"), tokensView{}) }

func (v *visit) showTokens(f *form, shown tokensView) (err error) {
	if shown.Tokens, err = v.app().OwnTokens(v.r.Context(), v.actor()); err != nil {
		return err
	}
	return v.page("tokens", "Personal access tokens", f, shown)
}

// changeTokens makes a token or revokes one.
func changeTokens(v *visit) error {
	f := v.form()
	if revoked := f.get("revoke"); revoked != "" {
		return v.revokeToken(revoked)
	}
	secret, made, err := v.app().CreateOwnToken(v.r.Context(), v.actor(), f.trimmed("name"), domain.Scope(f.get("scope")))
	if err != nil {
		if f.refused(err, "name", "scope") {
			return v.showTokens(f, tokensView{})
		}
		return err
	}
	return v.showTokens(filled("scope", "read"), tokensView{Secret: secret, Made: made})
}

func (v *visit) revokeToken(which string) error {
	id, err := idOf(which)
	if err != nil {
		return err
	}
	if err := v.app().RevokeOwnToken(v.r.Context(), v.actor(), domain.TokenID(id)); err != nil {
		return err
	}
	return v.done("/settings/personal-access-tokens", "token")
}
