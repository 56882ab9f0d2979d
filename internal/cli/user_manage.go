package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/app/operating"
	"vitrine/internal/auth"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type userSetEmailCmd struct {
	config.Common
	User  string `arg:"" help:"ID or slug."`
	Email string `arg:"" help:"The new address. It does not have to be confirmed; the old address is notified."`
	JSON  bool   `name:"json" help:"Print the account as JSON."`
}

func (cmd *userSetEmailCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.Operating.SetEmail(c.Ctx, operating.CommandLine(), domain.ParseRef(cmd.User), cmd.Email)
		if err != nil {
			return noUser(cmd.User, err)
		}
		return printAccount(c, cmd.JSON, u, "Account %s (ID %d, tier %s) now has the address %s.", u.Email)
	})
}

type userSetPasswordCmd struct {
	linkFlags
	User     string `arg:"" help:"ID or slug."`
	Generate bool   `xor:"how" help:"Generate a password and print only the password."`
	Reset    bool   `xor:"how" help:"Mail or print a link with which the owner can choose a password within two hours."`
}

func (cmd *userSetPasswordCmd) Run(c *console) error {
	return withLinks(c, config.Site(cmd.Mailing), func(a *app.App) error {
		ref, by := domain.ParseRef(cmd.User), operating.CommandLine()
		if cmd.Reset {
			u, address, err := a.Operating.SendReset(c.Ctx, by, ref, cmd.mails())
			if err == nil && address == "" {
				address = "The server mails a link to " + u.Email + "."
			}
			return printedOr(c, address, cmd.User, err)
		}
		if cmd.Generate {
			password := auth.NewKey()
			_, err := a.Operating.SetPassword(c.Ctx, by, ref, password)
			return printedOr(c, password, cmd.User, err)
		}
		password, err := firstLine(os.Stdin)
		if err != nil {
			return err
		}
		u, err := a.Operating.SetPassword(c.Ctx, by, ref, password)
		return printedOr(c, "Set the password of account "+u.Slug+" and signed it out everywhere.", cmd.User, err)
	})
}

// printedOr prints a line unless err is set.
func printedOr(c *console, line, user string, err error) error {
	if err != nil {
		return noUser(user, err)
	}
	_, err = fmt.Fprintln(c.Out, line)
	return err
}

// firstLine reads one line of up to 4 KiB, without its line end.
func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 4<<10)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

type userSignInCmd struct {
	config.Site
	User string `arg:"" help:"ID or slug."`
}

func (cmd *userSignInCmd) Run(c *console) error {
	return withLinks(c, cmd.Site, func(a *app.App) error {
		_, address, err := a.SSO.MakeSignInLink(c.Ctx, domain.ParseRef(cmd.User))
		return printedOr(c, address, cmd.User, err)
	})
}

type userSignOutCmd struct {
	config.Common
	User   string `arg:"" help:"ID or slug."`
	Tokens bool   `help:"Also revoke personal access tokens and the access of applications."`
}

func (cmd *userSignOutCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.Operating.SignOutAccount(c.Ctx, operating.CommandLine(), domain.ParseRef(cmd.User), cmd.Tokens)
		line := "Signed account " + u.Slug + " out everywhere."
		if cmd.Tokens {
			line += " Revoked its tokens."
		}
		return printedOr(c, line, cmd.User, err)
	})
}

type userRemoveSecondFactorCmd struct {
	config.Common
	User string `arg:"" help:"ID or slug."`
}

func (cmd *userRemoveSecondFactorCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		u, err := a.Operating.RemoveSecondFactor(c.Ctx, operating.CommandLine(), domain.ParseRef(cmd.User))
		return printedOr(c, "Removed the passkeys and recovery codes of account "+u.Slug+". Its password is now enough to sign in. The owner is notified by mail.", cmd.User, err)
	})
}

type userDeleteCmd struct {
	config.Common
	User string `arg:"" help:"ID or slug."`
	Yes  bool   `help:"Delete without asking."`
}

func (cmd *userDeleteCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		by := operating.CommandLine()
		u, f, err := a.Operating.PreviewDeletion(c.Ctx, by, domain.ParseRef(cmd.User))
		if err != nil {
			return noUser(cmd.User, err)
		}
		printDeletion(c.Out, u, f)
		slug := u.Slug
		if !cmd.Yes {
			_, _ = printf(c.Out, "This cannot be undone. Type %s to delete the account: ", u.Slug)
			if slug, err = firstLine(os.Stdin); err != nil {
				return err
			}
			if slug != u.Slug {
				return errors.New("nothing was deleted")
			}
		}
		_, err = a.Operating.DeleteAccountOf(c.Ctx, by, domain.Ref{ID: int64(u.ID)}, slug)
		if err == nil {
			var r domain.DataReceipt
			if r, err = a.Accounts.ErasureReceipt(c.Ctx, u.ID); err == nil {
				slug += ", receipt " + r.Code
			}
		}
		return printedOr(c, "Deleted account "+slug+".", cmd.User, err)
	})
}

type userReceiptsCmd struct {
	config.Common
	JSON bool `name:"json" help:"Print a JSON list."`
}

// receiptJSON is the JSON form of a receipt.
type receiptJSON struct {
	Code       string           `json:"code"`
	Kind       string           `json:"kind"`
	AccountID  int64            `json:"account_id"`
	ByOperator bool             `json:"by_operator"`
	Counts     map[string]int64 `json:"counts"`
	AskedAt    string           `json:"asked_at"`
	DoneAt     *string          `json:"done_at"`
}

func (cmd *userReceiptsCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		all := []receiptJSON{}
		err := eachOf(func(below domain.DataReceiptID, limit int) ([]domain.DataReceipt, error) {
			return a.Operating.Receipts(c.Ctx, operating.CommandLine(), below, limit)
		}, func(r domain.DataReceipt) domain.DataReceiptID {
			all = append(all, receiptJSON{r.Code, string(r.Kind), int64(r.UserID), r.ByOperator, r.Counts, r.AskedAt.Format(time.RFC3339), optional(r.DoneAt)})
			return r.ID
		})
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "CODE\tKIND\tACCOUNT\tREQUESTED\tCOMPLETED")
		for _, r := range all {
			_, _ = printf(w, "%s\t%s\t%d\t%s\t%s\n", r.Code, r.Kind, r.AccountID, r.AskedAt, orNever(r.DoneAt))
		}
		return w.Flush()
	})
}

// printDeletion prints what deleting an account deletes and keeps.
func printDeletion(w io.Writer, u domain.User, f accounts.DeletionPreview) {
	_, _ = printf(w, "This deletes account %s (%s, %s) with its profile, sessions and tokens, and\n  %s\n  %s in other people's channels\n  %s\n",
		u.Slug, u.Name, u.Email, domain.Counted(f.Channels, "channel", "channels"), domain.Counted(f.Blocks, "block that is not", "blocks that are not"),
		domain.Counted(f.Comments, "comment", "comments"))
	for _, g := range f.GroupsDeleted {
		_, _ = printf(w, "  the group %s, which has no other member\n", g.Slug)
	}
	_, _ = printf(w, "This stays:\n  %s in other people's channels, without an owner\n", domain.Counted(f.SharedBlocks, "block", "blocks"))
	for _, g := range f.GroupsHanded {
		_, _ = printf(w, "  the group %s, which is handed over to its longest-standing member\n", g.Slug)
	}
}

type userUsageCmd struct {
	config.Common
	Search string `help:"Only accounts whose name, slug or address contains this text."`
	Sort   string `default:"bytes" enum:"bytes,blocks,channels,slug" help:"bytes, blocks or channels (largest first), or slug."`
	JSON   bool   `name:"json" help:"Print a JSON list."`
}

// usageJSON is the JSON form of an account's storage use.
type usageJSON struct {
	ID       int64  `json:"id"`
	Slug     string `json:"slug"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Blocks   int64  `json:"blocks"`
	Channels int64  `json:"channels"`
	Bytes    int64  `json:"bytes"`
	Files    int64  `json:"files_bytes"`
	Texts    int64  `json:"texts_bytes"` // as counted towards the quota
}

func (cmd *userUsageCmd) Run(c *console) error {
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		all, find := []usageJSON{}, strings.ToLower(cmd.Search)
		err := eachOf(func(after domain.UserID, limit int) ([]operating.StoredBy, error) {
			return a.Operating.UsageOfAll(c.Ctx, operating.CommandLine(), after, limit)
		}, func(u operating.StoredBy) domain.UserID {
			if strings.Contains(strings.ToLower(u.Name+"\n"+u.Slug+"\n"+u.Email), find) {
				all = append(all, usageJSON{int64(u.ID), u.Slug, u.Name, u.Email, u.Blocks, u.OpenChannels + u.PrivateChannels,
					u.Usage.Total, u.Usage.Files(), u.Usage.Texts})
			}
			return u.ID
		})
		if err != nil {
			return err
		}
		slices.SortStableFunc(all, func(a, b usageJSON) int {
			return cmp.Or(map[string]int{"bytes": cmp.Compare(b.Bytes, a.Bytes), "blocks": cmp.Compare(b.Blocks, a.Blocks),
				"channels": cmp.Compare(b.Channels, a.Channels)}[cmd.Sort], strings.Compare(a.Slug, b.Slug))
		})
		if cmd.JSON {
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tSLUG\tEMAIL\tBLOCKS\tCHANNELS\tSTORED\tFILES\tTEXTS")
		for _, u := range all {
			_, _ = printf(w, "%d\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n", u.ID, u.Slug, u.Email, u.Blocks, u.Channels,
				domain.FormatBytes(u.Bytes), domain.FormatBytes(u.Files), domain.FormatBytes(u.Texts))
		}
		return w.Flush()
	})
}
