package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// claims are the provider's statements about a user, by name (OpenID Connect Core 1.0, section 5.1).
type claims map[string]json.RawMessage

// claims returns the claims of a verified token. If required claims are missing, because some providers
// keep their tokens small, it queries the UserInfo endpoint.
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
		return nil, p.unavailable(ctx, err)
	}
	if info.Subject != id.Subject { // section 5.3.2
		return nil, p.refuse(ctx, errors.New("the UserInfo endpoint returned another subject"))
	}
	var more claims
	if err := info.Claims(&more); err != nil {
		return nil, p.refuse(ctx, err)
	}
	if _, has := c["email"]; has { // the address and its verification must come from the same source
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

// text returns a claim, or "" if it is missing or not a string.
func (c claims) text(name string) (s string) {
	if json.Unmarshal(c[name], &s) != nil {
		return ""
	}
	return s
}

// yes reports whether a claim is true. Some providers encode booleans as strings.
func (c claims) yes(name string) (is bool) {
	if json.Unmarshal(c[name], &is) == nil {
		return is
	}
	return c.text(name) == "true"
}

// find returns a claim by its name or path, such as realm_access.roles.
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

// elsewhere reports whether the provider serves a claim from another place, as some do when a user has too
// many groups (section 5.6.2).
func (c claims) elsewhere(name string) bool {
	var names map[string]string
	return json.Unmarshal(c["_claim_names"], &names) == nil && names[name] != ""
}
