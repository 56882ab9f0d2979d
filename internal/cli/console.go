package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"vitrine/internal/app"
	"vitrine/internal/backup"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/obs"
	"vitrine/internal/redis"
	"vitrine/internal/scope"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

// console is the output of a command.
type console struct {
	Ctx     context.Context
	Program string // command to call this program again
	Out     io.Writer
	Err     io.Writer
	Level   *slog.LevelVar // of the logger
}

// usageError is a list of problems with flags or settings, printed one per line.
type usageError []error

func (e usageError) Error() string { return errors.Join(e...).Error() }

// errPartly ends a command that was only partly successful and has reported the rest.
var errPartly = errors.New("some items failed")

// exitWith ends the program with an exit code, without a further message.
type exitWith int

func (e exitWith) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// settings checks the settings that all commands share and creates the logger.
func settings(c *console, common config.Common) (config.Config, *slog.Logger, error) {
	cfg, problems := common.Resolve()
	return checked(c, cfg, problems, common.ExposedFile())
}

// serverSettings checks all settings and creates the logger.
func serverSettings(c *console, flags config.Flags) (config.Config, *slog.Logger, error) {
	cfg, problems := serverConfig(flags)
	return checked(c, cfg, problems, flags.ExposedFile())
}

// serverConfig returns all settings and their problems.
func serverConfig(flags config.Flags) (config.Config, []error) {
	cfg, problems := flags.Resolve()
	if cfg.Blob.URL != "" { // only package blob can parse the URL
		if _, err := server.BlobOptions(cfg.Blob); err != nil {
			problems = append(problems, flags.Problem("blob-url", err))
		}
	}
	if cfg.RedisURL != "" {
		if err := redis.Check(cfg.RedisURL); err != nil {
			problems = append(problems, flags.Problem("redis-url", err))
		}
	}
	if cfg.Backup.To != "" {
		if err := backup.CheckPath(cfg.Backup.To); err != nil {
			problems = append(problems, flags.Problem("backup-to", err))
		}
	}
	return cfg, problems
}

// checked returns the problems as an error, or else creates the logger. It warns about a
// configuration file with secrets that every user of the machine can read.
func checked(c *console, cfg config.Config, problems []error, exposed string) (config.Config, *slog.Logger, error) {
	if len(problems) > 0 {
		return cfg, nil, usageError(problems)
	}
	log, level, err := obs.AdjustableLogger(c.Err, cfg.LogFormat, cfg.LogLevel)
	c.Level = level
	if err == nil && exposed != "" {
		log.Warn("every user of this machine can read the secrets in the configuration file: run chmod o-r on it, or move the secrets to files of their own", "file", exposed)
	}
	return cfg, log, err
}

// withApp runs fn with the application on the configured database.
func withApp(c *console, common config.Common, fn func(cfg config.Config, a *app.App) error) error {
	return runWithApp(c, common, "", false, fn)
}

// withNewApp is withApp for a command that may be the first one: it creates the SQLite database if
// it is missing.
func withNewApp(c *console, common config.Common, fn func(cfg config.Config, a *app.App) error) error {
	return runWithApp(c, common, "", true, fn)
}

// withAppAt is withApp with the website's address, for commands that create links.
func withAppAt(c *console, common config.Common, site string, fn func(cfg config.Config, a *app.App) error) error {
	return runWithApp(c, common, site, false, fn)
}

func runWithApp(c *console, common config.Common, site string, create bool, fn func(cfg config.Config, a *app.App) error) error {
	cfg, log, err := settings(c, common)
	if err != nil {
		return err
	}
	open := server.OpenReady
	if create {
		open = server.OpenOrCreate
	}
	db, err := open(c.Ctx, cfg, log)
	if err != nil {
		return err
	}
	c.Ctx = scope.With(c.Ctx, &scope.Scope{Origin: domain.Origin{Console: true}})
	return errors.Join(fn(cfg, app.New(app.Options{Store: store.New(db), Now: server.SiteClock(c.Ctx, db), SiteURL: site})), db.Close())
}

// printJSON prints a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// eachOf visits a list that is read in batches. visit returns the ID after which the next batch
// starts.
func eachOf[ID ~int64, T any](part func(after ID, limit int) ([]T, error), visit func(T) ID) error {
	const limit = 500
	for after := ID(0); ; {
		some, err := part(after, limit)
		if err != nil {
			return err
		}
		for _, one := range some {
			after = visit(one)
		}
		if len(some) < limit {
			return nil
		}
	}
}

// noUser replaces a NotFound error by one with the account's name.
func noUser(ref string, err error) error {
	if domain.KindOf(err) == domain.NotFound {
		return fmt.Errorf("there is no account %q", ref)
	}
	return err
}
