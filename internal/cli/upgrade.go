package cli

import (
	"errors"
	"strings"
	"time"

	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/server"
)

type upgradeCmd struct {
	Check upgradeCheckCmd `cmd:"" help:"Copy a site, migrate the copy to this program's version, check it, and print how long that takes. The site is only read."`
}

type upgradeCheckCmd struct {
	config.Flags
	From    string `required:"" placeholder:"DATA" help:"Data folder with an SQLite database, whose server may be running; a backup (folder, .tar.zst file or s3://bucket/prefix…); or the postgres:// URL of a copy whose name ends in _upgrade, which is migrated itself."`
	At      string `placeholder:"ID" help:"ID of the backup; by default the newest."`
	Scratch string `placeholder:"DIR" help:"Folder for the copy, which is deleted afterwards. By default that of temporary files."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

func (cmd *upgradeCheckCmd) Run(c *console) error {
	cfg, _, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	r, err := server.Rehearse(c.Ctx, server.RehearseOptions{From: cmd.From, At: cmd.At, Scratch: cmd.Scratch, Keys: server.BackupKeys(cfg), Tell: func(what string) {
		_, _ = printf(c.Err, "%s\n", what)
	}})
	if err != nil {
		return errors.New(cfg.Conceal(err.Error())) // may contain the URL of the backup
	}
	if cmd.JSON {
		err = printJSON(c.Out, r)
	} else {
		err = printRehearsal(c, r)
	}
	if err == nil && len(r.Differences) > 0 {
		err = partly(c, "the copy was migrated, but %s: run `vitrine check` on the site, and try again", domain.Counted(len(r.Differences), "check failed", "checks failed"))
	}
	return err
}

// seconds returns a duration for people.
func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}

func printRehearsal(c *console, r server.Rehearsal) error {
	for _, m := range r.Migrations {
		_, _ = printf(c.Out, "%8s  %s\n", seconds(m.Seconds), m.Name)
	}
	for _, d := range r.Differences {
		_, _ = printf(c.Out, "%s\n", d)
	}
	_, err := printf(c.Out, "The schema goes from version %d to %d. Copying took %s, migrating %s, checking %s.\n", r.From, r.To, seconds(r.Copying), seconds(r.Migrating), seconds(r.Checking))
	if r.Before > 0 {
		_, _ = printf(c.Out, "The database grows from %s to %s.\n", bytesText(r.Before), bytesText(r.After))
	} else {
		_, _ = printf(c.Out, "The database has %s afterwards.\n", bytesText(r.After))
	}
	for _, b := range r.Backfills {
		_, _ = printf(c.Out, "Servers finish the backfill %s afterwards, rows left: %d.\n", b.Kind, b.Rows)
	}
	if r.Reversible {
		_, _ = printf(c.Out, "The old program works with the new schema, so you can go back to it.\n")
	} else {
		_, _ = printf(c.Out, "The old program does not work with the new schema, which supports programs from version %d on. To go back, you need a backup. Because of: %s\n", r.Oldest, strings.Join(r.Ends, ", "))
	}
	return err
}
