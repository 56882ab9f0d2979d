package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"vitrine/internal/config"
	"vitrine/internal/obs"
	"vitrine/internal/server"
)

type serveCmd struct{ config.Flags }

// Run serves until the context is done, and then lets the requests in flight finish.
func (cmd *serveCmd) Run(c *console) error {
	cfg, problems := cmd.Resolve()
	if len(problems) > 0 {
		return usageError{problems}
	}
	log, err := obs.Logger(c.err, cfg.LogFormat, cfg.LogLevel)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return err
	}
	defer l.Close()
	if _, port, _ := net.SplitHostPort(cfg.Addr); port == "0" {
		cmd.Addr = l.Addr().String() // and with it the addresses that follow from it
		cfg, _ = cmd.Resolve()
	}
	build := version()
	s, err := server.New(c.ctx, cfg, server.Options{Log: log, Version: build["version"], Commit: build["commit"]})
	if err != nil {
		return err
	}
	if err := s.Start(l); err != nil {
		return errors.Join(err, s.Shutdown(c.ctx))
	}
	cmd.greet(c, cfg)
	select {
	case <-c.ctx.Done():
		log.Info("shutting down", "timeout", cfg.ShutdownTimeout)
	case err = <-s.Failed():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), cfg.ShutdownTimeout)
	defer cancel()
	if closing := s.Shutdown(ctx); err == nil {
		err = closing
	}
	return err
}

// greet says where the server is and what to do next.
func (cmd *serveCmd) greet(c *console, cfg config.Config) {
	where, again := "SQLite in "+cfg.SQLitePath(), c.program
	if cfg.DatabaseURL != "" {
		where = "PostgreSQL"
	}
	if cmd.DataDir != "./data" {
		again = "VITRINE_DATA_DIR=" + shellWord(cfg.DataDir) + " " + again
	}
	fmt.Fprintf(c.out, `Vitrine listens on %[1]s and keeps its data in %[2]s.

Next, in another terminal:
  make a user:   %[3]s user create --slug ada --name "Ada" --email ada@example.org --password "a good long one"
  make a token:  export TOKEN="$(%[3]s token create --user ada --scope write)"
  say hello:     curl -H "Authorization: Bearer $TOKEN" %[1]s/v3/me
`, cfg.BaseURL, where, again)
}

// shellWord writes a word so that a POSIX shell reads it as it is.
func shellWord(s string) string {
	special := func(r rune) bool { return strings.ContainsRune(" \t\n'\"\\$`!*?[]{}()<>|&;~#", r) }
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
