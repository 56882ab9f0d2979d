package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/operating"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/importing/files"
)

// linkFlags are the flags of commands that create links to the website, which the server may mail.
type linkFlags struct {
	config.Mailing
	Link bool `help:"Print links even if the server can mail them."`
}

// mails reports whether links are mailed instead of printed.
func (l linkFlags) mails() bool { return l.Text("smtp-url") != "" && !l.Link }

// withLinks is withApp with the website's address.
func withLinks(c *console, site config.Site, fn func(a *app.App) error) error {
	cfg, problems := site.Resolve()
	if len(problems) > 0 {
		return usageError(problems)
	}
	return withAppAt(c, config.Common(site), cfg.SiteURL, func(_ config.Config, a *app.App) error { return fn(a) })
}

// invitedJSON is the JSON form of the result of one invitation.
type invitedJSON struct {
	Line      int     `json:"line,omitempty"` // in the CSV file
	Email     string  `json:"email"`
	Outcome   string  `json:"outcome"` // an operating.PersonOutcome, or "refused"
	Account   string  `json:"account,omitempty"`
	Link      string  `json:"link,omitempty"`
	ExpiresAt *string `json:"expires_at,omitempty"`
	Error     string  `json:"error,omitempty"`
}

// invitations prints the result of each invitation immediately, because its link is not shown
// again.
type invitations struct {
	c      *console
	asJSON bool
	all    []invitedJSON
	failed int
}

func (p *invitations) print(line int, in operating.PersonInput, r operating.InvitedPerson, refusal error) {
	out := invitedJSON{Line: line, Email: in.Email, Outcome: string(r.Outcome), Account: r.Account, Link: r.Address}
	if refusal != nil {
		p.failed++
		out.Outcome, out.Error = "refused", reasons(refusal)
	} else if r.Outcome != operating.PersonKnown && !r.Link.ExpiresAt.IsZero() {
		out.ExpiresAt = optional(&r.Link.ExpiresAt)
	}
	if p.asJSON {
		p.all = append(p.all, out)
		return
	}
	where := out.Email
	if line != 0 {
		where = fmt.Sprintf("line %d: %s", line, where)
	}
	if refusal != nil {
		_, _ = printf(p.c.Err, "vitrine: %s: %s\n", strings.TrimSuffix(where, ": "), out.Error)
		return
	}
	_, _ = printf(p.c.Out, "%s: %s\n", where, p.sentence(r))
	if r.Address != "" {
		_, _ = printf(p.c.Out, "  %s\n", r.Address)
	}
}

func (p *invitations) sentence(r operating.InvitedPerson) string {
	until := r.Link.ExpiresAt.Format(time.DateOnly)
	switch {
	case r.Outcome == operating.PersonKnown:
		return "already has the account " + r.Account
	case r.Outcome == operating.PersonWaiting && r.Link.ExpiresAt.IsZero():
		return "is already invited"
	case r.Outcome == operating.PersonWaiting:
		return "is already invited, until " + until + "; --again creates another link"
	case r.Address != "":
		return "invited, until " + until + ", with"
	}
	return "invited, until " + until + "; the server mails the link"
}

// end prints the JSON list. It returns an error if an invitation was refused.
func (p *invitations) end() error {
	if p.asJSON {
		if p.all == nil {
			p.all = []invitedJSON{}
		}
		if err := printJSON(p.c.Out, p.all); err != nil {
			return err
		}
	}
	if p.failed > 0 {
		return errPartly
	}
	return nil
}

// invite invites a person and prints the result. It does not return errors about the input.
func (p *invitations) invite(a *app.App, line int, in operating.PersonInput) error {
	r, err := a.Operating.InvitePerson(p.c.Ctx, operating.CommandLine(), in)
	if err != nil && domain.KindOf(err) != domain.Invalid {
		return err
	}
	p.print(line, in, r, err)
	return nil
}

// reasons returns the errors in an input as one line.
func reasons(err error) string {
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return strings.Join(known.Lines(), "; ")
	}
	return err.Error()
}

// atLeastOne refuses 0, which the application would treat as "use the default".
func atLeastOne(flag string, n int64) (bad usageError) {
	if n < 1 {
		bad = append(bad, fmt.Errorf("%s: must be at least 1", flag))
	}
	return bad
}

type userInviteCmd struct {
	linkFlags
	Emails []string `arg:"" name:"email" help:"E-mail addresses to invite."`
	Name   string   `help:"Suggested name, for a single address."`
	Slug   string   `help:"Suggested short name, for a single address."`
	Group  string   `help:"ID or slug of a group to join."`
	Days   int64    `default:"14" help:"Days until the link expires, at most 365."`
	Again  bool     `help:"Replace the links of people who already have one."`
	JSON   bool     `name:"json" help:"Print a JSON list."`
}

func (cmd *userInviteCmd) Run(c *console) error {
	if len(cmd.Emails) > 1 && cmd.Name+cmd.Slug != "" {
		return usageError{errors.New("--name and --slug require a single address")}
	}
	if bad := atLeastOne("--days", cmd.Days); bad != nil {
		return bad
	}
	p := &invitations{c: c, asJSON: cmd.JSON}
	return withLinks(c, config.Site(cmd.Mailing), func(a *app.App) error {
		for _, email := range cmd.Emails {
			err := p.invite(a, 0, operating.PersonInput{Email: email, Name: cmd.Name, Slug: cmd.Slug, Group: cmd.Group, Days: cmd.Days,
				Mail: cmd.mails(), Again: cmd.Again})
			if err != nil {
				return errors.Join(err, p.end())
			}
		}
		return p.end()
	})
}

type userImportCmd struct {
	linkFlags
	File  string `arg:"" help:"CSV file with a header row: email and optionally name, slug and group; - for standard input."`
	Group string `help:"ID or slug of the group to join for rows without a group."`
	Days  int64  `default:"14" help:"Days until the links expire, at most 365."`
	Again bool   `help:"Replace the links of people who already have one."`
	JSON  bool   `name:"json" help:"Print a JSON list."`
}

func (cmd *userImportCmd) Run(c *console) error {
	if bad := atLeastOne("--days", cmd.Days); bad != nil {
		return bad
	}
	rows, err := cmd.read()
	if err != nil {
		return err
	}
	p := &invitations{c: c, asJSON: cmd.JSON}
	return withLinks(c, config.Site(cmd.Mailing), func(a *app.App) error {
		for _, row := range rows {
			in := operating.PersonInput{Email: row.Email, Name: row.Name, Slug: row.Slug, Group: row.Group, Days: cmd.Days, Mail: cmd.mails(), Again: cmd.Again}
			if in.Group == "" {
				in.Group = cmd.Group
			}
			if row.Fault.Text != "" {
				p.print(row.Line, in, operating.InvitedPerson{}, errors.New(row.Fault.Text))
				continue
			}
			if err := p.invite(a, row.Line, in); err != nil {
				return errors.Join(fmt.Errorf("line %d: %w; run the same command again for the rest", row.Line, err), p.end())
			}
		}
		return p.end()
	})
}

func (cmd *userImportCmd) read() ([]files.Invitee, error) {
	var from io.Reader = os.Stdin
	if cmd.File != "-" {
		f, err := os.Open(cmd.File)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	return files.ReadInvitees(from)
}
