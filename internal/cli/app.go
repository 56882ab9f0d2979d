package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type appCmd struct {
	Create appCreateCmd `cmd:"" help:"Register an application and print its client ID and secret. The secret is not shown again."`
	List   appListCmd   `cmd:"" help:"List the applications of all accounts."`
	Delete appDeleteCmd `cmd:"" help:"Delete an application, its tokens and the access that people have granted it."`
}

// appJSON is the JSON form of an application. ClientSecret is only set when it has just been
// created and is not public.
type appJSON struct {
	ID           int64    `json:"id"`
	ClientID     string   `json:"client_id"`
	ClientSecret string   `json:"client_secret,omitempty"`
	Name         string   `json:"name"`
	User         *string  `json:"user"`
	Public       bool     `json:"public"`
	ForV2        bool     `json:"for_v2"`
	Expiring     bool     `json:"expiring"`
	RedirectURIs []string `json:"redirect_uris"`
	CreatedAt    string   `json:"created_at"`
}

func toAppJSON(a domain.Application) appJSON {
	out := appJSON{ID: int64(a.ID), ClientID: a.ClientID, Name: a.Name, Public: a.Public, ForV2: a.ForV2, Expiring: a.Expiring,
		RedirectURIs: a.RedirectURIs, CreatedAt: a.CreatedAt.Format(time.RFC3339)}
	if a.Owner != "" {
		out.User = &a.Owner
	}
	return out
}

type appCreateCmd struct {
	config.Common
	User        string   `required:"" help:"ID or slug of the account that owns it."`
	Name        string   `required:"" help:"Name shown when people are asked for access."`
	RedirectURI []string `name:"redirect-uri" sep:"none" placeholder:"URI" help:"Address to redirect browsers to; can be repeated up to ten times."`
	Public      bool     `help:"Public client, which cannot keep a secret: a desktop, mobile or browser application."`
	ForV2       bool     `name:"for-v2" help:"Version 2 client: requests without a scope get write."`
	Expiring    bool     `help:"Its access tokens expire after an hour, and it gets refresh tokens."`
	JSON        bool     `name:"json" help:"Print JSON."`
}

func (cmd *appCreateCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.People.User(c.Ctx, domain.ParseRef(cmd.User))
		if err != nil {
			return noUser(cmd.User, err)
		}
		secret, made, err := a.Accounts.CreateApplication(c.Ctx, domain.Actor{UserID: u.ID},
			accounts.ApplicationInput{Name: cmd.Name, RedirectURIs: cmd.RedirectURI, Public: cmd.Public, ForV2: cmd.ForV2, Expiring: cmd.Expiring})
		if domain.KindOf(err) == domain.NotFound {
			return fmt.Errorf("the account %q is suspended or deleted", cmd.User)
		}
		if err != nil {
			return err
		}
		if cmd.JSON {
			out := toAppJSON(made)
			out.ClientSecret = secret
			return printJSON(c.Out, out)
		}
		fmt.Fprintln(c.Out, "client_id:", made.ClientID)
		if secret != "" {
			fmt.Fprintln(c.Out, "client_secret:", secret)
		}
		return nil
	})
}

type appListCmd struct {
	config.Common
	JSON bool `name:"json" help:"Print a JSON list."`
}

func (cmd *appListCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		all := []appJSON{}
		err := eachOf(func(after domain.ApplicationID, limit int) ([]domain.Application, error) {
			return a.Accounts.AllApplications(c.Ctx, after, limit)
		}, func(one domain.Application) domain.ApplicationID {
			all = append(all, toAppJSON(one))
			return one.ID
		})
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "CLIENT ID\tNAME\tUSER\tPUBLIC\tFOR V2\tREDIRECTS TO")
		for _, one := range all {
			user := "nobody"
			if one.User != nil {
				user = *one.User
			}
			_, _ = printf(w, "%s\t%s\t%s\t%t\t%t\t%s\n", one.ClientID, one.Name, user, one.Public, one.ForV2, strings.Join(one.RedirectURIs, " "))
		}
		return w.Flush()
	})
}

type appDeleteCmd struct {
	config.Common
	ClientID string `arg:"" help:"Client ID, from the list."`
}

func (cmd *appDeleteCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		err := a.Accounts.EndApplication(c.Ctx, domain.Actor{}, cmd.ClientID)
		if domain.KindOf(err) == domain.NotFound {
			return fmt.Errorf("there is no application %q", cmd.ClientID)
		}
		if err == nil {
			_, err = printf(c.Out, "Deleted the application %s.\n", cmd.ClientID)
		}
		return err
	})
}
