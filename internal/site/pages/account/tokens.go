package account

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// tokensView is the page of personal access tokens. Secret belongs to a new token, and is shown
// only once.
type tokensView struct {
	Tokens    []tokenRow
	Secret    string
	Made      domain.Token
	Abilities []domain.Ability
	Admin     []domain.Ability // of operators
	Days      []string
}

// tokenRow is a token in the list.
type tokenRow struct {
	domain.Token
	Expired bool
}

// lifetimes are the choices of the form, in days; 0 is forever.
var lifetimes = []string{"30", "90", "365", "0"}

// tokensPage lists the tokens, and the form for a new one.
func tokensPage(v *web.Visit) error { return showTokens(v, emptyToken(), tokensView{}) }

func emptyToken() *web.Form { return web.Filled("scope", "read", "days", "90") }

func showTokens(v *web.Visit, f *web.Form, shown tokensView) error {
	all, err := v.App().Accounts.OwnTokens(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	shown.Abilities, shown.Days = domain.Abilities, lifetimes
	if v.Account.Office == domain.OfficeOperator {
		shown.Admin = domain.AdminAbilities
	}
	for _, t := range all {
		shown.Tokens = append(shown.Tokens, tokenRow{t, t.ExpiresAt != nil && !v.Now().Before(*t.ExpiresAt)})
	}
	return v.Page("tokens", v.T("account.title.tokens"), f, shown)
}

// changeTokens creates or revokes a token.
func changeTokens(v *web.Visit) error {
	f := v.Form()
	if revoked := f.Get("revoke"); revoked != "" {
		return revokeToken(v, revoked)
	}
	in, err := tokenInput(v, f)
	var secret string
	var made domain.Token
	if err == nil {
		secret, made, err = v.App().Accounts.CreateOwnToken(v.R.Context(), v.Actor(), in)
	}
	if err != nil {
		if f.Refused(err, "name", "scope", "abilities", "channels", "days") {
			return showTokens(v, f, tokensView{})
		}
		return err
	}
	return showTokens(v, emptyToken(), tokensView{Secret: secret, Made: made})
}

// tokenInput reads the form. The scope "some" stands for the chosen abilities. Without a lifetime the token does not expire.
func tokenInput(v *web.Visit, f *web.Form) (in accounts.TokenInput, err error) {
	in = accounts.TokenInput{Name: f.Trimmed("name"), Scope: domain.Scope(f.Get("scope"))}
	if in.Scope == "some" {
		in.Scope = domain.ScopeWrite
		for _, a := range f.Values("abilities") {
			in.Abilities = append(in.Abilities, domain.Ability(a))
		}
		if len(in.Abilities) == 0 {
			return in, domain.InvalidField("abilities", domain.FieldRequired, "must have at least one")
		}
	}
	if days := f.Get("days"); days != "" && !slices.Contains(lifetimes, days) {
		return in, domain.InvalidField("days", domain.FieldUnknown, "is not known")
	}
	in.Days, _ = strconv.Atoi(f.Get("days"))
	in.Channels, err = tokenChannels(v, f.Get("channels"))
	return in, err
}

// tokenChannels reads a list of channels, one per line: their addresses, short names or ids.
func tokenChannels(v *web.Visit, text string) (all []domain.ChannelID, err error) {
	n := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if n++; n > domain.MaxTokenChannels {
			return nil, domain.InvalidField("channels", domain.FieldTooMany, fmt.Sprintf("must have at most %d channels", domain.MaxTokenChannels))
		}
		id, err := typedChannel(v, line)
		if domain.KindOf(err) == domain.NotFound {
			return nil, domain.InvalidField(fmt.Sprintf("channels[%d]", n-1), domain.FieldUnknown, "does not exist, or you cannot see it")
		}
		if err != nil {
			return nil, err
		}
		all = append(all, id)
	}
	return all, nil
}

// typedChannel returns the channel that a user typed: its address, short name or id.
func typedChannel(v *web.Visit, text string) (domain.ChannelID, error) {
	if u, err := url.Parse(text); err == nil {
		text = path.Base(u.Path)
	}
	c, err := v.App().Collections.Channel(v.R.Context(), v.Actor(), domain.ParseRef(text))
	return c.ID, err
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
