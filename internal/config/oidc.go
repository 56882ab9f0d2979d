package config

import (
	"cmp"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// OIDC configures single sign-on. Without an Issuer it is off.
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret string // secret; "" for a client without one
	Name         string // on the button
	Scopes       []string
	GroupsClaim  string // "" if no groups are mapped
	Groups       []GroupRule
	SignUp       string // follow, yes or no
	Email        string // ask or trust
	Only         bool   // no other ways to sign in
}

// GroupRule maps the members of a provider's group to one of our groups.
type GroupRule struct {
	Theirs string
	Ours   string // its slug
}

// parseScopes parses a list of scopes, to which it adds openid.
func parseScopes(text string) ([]string, error) {
	scopes := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if !slices.Contains(scopes, "openid") {
		scopes = append([]string{"openid"}, scopes...)
	}
	return scopes, nil
}

// complete checks settings that require others. Without an issuer it clears all of them.
func (o *OIDC) complete(given Texts, found *problems) {
	if len(o.Groups) == 0 {
		o.GroupsClaim = ""
	}
	if given["oidc-issuer"] == "" {
		if o.ClientID != "" || o.ClientSecret != "" || len(o.Groups) > 0 || o.Only {
			found.add("oidc-issuer", "is required by the other --oidc- settings")
		}
		*o = OIDC{}
		return
	}
	if o.ClientID == "" && !found.on("oidc-issuer") {
		found.add("oidc-client-id", "is required: use the ID that the provider assigned to this site")
	}
	if u, err := url.Parse(o.Issuer); err == nil {
		o.Name = cmp.Or(o.Name, u.Hostname())
	}
}

// checkIssuer checks the address of a provider. It must use https. Plain http is only
// allowed on this machine and in a private network, because it could be intercepted elsewhere.
func checkIssuer(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return quotedError(raw, "want the provider's address, such as https://id.example.org/realms/main")
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && privateHost(u.Hostname()):
		return nil
	}
	return quotedError(raw, "want https://; http:// is only allowed for this machine and private addresses")
}

func privateHost(host string) bool {
	if isLoopback(host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsPrivate()
}

// parseGroupMap parses "staff=editors,students=class-7", which maps the provider's groups to slugs
// of ours. A comma in a name is written with a backslash before it.
func parseGroupMap(text string) ([]GroupRule, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	const comma = "\x00"
	var all []GroupRule
	var errs []error
	for item := range strings.SplitSeq(strings.ReplaceAll(text, `\,`, comma), ",") {
		item = strings.ReplaceAll(item, comma, ",")
		at := strings.LastIndex(item, "=") // names of groups may contain one, as in LDAP; slugs do not
		rule := GroupRule{}
		if at > 0 {
			rule = GroupRule{Theirs: strings.TrimSpace(item[:at]), Ours: strings.TrimSpace(item[at+1:])}
		}
		switch {
		case rule.Theirs == "" || rule.Ours == "":
			errs = append(errs, quotedError(item, "want THEIR-GROUP=OUR-GROUP, with the short name of our group"))
		case slices.Contains(all, rule):
			errs = append(errs, quotedError(item, "given twice"))
		default:
			all = append(all, rule)
		}
	}
	return all, errors.Join(errs...)
}

func formatGroupMap(rules []GroupRule) string {
	items := make([]string, len(rules))
	for i, r := range rules {
		items[i] = strings.ReplaceAll(r.Theirs, ",", `\,`) + "=" + r.Ours
	}
	return strings.Join(items, ",")
}
