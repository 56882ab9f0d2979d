package cli

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
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type userCmd struct {
	Create  userCreateCmd  `cmd:"" help:"Create an account. The first account becomes an operator. Creates the SQLite database if it is missing."`
	Invite  userInviteCmd  `cmd:"" help:"Invite people to create an account. Each gets a link that works once."`
	Import  userImportCmd  `cmd:"" help:"Invite the people in a CSV file. It can be run again after an interruption; nobody is invited twice."`
	Link    userLinkCmd    `cmd:"" help:"Create, list and end sign-up links for several people, such as a class."`
	List    userListCmd    `cmd:"" help:"List accounts."`
	Show    userShowCmd    `cmd:"" help:"Show an account's role, sign-in methods, last activity and storage."`
	SetTier userSetTierCmd `cmd:"" help:"Change the tier of an account."`
	Suspend userSuspendCmd `cmd:"" help:"Suspend an account, which signs it out and makes its tokens invalid (401), or lift the suspension."`

	SetEmail           userSetEmailCmd           `cmd:"" help:"Change the e-mail address of an account. The old address is notified."`
	SetPassword        userSetPasswordCmd        `cmd:"" help:"Set the password of an account: from standard input, generated, or chosen by its owner."`
	SignIn             userSignInCmd             `cmd:"" help:"Print a link that signs in to an account once within 15 minutes, even with --oidc-only."`
	SignOut            userSignOutCmd            `cmd:"" help:"Sign an account out everywhere."`
	RemoveSecondFactor userRemoveSecondFactorCmd `cmd:"" help:"Remove the passkeys and recovery codes of an account, for example after a loss. The password is then enough to sign in."`
	Delete             userDeleteCmd             `cmd:"" help:"Delete an account, after showing what will be deleted and what stays."`
	Usage              userUsageCmd              `cmd:"" help:"List the storage use of accounts."`

	Receipts userReceiptsCmd `cmd:"" help:"List the receipts of exports and deleted accounts, newest first."`

	SetOffice userSetOfficeCmd `cmd:"" help:"Make an account an operator, who can manage the server on the website, or a member again."`
}

// userJSON is the JSON form of an account.
type userJSON struct {
	ID        int64  `json:"id"`
	Slug      string `json:"slug"`
	Name      string `json:"name"`
	Email     string `json:"email"`
	Tier      string `json:"tier"`
	Office    string `json:"office"`
	Suspended bool   `json:"suspended"`
	CreatedAt string `json:"created_at"`
	Bytes     *int64 `json:"bytes,omitempty"` // stored; only in lists
}

func toUserJSON(u domain.User) userJSON {
	return userJSON{int64(u.ID), u.Slug, u.Name, u.Email, string(u.Tier), string(u.Office), u.SuspendedAt != nil,
		u.CreatedAt.Format(time.RFC3339), nil}
}

// printAccount prints an account as JSON or with a format for its slug, id, tier and the values in
// more.
func printAccount(c *console, asJSON bool, u domain.User, sentence string, more ...any) error {
	if asJSON {
		return printJSON(c.Out, toUserJSON(u))
	}
	_, err := printf(c.Out, sentence+"\n", append([]any{u.Slug, u.ID, u.Tier}, more...)...)
	return err
}

type userCreateCmd struct {
	config.Common
	Slug         string `help:"Short name for addresses; by default derived from the name."`
	Name         string `required:"" help:"Display name."`
	Email        string `required:"" help:"E-mail address."`
	Password     string `env:"VITRINE_PASSWORD" help:"Password of 8 to 200 bytes that is not too common. Without one, the account cannot sign in with a password."`
	PasswordFile string `env:"VITRINE_PASSWORD_FILE" placeholder:"FILE" help:"File with the password, instead of --password."`
	Tier         string `help:"free, premium or supporter; by default --default-tier."`
	JSON         bool   `name:"json" help:"Print the account as JSON."`
}

func (cmd *userCreateCmd) Run(c *console) error {
	password, err := cmd.password()
	if err != nil {
		return usageError{err}
	}
	return withNewApp(c, cmd.Common, func(cfg config.Config, a *app.App) error {
		if cmd.Tier == "" {
			cmd.Tier = cfg.DefaultTier
		}
		u, err := a.Accounts.CreateUser(c.Ctx, accounts.CreateUserInput{Slug: cmd.Slug, Name: cmd.Name, Email: cmd.Email,
			Password: password, Tier: domain.Tier(cmd.Tier)})
		if err != nil {
			return err
		}
		return printAccount(c, cmd.JSON, u, "Created account %s (ID %d, tier %s).")
	})
}

func (cmd *userCreateCmd) password() (string, error) {
	switch {
	case cmd.PasswordFile == "":
		return cmd.Password, nil
	case cmd.Password != "":
		return "", errors.New("--password-file: set the password or the file, not both")
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

func (cmd *userListCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		all, stored := []userJSON{}, map[domain.UserID]*int64{}
		err := eachOf(func(after domain.UserID, limit int) ([]domain.User, error) {
			users, err := a.People.Users(c.Ctx, after, limit)
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
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tSLUG\tNAME\tEMAIL\tTIER\tOFFICE\tSUSPENDED\tSTORED")
		for _, u := range all {
			_, _ = printf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%t\t%s\n", u.ID, u.Slug, u.Name, u.Email, u.Tier, u.Office, u.Suspended, domain.FormatBytes(*u.Bytes))
		}
		return w.Flush()
	})
}

// addStored adds the bytes that the users have stored to stored.
func addStored(c *console, a *app.App, users []domain.User, stored map[domain.UserID]*int64) error {
	ids := make([]domain.UserID, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	usages, err := a.Content.ByteUsages(c.Ctx, ids)
	for _, id := range ids {
		n := usages[id].Total
		stored[id] = &n
	}
	return err
}

type userSetTierCmd struct {
	config.Common
	User string `arg:"" help:"ID or slug."`
	Tier string `arg:"" help:"free, premium or supporter."`
	JSON bool   `name:"json" help:"Print the account as JSON."`
}

func (cmd *userSetTierCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.Accounts.SetTier(c.Ctx, domain.ParseRef(cmd.User), domain.Tier(cmd.Tier))
		if err != nil {
			return noUser(cmd.User, err)
		}
		return printAccount(c, cmd.JSON, u, "Account %s (ID %d) now has the tier %s.")
	})
}

type userSuspendCmd struct {
	config.Common
	User string `arg:"" help:"ID or slug."`
	Undo bool   `help:"Lift the suspension and show the content hidden with it again."`
	Hide bool   `help:"Hide all of their content until the suspension is lifted. Requires a running server or vitrine work."`
	JSON bool   `name:"json" help:"Print the account as JSON."`
}

func (cmd *userSuspendCmd) Run(c *console) error {
	if cmd.Undo && cmd.Hide {
		return usageError{fmt.Errorf("--hide: can only be used when suspending")}
	}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		suspend := func(ctx context.Context, ref domain.Ref) (domain.User, error) {
			return a.Operating.Suspend(ctx, ref, !cmd.Undo)
		}
		if cmd.Hide {
			suspend = a.Operating.SuspendAndHide
		}
		u, err := suspend(c.Ctx, domain.ParseRef(cmd.User))
		if err != nil {
			return noUser(cmd.User, err)
		}
		sentence := "Suspended account %s (ID %d, tier %s)."
		if cmd.Undo {
			sentence = "Lifted the suspension of account %s (ID %d, tier %s)."
		}
		return printAccount(c, cmd.JSON, u, sentence)
	})
}

type userSetOfficeCmd struct {
	config.Common
	User   string `arg:"" help:"ID or slug."`
	Office string `arg:"" help:"member or operator."`
	JSON   bool   `name:"json" help:"Print the account as JSON."`
}

func (cmd *userSetOfficeCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.Operating.SetOffice(c.Ctx, domain.ParseRef(cmd.User), domain.Office(cmd.Office))
		if err != nil {
			return noUser(cmd.User, err)
		}
		return printAccount(c, cmd.JSON, u, "The account %s (id %d, tier %s) is "+map[domain.Office]string{
			domain.OfficeMember: "a member's.", domain.OfficeOperator: "an operator's."}[u.Office])
	})
}
