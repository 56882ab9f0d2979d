package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"vitrine/internal/config"
	"vitrine/internal/server"
)

type serveCmd struct {
	config.Flags
	Sandbox bool `env:"VITRINE_SANDBOX" help:"Serve a fixed data set for tests of API clients, with tokens that everyone knows, and keep nothing."`
}

// Run serves until the context is done, and then waits for requests in flight.
func (cmd *serveCmd) Run(c *console) error {
	cfg, log, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	l, err := server.Listen("addr", cfg.Addr, cfg.SocketMode)
	if err != nil {
		return err
	}
	defer l.Close()
	if _, port, _ := net.SplitHostPort(cfg.Addr); port == "0" {
		cmd.Set("addr", l.Addr().String()) // also updates the addresses derived from it
		cfg, _ = cmd.Resolve()
	}
	if cmd.Sandbox {
		return cmd.serveSandbox(c, cfg, log, l)
	}
	release, err := server.Claim(c.Ctx, cfg) // before migrating the file
	if err != nil {
		return err
	}
	defer release()
	ready := func() {
		what := "Vitrine " + version()["version"] + " is ready: open " + cfg.SiteURL
		if cfg.LogFormat == "json" { // its reader parses every line
			started(log, cfg, what, "addr", l.Addr().String(), "base_url", cfg.BaseURL, "site_url", cfg.SiteURL)
			return
		}
		fmt.Fprintln(c.Out, what)
		cmd.greet(c, cfg)
		started(log, cfg, "serving", "addr", l.Addr().String(), "base_url", cfg.BaseURL, "site_url", cfg.SiteURL)
	}
	return operate(c, cmd.Flags, cfg, log, ready, func(s *server.Server) error { return s.Start(l) })
}

type workCmd struct{ config.Flags }

// Run works jobs until the context is done, and then waits for running jobs.
func (cmd *workCmd) Run(c *console) error {
	cfg, log, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	if err := server.RequireDatabase(cfg); err != nil {
		return err
	}
	ready := func() {
		if cfg.LogFormat != "json" {
			fmt.Fprintf(c.Out, "Vitrine runs the jobs in %s.\n", database(cfg))
		}
		started(log, cfg, "working jobs")
	}
	return operate(c, cmd.Flags, cfg, log, ready, func(s *server.Server) error { return s.StartWork() })
}

// operate creates a server, starts it, and shuts it down when the context is done.
func operate(c *console, flags config.Flags, cfg config.Config, log *slog.Logger, ready func(), start func(s *server.Server) error) error {
	build := version()
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // from now on, since it would end the program
	defer signal.Stop(hangups)
	allReady := func() {
		ready()
		warnAboutVariables(log)
	}
	s, err := server.New(c.Ctx, cfg, server.Options{Log: log, Level: c.Level, Ready: allReady, Version: build["version"], Commit: build["commit"]})
	if err != nil && c.Ctx.Err() != nil {
		log.Info("stopped during startup", "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	server.LimitMemory(cfg.MemoryLimit, log)
	if err := start(s); err != nil {
		return errors.Join(err, s.Shutdown(c.Ctx))
	}
	defer takeReloads(c, flags, cfg, log, s, hangups)()
	return untilDone(c, cfg, log, s)
}

// running is a server, or a sandbox.
type running interface {
	Failed() <-chan error
	Shutdown(ctx context.Context) error
}

// untilDone waits until the context is done or a listener fails, and shuts down.
func untilDone(c *console, cfg config.Config, log *slog.Logger, s running) (err error) {
	select {
	case <-c.Ctx.Done():
		log.Info("shutting down", "timeout", cfg.ShutdownTimeout)
	case err = <-s.Failed():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Ctx), cfg.DrainDelay+cfg.ShutdownTimeout)
	defer cancel()
	if closing := s.Shutdown(ctx); err == nil {
		err = closing
	}
	return err
}

// warnAboutVariables logs environment variables that look like settings but are not.
func warnAboutVariables(log *slog.Logger) {
	for _, v := range config.UnknownVariables(os.Environ()) {
		if v.Closest == "" {
			log.Warn("ignoring an environment variable that is not a setting", "variable", v.Name)
		} else {
			log.Warn("ignoring an environment variable that is not a setting", "variable", v.Name, "did-you-mean", v.Closest)
		}
	}
}

// started logs the start with the build and the database.
func started(log *slog.Logger, cfg config.Config, what string, more ...any) {
	build := version()
	log.Info(what, append(more, "database", database(cfg), "version", build["version"], "commit", build["commit"])...)
}

// database describes where the data is.
func database(cfg config.Config) string {
	if cfg.DatabaseURL != "" {
		return "PostgreSQL"
	}
	return "SQLite in " + cfg.SQLitePath()
}

// greet prints where the server is and what to do next.
func (cmd *serveCmd) greet(c *console, cfg config.Config) {
	again := c.Program
	switch {
	case cfg.DatabaseURL != "": // secret; the reader inserts their own
		again = "VITRINE_DATABASE_URL='postgres://…' " + again
	case cfg.DataDir != "./data":
		again = "VITRINE_DATA_DIR=" + shellWord(cfg.DataDir) + " " + again
	}
	here := cfg.BaseURL
	local := cfg.LocalURL()
	if _, socket := config.SocketPath(cfg.Addr); socket {
		local = cfg.Addr
	}
	if local != here && !cfg.TLS.On() { // with TLS the certificate is only valid for the public name
		here = local + " (to clients: " + here + ")"
	}
	fmt.Fprintf(c.Out, `It listens on %[4]s and keeps its data in %[2]s.

The first account that you create there is the operator's. Or in another terminal:
  create a user:   %[3]s user create --slug ada --name "Ada" --email ada@example.org --password "a good long one"
  create a token:  export TOKEN="$(%[3]s token create --user ada --scope write)"
  try it:          curl -H "Authorization: Bearer $TOKEN" %[1]s/v3/me
`, cfg.BaseURL, database(cfg), again, here)
}

// shellWord quotes a word for a POSIX shell.
func shellWord(s string) string {
	special := func(r rune) bool { return strings.ContainsRune(" \t\n'\"\\$`!*?[]{}()<>|&;~#", r) }
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
