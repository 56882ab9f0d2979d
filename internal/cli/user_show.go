package cli

import (
	"cmp"
	"io"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/operating"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type userShowCmd struct {
	config.Common
	User string `arg:"" help:"ID or slug."`
	JSON bool   `name:"json" help:"Print the account as JSON."`
}

// accountJSON is the JSON form of an account with all details.
type accountJSON struct {
	userJSON
	SuspendedAt   *time.Time     `json:"suspended_at"`
	LastSeenAt    *time.Time     `json:"last_seen_at"`
	Password      bool           `json:"password"`
	Passkeys      int            `json:"passkeys"`
	RecoveryCodes int            `json:"recovery_codes"`
	Identities    []identityJSON `json:"identities"`
	Sessions      int            `json:"sessions"`
	Tokens        int            `json:"tokens"`
	Applications  int            `json:"applications"`
	Quota         int64          `json:"quota"` // in bytes; 0 is unlimited
	Files         int64          `json:"files_bytes"`
	Texts         int64          `json:"texts_bytes"` // as counted towards the quota
	Blocks        int64          `json:"blocks"`
	Channels      int64          `json:"channels"`
}

// identityJSON is the JSON form of an identity at the single sign-on provider.
type identityJSON struct {
	Issuer      string    `json:"issuer"`
	Subject     string    `json:"subject"`
	Email       string    `json:"email"`
	ConnectedAt time.Time `json:"connected_at"`
	LastUsedAt  time.Time `json:"last_used_at"`
}

func (cmd *userShowCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		f, err := a.Operating.AccountDetails(c.Ctx, operating.CommandLine(), domain.ParseRef(cmd.User))
		if err != nil {
			return noUser(cmd.User, err)
		}
		if cmd.JSON {
			return printJSON(c.Out, toAccountJSON(&f))
		}
		return printDetails(c.Out, &f)
	})
}

func toAccountJSON(f *operating.AccountDetails) accountJSON {
	shown := accountJSON{userJSON: toUserJSON(f.User), SuspendedAt: f.SuspendedAt, LastSeenAt: f.LastSeen, Password: f.HasPassword,
		Passkeys: f.Passkeys, RecoveryCodes: f.RecoveryCodes, Identities: []identityJSON{}, Sessions: f.Sessions, Tokens: f.Tokens,
		Applications: f.Applications, Quota: f.Quota.Total,
		Files: f.Usage.Files(), Texts: f.Usage.Texts, Blocks: f.Blocks, Channels: f.Channels()}
	shown.Bytes = &f.Usage.Total
	for _, i := range f.Identities {
		shown.Identities = append(shown.Identities, identityJSON{i.Issuer, i.Subject, i.Email, i.CreatedAt, i.UsedAt})
	}
	return shown
}

// printDetails prints one value per line.
func printDetails(out io.Writer, f *operating.AccountDetails) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	line := func(name, format string, args ...any) { _, _ = printf(w, name+"\t"+format+"\n", args...) }
	line("id", "%d", f.ID)
	line("slug", "%s", f.Slug)
	line("name", "%s", f.Name)
	line("email", "%s", f.Email)
	line("tier", "%s", f.Tier)
	line("office", "%s", f.Office)
	line("created", "%s", f.CreatedAt.Format(time.RFC3339))
	line("suspended", "%s", timeOr(f.SuspendedAt, "no"))
	line("last seen", "%s", timeOr(f.LastSeen, "no current session or token was used"))
	password := "none"
	if f.HasPassword {
		password = "set"
	}
	line("password", "%s", password)
	line("passkeys", "%d, with %s", f.Passkeys, domain.Counted(f.RecoveryCodes, "unused recovery code", "unused recovery codes"))
	for _, i := range f.Identities {
		line("identity", "%s as %s (%s), last used %s", i.Issuer, i.Subject, cmp.Or(i.Email, "no address"), i.UsedAt.Format(time.RFC3339))
	}
	line("sessions", "%d", f.Sessions)
	line("tokens", "%d, and %s", f.Tokens, domain.Counted(f.Applications, "application", "applications"))
	line("channels", "%d", f.Channels())
	line("blocks", "%d", f.Blocks)
	stored := domain.FormatBytes(f.Usage.Total)
	if f.Quota.Total > 0 {
		stored += " of " + domain.FormatBytes(f.Quota.Total)
	}
	line("stored", "%s (files %s, texts %s, unused uploads %s)", stored, domain.FormatBytes(f.Usage.Files()),
		domain.FormatBytes(f.Usage.Texts), domain.FormatBytes(f.Usage.Unused))
	return w.Flush()
}

// timeOr formats a time in UTC, or returns other if it is nil.
func timeOr(t *time.Time, other string) string {
	if t == nil {
		return other
	}
	return t.UTC().Format(time.RFC3339)
}
