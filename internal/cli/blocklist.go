package cli

import (
	"fmt"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// blocklistCmd lists and changes blocked domains, mail providers, files and networks.
type blocklistCmd struct {
	List   blocklistListCmd   `cmd:"" help:"List blocked entries, newest first."`
	Add    blocklistAddCmd    `cmd:"" help:"Block a domain (links), mail (a mail provider), file (by its SHA-256) or network. Applies to all servers immediately."`
	Remove blocklistRemoveCmd `cmd:"" help:"Remove an entry."`
}

// blockedJSON is the JSON form of an entry.
type blockedJSON struct {
	ID        int64  `json:"id"`
	Kind      string `json:"kind"`
	Value     string `json:"value"`
	Note      string `json:"note,omitempty"`
	CreatedAt string `json:"created_at"`
}

type blocklistListCmd struct {
	config.Common
	JSON bool `name:"json" help:"Print a JSON list."`
}

func (cmd *blocklistListCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		all := []blockedJSON{}
		err := eachOf(func(below int64, limit int) ([]moderation.Blocked, error) {
			return a.Moderation.Blocklist(c.Ctx, operating.CommandLine(), below, limit)
		}, func(b moderation.Blocked) int64 {
			all = append(all, blockedJSON{b.ID, string(b.Kind), b.Value, b.Note, b.CreatedAt.Format(time.RFC3339)})
			return b.ID
		})
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tKIND\tVALUE\tSINCE\tNOTE")
		for _, one := range all {
			_, _ = printf(w, "%d\t%s\t%s\t%s\t%s\n", one.ID, one.Kind, one.Value, one.CreatedAt, one.Note)
		}
		return w.Flush()
	})
}

type blocklistAddCmd struct {
	config.Common
	Kind  string `arg:"" help:"domain, mail, file or network."`
	Value string `arg:"" help:"A domain, including its subdomains; 64 hexadecimal digits; or an address or network such as 192.0.2.0/24."`
	Note  string `help:"Reason, for operators."`
}

func (cmd *blocklistAddCmd) Run(c *console) error {
	in := moderation.BlockInput{Kind: moderation.BlockKind(cmd.Kind), Value: cmd.Value, Note: cmd.Note}
	if err := in.Validate(); err != nil {
		return usageError{err}
	}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		b, added, err := a.Moderation.AddToBlocklist(c.Ctx, operating.CommandLine(), in)
		switch {
		case err != nil:
			return err
		case added:
			_, err = printf(c.Out, "Blocked the %s %s (id %d).\n", b.Kind, b.Value, b.ID)
		default:
			_, err = printf(c.Out, "The %s %s is already blocked.\n", b.Kind, b.Value)
		}
		return err
	})
}

type blocklistRemoveCmd struct {
	config.Common
	ID int64 `arg:"" help:"ID, from the list."`
}

func (cmd *blocklistRemoveCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		b, err := a.Moderation.RemoveFromBlocklist(c.Ctx, operating.CommandLine(), cmd.ID)
		if domain.KindOf(err) == domain.NotFound {
			return fmt.Errorf("there is no entry %d", cmd.ID)
		}
		if err == nil {
			_, err = printf(c.Out, "The %s %s is no longer blocked.\n", b.Kind, b.Value)
		}
		return err
	})
}
