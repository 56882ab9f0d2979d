package cli

import (
	"fmt"
	"text/tabwriter"

	"vitrine/internal/app"
	"vitrine/internal/app/operating"
	"vitrine/internal/config"
)

// backfillJSON is the JSON form of a backfill.
type backfillJSON struct {
	Kind   string `json:"kind"`
	Left   int64  `json:"rows_left"`
	AtMost bool   `json:"at_most"`
}

type jobsBackfillsCmd struct {
	config.Common
	JSON bool `name:"json" help:"Print a JSON list."`
}

func (cmd *jobsBackfillsCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		all, err := a.Operating.Backfills(c.Ctx)
		if err != nil {
			return err
		}
		if cmd.JSON {
			list := make([]backfillJSON, len(all))
			for i, b := range all {
				list[i] = backfillJSON{b.Kind, b.Rows, b.AtMost}
			}
			return printJSON(c.Out, list)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "KIND\tROWS LEFT")
		for _, b := range all {
			fmt.Fprintf(w, "%s\t%s\n", b.Kind, rowsLeft(b))
		}
		return w.Flush()
	})
}

// rowsLeft returns the number of remaining rows as text.
func rowsLeft(b operating.Backfill) string {
	if b.AtMost {
		return fmt.Sprintf("at most %d", b.Rows)
	}
	return fmt.Sprint(b.Rows)
}
