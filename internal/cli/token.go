package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Create a token and print only the token. It is not shown again."`
	List   tokenListCmd   `cmd:"" help:"List the tokens of an account."`
	Revoke tokenRevokeCmd `cmd:"" help:"Revoke a token."`
}

// tokenJSON is the JSON form of a token. Token is only set when it has just been created.
type tokenJSON struct {
	ID         int64   `json:"id"`
	Token      string  `json:"token,omitempty"`
	Name       string  `json:"name"`
	Hint       string  `json:"hint"`
	Scope      string  `json:"scope"`
	CreatedAt  string  `json:"created_at"`
	ExpiresAt  *string `json:"expires_at"`
	LastUsedAt *string `json:"last_used_at"`
	RevokedAt  *string `json:"revoked_at"`
}

func toTokenJSON(t domain.Token) tokenJSON {
	return tokenJSON{ID: int64(t.ID), Name: t.Name, Hint: t.Hint, Scope: t.Limits.ScopeText(t.Scope),
		CreatedAt: t.CreatedAt.Format(time.RFC3339), ExpiresAt: optional(t.ExpiresAt), LastUsedAt: optional(t.LastUsedAt), RevokedAt: optional(t.RevokedAt)}
}

func optional(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := t.Format(time.RFC3339)
	return &s
}

type tokenCreateCmd struct {
	config.Common
	User    string   `required:"" help:"ID or slug of the account."`
	Scope   []string `default:"read" enum:"read,write,write:save,write:arrange,write:channels,write:comment,write:follow,write:people,write:account,admin:read,admin:accounts,admin:moderation,admin:jobs,admin:site" help:"read; write, which includes read; or kinds of changes, such as write:save,write:comment; for operators also admin:read and others (docs/admin.md)."`
	Channel []string `sep:"none" help:"ID or slug of a channel that the token is limited to; can be repeated. Without it, the token is not limited to channels."`
	Days    int      `default:"0" help:"Days until the token expires, at most 3650. 0 means never."`
	Name    string   `default:"command line" help:"What the token is for."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// input returns the token to create for a user, whose channels are found as that user sees them.
func (cmd *tokenCreateCmd) input(c *console, a *app.App, user domain.UserID) (in accounts.TokenInput, err error) {
	in = accounts.TokenInput{Name: cmd.Name, Scope: domain.ScopeRead, Days: cmd.Days}
	if limits, _ := domain.ParseTokenLimits(strings.Join(cmd.Scope, " ")); limits != nil { // the flag has only known scopes
		in.Scope, in.Abilities = domain.ScopeWrite, limits.Abilities
	} else if slices.Contains(cmd.Scope, string(domain.ScopeWrite)) {
		in.Scope = domain.ScopeWrite
	}
	for _, name := range cmd.Channel {
		found, err := a.Collections.Channel(c.Ctx, domain.Actor{UserID: user}, domain.ParseRef(name))
		if domain.KindOf(err) == domain.NotFound {
			return in, fmt.Errorf("there is no channel %q, or the account cannot see it", name)
		}
		if err != nil {
			return in, err
		}
		in.Channels = append(in.Channels, found.ID)
	}
	return in, nil
}

func (cmd *tokenCreateCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.People.User(c.Ctx, domain.ParseRef(cmd.User))
		if err != nil {
			return noUser(cmd.User, err)
		}
		in, err := cmd.input(c, a, u.ID)
		if err != nil {
			return err
		}
		secret, t, err := a.Accounts.CreateToken(c.Ctx, u.ID, in)
		if err != nil {
			return err
		}
		if cmd.JSON {
			out := toTokenJSON(t)
			out.Token = secret
			return printJSON(c.Out, out)
		}
		_, err = fmt.Fprintln(c.Out, secret)
		return err
	})
}

type tokenListCmd struct {
	config.Common
	User string `required:"" help:"ID or slug of the account."`
	JSON bool   `name:"json" help:"Print a JSON list."`
}

func (cmd *tokenListCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.People.User(c.Ctx, domain.ParseRef(cmd.User))
		if err != nil {
			return noUser(cmd.User, err)
		}
		tokens, err := a.Accounts.Tokens(c.Ctx, u.ID)
		if err != nil {
			return err
		}
		all := make([]tokenJSON, len(tokens))
		for i, t := range tokens {
			all[i] = toTokenJSON(t)
		}
		if cmd.JSON {
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tNAME\tBEGINS WITH\tSCOPE\tCREATED\tEXPIRES\tLAST USED\tREVOKED")
		for _, t := range all {
			_, _ = printf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Name, t.Hint, t.Scope, t.CreatedAt,
				orNever(t.ExpiresAt), orNever(t.LastUsedAt), orNever(t.RevokedAt))
		}
		return w.Flush()
	})
}

func orNever(s *string) string {
	if s == nil {
		return "never"
	}
	return *s
}

type tokenRevokeCmd struct {
	config.Common
	ID int64 `arg:"" help:"ID of the token, from the list."`
}

func (cmd *tokenRevokeCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		err := a.Accounts.RevokeToken(c.Ctx, domain.Actor{}, domain.TokenID(cmd.ID))
		if domain.KindOf(err) == domain.NotFound {
			return fmt.Errorf("there is no token %d", cmd.ID)
		}
		if err == nil {
			_, _ = printf(c.Out, "Revoked token %d.\n", cmd.ID)
		}
		return err
	})
}
