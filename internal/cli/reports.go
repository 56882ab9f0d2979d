package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// reportsCmd lists, shows and closes reports.
type reportsCmd struct {
	List  reportsListCmd  `cmd:"" help:"List reports, newest first."`
	Show  reportsShowCmd  `cmd:"" help:"Show the reported content and each person's report."`
	Close reportsCloseCmd `cmd:"" help:"Decide about a report. The people concerned are notified, without the name of the operator."`
}

// caseJSON is the JSON form of a reported block, channel, comment or account.
type caseJSON struct {
	ID        int64   `json:"id"`
	Type      string  `json:"type"`
	SubjectID int64   `json:"thing_id"`
	Label     string  `json:"label"`
	Owner     string  `json:"owner"`
	Reports   int64   `json:"reports"`
	OpenedAt  string  `json:"opened_at"`
	LastAt    string  `json:"last_at"`
	ClosedAt  *string `json:"closed_at"`
	Outcome   string  `json:"outcome,omitempty"`
}

func toCaseJSON(c moderation.Case) caseJSON {
	out := caseJSON{ID: int64(c.ID), Type: c.About.Kind, SubjectID: c.About.ID, Label: c.About.Label, Owner: c.Owner, Reports: c.Reports,
		OpenedAt: c.OpenedAt.Format(time.RFC3339), LastAt: c.LastAt.Format(time.RFC3339), Outcome: string(c.Outcome)}
	if c.ClosedAt != nil {
		at := c.ClosedAt.Format(time.RFC3339)
		out.ClosedAt = &at
	}
	return out
}

type reportsListCmd struct {
	config.Common
	Closed bool  `help:"List closed reports instead of open ones."`
	Below  int64 `placeholder:"ID" help:"Continue after the last ID of the previous list."`
	Limit  int   `default:"50" help:"Maximum number of reports."`
	JSON   bool  `name:"json" help:"Print a JSON list."`
}

func (cmd *reportsListCmd) Run(c *console) error {
	if cmd.Limit < 1 || cmd.Limit > 1000 || cmd.Below < 0 {
		return usageError{fmt.Errorf("--limit: want 1 to 1000; --below: an id")}
	}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		found, err := a.Moderation.Cases(c.Ctx, operating.CommandLine(), cmd.Closed, moderation.CaseID(cmd.Below), cmd.Limit)
		if err != nil {
			return err
		}
		all := make([]caseJSON, len(found))
		for i, one := range found {
			all[i] = toCaseJSON(one)
		}
		if cmd.JSON {
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tREPORTS\tLATEST\tWHAT\tOF\tCALLED\tOUTCOME")
		for _, one := range all {
			_, _ = printf(w, "%d\t%d\t%s\t%s %d\t%s\t%s\t%s\n", one.ID, one.Reports, one.LastAt, one.Type, one.SubjectID, one.Owner, strconv.Quote(one.Label), one.Outcome)
		}
		return w.Flush()
	})
}

// caseWholeJSON is caseJSON with all reports.
type caseWholeJSON struct {
	caseJSON
	ClosedBy string       `json:"closed_by,omitempty"`
	Message  string       `json:"told,omitempty"` // message sent to the owner
	Content  *string      `json:"says"`           // current content, shortened; null if deleted
	HiddenAt *string      `json:"hidden_at"`
	Said     []reportJSON `json:"said"`
}

// reportJSON is the report of one person.
type reportJSON struct {
	Reporter  string `json:"reporter"`
	Reports   int64  `json:"reports"`   // made by this person so far
	Dismissed int64  `json:"dismissed"` // of these
	Reason    string `json:"reason"`
	Text      string `json:"text"`
	CreatedAt string `json:"created_at"`
}

type reportsShowCmd struct {
	config.Common
	ID   int64 `arg:"" help:"ID, from the list."`
	JSON bool  `name:"json" help:"Print JSON."`
}

func (cmd *reportsShowCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		var view moderation.CaseView
		said := []reportJSON{}
		err := eachOf(func(below int64, limit int) ([]moderation.Report, error) {
			part, err := a.Moderation.ReadCase(c.Ctx, operating.CommandLine(), moderation.CaseID(cmd.ID), below, limit)
			view = part
			return part.Reports, err
		}, func(r moderation.Report) int64 {
			said = append(said, reportJSON{r.Reporter, r.Reported, r.Dismissed, string(r.Reason), r.Words, r.CreatedAt.Format(time.RFC3339)})
			return r.ID
		})
		if domain.KindOf(err) == domain.NotFound {
			return fmt.Errorf("there is no report %d", cmd.ID)
		}
		if err != nil {
			return err
		}
		shown := caseWholeJSON{caseJSON: toCaseJSON(view.Case), ClosedBy: view.ClosedBy, Message: view.Words, Said: said}
		if view.Subject != nil {
			shown.Content = &view.Subject.Text
		}
		if view.Hidden != nil {
			at := view.Hidden.CreatedAt.Format(time.RFC3339)
			shown.HiddenAt = &at
		}
		if cmd.JSON {
			return printJSON(c.Out, shown)
		}
		return printCase(c.Out, shown)
	})
}

// printCase prints one field per line. User text is quoted, so that it stays on one line and cannot
// control the terminal.
func printCase(out io.Writer, one caseWholeJSON) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	line := func(name, format string, args ...any) { _, _ = printf(w, name+"\t"+format+"\n", args...) }
	line("id", "%d", one.ID)
	line("about", "%s %d, %s", one.Type, one.SubjectID, strconv.Quote(one.Label))
	line("of", "%s", one.Owner)
	line("since", "%s", one.OpenedAt)
	if one.ClosedAt == nil {
		line("state", "open")
	} else {
		line("state", "%s, %s, by %s", one.Outcome, *one.ClosedAt, cmp.Or(one.ClosedBy, "the command line"))
	}
	if one.Message != "" {
		line("told", "%s", strconv.Quote(one.Message))
	}
	switch {
	case one.Content == nil:
		line("says", "nothing, because it was deleted")
	case *one.Content != "":
		line("says", "%s", strconv.Quote(*one.Content))
	}
	if one.HiddenAt != nil {
		line("hidden", "since %s", *one.HiddenAt)
	}
	line("reports", "%d", one.Reports)
	for _, r := range one.Said {
		words := ""
		if r.Text != "" {
			words = fmt.Sprintf(": %q", r.Text)
		}
		line("", "%s  %s (%s so far, %d dismissed): %s%s", r.CreatedAt, r.Reporter, domain.Counted(r.Reports, "report", "reports"), r.Dismissed, r.Reason, words)
	}
	return w.Flush()
}

type reportsCloseCmd struct {
	config.Common
	ID      int64  `arg:"" help:"ID, from the list."`
	Outcome string `arg:"" help:"dismissed, warned, hidden (the content), deleted (the content) or suspended (its owner)."`
	Text    string `help:"Reason, sent to the owner; required for a warning."`
	Hide    bool   `help:"With suspended: hide all of the owner's content until the suspension is lifted. Requires a running server or vitrine work."`
	Yes     bool   `help:"Confirm deleting or suspending."`
}

func (cmd *reportsCloseCmd) Run(c *console) error {
	d := moderation.Decision{Outcome: moderation.Outcome(cmd.Outcome), Text: cmd.Text, Hide: cmd.Hide}
	if err := d.Validate(); err != nil {
		return usageError{err}
	}
	if !cmd.Yes && (d.Outcome == moderation.Deleted || d.Outcome == moderation.Suspended) {
		return usageError{fmt.Errorf("--yes: is required to delete or suspend")}
	}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		done, err := a.Moderation.Decide(c.Ctx, operating.CommandLine(), moderation.CaseID(cmd.ID), d)
		if domain.KindOf(err) == domain.NotFound {
			return fmt.Errorf("there is no report %d", cmd.ID)
		}
		if err != nil {
			return err
		}
		_, err = printf(c.Out, "Closed report %d about %s %d: %s.\n", done.ID, done.About.Kind, done.About.ID, done.Outcome)
		return err
	})
}
