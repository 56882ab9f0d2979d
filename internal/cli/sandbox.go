package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"net"

	"vitrine/internal/config"
	"vitrine/internal/sandbox"
	"vitrine/internal/server"
)

// kept are the settings that name lasting data or other programs, which a sandbox does not have.
var kept = []string{"database-url", "database-direct-url", "database-replica-urls", "blob-url", "redis-url", "backup-to", "smtp-url", "mail-in", "oidc-issuer", "embeddings-url", "tls-domain", "metrics-addr"}

// serveSandbox serves a sandbox until the context is done.
func (cmd *serveCmd) serveSandbox(c *console, cfg config.Config, log *slog.Logger, l net.Listener) error {
	var problems usageError
	for _, flag := range kept {
		if cmd.Text(flag) != "" {
			problems = append(problems, cmd.Problem(flag, errors.New("a sandbox keeps no data and needs no other program: leave out this setting or --sandbox")))
		}
	}
	if len(problems) > 0 {
		return problems
	}
	build := version()
	s, err := server.NewSandbox(c.Ctx, cfg, server.Options{Log: log, Version: build["version"], Commit: build["commit"]}, cmd.Text("rate-limits") == "")
	if err != nil {
		return err
	}
	if err := s.Start(l); err != nil {
		return errors.Join(err, s.Shutdown(c.Ctx))
	}
	fmt.Fprintf(c.Out, "Vitrine %s is ready as a sandbox: open %s\n\nAnyone who reaches it can use these accounts, all with the password %q:\n", build["version"], cfg.SiteURL, sandbox.Password)
	for _, a := range s.Accounts {
		fmt.Fprintf(c.Out, "  %-4s read: %s  write: %s\n", a.Slug, a.Read, a.Write)
	}
	fmt.Fprintf(c.Out, "\n  try it:  curl -H \"Authorization: Bearer %s\" %s/v3/me\n  reset:   curl -X POST %[2]s/ext/v1/sandbox/reset\n", s.Accounts[0].Write, cfg.BaseURL)
	log.Info("serving a sandbox", "addr", l.Addr().String(), "base_url", cfg.BaseURL, "version", build["version"], "commit", build["commit"])
	return untilDone(c, cfg, log, s)
}
