package cli

import (
	"errors"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type auditCmd struct {
	config.Common
	Since  string `placeholder:"TIME" help:"Only entries since a day or time, such as 2026-03-31 or 2026-03-31T08:00:00Z, or from the last hours, such as 24h."`
	Actor  string `placeholder:"SLUG" help:"Only actions of one account, by its slug at the time; \"command line\" for commands."`
	Act    string `placeholder:"ACT" help:"Only one kind of action, such as session.refused."`
	Follow bool   `help:"Keep printing new entries until interrupted."`
}

// followEvery is the interval at which --follow reads new entries. Each read starts followBack
// earlier, so that it includes entries of long transactions that committed after newer ones.
const (
	followEvery = time.Second
	followBack  = time.Minute
)

func (cmd *auditCmd) Run(c *console) error {
	f := domain.AuditFilter{Actor: cmd.Actor, Act: domain.Act(cmd.Act)}
	var err error
	if f.From, err = parseSince(cmd.Since, time.Now()); err != nil {
		return usageError{err}
	}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		seen := map[domain.AuditID]time.Time{}
		for {
			err := a.Operating.EachAuditLine(c.Ctx, f, func(at domain.AuditPlace, line []byte) error {
				if _, again := seen[at.ID]; again {
					return nil
				}
				if cmd.Follow && time.Since(at.At) < followBack { // older entries are not read again
					seen[at.ID] = at.At
				}
				_, err := c.Out.Write(line)
				return err
			})
			if err != nil || !cmd.Follow {
				return err
			}
			f.From = time.Now().Add(-followBack)
			for id, at := range seen {
				if at.Before(f.From) {
					delete(seen, id)
				}
			}
			select {
			case <-c.Ctx.Done():
				return nil
			case <-time.After(followEvery):
			}
		}
	})
}

// parseSince parses a time, a day in UTC, or a duration before now. "" is the zero time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, errors.New("--since: want a day such as 2026-03-31, a time such as 2026-03-31T08:00:00Z, or a duration such as 24h")
}
