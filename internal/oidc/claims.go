package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// claims are what the provider says of somebody, by name (OpenID Connect Core 1.0, section 5.1).
type claims map[string]json.RawMessage

// claims gives those of a verified token. Where it does not have what is needed, as with
// providers that keep their tokens small, the UserInfo endpoint is asked.
func (p *Provider) claims(ctx context.Context, d *discovered, id *oidc.IDToken, token *oauth2.Token) (claims, error) {
	var c claims
	if err := id.Claims(&c); err != nil {
		return nil, p.refuse(ctx, err)
	}
	_, complete := c["email"]
	if p.o.GroupsClaim != "" {
		_, has := c.find(p.o.GroupsClaim)
		complete = complete && (has || c.elsewhere(p.o.GroupsClaim))
	}
	if complete || d.provider.UserInfoEndpoint() == "" {
		return c, nil
	}
	info, err := d.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, p.away(ctx, err)
	}
	if info.Subject != id.Subject { // section 5.3.2
		return nil, p.refuse(ctx, errors.New("the UserInfo endpoint speaks of somebody else"))
	}
	var more claims
	if err := info.Claims(&more); err != nil {
		return nil, p.refuse(ctx, err)
	}
	if _, has := c["email"]; has { // an address and whether it is verified come from one place
		delete(more, "email")
		delete(more, "email_verified")
	}
	for name, value := range more {
		if _, has := c[name]; !has {
			c[name] = value
		}
	}
	return c, nil
}

func (c claims) identity(issuer, subject, groups string) Identity {
	i := Identity{Issuer: issuer, Subject: subject, Email: c.text("email"), Verified: c.yes("email_verified"),
		Name: c.text("name"), Username: c.text("preferred_username")}
	if groups == "" {
		return i
	}
	value, has := c.find(groups)
	if !has {
		i.Unsure = c.elsewhere(groups)
		return i
	}
	var one string
	if json.Unmarshal(value, &i.Groups) != nil {
		i.Groups = nil
		if json.Unmarshal(value, &one) == nil && one != "" {
			i.Groups = []string{one}
		}
	}
	return i
}

// text gives a claim, "" if it is missing or no text.
func (c claims) text(name string) (s string) {
	if json.Unmarshal(c[name], &s) != nil {
		return ""
	}
	return s
}

// yes reports whether a claim is true. Some providers write it as text.
func (c claims) yes(name string) (is bool) {
	if json.Unmarshal(c[name], &is) == nil {
		return is
	}
	return c.text(name) == "true"
}

// find gives a claim by its name, or by the path to it, such as realm_access.roles.
func (c claims) find(name string) (json.RawMessage, bool) {
	if value, has := c[name]; has {
		return value, true
	}
	head, rest, nested := strings.Cut(name, ".")
	if !nested {
		return nil, false
	}
	var inner claims
	if json.Unmarshal(c[head], &inner) != nil {
		return nil, false
	}
	return inner.find(rest)
}

// elsewhere reports whether the provider says that a claim is to be had in another place, as
// some do of too many groups (section 5.6.2).
func (c claims) elsewhere(name string) bool {
	var names map[string]string
	return json.Unmarshal(c["_claim_names"], &names) == nil && names[name] != ""
}
