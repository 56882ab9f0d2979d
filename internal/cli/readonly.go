package cli

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/operating"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type readOnlyCmd struct {
	On     readOnlyOnCmd     `cmd:"" help:"Refuse all changes, on all servers. When the command returns, nothing is changed any more."`
	Off    readOnlyOffCmd    `cmd:"" help:"Take changes again."`
	Status readOnlyStatusCmd `cmd:"" default:"withargs" help:"Print whether the site is read-only. This is the default."`
}

type readOnlyOnCmd struct {
	config.Common
	Reason string `help:"Why, for everybody to see."`
	Until  string `placeholder:"TIME" help:"When it is expected to end, for everybody to see: a duration such as 90m, or a time such as 2026-12-24T18:00Z. It does not end by itself."`
}

func (cmd *readOnlyOnCmd) Run(c *console) error {
	until, err := timeFrom("until", cmd.Until, time.Now())
	if err != nil {
		return err
	}
	in := operating.ReadOnlyInput{Reason: strings.TrimSpace(cmd.Reason), Until: until}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		_, err := a.Operating.BeginReadOnly(c.Ctx, operating.CommandLine(), in)
		if err == nil {
			_, err = printf(c.Out, "The site is read-only. End it with `vitrine readonly off`.\n")
		}
		return err
	})
}

type readOnlyOffCmd struct{ config.Common }

func (cmd *readOnlyOffCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		_, err := a.Operating.EndReadOnly(c.Ctx, operating.CommandLine())
		if err == nil {
			_, err = printf(c.Out, "The site takes changes again within two seconds.\n")
		}
		return err
	})
}

type readOnlyStatusCmd struct {
	config.Common
	JSON bool `name:"json" help:"Print JSON."`
}

// readOnlyJSON is the JSON form of the mode.
type readOnlyJSON struct {
	ReadOnly bool    `json:"read_only"`
	Reason   *string `json:"reason"`
	Since    *string `json:"since"`
	Until    *string `json:"until"`
}

func (cmd *readOnlyStatusCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		m, err := a.Operating.ReadOnly(c.Ctx)
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(c.Out, toReadOnlyJSON(m))
		}
		if m == nil {
			_, err = printf(c.Out, "The site takes changes.\n")
			return err
		}
		until := "not announced"
		if m.Until != nil {
			until = m.Until.Format(time.RFC3339)
		}
		_, err = printf(c.Out, "The site is read-only since %s.\nReason: %s\nExpected end: %s\n", m.Since.Format(time.RFC3339), cmp.Or(m.Reason, "none"), until)
		return err
	})
}

func toReadOnlyJSON(m *domain.ReadOnly) (out readOnlyJSON) {
	if m == nil {
		return out
	}
	out.ReadOnly, out.Since = true, new(m.Since.Format(time.RFC3339))
	if m.Reason != "" {
		out.Reason = &m.Reason
	}
	if m.Until != nil {
		out.Until = new(m.Until.Format(time.RFC3339))
	}
	return out
}

type announceCmd struct {
	config.Common
	Text     string `arg:"" optional:"" help:"Text of the announcement, in Markdown."`
	Severity string `help:"info, warning or urgent." default:"info"`
	Until    string `placeholder:"TIME" help:"When it disappears: a duration such as 90m, or a time such as 2026-12-24T18:00Z."`
	Clear    bool   `help:"Remove the announcement."`
}

func (cmd *announceCmd) Run(c *console) error {
	if cmd.Clear != (cmd.Text == "") {
		return usageError{errors.New("announce: want a text or --clear")}
	}
	until, err := timeFrom("until", cmd.Until, time.Now())
	if err != nil {
		return err
	}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		if cmd.Clear {
			_, err := a.Operating.EndAnnouncement(c.Ctx, operating.CommandLine(), 0)
			if err == nil {
				_, err = printf(c.Out, "Nothing is announced.\n")
			}
			return err
		}
		_, err := a.Operating.Announce(c.Ctx, operating.CommandLine(), operating.AnnouncementInput{Text: cmd.Text,
			Severity: domain.Severity(cmd.Severity), Until: until})
		if err == nil {
			_, err = printf(c.Out, "The announcement is on every page within two seconds.\n")
		}
		return err
	})
}

// timeFrom parses a duration from now or a time of a flag, nil for "". Times without a zone are in UTC.
func timeFrom(flag, text string, now time.Time) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return new(now.Add(d)), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.Parse(layout, text); err == nil {
			return new(at.UTC()), nil
		}
	}
	return nil, usageError{domain.InvalidField("--"+flag, domain.FieldMalformed, "want a duration such as 90m, or a time such as 2026-12-24T18:00Z")}
}
