package accounts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/cli/console"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type UserCmd struct {
	Create  userCreateCmd  `cmd:"" help:"Create an account. The first one is an operator's. Creates the SQLite database if it is missing."`
	Invite  userInviteCmd  `cmd:"" help:"Invite people by their addresses to have an account; each gets a link that works once."`
	Import  userImportCmd  `cmd:"" help:"Invite the people of a CSV file. Run again it invites nobody twice, and goes on where it was cut off."`
	Link    userLinkCmd    `cmd:"" help:"Make, list and end links with which several people can sign up, such as a class."`
	List    userListCmd    `cmd:"" help:"List accounts."`
	Show    userShowCmd    `cmd:"" help:"Show what there is to know of an account: role, ways in, last seen, storage."`
	SetTier userSetTierCmd `cmd:"" help:"Change the tier of an account."`
	Suspend userSuspendCmd `cmd:"" help:"Suspend an account, which signs it out and refuses its tokens with 401, or lift that."`

	SetEmail           userSetEmailCmd           `cmd:"" help:"Change the address of an account, which is told at the old one."`
	SetPassword        userSetPasswordCmd        `cmd:"" help:"Set the password of an account, read from standard input, made, or chosen by its holder."`
	SignIn             userSignInCmd             `cmd:"" help:"Print a link that signs in to an account, once and within 15 minutes; also where people come in by single sign-on alone."`
	SignOut            userSignOutCmd            `cmd:"" help:"Sign an account out everywhere."`
	RemoveSecondFactor userRemoveSecondFactorCmd `cmd:"" help:"Remove the passkeys and recovery codes of who has lost them; the password is enough to sign in then."`
	Delete             userDeleteCmd             `cmd:"" help:"Delete an account, after it was said what goes and what stays."`
	Usage              userUsageCmd              `cmd:"" help:"List what accounts store."`

	SetOffice userSetOfficeCmd `cmd:"" help:"Make an account an operator, who runs the server on its website, or a member again."`
}

// userJSON is an account as scripts see it.
type userJSON struct {
	ID        int64  `json:"id"`
	Slug      string `json:"slug"`
	Name      string `json:"name"`
	Email     string `json:"email"`
	Tier      string `json:"tier"`
	Office    string `json:"office"`
	Suspended bool   `json:"suspended"`
	CreatedAt string `json:"created_at"`
	Bytes     *int64 `json:"bytes,omitempty"` // stored; in lists alone
}

func toUserJSON(u domain.User) userJSON {
	return userJSON{int64(u.ID), u.Slug, u.Name, u.Email, string(u.Tier), string(u.Office), u.SuspendedAt != nil,
		u.CreatedAt.Format(time.RFC3339), nil}
}

// printAccount prints an account, as JSON or with a sentence that has verbs for its slug, id, tier and more.
func printAccount(c *console.Console, asJSON bool, u domain.User, sentence string, more ...any) error {
	if asJSON {
		return console.PrintJSON(c.Out, toUserJSON(u))
	}
	_, err := console.Printf(c.Out, sentence+"\n", append([]any{u.Slug, u.ID, u.Tier}, more...)...)
	return err
}

type userCreateCmd struct {
	config.Common
	Slug         string `help:"Short name in addresses; by default from the name."`
	Name         string `required:"" help:"Name that people see."`
	Email        string `required:"" help:"E-mail address."`
	Password     string `env:"VITRINE_PASSWORD" help:"Password of 8 to 200 bytes that is not one of the commonest; without one the account cannot sign in with a password."`
	PasswordFile string `env:"VITRINE_PASSWORD_FILE" placeholder:"FILE" help:"File that holds the password, instead of --password."`
	Tier         string `help:"free, premium or supporter; by default --default-tier."`
	JSON         bool   `name:"json" help:"Print the account as JSON."`
}

func (cmd *userCreateCmd) Run(c *console.Console) error {
	password, err := cmd.password()
	if err != nil {
		return console.UsageError{err}
	}
	return console.WithNewApp(c, cmd.Common, func(cfg config.Config, a *app.App) error {
		if cmd.Tier == "" {
			cmd.Tier = cfg.DefaultTier
		}
		u, err := a.CreateUser(c.Ctx, accounts.CreateUserInput{Slug: cmd.Slug, Name: cmd.Name, Email: cmd.Email,
			Password: password, Tier: domain.Tier(cmd.Tier)})
		if err != nil {
			return err
		}
		return printAccount(c, cmd.JSON, u, "Made the account %s (id %d, tier %s).")
	})
}

func (cmd *userCreateCmd) password() (string, error) {
	switch {
	case cmd.PasswordFile == "":
		return cmd.Password, nil
	case cmd.Password != "":
		return "", errors.New("--password-file: give the password or the file that holds it, not both")
	}
	text, err := os.ReadFile(cmd.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("--password-file: %w", err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	if password == "" {
		return "", fmt.Errorf("--password-file: the file %s is empty", cmd.PasswordFile)
	}
	return password, nil
}

type userListCmd struct {
	config.Common
	JSON bool `name:"json" help:"Print a JSON list."`
}

func (cmd *userListCmd) Run(c *console.Console) error {
	return console.WithApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		all, stored := []userJSON{}, map[domain.UserID]*int64{}
		err := console.EachOf(func(after domain.UserID, limit int) ([]domain.User, error) {
			users, err := a.Users(c.Ctx, after, limit)
			if err == nil {
				err = addStored(c, a, users, stored)
			}
			return users, err
		}, func(u domain.User) domain.UserID {
			line := toUserJSON(u)
			line.Bytes = stored[u.ID]
			all = append(all, line)
			return u.ID
		})
		if err != nil {
			return err
		}
		if cmd.JSON {
			return console.PrintJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tSLUG\tNAME\tEMAIL\tTIER\tOFFICE\tSUSPENDED\tSTORED")
		for _, u := range all {
			console.Printf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%t\t%s\n", u.ID, u.Slug, u.Name, u.Email, u.Tier, u.Office, u.Suspended, domain.FormatBytes(*u.Bytes))
		}
		return w.Flush()
	})
}

// addStored puts how many bytes some users have stored into stored.
func addStored(c *console.Console, a *app.App, users []domain.User, stored map[domain.UserID]*int64) error {
	ids := make([]domain.UserID, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	usages, err := a.ByteUsages(c.Ctx, ids)
	for _, id := range ids {
		n := usages[id].Total
		stored[id] = &n
	}
	return err
}

type userSetTierCmd struct {
	config.Common
	User string `arg:"" help:"Id or slug."`
	Tier string `arg:"" help:"free, premium or supporter."`
	JSON bool   `name:"json" help:"Print the account as JSON."`
}

func (cmd *userSetTierCmd) Run(c *console.Console) error {
	return console.WithApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.SetTier(c.Ctx, domain.ParseRef(cmd.User), domain.Tier(cmd.Tier))
		if err != nil {
			return console.NoUser(cmd.User, err)
		}
		return printAccount(c, cmd.JSON, u, "The account %s (id %d) has the tier %s.")
	})
}

type userSuspendCmd struct {
	config.Common
	User string `arg:"" help:"Id or slug."`
	Undo bool   `help:"Lift the suspension; what was hidden with it is shown again."`
	Hide bool   `help:"Hide all that they made until the suspension is lifted. A running server, or vitrine work, does it."`
	JSON bool   `name:"json" help:"Print the account as JSON."`
}

func (cmd *userSuspendCmd) Run(c *console.Console) error {
	if cmd.Undo && cmd.Hide {
		return console.UsageError{fmt.Errorf("--hide: goes with suspending alone")}
	}
	return console.WithApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		suspend := func(ctx context.Context, ref domain.Ref) (domain.User, error) { return a.Suspend(ctx, ref, !cmd.Undo) }
		if cmd.Hide {
			suspend = a.SuspendAndHide
		}
		u, err := suspend(c.Ctx, domain.ParseRef(cmd.User))
		if err != nil {
			return console.NoUser(cmd.User, err)
		}
		sentence := "Suspended the account %s (id %d, tier %s)."
		if cmd.Undo {
			sentence = "Lifted the suspension of the account %s (id %d, tier %s)."
		}
		return printAccount(c, cmd.JSON, u, sentence)
	})
}

type userSetOfficeCmd struct {
	config.Common
	User   string `arg:"" help:"Id or slug."`
	Office string `arg:"" help:"member or operator."`
	JSON   bool   `name:"json" help:"Print the account as JSON."`
}

func (cmd *userSetOfficeCmd) Run(c *console.Console) error {
	return console.WithApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.SetOffice(c.Ctx, domain.ParseRef(cmd.User), domain.Office(cmd.Office))
		if err != nil {
			return console.NoUser(cmd.User, err)
		}
		return printAccount(c, cmd.JSON, u, "The account %s (id %d, tier %s) is "+map[domain.Office]string{
			domain.OfficeMember: "a member's.", domain.OfficeOperator: "an operator's."}[u.Office])
	})
}
