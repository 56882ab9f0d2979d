package cli

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// hiddenCmd lists, hides and shows blocks, channels and comments.
type hiddenCmd struct {
	List   hiddenListCmd   `cmd:"" help:"List hidden content, newest first."`
	Add    hiddenAddCmd    `cmd:"" help:"Hide a block, channel or comment. Its owner is notified, without the name of the operator."`
	Remove hiddenRemoveCmd `cmd:"" help:"Show hidden content again. Its owner is notified."`
}

// hiddenJSON is the JSON form of a hidden block, channel or comment.
type hiddenJSON struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"`
	SubjectID int64  `json:"thing_id"`
	Label     string `json:"label"`
	Owner     string `json:"owner"`
	State     string `json:"state"`
	CreatedAt string `json:"created_at"`
}

type hiddenListCmd struct {
	config.Common
	JSON bool `name:"json" help:"Print a JSON list."`
}

func (cmd *hiddenListCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		all := []hiddenJSON{}
		err := eachOf(func(below int64, limit int) ([]moderation.HiddenSubject, error) {
			return a.Moderation.HiddenSubjects(c.Ctx, operating.CommandLine(), moderation.HiddenID(below), limit)
		}, func(h moderation.HiddenSubject) int64 {
			all = append(all, hiddenJSON{int64(h.ID), h.About.Kind, h.About.ID, h.About.Label, h.Owner, string(h.State), h.CreatedAt.Format(time.RFC3339)})
			return int64(h.ID)
		})
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tWHAT\tOF\tCALLED\tSTATE\tSINCE")
		for _, one := range all {
			_, _ = printf(w, "%d\t%s %d\t%s\t%s\t%s\t%s\n", one.ID, one.Type, one.SubjectID, one.Owner, strconv.Quote(one.Label), one.State, one.CreatedAt)
		}
		return w.Flush()
	})
}

// subjects maps type names of the command line to the types that can be hidden.
var subjects = map[string]domain.SubjectType{"block": domain.SubjectBlock, "channel": domain.SubjectChannel, "comment": domain.SubjectComment}

type hiddenAddCmd struct {
	config.Common
	Type string `arg:"" help:"block, channel or comment."`
	ID   int64  `arg:"" help:"Its ID."`
	Text string `help:"Reason, sent to the owner."`
}

func (cmd *hiddenAddCmd) Run(c *console) error {
	in := moderation.HideInput{About: domain.Subject{Type: subjects[strings.ToLower(cmd.Type)], ID: cmd.ID}, Text: cmd.Text}
	if err := in.Validate(); err != nil {
		return usageError{err}
	}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		h, err := a.Moderation.Hide(c.Ctx, operating.CommandLine(), in)
		if domain.KindOf(err) == domain.NotFound {
			return fmt.Errorf("there is no %s %d", strings.ToLower(cmd.Type), cmd.ID)
		}
		if err != nil {
			return err
		}
		_, err = printf(c.Out, "Hid the %s %d (entry %d).\n", strings.ToLower(h.About.Kind), h.About.ID, h.ID)
		return err
	})
}

type hiddenRemoveCmd struct {
	config.Common
	ID   int64  `arg:"" help:"ID of the entry, from the list."`
	Text string `help:"Message to the owner."`
}

func (cmd *hiddenRemoveCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		h, err := a.Moderation.Show(c.Ctx, operating.CommandLine(), moderation.HiddenID(cmd.ID), cmd.Text)
		if domain.KindOf(err) == domain.NotFound {
			return fmt.Errorf("there is no entry %d", cmd.ID)
		}
		if err == nil {
			_, err = printf(c.Out, "The %s %d is no longer hidden.\n", strings.ToLower(h.About.Kind), h.About.ID)
		}
		return err
	})
}
