package cli

import (
	"fmt"
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
	LastUsedAt *string `json:"last_used_at"`
	RevokedAt  *string `json:"revoked_at"`
}

func toTokenJSON(t domain.Token) tokenJSON {
	return tokenJSON{ID: int64(t.ID), Name: t.Name, Hint: t.Hint, Scope: string(t.Scope),
		CreatedAt: t.CreatedAt.Format(time.RFC3339), LastUsedAt: optional(t.LastUsedAt), RevokedAt: optional(t.RevokedAt)}
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
	User  string `required:"" help:"ID or slug of the account."`
	Scope string `default:"read" enum:"read,write" help:"read, or write, which includes read."`
	Name  string `default:"command line" help:"What the token is for."`
	JSON  bool   `name:"json" help:"Print JSON."`

	Ability []string `placeholder:"ABILITY" help:"Limit the changes of a token with --scope write to these, such as save, or admin:accounts for an operator. See docs/clients.md and docs/operators.md."`
}

func (cmd *tokenCreateCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.People.User(c.Ctx, domain.ParseRef(cmd.User))
		if err != nil {
			return noUser(cmd.User, err)
		}
		in := accounts.TokenInput{Name: domain.CleanName(cmd.Name), Scope: domain.Scope(cmd.Scope)}
		for _, ability := range cmd.Ability {
			in.Abilities = append(in.Abilities, domain.Ability(ability))
		}
		secret, t, err := a.Accounts.CreateTokenOf(c.Ctx, u.ID, in)
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
		fmt.Fprintln(w, "ID\tNAME\tBEGINS WITH\tSCOPE\tCREATED\tLAST USED\tREVOKED")
		for _, t := range all {
			_, _ = printf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Name, t.Hint, t.Scope, t.CreatedAt,
				orNever(t.LastUsedAt), orNever(t.RevokedAt))
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
