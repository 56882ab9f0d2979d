package server

import (
	"net/http"

	"vitrine/internal/app/accounts"
	"vitrine/internal/config"
	"vitrine/internal/obs"
	"vitrine/internal/oidc"
	"vitrine/internal/site/pages/signon"
)

// newSSO creates the options of single sign-on. The provider is not contacted before someone signs
// in, so a server starts even if it is unreachable.
func newSSO(cfg config.Config, o Options, stats *obs.Metrics) accounts.SignOnOptions {
	c := cfg.OIDC
	if c.Issuer == "" {
		return accounts.SignOnOptions{}
	}
	groups := make([]accounts.GroupRule, len(c.Groups))
	for i, g := range c.Groups {
		groups[i] = accounts.GroupRule(g)
	}
	return accounts.SignOnOptions{Name: c.Name, SignUp: accounts.SignUp(c.SignUp), Only: c.Only, TrustEmail: c.Email == "trust", Groups: groups, Log: o.Log,
		Provider: oidc.New(oidc.Options{Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret,
			RedirectURL: cfg.SiteURL + signon.CallbackPath, Scopes: c.Scopes, GroupsClaim: c.GroupsClaim, Now: o.Now, Log: o.Log,
			Watch: func(next http.RoundTripper) http.RoundTripper { return stats.Watched(obs.SignOn, next) }})}
}
