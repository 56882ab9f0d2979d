package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/operating"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type userLinkCmd struct {
	Create userLinkCreateCmd `cmd:"" help:"Create a link and print only the link. It is not shown again."`
	List   userLinkListCmd   `cmd:"" help:"List current and recent links with their remaining places and the accounts created with them."`
	End    userLinkEndCmd    `cmd:"" help:"End a link."`
}

// linkJSON is the JSON form of a sign-up link. Link is only set when it has just been created.
type linkJSON struct {
	ID        int64    `json:"id"`
	Link      string   `json:"link,omitempty"`
	Note      string   `json:"note"`
	Group     string   `json:"group,omitempty"`
	Places    int64    `json:"places"`
	Left      int64    `json:"left"`
	Vouched   bool     `json:"vouched"`
	Live      bool     `json:"live"`
	CreatedAt string   `json:"created_at"`
	ExpiresAt string   `json:"expires_at"`
	Came      []string `json:"came"` // slugs
}

func toLinkJSON(l operating.SignUpLinkView) linkJSON {
	out := linkJSON{ID: int64(l.ID), Note: l.Note, Places: l.Places, Left: l.Left(), Vouched: l.Vouched, Live: l.Live,
		CreatedAt: l.CreatedAt.Format(time.RFC3339), ExpiresAt: l.ExpiresAt.Format(time.RFC3339), Came: []string{}}
	if l.Group != nil {
		out.Group = l.Group.Slug
	}
	for _, p := range l.Came {
		out.Came = append(out.Came, p.Slug)
	}
	return out
}

type userLinkCreateCmd struct {
	linkFlags
	Places  int64  `default:"1" help:"Number of people who can use the link, at most 1000."`
	Days    int64  `default:"14" help:"Days until it expires, at most 365."`
	Group   string `help:"ID or slug of a group to join."`
	Note    string `help:"Note for operators, such as the people that the link is for."`
	Vouched bool   `help:"Do not ask people to confirm their address."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

func (cmd *userLinkCreateCmd) Run(c *console) error {
	if bad := append(atLeastOne("--places", cmd.Places), atLeastOne("--days", cmd.Days)...); bad != nil {
		return bad
	}
	return withLinks(c, config.Site(cmd.Mailing), func(a *app.App) error {
		token, l, err := a.Operating.CreateSignUpLink(c.Ctx, operating.CommandLine(), operating.SignUpLinkInput{Note: cmd.Note, Places: cmd.Places,
			Days: cmd.Days, Group: cmd.Group, Vouched: cmd.Vouched})
		if err != nil {
			return err
		}
		address := a.Operating.SignUpAddress(token)
		if cmd.JSON {
			out := toLinkJSON(operating.SignUpLinkView{SignUpLink: l, Live: true})
			out.Link = address
			return printJSON(c.Out, out)
		}
		_, err = fmt.Fprintln(c.Out, address)
		return err
	})
}

type userLinkListCmd struct {
	config.Common
	JSON bool `name:"json" help:"Print a JSON list."`
}

func (cmd *userLinkListCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		links, err := a.Operating.SignUpLinks(c.Ctx, operating.CommandLine())
		if err != nil {
			return err
		}
		all := make([]linkJSON, len(links))
		for i, l := range links {
			all[i] = toLinkJSON(l)
		}
		if cmd.JSON {
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tNOTE\tGROUP\tLEFT\tPLACES\tWORKS\tUNTIL\tCAME")
		for _, l := range all {
			_, _ = printf(w, "%d\t%s\t%s\t%d\t%d\t%t\t%s\t%s\n", l.ID, l.Note, l.Group, l.Left, l.Places, l.Live, l.ExpiresAt, strings.Join(l.Came, ", "))
		}
		return w.Flush()
	})
}

type userLinkEndCmd struct {
	config.Common
	ID int64 `arg:"" help:"ID of the link, from the list."`
}

func (cmd *userLinkEndCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		err := a.Operating.EndSignUpLink(c.Ctx, operating.CommandLine(), domain.SignUpLinkID(cmd.ID))
		if domain.KindOf(err) == domain.NotFound {
			return fmt.Errorf("there is no active link %d", cmd.ID)
		}
		if err == nil {
			_, _ = printf(c.Out, "Ended link %d.\n", cmd.ID)
		}
		return err
	})
}
